"""One connection to one data center: Kurigram's `Session`, made to fail fast and to say why."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, TypeVar

from pyrogram import errors as tl
from pyrogram import raw
from pyrogram.raw.core import TLObject
from pyrogram.session import Session
from pyrogram.session.internals import MsgFactory
from pyrogram.session.session import AuthKeyNotFound

from telegram.answer_types import check_answer
from telegram.errors import (
    BAD_APPLICATION,
    AnswerNotUnderstood,
    ConnectionLost,
    NeverSent,
    SaltsRefused,
    pause_of,
)

logger = logging.getLogger(__name__)

T = TypeVar("T")

# A call that finds the connection down waits this long for it to come back, in seconds.
RECONNECT_GRACE = 5.0
# Reconnects closer together than this are trouble, and get growing pauses between them.
CALM_AFTER = 30.0
LONGEST_PAUSE = 30.0
STOP_TIMEOUT = 3.0
# A connection that takes no bytes any more has ended for its reader, too, in so many seconds.
LOSS_SEEN_WITHIN = 1.0
# Telegram takes no message from further in the future, in seconds.
MOST_AHEAD_S = 30
# A salt that is refused is replaced by the one that comes with the refusal. Two of them in a row are odd, more a loop.
MOST_SALTS = 3

# How many sends the present one is inside of: Kurigram sends again, from within, what had a wrong salt.
_depth: ContextVar[int] = ContextVar("depth", default=0)


class _MessageIds(MsgFactory):
    """Ids by Telegram's clock, which the client learns from its answers."""

    async def allocate_message_identity(self) -> int:
        """As in Kurigram; begins anew below ids that were made before it was known that our clock is ahead.

        Kurigram would count on from those, and take all that comes for hopelessly late.
        """
        if self._last_msg_id / 2**32 > self.client.server_time + MOST_AHEAD_S:
            self._last_msg_id = 0
        return int(await super().allocate_message_identity())


