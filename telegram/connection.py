"""A live login: the Kurigram client, tamed, and single calls through it."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from typing import Any, TypeVar

from pyrogram import Client, __version__, raw
from pyrogram.connection import Connection as TCPConnection
from pyrogram.raw.all import layer
from pyrogram.raw.core import TLObject

from errors import (
    BridgeError,
    FloodWait,
    NotLoggedIn,
    PassingFault,
    TelegramRefused,
    TelegramTimeout,
    TelegramUnavailable,
)
from telegram.errors import KURIGRAM_ERRORS, AnswerNotUnderstood, ConnectionLost, NeverSent, translate
from telegram.fault_log import FaultLog
from telegram.options import TelegramOptions
from telegram.proxy import to_proxy
from telegram.refusals import KeyUnknown
from telegram.session import RECONNECT_GRACE, OneTrySession, method_name
from telegram.session_file import SESSION_NAME, SessionFile, explain
from tg_throttle import CONNECTING, Priority, RpcGate
from threads import in_thread

logger = logging.getLogger(__name__)

T = TypeVar("T")

# Kurigram's version, and that of Telegram's schema that it speaks.
KURIGRAM_VERSION: str = __version__
LAYER: int = layer


class QuietClient(Client):
    """A client that makes no calls of its own when Telegram pushes something.

    Kurigram would throw away what comes with a time that is not ours. So Telegram's time, once known, goes on by a
    clock that nobody sets.
    """

    _ahead: float | None = None

    @property
    def server_time(self) -> float:
        """Telegram's time (unix seconds), ours before the first answer."""
        return time.time() if self._ahead is None else _steady_time() + self._ahead

    def _set_server_time(self, msg_id: int) -> None:
        self._ahead = msg_id / 2**32 - _steady_time()

    async def handle_updates(self, updates: Any) -> None:
        """Learn the access hashes that come along. Kurigram's would ask for differences, past the gate."""
        await self.fetch_peers(getattr(updates, "users", []))
        await self.fetch_peers(getattr(updates, "chats", []))


def _steady_time() -> float:
    """Seconds that go on while the machine sleeps, too, as Telegram's do; where there are such."""
    boot_time: int | None = getattr(time, "CLOCK_BOOTTIME", None)
    return time.time() if boot_time is None else time.clock_gettime(boot_time)


