"""The one owner of the Telegram account: keeps it connected, says how it is, and asks what others need."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from errors import (
    BridgeError,
    FloodWait,
    NotLoggedIn,
    PassingFault,
    ShuttingDown,
    TelegramTimeout,
    TelegramUnavailable,
)
from model.channel import Channel
from model.folder import JoinedChats
from model.media import FileRef
from model.message import Message
from model.thread import Thread, ThreadKind
from supervisor import Supervisor, TaskStats
from telegram.options import TelegramOptions
from telegram.refusals import AccountBanned, KeyUnknown, SessionRevoked, WrongApplication
from telegram.session_file import SessionFile
from telegram.watchdog import Watchdog, WatchdogStats
from tg_throttle import CONNECTING, Priority, RpcGate

if TYPE_CHECKING:
    from pyrogram.connection import Connection as TCPConnection

    from telegram.account import Account

logger = logging.getLogger(__name__)

# Seconds between looks at a session file that somebody may write by logging in.
FILE_WATCH_INTERVAL = 1.0
# A line that is down for longer than this turns calls away at once instead of letting each wait.
DOWN_GRACE = 5.0
STOP_TIMEOUT = 8.0
# Seconds before Telegram is asked again whether it knows the session.
KEY_DOUBT_PAUSE = 2.0
# Connections that end sooner than this are followed by growing pauses, in seconds.
CALM_AFTER = 60.0


class State(StrEnum):
    """How the connection to Telegram is."""

    CONNECTING = "connecting"
    READY = "ready"
    NOT_LOGGED_IN = "not_logged_in"
    REVOKED = "revoked"
    BANNED = "banned"
    BAD_API = "bad_api"
    UNAVAILABLE = "unavailable"
    CLOSED = "closed"


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The connection at one moment. `reason` is one line for the owner, "" when all is well.

    `account` is the account's name without its phone number, None before it is known. `probed_at` is the
    `time.monotonic()` of Telegram's latest answer, None before the first.
    """

    state: State
    reason: str = ""
    account: str | None = None
    probed_at: float | None = None

    @property
    def connected(self) -> bool:
        """Whether calls can be made."""
        return self.state is State.READY


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """The library that speaks to Telegram: its version, and the layer (version) of Telegram's schema."""

    version: str
    layer: int


