"""Connections to data centers for files: one to each, made when needed, replaced when dead, closed when idle."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pyrogram import errors as tl
from pyrogram import raw
from pyrogram.raw.core import TLObject
from pyrogram.session import Auth
from pyrogram.session.session import AuthKeyNotFound

from errors import BridgeError, FloodWait, PassingFault, TelegramTimeout, TelegramUnavailable
from telegram.cdn import trusted_keys
from telegram.connection import Connection, pick_address
from telegram.errors import KURIGRAM_ERRORS, AnswerNotUnderstood, ConnectionLost, translate
from telegram.flood_rules import DOWNLOADS
from telegram.session import OneTrySession
from tg_throttle import RpcGate

logger = logging.getLogger(__name__)

T = TypeVar("T")

# Whoever waits for a connection looks this often (seconds) whether the gate has been shut meanwhile.
_LOOK_AT_GATE = 0.25
# A connection that nobody has used for so many seconds is closed, the one to the account's own data center excepted.
IDLE_LIMIT = 300.0
# What a data center says of a key that it does not know, or of which it does not know whose it is.
_KEY_REFUSED = (tl.Unauthorized, tl.AuthKeyDuplicated, AuthKeyNotFound)


@dataclass(slots=True)
class _Place:
    """What is known of one data center. Times are the loop's.

    `key` is an auth key that is logged in there, of another data center than the account's. After a failed attempt to
    connect there is none before `closed_until`; `fault` is what requests get until then.
    """

    session: OneTrySession | None = None
    opening: asyncio.Task[OneTrySession] | None = None
    key: bytes | None = None
    in_use: int = 0
    used_at: float = 0.0
    answered_at: float = 0.0
    pause: float = 0.0
    closed_until: float = 0.0
    fault: TelegramTimeout | TelegramUnavailable | None = None


@dataclass(slots=True)
class _Background:
    """Tasks that nobody waits for, kept so that they are not lost."""

    tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


class MediaSessions:
    """Asks data centers for files, each over one connection.

    A connection is checked before it is used: one that has ended is replaced, as is one that is lost and does not come
    back within seconds, and one that gives no answer at all although it stands. A data center that can't be reached is
    left alone for `first_pause` seconds, doubled with each further attempt up to `longest_pause`; meanwhile its
    requests fail at once, with the time that is left, and other data centers' are not affected.
    """

    def __init__(
        self,
        connection: Connection,
        gate: RpcGate,
        *,
        open_timeout: float,
        first_pause: float,
        longest_pause: float,
    ) -> None:
        """`open_timeout`: seconds that making a connection may take, with its keys and its login."""
        self._connection = connection
        self._gate = gate
        self._open_timeout = open_timeout
        self._first_pause = first_pause
        self._longest_pause = longest_pause
        self._home: int = connection.session.dc_id
        self._places: dict[int, _Place] = {}
        self._closing = _Background()
        self._closed = False
        self._config = connection.session.config
        self._cdn_config: raw.types.CdnConfig | None = None

    async def call(self, dc_id: int, query: TLObject[T], time_limit: float, *, cdn: bool = False) -> T:
        """Ask a data center, or one of a delivery network if `cdn`; `time_limit` (seconds) is for the answer alone.

        Raises one of `KURIGRAM_ERRORS` for what the data center answers or fails to, and BridgeError if there is no
        connection to it.
        """
        place = self._places.setdefault(dc_id, _Place())
        place.in_use += 1
        refusal: Exception | None = None
        try:
            for _ in range(2):
                session = await self._session(dc_id, place, cdn=cdn)
                try:
                    return await self._ask(place, session, query, time_limit)
                except _KEY_REFUSED as error:
                    if dc_id == self._home and not isinstance(error, AuthKeyNotFound):
                        raise
                    # Says nothing of the main connection, which finds out for itself whether its login holds.
                    refusal = error
                    if place.session is session:
                        place.key = None
                    await self._retire(place, session)
                except ConnectionLost:
                    # Ended under this call, by one that met a refusal.
                    if session.usable:
                        raise
            raise _not_accepted(dc_id) from refusal
        finally:
            place.in_use -= 1
            place.used_at = _now()

    async def _ask(self, place: _Place, session: OneTrySession, query: TLObject[T], time_limit: float) -> T:
        """One call over a connection, which is given up if it turns out to be dead."""
        asked_at = _now()
        try:
            answer = await session.call(query, time_limit)
        except (tl.RPCError, AnswerNotUnderstood):
            place.answered_at = _now()
            raise
        except ConnectionLost:
            if session.usable and not session.is_started.is_set():
                # It had its time to come back. A new one is tried at once, and not after ever longer pauses.
                await self._retire(place, session)
                raise TelegramUnavailable("The connection for files was lost and is made anew", 5) from None
            raise
        except TimeoutError:
            # It may have answered somebody else; or been replaced for another call that waited as long.
            if place.answered_at < asked_at and place.session is session:
                logger.warning("The file connection to data center %d does not answer: replaced", session.dc_id)
                await self._retire(place, session)
            raise
        place.answered_at = _now()
        return answer

    def upkeep(self) -> None:
        """Have the connection to the account's own data center made if there is none, and idle ones closed.

        Does not wait. To be called about once a second while the account is connected.
        """
        if self._closed:
            return
        for dc_id, place in self._places.items():
            idle = not place.in_use and place.opening is None and _now() - place.used_at > IDLE_LIMIT
            if dc_id != self._home and idle and place.session is not None:
                self._closing.start(self._retire(place, place.session))
        home = self._places.setdefault(self._home, _Place())
        if (home.session is not None and home.session.usable) or home.opening is not None:
            return
        try:
            self._gate.check(DOWNLOADS)
            self._check_reach(home)
        except PassingFault:
            return
        self._begin_opening(self._home, home, cdn=False)

    async def close(self) -> None:
        """Stop all connections, and attempts to make one; whoever waits for them gets TelegramUnavailable."""
        self._closed = True
        openings = [place.opening for place in self._places.values() if place.opening is not None]
        for opening in openings:
            opening.cancel()
        if openings:
            await asyncio.wait(openings, timeout=1)
        sessions = [place.session for place in self._places.values() if place.session is not None]
        await asyncio.gather(*(session.shut() for session in sessions))
        if self._closing.tasks:
            await asyncio.wait(self._closing.tasks)
        self._places.clear()

    # Having a connection.

    async def _session(self, dc_id: int, place: _Place, *, cdn: bool) -> OneTrySession:
        if place.session is not None and place.session.usable:
            return place.session
        opening = place.opening
        if opening is None:
            self._check_reach(place)
            opening = self._begin_opening(dc_id, place, cdn=cdn)
        # Shared by all who wait: one of them leaving must not end it for the others.
        while not (await asyncio.wait({opening}, timeout=_LOOK_AT_GATE))[0]:
            self._gate.check(DOWNLOADS)
        if opening.cancelled():
            raise TelegramUnavailable("The connection for files was broken off", 5)
        return opening.result()

    def _check_reach(self, place: _Place) -> None:
        """Raise the data center's fault while it is left alone."""
        remaining = place.closed_until - _now()
        if self._closed:
            raise TelegramUnavailable("The connection for files is closed", 5)
        if place.fault is not None and remaining > 0:
            timed_out = isinstance(place.fault, TelegramTimeout)
            raise (TelegramTimeout if timed_out else TelegramUnavailable)(str(place.fault), remaining)

    def _begin_opening(self, dc_id: int, place: _Place, *, cdn: bool) -> asyncio.Task[OneTrySession]:
        opening = asyncio.get_running_loop().create_task(
            self._open(dc_id, place, cdn=cdn), name=f"media session {dc_id}"
        )
        place.opening = opening
        opening.add_done_callback(_look_at)
        return opening

    async def _open(self, dc_id: int, place: _Place, *, cdn: bool) -> OneTrySession:
        """Connect. A fault of the data center, other than one of the gate, is remembered against it."""
        fault: BridgeError
        try:
            async with asyncio.timeout(self._open_timeout):
                session = await self._connect(dc_id, place, cdn=cdn)
        except TimeoutError as error:
            fault = TelegramTimeout(f"No connection to Telegram's data center {dc_id} for files")
            raise self._out_of_reach(place, fault) from error
        except AuthKeyNotFound as error:
            raise self._out_of_reach(place, _not_accepted(dc_id)) from error
        except KURIGRAM_ERRORS as error:
            fault = translate(error, f"the file connection to data center {dc_id}")
            if isinstance(fault, FloodWait):
                # The session has told the gate.
                fault = FloodWait(fault.retry_after, DOWNLOADS)
            raise self._out_of_reach(place, fault) from error
        finally:
            place.opening = None
        place.pause, place.fault = 0.0, None
        place.session, place.used_at = session, _now()
        return session

    def _out_of_reach(self, place: _Place, fault: BridgeError) -> BridgeError:
        # It may have another address by now.
        self._config = None
        if not isinstance(fault, TelegramTimeout | TelegramUnavailable):
            return fault
        place.pause = min(max(self._first_pause, place.pause * 2), self._longest_pause)
        place.closed_until = _now() + place.pause
        place.fault = fault
        return fault

    async def _retire(self, place: _Place, session: OneTrySession) -> None:
        """Close a connection; the next request makes another one."""
        if place.session is session:
            place.session = None
            await session.shut()

    # Making one.

    async def _connect(self, dc_id: int, place: _Place, *, cdn: bool) -> OneTrySession:
        if place.session is not None:
            await self._retire(place, place.session)
        address = await self._address(dc_id, media=not cdn, cdn=cdn)
        if dc_id == self._home:
            # Salts belong to the key: with none, the first message is refused and costs another round trip.
            main = self._connection.session
            return await self._begin(dc_id, address, main.auth_key, salt=main.salt)
        if place.key is not None:
            try:
                return await self._begin(dc_id, address, place.key, cdn=cdn)
            except _KEY_REFUSED:
                place.key = None
        if cdn:
            with trusted_keys(await self._keys_of_cdn(), dc_id):
                place.key = await self._make_key(dc_id, address)
            return await self._begin(dc_id, address, place.key, cdn=True)
        key = await self._make_key(dc_id, await self._address(dc_id, media=False))
        session = await self._begin(dc_id, address, key)
        try:
            ticket = await self._connection.call(raw.functions.auth.ExportAuthorization(dc_id=dc_id))
            redeem = raw.functions.auth.ImportAuthorization(id=ticket.id, bytes=ticket.bytes)
            await session.call(redeem, self._open_timeout)
        except BaseException:
            await session.shut()
            raise
        place.key = key
        return session

    async def _begin(
        self, dc_id: int, address: raw.types.DcOption, key: bytes, *, salt: int = 0, cdn: bool = False
    ) -> OneTrySession:
        client = self._connection.client
        test_mode = await client.storage.test_mode()
        session = OneTrySession(
            client, dc_id, address.ip_address, address.port, key, test_mode, is_media=not cdn, is_cdn=cdn
        )
        session.salt = salt
        session.on_flood = self._note_flood
        await session.open(self._open_timeout)
        return session

    async def _make_key(self, dc_id: int, address: raw.types.DcOption) -> bytes:
        """Agree with a data center on an auth key. Raises KURIGRAM_ERRORS."""
        client = self._connection.client
        test_mode = await client.storage.test_mode()
        try:
            key: bytes = await Auth(client, dc_id, address.ip_address, address.port, test_mode).create()
        except Exception as error:
            # Kurigram has no type for a server with an RSA key that nobody vouches for.
            if type(error) is Exception:
                raise ConnectionError(str(error)) from error
            raise
        return key

    def _note_flood(self, seconds: float) -> None:
        self._gate.flood(seconds, DOWNLOADS)

    async def _address(self, dc_id: int, *, media: bool, cdn: bool = False) -> raw.types.DcOption:
        if self._config is None:
            self._config = await self._connection.call(raw.functions.help.GetConfig())
        return pick_address(self._config, dc_id, media=media, cdn=cdn)

    async def _keys_of_cdn(self) -> raw.types.CdnConfig:
        if self._cdn_config is None:
            self._cdn_config = await self._connection.call(raw.functions.help.GetCdnConfig())
        return self._cdn_config


def _not_accepted(dc_id: int) -> TelegramUnavailable:
    return TelegramUnavailable(f"Telegram's data center {dc_id} does not accept the login for files", 5)


def _look_at(task: asyncio.Task[Any]) -> None:
    """See a task's error, so that the loop does not complain when nobody else does."""
    if not task.cancelled():
        task.exception()


def _now() -> float:
    return asyncio.get_running_loop().time()