class Connection:
    """One login, connected. Made by `open_connection`; ends by `close`.

    `name` is the account's name without phone number. `answered_at` is the `time.monotonic()` of Telegram's
    latest answer. `ended` is set when the connection can't come back by itself; `fault` then says why.
    """

    def __init__(self, client: Client, session: OneTrySession, gate: RpcGate, options: TelegramOptions) -> None:
        self.client = client
        self.session = session
        session.on_flood = self._note_flood
        self.ended = session.ended
        self.name = ""
        self.answered_at = time.monotonic()
        self._gate = gate
        self._call_timeout = options.call_timeout
        self._refused: NotLoggedIn | None = None
        self._faults = FaultLog()

    @property
    def up(self) -> bool:
        """Whether the line to Telegram stands at this moment."""
        return self.session.is_started.is_set()

    @property
    def fault(self) -> BridgeError | None:
        """Why the connection ended."""
        if self._refused is not None:
            return self._refused
        return translate(self.session.fault, "the connection") if self.session.fault is not None else None

    async def call(
        self,
        query: TLObject[T],
        *,
        priority: Priority = Priority.INTERACTIVE,
        time_limit: float | None = None,
        opening: bool = False,
    ) -> T:
        """One call through the gate; `opening` if it makes the connection. Raises the bridge's errors."""
        name = method_name(query)
        left = limit = self._call_timeout if time_limit is None else time_limit

        async def attempt() -> T:
            nonlocal left
            began = time.monotonic()
            try:
                # The gate counts timeouts, so its clock rings first; but not while the line is down, which says more.
                return await self._ask(query, left + 1, min(RECONNECT_GRACE, 0.9 * left))
            finally:
                left = max(1.0, limit - (time.monotonic() - began))

        async def turn() -> T:
            return await self._gate.call(name, attempt, priority=priority, time_limit=left, opening=opening)

        try:
            try:
                return await turn()
            except ConnectionLost as lost:
                if isinstance(lost, NeverSent) or not self.session.usable:
                    raise
            # All that the bridge asks can be asked twice. It is one more call for Telegram, so for the gate, too.
            return await turn()
        except ConnectionLost as lost:
            fault = translate(lost, name)
            if isinstance(fault, PassingFault):
                self._faults.note(name, fault)
            raise fault from lost
        except TelegramTimeout as fault:
            self._faults.note(name, fault)
            raise
        except KeyUnknown as refusal:
            if opening:
                raise
            # That is not sure yet, so readers are told what is.
            raise translate(ConnectionLost(), name) from refusal

    async def ping(self, time_limit: float) -> None:
        """See that the line stands, past the gate: a ping is no call. Raises the bridge's errors."""
        try:
            await self._ask(raw.functions.Ping(ping_id=0), time_limit)
        except ConnectionLost as lost:
            raise translate(lost, "ping") from lost

    async def _ask(self, query: TLObject[T], time_limit: float, grace: float = RECONNECT_GRACE) -> T:
        """One question on the wire. Raises the bridge's errors, and `ConnectionLost`.

        A line that is down has `grace` seconds to come back.
        """
        try:
            answer = await self.session.call_once(query, time_limit, grace)
        except ConnectionLost:
            raise
        except KURIGRAM_ERRORS as error:
            fault = translate(error, method_name(query))
            if isinstance(fault, NotLoggedIn):
                self._refused = fault
                self.ended.set()
            elif isinstance(fault, FloodWait | TelegramRefused) or not isinstance(fault, PassingFault):
                self.answered_at = time.monotonic()
            if isinstance(fault, FloodWait | TelegramUnavailable) and not isinstance(fault, NotLoggedIn):
                self._faults.note(method_name(query), fault)
            raise fault from error
        self.answered_at = time.monotonic()
        return answer

    def _note_flood(self, seconds: float) -> None:
        self._gate.flood(seconds, CONNECTING)

    async def remember(self, *peers: raw.base.User | raw.base.Chat) -> None:
        """Keep the access hashes of users and chats in the session file."""
        await self.client.fetch_peers(list(peers))

    async def close(self) -> None:
        """Free all there is, within a few seconds whatever hangs."""
        await self.session.shut()
        self.client.executor.shutdown(wait=False)
        try:
            # A database that is closed while a thread works in it takes the process down.
            await in_thread(lambda: asyncio.run(self.client.storage.save()))
        except sqlite3.Error as error:
            logger.warning("The session file could not be saved: %s", error)
        finally:
            await self.client.storage.close()


def make_client(
    options: TelegramOptions,
    connection_factory: type[TCPConnection] | None,
    *,
    kind: type[Client] = QuietClient,
    in_memory: bool = False,
) -> Client:
    """A Kurigram client that asks nothing by itself, never sleeps inside a call, and keeps quiet.

    Raises `ProxyError`.
    """
    # Its sessions log each attempt of an outage, and at DEBUG what goes over the wire, passwords included.
    logging.getLogger("pyrogram").setLevel(logging.WARNING)
    for noisy in ("pyrogram.connection", "pyrogram.session"):
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    return kind(
        SESSION_NAME,
        api_id=options.api_id,
        api_hash=options.api_hash,
        app_version="Telegram Bridge",
        workdir=options.session_path,
        in_memory=in_memory,
        proxy=to_proxy(options.proxy),
        workers=1,
        sleep_threshold=0,
        fetch_replies=False,
        fetch_topics=False,
        fetch_stories=False,
        fetch_stickers=False,
        connection_factory=connection_factory or TCPConnection,
    )