class TelegramClient:
    """Connects in the background, again and again if need be, and answers calls meanwhile as well as it can.

    Every call but `file_part` passes `gate`, which is closed, with the reason, as long as there is no
    connection. `connection_factory` replaces the way to Telegram's data centers; only code can set it.
    `on_ready` is called whenever a connection has come (back): what failed for want of one may be tried again.
    `on_give_up` is called when the watchdog could not restart the connection: only a new process may help.
    """

    def __init__(
        self,
        options: TelegramOptions,
        gate: RpcGate,
        *,
        connection_factory: type[TCPConnection] | None = None,
    ) -> None:
        self.on_ready: Callable[[], None] = lambda: None
        self.on_give_up: Callable[[], None] = lambda: None
        self._options = options
        self._gate = gate
        self._connection_factory = connection_factory
        self._file = SessionFile(options.session_path)
        self._tasks = Supervisor()
        self._account: Account | None = None
        self._status = Status(state=State.CONNECTING, reason="Connecting to Telegram")
        self._library: Library | None = None
        # Whether Telegram has said once that it does not know the session, and not been asked again yet.
        self._doubted = False
        self._ready_at = float("inf")
        # Set when an attempt to connect has come to a good end, or to one that no further attempt would change.
        self._settled = asyncio.Event()
        self._watchdog = Watchdog(
            options.watchdog, lambda: self._account, self._reconnect, give_up=lambda: self.on_give_up()
        )
        gate.close(lambda: TelegramUnavailable("Connecting to Telegram", 5))

    @property
    def status(self) -> Status:
        """How the connection is, from memory."""
        account = self._account
        if account is None:
            return self._status
        return msgspec.structs.replace(self._status, account=account.name, probed_at=account.answered_at)

    @property
    def watchdog(self) -> WatchdogStats:
        """Probes, lost connections and restarts so far."""
        return self._watchdog.stats()

    @property
    def library(self) -> Library | None:
        """What speaks to Telegram, None before it was needed for the first time."""
        return self._library

    def note_download(self, fault: BridgeError | None) -> None:
        """Hear how a download ended, None if well: when one after the other runs out of time, it is the connection."""
        if fault is None or isinstance(fault, TelegramTimeout):
            self._watchdog.note_download(timed_out=fault is not None)

    def background(self) -> dict[str, TaskStats]:
        """The background tasks, by name."""
        return self._tasks.stats()

    async def start(self) -> None:
        """Begin to connect. Returns at once; `status` tells how it goes."""
        self._tasks.start("telegram connection", self._keep_connected)
        if self._options.watchdog.enabled:
            self._tasks.start("telegram probe", self._watchdog.probe_forever)
            self._tasks.start("telegram restart", self._watchdog.restart_forever)

    def turn_away(self) -> None:
        """Let calls under way and later ones get `TelegramUnavailable`: `stop` comes soon."""
        self._watchdog.rest()
        self._become(State.CLOSED, ShuttingDown())

    async def stop(self) -> None:
        """Disconnect, within `STOP_TIMEOUT` seconds. There is no start after it."""
        self.turn_away()
        await self._tasks.stop(within=STOP_TIMEOUT)

    # Calls. All raise the errors of `errors.py` and no others.

    async def resolve(self, key: str | int, *, priority: Priority = Priority.INTERACTIVE) -> Channel:
        """The chat with that username (without `@`, any case), marked id, or invitation (`+hash`).

        Raises `ChannelNotFound`, `ChannelPrivate`, `FloodWait`, `TelegramTimeout`, `TelegramUnavailable`.
        """
        return await self._connected().peers.resolve(key, priority)

    async def full_channel(self, channel: Channel, *, priority: Priority = Priority.INTERACTIVE) -> Channel:
        """The chat again, with description, photo and members. Raises as `resolve` does."""
        return await self._connected().peers.full(channel, priority)

    async def history(
        self, channel: Channel, *, offset_id: int = 0, limit: int = 100, priority: Priority = Priority.INTERACTIVE
    ) -> list[Message]:
        """Up to `limit` (at most 100) messages older than `offset_id` (0: from the newest), newest first.

        Raises as `resolve` does.
        """
        return await self._connected().history(channel, offset_id=offset_id, limit=limit, priority=priority)

    async def messages(
        self, channel: Channel, ids: Sequence[int], *, priority: Priority = Priority.INTERACTIVE
    ) -> list[Message]:
        """Those of the messages (at most 100) that exist. Raises as `resolve` does."""
        return await self._connected().messages(channel, ids, priority=priority)

    async def thread(
        self, chat: Channel, kind: ThreadKind, root_id: int, *, priority: Priority = Priority.INTERACTIVE
    ) -> Thread:
        """The topic of a forum, or the comments on a channel's post, with that id.

        Raises `ThreadNotFound`, and as `resolve` does.
        """
        return await self._connected().threads.describe(chat, kind, root_id, priority)

    async def replies(
        self, thread: Thread, *, offset_id: int = 0, limit: int = 100, priority: Priority = Priority.INTERACTIVE
    ) -> list[Message]:
        """As `history`, of a thread. Raises `ThreadNotFound`, and as `resolve` does."""
        return await self._connected().threads.replies(thread, offset_id=offset_id, limit=limit, priority=priority)

    async def raw_messages(
        self, channel: Channel, ids: Sequence[int], *, priority: Priority = Priority.INTERACTIVE
    ) -> list[Any]:
        """Those of the messages (at most 100) that exist, as Telegram sent them: TL objects as JSON can hold them.

        Raises as `resolve` does.
        """
        return await self._connected().raw_messages(channel, ids, priority=priority)

    async def joined(self, *, priority: Priority = Priority.INTERACTIVE) -> JoinedChats:
        """All channels and groups that the account has joined, and its folders: a call for 100 chats, and one more.

        Raises `FloodWait`, `TelegramTimeout`, `TelegramUnavailable`.
        """
        return await self._connected().joined(priority=priority)

    async def file_part(
        self, file: FileRef, offset: int, limit: int, *, priority: Priority = Priority.INTERACTIVE
    ) -> bytes:
        """Bytes [offset, offset + limit) of a file, fewer or none at its end; past the gate, whatever the priority.

        `offset` and `limit` are multiples of 4096, `limit` divides 1 MiB and the part lies in one MiB. Raises
        `FloodWait`, `FileReferenceExpired`, `MediaGone`, `TelegramTimeout`, `TelegramUnavailable`.
        """
        return await self._connected().files.part(file, offset, limit)

    def _connected(self) -> Account:
        self._gate.check()
        if self._account is None:
            raise TelegramUnavailable("No connection to Telegram", 5)
        return self._account

    # Keeping it so.

    async def _keep_connected(self) -> None:
        pause = self._options.first_pause
        while True:
            await self._outwait_flood()
            try:
                await self._connect_and_watch()
                pause = self._options.first_pause
            except NotLoggedIn as fault:
                if isinstance(fault, KeyUnknown) and not self._doubted:
                    # An ended login stays ended until the owner acts, so it takes more than one word.
                    self._doubted = True
                    pause = self._options.first_pause if self._stood else pause
                    unsure = TelegramUnavailable("Telegram does not know the session: asking again", max(5, pause))
                    self._become(State.CONNECTING, unsure)
                    if pause > self._options.first_pause:
                        logger.warning("Telegram does not know the session: asking again")
                    await asyncio.sleep(max(KEY_DOUBT_PAUSE, pause))
                    pause = min(pause * 2, self._options.longest_pause)
                    continue
                self._become(_state_of(fault), fault)
                self._settled.set()
                await self._until_file_changes()
                pause = self._options.first_pause
            except FloodWait as fault:
                if not self._gate.pause(CONNECTING):
                    self._gate.flood(fault.retry_after, CONNECTING)
            except BridgeError as fault:
                pause = self._options.first_pause if self._stood else pause
                self._become(State.UNAVAILABLE, fault)
                await asyncio.sleep(pause)
                pause = min(pause * 2, self._options.longest_pause)

    @property
    def _stood(self) -> bool:
        """Whether the latest connection stood long enough to owe its end to something new."""
        return time.monotonic() - self._ready_at > CALM_AFTER

    async def _outwait_flood(self) -> None:
        """Return when Telegram has nothing against a new connection, whoever was told so, and in which process."""
        while left := self._gate.pause(CONNECTING):
            self._become(State.UNAVAILABLE, FloodWait(left, CONNECTING))
            self._settled.set()
            # A timer may be a trifle early.
            await asyncio.sleep(left + 0.05)

    async def _connect_and_watch(self) -> None:
        """Be connected until the connection ends. Raises why, if it is for more than a moment."""
        self._ready_at = float("inf")
        await asyncio.to_thread(self._file.prepare)
        with self._file.lock():
            if not await asyncio.to_thread(self._file.is_logged_in):
                raise NotLoggedIn
            # Kurigram takes a second to load; whoever waits for the first answer should not.
            open_account = await asyncio.to_thread(_load)
            account = await open_account(self._options, self._gate, self._connection_factory)
            try:
                self._account = account
                self._library = Library(version=account.kurigram_version, layer=account.layer)
                account.on_lost(self._watchdog.note_disconnect)
                self._doubted = False
                self._ready_at = time.monotonic()
                self._become(State.READY)
                self._settled.set()
                logger.info("Connected to Telegram as %s", account.name)
                await self._watch(account)
            finally:
                self._status = self.status
                self._account = None
                self._become(State.CONNECTING, TelegramUnavailable("Reconnecting to Telegram", 5))
                await account.close()
            if account.fault is not None:
                raise account.fault

    async def _watch(self, account: Account) -> None:
        """Shut the gate while the line is down for long, until the connection ends."""
        up_at = time.monotonic()
        while not account.ended.is_set():
            if self._options.files_ahead and account.up:
                account.files.upkeep()
            try:
                async with asyncio.timeout(1.0):
                    await account.ended.wait()
            except TimeoutError:
                if account.up:
                    up_at = time.monotonic()
                    if self._status.state is State.UNAVAILABLE:
                        self._become(State.READY)
                        logger.info("The connection to Telegram is back")
                elif time.monotonic() - up_at > DOWN_GRACE and self._status.state is State.READY:
                    left = self._gate.pause(CONNECTING)
                    down = TelegramUnavailable("The connection to Telegram is down", 15)
                    self._become(State.UNAVAILABLE, FloodWait(left, CONNECTING) if left else down)

    async def _until_file_changes(self) -> None:
        seen = self._file.signature()
        while self._file.signature() == seen:
            await asyncio.sleep(FILE_WATCH_INTERVAL)

    async def _reconnect(self) -> None:
        """End the connection; return when the next has been verified, or when Telegram has said why there is none."""
        if self._account is not None:
            self._settled.clear()
            self._account.ended.set()
        await self._settled.wait()

    def _become(self, state: State, fault: BridgeError | None = None) -> None:
        if self._status.state is State.CLOSED:
            return
        reason = "" if fault is None else str(fault)
        if fault is not None and (state, reason) != (self._status.state, self._status.reason):
            logger.log(logging.INFO if state in {State.CLOSED, State.CONNECTING} else logging.ERROR, "%s", reason)
        account = self._account.name if self._account is not None else self._status.account
        self._status = Status(state=state, reason=reason, account=account, probed_at=self._status.probed_at)
        if fault is None:
            self._gate.open()
            self.on_ready()
        else:
            self._gate.close(_refusal(fault))


@cache
def _load() -> Callable[..., Coroutine[Any, Any, Account]]:
    from telegram.account import open_account

    # What is loaded stays. Looking through it for garbage would hold the service up for 60 ms, again and again.
    gc.freeze()
    return open_account


def _refusal(fault: BridgeError) -> Callable[[], PassingFault]:
    """What calls get while there is no connection because of `fault`."""
    reason = str(fault)
    if isinstance(fault, NotLoggedIn):
        return lambda: NotLoggedIn(reason)
    if isinstance(fault, ShuttingDown):
        return ShuttingDown
    if isinstance(fault, FloodWait):
        over_at = time.monotonic() + fault.retry_after
        return lambda: FloodWait(max(1.0, over_at - time.monotonic()), fault.scope)
    retry_after = fault.retry_after if isinstance(fault, PassingFault) else 60.0
    return lambda: TelegramUnavailable(reason, retry_after)


def _state_of(fault: NotLoggedIn) -> State:
    for kind, state in (
        (SessionRevoked, State.REVOKED),
        (AccountBanned, State.BANNED),
        (WrongApplication, State.BAD_API),
    ):
        if isinstance(fault, kind):
            return state
    return State.NOT_LOGGED_IN
