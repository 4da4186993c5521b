"""Files on their way: one look-up and one download for all who want a file."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from errors import (
    BridgeError,
    FloodWait,
    MediaGone,
    Overloaded,
    PostNotFound,
    ShuttingDown,
    StorageUnavailable,
    TelegramUnavailable,
    afresh,
)
from media_cache.download import Abandoned, Download
from media_cache.failures import FailureMemory
from media_cache.gone import GoneMemory, Place
from media_cache.source import FindFile
from media_cache.turns import Ticket, Turn, Turns
from model.media import FileRef
from tg_throttle import Priority

log = logging.getLogger(__name__)

# Seconds between two warnings of a disk that takes nothing.
_DISK_SILENCE = 60.0


@dataclass(slots=True, eq=False)
class _Flight:
    """A file from its first request to the end of its download.

    `origin` is the post in which it is looked up. `ready` gets the download when it begins, or why it never did.
    """

    origin: Place
    # Asks Telegram for the post again; that of a viewer, who waits for it, takes the place of the warmer's.
    refresh: FindFile
    ticket: Ticket
    ready: asyncio.Future[Download] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    task: asyncio.Task[None] | None = None
    waiters: int = 0
    # Since when it waits for its turn (the loop's time), None before and after.
    queued_since: float | None = None


class Flights:
    """All files on their way.

    `download` makes the download of a file, given how to renew its reference. `publish` is told of a file that has got
    its final name, `ended` of each download's end, with its fault if it has one. A request with a viewer behind it
    waits at most `turn_timeout` seconds for its turn; those in the background wait for as long as it takes.
    """

    def __init__(
        self,
        turns: Turns,
        failures: FailureMemory,
        gone: GoneMemory,
        *,
        download: Callable[[FileRef, FindFile], Download],
        publish: Callable[[Download], Awaitable[None]],
        ended: Callable[[BridgeError | None], None],
        turn_timeout: float,
        now: Callable[[], float],
    ) -> None:
        self._turns = turns
        self._failures = failures
        self._gone = gone
        self._download = download
        self._publish = publish
        self._ended = ended
        self._turn_timeout = turn_timeout
        self._now = now
        self._flights: dict[str, _Flight] = {}
        # From when until when Telegram wants no calls.
        self._flood = (0.0, 0.0)
        self._closing = False
        self._disk_silent_until = 0.0

    def __contains__(self, unique_id: str) -> bool:
        return unique_id in self._flights

    def names(self) -> list[str]:
        """The unique ids of all files on their way."""
        return list(self._flights)

    @property
    def running(self) -> int:
        """How many downloads are running."""
        return sum(flight.ready.done() for flight in self._flights.values())

    @property
    def waiting(self) -> int:
        """How many files are being looked up or wait for their turn."""
        return len(self._flights) - self.running

    def forget_flood(self) -> None:
        """Telegram has answered again."""
        self._flood = (0.0, 0.0)

    async def board(
        self, place: Place, unique_id: str, find: FindFile, refresh: FindFile, priority: Priority
    ) -> Download:
        """The download of the file, which begins now if there is none.

        Raises what `find` raises; Overloaded if there is no turn in time; the last fault of this file while its pause
        lasts; FloodWait during a flood; TelegramUnavailable when closed.
        """
        while True:
            flight = self._flights.get(unique_id) or self._start(place, unique_id, find, refresh, priority)
            if priority is Priority.INTERACTIVE and flight.ticket.priority is not priority:
                flight.refresh = refresh
                self._turns.promote(flight.ticket)
            try:
                download = await self._wait(unique_id, flight, priority)
                if download.fault is not None:
                    raise afresh(download.fault)
                return download
            except (PostNotFound, MediaGone):
                if flight.origin == place:
                    raise
                # The file is in another post, too, which may still be there.
                if flight.task is not None:
                    await asyncio.wait({flight.task})

    def under_way(self, unique_id: str) -> Download | None:
        """The file's download, if it has begun."""
        flight = self._flights.get(unique_id)
        if flight is None or not flight.ready.done() or flight.ready.exception() is not None:
            return None
        return flight.ready.result()

    async def look_up(self, place: Place, unique_id: str, find: FindFile) -> FileRef:
        """What is known of a file that nobody fetches for this.

        Raises what `find` raises, and the last fault of this file while its pause lasts.
        """
        self._failures.check(unique_id)
        self._gone.check(place, unique_id)
        return await self._look_up(place, unique_id, find)

    async def landed(self, unique_id: str) -> None:
        """Return when the file is not on its way (any more), and how that ended has been noted."""
        flight = self._flights.get(unique_id)
        if flight is not None and flight.task is not None:
            await asyncio.wait({flight.task})

    async def close(self) -> None:
        """Break all downloads off; there are none later."""
        self._closing = True
        tasks = [flight.task for flight in self._flights.values() if flight.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _start(self, place: Place, unique_id: str, find: FindFile, refresh: FindFile, priority: Priority) -> _Flight:
        if self._closing:
            raise TelegramUnavailable("The bridge is stopping")
        self._failures.check(unique_id)
        self._gone.check(place, unique_id)
        since, until = self._flood
        # A clock that was set back must not make a flood last for days.
        if since <= (now := self._now()) < until:
            raise FloodWait(until - now)
        flight = _Flight(place, refresh, Ticket(priority))
        self._flights[unique_id] = flight
        flight.task = asyncio.create_task(self._fly(flight, unique_id, find), name=f"media {unique_id}")
        return flight

    async def _wait(self, unique_id: str, flight: _Flight, priority: Priority) -> Download:
        """Wait for the flight's download to begin."""
        loop = asyncio.get_running_loop()
        arrived = loop.time()
        patience = self._turn_timeout if priority is Priority.INTERACTIVE else None
        flight.waiters += 1
        try:
            while True:
                done, _ = await asyncio.wait({flight.ready}, timeout=patience)
                if done:
                    return flight.ready.result()
                # The look-up before has its own time limits.
                since = loop.time() if flight.queued_since is None else max(arrived, flight.queued_since)
                patience = since + self._turn_timeout - loop.time()
                if patience <= 0:
                    raise Overloaded("Too many media files are being fetched", self._turn_timeout)
        finally:
            flight.waiters -= 1
            if not flight.waiters and not flight.ready.done():
                # Nobody waits for it any more and nothing is lost by not beginning.
                self._land(unique_id, flight)
                if flight.task is not None:
                    flight.task.cancel()

    async def _fly(self, flight: _Flight, unique_id: str, find: FindFile) -> None:
        fault: BridgeError = TelegramUnavailable("The download was broken off")
        try:
            file = await self._look_up(flight.origin, unique_id, find)
            flight.queued_since = asyncio.get_running_loop().time()
            flight.ticket.dc_id = file.dc_id
            async with self._turns.turn(flight.ticket) as turn:
                flight.queued_since = None
                download = self._download(file, lambda: self._look_up(flight.origin, unique_id, flight.refresh))
                flight.ready.set_result(download)
                await self._run(flight.origin, download, turn)
        except BridgeError as error:
            fault = error
        finally:
            self._land(unique_id, flight)
            if not flight.ready.done():
                flight.ready.set_exception(fault)
                # Looked at, so that asyncio does not report it when all waiters have left.
                flight.ready.exception()

    async def _look_up(self, place: Place, unique_id: str, find: FindFile) -> FileRef:
        """Look the file up in its post. Only that it is gone is remembered: passing faults are not the file's."""
        try:
            file = await find()
            if file.unique_id != unique_id:
                raise MediaGone("The post does not have this file")
        except (MediaGone, PostNotFound) as fault:
            self._gone.note(place, unique_id, fault)
            raise
        return file

    async def _run(self, place: Place, download: Download, turn: Turn) -> None:
        try:
            await download.run(self._publish, turn)
        except BridgeError as fault:
            level = logging.WARNING if self._is_news(fault, turn) else logging.INFO
            log.log(level, "Media file %s could not be fetched: %s", download.unique_id, fault)
            if isinstance(fault, FloodWait):
                now = self._now()
                self._flood = (now, max(self._flood[1], now + fault.retry_after))
            # That this post has lost the file says nothing of the file itself.
            with suppress(PostNotFound, MediaGone):
                self._gone.check(place, download.unique_id)
                self._failures.note(download.unique_id, fault)
            self._ended(fault)
            # The download keeps its fault, and that the download, with all that it has open.
            fault.__traceback__ = fault.__context__ = fault.__cause__ = None
        else:
            self._failures.forget(download.unique_id)
            self._ended(None)

    def _is_news(self, fault: BridgeError, turn: Turn) -> bool:
        """Whether the owner should look after the fault.

        Not if nobody wants or misses the file or the bridge ends, and of a disk that takes nothing once a minute: it is
        not remembered, and every request for every file finds it out.
        """
        unmissed = turn.in_background and isinstance(fault, MediaGone)
        if unmissed or isinstance(fault, Abandoned | ShuttingDown):
            return False
        if isinstance(fault, StorageUnavailable):
            now = asyncio.get_running_loop().time()
            if now < self._disk_silent_until:
                return False
            self._disk_silent_until = now + _DISK_SILENCE
        return True

    def _land(self, unique_id: str, flight: _Flight) -> None:
        if self._flights.get(unique_id) is flight:
            del self._flights[unique_id]