async def open_connection(
    options: TelegramOptions, gate: RpcGate, connection_factory: type[TCPConnection] | None = None
) -> Connection:
    """Connect with the session file, which must hold a login.

    Raises `NotLoggedIn` and its kinds if Telegram refuses the session, `SessionUnusable` for a bad file,
    `ProxyError`, `FloodWait`, `TelegramTimeout` or `TelegramUnavailable` otherwise, in `connect_timeout` seconds
    or little more.
    """
    client = make_client(options, connection_factory)
    storage = client.storage
    session: OneTrySession | None = None
    try:
        try:
            # Commits wait for the disk, and this makes several.
            await in_thread(lambda: asyncio.run(storage.open()))
            if not await storage.api_id():
                await storage.api_id(options.api_id)
            session = OneTrySession(
                client,
                await storage.dc_id(),
                await storage.server_address(),
                await storage.port(),
                await storage.auth_key(),
                await storage.test_mode(),
            )
        except sqlite3.Error as error:
            raise explain(error, SessionFile(options.session_path).path) from error
        client.session = session
        client.is_connected = True
        connection = Connection(client, session, gate, options)
        await _begin(connection, options)
    except BaseException:
        if session is not None:
            await session.shut()
        client.executor.shutdown(wait=False)
        # `open` may have failed before there was a database.
        if getattr(storage, "_conn", None) is not None:
            await storage.close()
        raise
    return connection


async def _begin(connection: Connection, options: TelegramOptions) -> None:
    """Open the line, and make Telegram send updates and tell who is logged in."""
    deadline = time.monotonic() + options.connect_timeout
    try:
        await connection.session.open(options.connect_timeout)
    except TimeoutError as error:
        raise TelegramUnavailable("No connection to Telegram: network or proxy are down, or it is blocked") from error
    except KURIGRAM_ERRORS as error:
        raise translate(error, "the connection") from error
    for ask in (_ask_for_updates, _ask_for_name):
        await ask(connection, min(options.call_timeout, max(1.0, deadline - time.monotonic())))


def pick_address(config: raw.types.Config, dc_id: int, *, media: bool, cdn: bool = False) -> raw.types.DcOption:
    """Where a data center listens; an address for files only, where there is one, if `media`.

    `cdn`: it is one of the delivery network.

    Raises `TelegramUnavailable`.
    """
    options = [option for option in config.dc_options if option.id == dc_id and not option.ipv6]
    # The others want an obfuscated transport.
    options = [option for option in options if bool(option.cdn) is cdn and not (option.tcpo_only or option.secret)]
    options.sort(key=lambda option: bool(option.media_only) is not media)
    if not options or (options[0].media_only and not media):
        raise TelegramUnavailable(f"Telegram names no address for its data center {dc_id}")
    return options[0]


async def _ask_for_updates(connection: Connection, time_limit: float) -> None:
    """Make Telegram push what happens. Raises the bridge's errors."""
    await connection.call(raw.functions.updates.GetState(), time_limit=time_limit, opening=True)


async def _ask_for_name(connection: Connection, time_limit: float) -> None:
    """Ask Telegram who is logged in, which proves the connection and the login. Raises the bridge's errors."""
    myself = raw.functions.users.GetUsers(id=[raw.types.InputUserSelf()])
    users = await connection.call(myself, time_limit=time_limit, opening=True)
    if not users:
        raise translate(AnswerNotUnderstood("nobody"), "users.getUsers")
    connection.name = account_name(users[0])


def account_name(user: raw.base.User) -> str:
    """How the account is called, never by its phone number."""
    if not isinstance(user, raw.types.User):
        return "unknown account"
    name = " ".join(part for part in (user.first_name, user.last_name) if part)
    username = user.username or next((entry.username for entry in user.usernames or [] if entry.active), None)
    if name and username:
        return f"{name} (@{username})"
    return name or (f"@{username}" if username else f"account {user.id}")