class OneTrySession(Session):
    """A session whose calls are tried once, and once more only if the connection was lost meanwhile.

    What differs from Kurigram's own: a call in flight learns of a lost connection at once instead of after its
    timeout; reconnects that fail pause between attempts, as long as Telegram asks for if it does; a refused auth
    key ends the session, with the reason in `fault`, instead of leaving it half dead.
    """

    START_TIMEOUT = 5

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.msg_factory = _MessageIds(self.client)
        self.fault: Exception | None = None
        # Called when a connection that stood is lost.
        self.on_lost: Callable[[], None] = lambda: None
        # Called with the seconds that Telegram wants to be spared new connections.
        self.on_flood: Callable[[float], None] = lambda seconds: None
        # What Telegram answers to the first call of every connection.
        self.config: raw.types.Config | None = None
        # The last error that was met while connecting, and when.
        self._refusal: tl.RPCError | None = None
        self._refused_at = 0.0
        # Set whenever `fault` is, or the session was stopped.
        self.ended = asyncio.Event()
        self._interrupts: set[asyncio.Future[None]] = set()
        self._sending: set[asyncio.Task[Any]] = set()
        # Those that are connecting: Kurigram starts them and keeps no account of them.
        self._starting: set[asyncio.Task[Any]] = set()
        self._reconnecting = False
        self._pause = 0.0
        self._last_restart = float("-inf")

    @property
    def usable(self) -> bool:
        """Whether the session works, or is on the way to work again by itself."""
        return not self.ended.is_set()

    async def open(self, within: float) -> None:
        """Connect. Raises what Telegram refuses the session with, TimeoutError after `within` seconds.

        Whatever it raises, the session is stopped.
        """
        try:
            async with asyncio.timeout(within):
                # Returns though it failed, and goes on trying behind; may also wait for an answer to a refused key.
                starting = asyncio.get_running_loop().create_task(self.start())
                starting.add_done_callback(_seen)
                try:
                    while not self.is_started.is_set():
                        if (refusal := self.fault or self._refusal) is not None:
                            raise refusal
                        if starting.done():
                            starting.result()
                        # Nothing announces a refusal.
                        with suppress(TimeoutError):
                            await asyncio.wait_for(self.is_started.wait(), 0.02)
                finally:
                    starting.cancel()
        except BaseException:
            await self.shut()
            raise

    async def call(self, query: TLObject[T], time_limit: float) -> T:
        """`call_once`, and again if the connection was lost meanwhile and there is time left."""
        deadline = time.monotonic() + time_limit
        try:
            return await self.call_once(query, time_limit)
        except ConnectionLost:
            if not self.usable or time.monotonic() > deadline:
                raise
        # All that the bridge asks can be asked twice.
        return await self.call_once(query, deadline - time.monotonic())

    async def call_once(self, query: TLObject[T], time_limit: float, grace: float = RECONNECT_GRACE) -> T:
        """Send, wait `time_limit` seconds for the answer. Raises one of `KURIGRAM_ERRORS`.

        A connection that is down has `grace` seconds of that to come back. `ConnectionLost` comes as soon as the
        connection is lost, `NeverSent` if it was not there in the first place.
        """
        deadline = time.monotonic() + time_limit
        if not self.is_started.is_set():
            await self._wait_until_started(min(deadline - time.monotonic(), grace))
        loop = asyncio.get_running_loop()
        interrupt = loop.create_future()
        # Not cancelled when nobody waits any more: it ends by its own timeout, and only then frees its record.
        sending: asyncio.Task[T] = loop.create_task(self.send(query, timeout=deadline - time.monotonic()))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)
        sending.add_done_callback(_seen)
        self._interrupts.add(interrupt)
        try:
            await asyncio.wait((sending, interrupt), return_when=asyncio.FIRST_COMPLETED)
            if _failed_to_write(sending):
                # Only the reader acts on a lost connection, and may see a moment later that it is.
                await asyncio.wait((interrupt,), timeout=LOSS_SEEN_WITHIN)
                raise self.fault or ConnectionLost
        finally:
            self._interrupts.discard(interrupt)
        if sending.done() and not sending.cancelled():
            return sending.result()
        raise self.fault or ConnectionLost

    async def shut(self) -> None:
        """Stop for good within `STOP_TIMEOUT`, with all calls in flight told."""
        starting = set(self._starting)
        for task in (*self._sending, *starting):
            task.cancel()
        stopping = asyncio.get_running_loop().create_task(self.stop())
        await asyncio.wait({stopping, *starting}, timeout=STOP_TIMEOUT)
        if not stopping.done():
            stopping.cancel()
            logger.error("A connection to Telegram did not close in time and is left behind")
        elif not stopping.cancelled() and (error := stopping.exception()) is not None:
            logger.warning("A connection to Telegram closed with %s", type(error).__name__)

    async def start(self) -> None:
        """As in Kurigram, which calls this for every connection; `shut` breaks it off."""
        task = asyncio.current_task()
        assert task is not None
        self._starting.add(task)
        try:
            await Session.start(self)
        finally:
            self._starting.discard(task)

    async def stop(self) -> None:
        """As in Kurigram, which calls this itself when a start is refused; there is no way back."""
        # A stop is not to be broken off, whoever makes it.
        if (task := asyncio.current_task()) is not None:
            self._starting.discard(task)
        self.ended.set()
        self._interrupt()
        await Session.stop(self)

    async def send(self, data: TLObject[T], wait_response: bool = True, timeout: float = Session.WAIT_TIMEOUT) -> Any:  # noqa: ASYNC109
        """As in Kurigram; notes the configuration that a start brings, and errors that hit the connection itself.

        Raises SaltsRefused where Kurigram's would send again without end.
        """
        depth = _depth.get()
        if depth > MOST_SALTS:
            raise SaltsRefused("Telegram refuses every salt, also those it has just given out")
        level = _depth.set(depth + 1)
        try:
            answer = await super().send(data, wait_response, timeout)
            if isinstance(answer, raw.types.BadMsgNotification):
                # Kurigram would take this for the answer. It has put its clock right by it.
                if depth >= MOST_SALTS:
                    raise SaltsRefused("Telegram refuses every message, whatever its number")
                return await self.send(data, wait_response, timeout)
        except tl.RPCError as error:
            if not self.is_started.is_set():
                self._refusal, self._refused_at = error, time.monotonic()
                if isinstance(error, tl.Flood):
                    self.on_flood(pause_of(error))
                elif isinstance(error, BAD_APPLICATION):
                    # Kurigram would try again for ever.
                    self._end(error)
            raise
        finally:
            _depth.reset(level)
        if wait_response:
            check_answer(data, answer)
        if isinstance(answer, raw.types.Config):
            self.config = answer
        return answer

    async def handle_packet(self, packet: bytes) -> None:
        """As in Kurigram; a packet that is not from Telegram, or not for this session, is as good as none."""
        try:
            await Session.handle_packet(self, packet)
        except tl.SecurityCheckMismatch as fault:
            logger.info("A packet of the connection is left out: %s", fault)

    async def recv_worker(self) -> None:
        """As in Kurigram; a refused auth key ends the session instead of only this task."""
        try:
            await Session.recv_worker(self)
        except AuthKeyNotFound as fault:
            self._end(fault)

    async def restart(self) -> None:
        """As in Kurigram, which calls this when a connection is lost; with pauses if that happens often."""
        # Two of Kurigram's tasks may notice a loss, and failed attempts to come back end up here as well.
        lost = self.is_started.is_set() and self.usable
        self.is_started.clear()
        self._interrupt()
        if lost:
            self.on_lost()
        if self._reconnecting or not self.usable:
            return
        self._reconnecting = True
        try:
            async with asyncio.timeout(self._next_pause()):
                await self.ended.wait()
        except TimeoutError:
            pass
        finally:
            self._reconnecting = False
        self._last_restart = time.monotonic()
        try:
            await Session.restart(self)
        except (tl.Unauthorized, tl.AuthKeyDuplicated, SaltsRefused, AnswerNotUnderstood) as fault:
            self._end(fault)

    def _next_pause(self) -> float:
        if time.monotonic() - self._last_restart > CALM_AFTER + self._pause:
            self._pause = 0.0
        else:
            self._pause = min(max(1.0, self._pause * 2), LONGEST_PAUSE)
        if not isinstance(self._refusal, tl.Flood) or self._refused_at < self._last_restart:
            return self._pause
        return max(self._pause, pause_of(self._refusal))

    def _end(self, fault: Exception) -> None:
        self.fault = fault
        self.is_started.clear()
        self.ended.set()
        self._interrupt()

    def _interrupt(self) -> None:
        for interrupt in self._interrupts:
            if not interrupt.done():
                interrupt.set_result(None)

    async def _wait_until_started(self, seconds: float) -> None:
        if not self.usable:
            raise self.fault or ConnectionLost
        try:
            async with asyncio.timeout(seconds):
                await self.is_started.wait()
        except TimeoutError:
            raise NeverSent from None


def _failed_to_write(sending: asyncio.Task[Any]) -> bool:
    """Whether a call ended because the connection did not take it. A timeout, which is an OSError, is none of that."""
    if not sending.done() or sending.cancelled():
        return False
    fault = sending.exception()
    return isinstance(fault, OSError) and not isinstance(fault, TimeoutError)


def _seen(task: asyncio.Task[Any]) -> None:
    """Look at a task's error, so that the loop does not complain when nobody else does."""
    if not task.cancelled():
        task.exception()


def method_name(query: TLObject[Any]) -> str:
    """The method's name as Telegram documents it, such as `messages.getHistory`."""
    *section, name = query.QUALNAME.split(".")[1:]
    return ".".join([*section, name[0].lower() + name[1:]])
