"""The windows of all places: in the database, in memory, and brought up to date by one fetch at a time."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from errors import (
    ChannelNotFound,
    ChannelPrivate,
    StorageUnavailable,
    TelegramRefused,
    TelegramTimeout,
    ThreadNotFound,
)
from history import join, records
from history.directory import Directory
from history.memory import WindowMemory
from history.pages import PAGES_AT_ONCE, Pages
from history.place import Place
from history.refusals import Setbacks
from history.source import TelegramReader
from history.window import Held, IsNoise
from storage.database import Database
from tg_throttle import Priority

log = logging.getLogger(__name__)

# Parts of a window below the newest page are looked at again after this time: edits and deletions show.
VERIFY_EVERY_S = 24 * 3600


class _Flight(NamedTuple):
    """A fetch under way that ends with that many `messages`, or with as many as one request may lead to."""

    messages: int
    task: asyncio.Task[Held]


class Windows:
    """Holds windows by `Place.id`, which is a channel's own. `ttl()` is how long one stays fresh, in seconds."""

    def __init__(
        self,
        database: Database,
        source: TelegramReader,
        directory: Directory,
        *,
        ttl: Callable[[], float],
        clock: Callable[[], float],
        max_memory_messages: int,
        is_noise: IsNoise,
    ) -> None:
        self.memory = WindowMemory(max_memory_messages)
        self.refreshes = self.extensions = 0
        self._database = database
        self._directory = directory
        self._ttl = ttl
        self._clock = clock
        self._is_noise = is_noise
        self._pages = Pages(source, is_noise)
        self._flights: dict[int, _Flight] = {}
        self.setbacks = Setbacks(clock)
        self._changing = asyncio.Lock()
        # Windows of which the database has an older state, because it could not be written.
        self._unsaved: set[int] = set()

    def fresh(self, channel_id: int, count: int) -> Held | None:
        """The window in memory, if it can be served without asking Telegram."""
        held = self.memory.get(channel_id)
        suffices = held is not None and held.is_fresh(self._clock()) and not held.lacks(count, self._is_noise)
        return held if suffices else None

    async def stored(self, channel_id: int) -> Held | None:
        """The window as it was last known, however old; None if there is none or the disk does not give it."""
        return self.memory.get(channel_id) or await self._load(channel_id)

    def expiry(self) -> float:
        """Until when something that is fetched now is fresh (unix seconds)."""
        return self._clock() + self._ttl()

    async def bring(self, place: Place, count: int, priority: Priority) -> Held:
        """A window of `count` messages, by the one flight that all readers of the place share.

        A reader that is cancelled leaves the flight to the others.
        """
        while True:
            flight = self._flights.get(place.id)
            if flight is None:
                task = asyncio.create_task(self._fly(place, count, priority))
                flight = self._flights[place.id] = _Flight(count, task)
                task.add_done_callback(_retrieve)
            held = await asyncio.shield(flight.task)
            # It may have been somebody's flight who wanted less.
            if flight.messages >= count or not held.lacks(count, self._is_noise):
                return held

    async def _fly(self, place: Place, count: int, priority: Priority) -> Held:
        try:
            self.setbacks.check(place.id)
            held = await self._attempt(place, count, priority)
        finally:
            # At once, so that nobody joins a flight that is over.
            del self._flights[place.id]
        self._directory.refusals.forget(place.id)
        self.setbacks.forget(place.id)
        return held

    async def _attempt(self, place: Place, count: int, priority: Priority) -> Held:
        """Bring the window up to date, and remember if that fails."""
        try:
            try:
                return await self._update(place, count, priority)
            except (ChannelNotFound, ChannelPrivate):
                renewed = await self._directory.renew(place.asked, priority)
                if renewed is None:
                    raise
                return await self._update(place.asking(renewed), count, priority)
        except (TelegramTimeout, TelegramRefused) as fault:
            self.setbacks.add(place.id, fault)
            raise
        except (ChannelNotFound, ChannelPrivate, ThreadNotFound) as refusal:
            self._directory.refusals.add(place.id, refusal)
            raise

    async def _update(self, place: Place, count: int, priority: Priority) -> Held:
        held = await self.stored(place.id)
        if held is None or not held.is_fresh(self._clock()):
            held = await self._refresh(place, held, count, priority)
        pages = 1
        while pages < PAGES_AT_ONCE and held.lacks(count, self._is_noise):
            held = await self._extend(place, held, count, priority)
            pages += 1
        return held

    async def _refresh(self, place: Place, held: Held | None, count: int, priority: Priority) -> Held:
        """Fetch the newest messages, and as many pages as it takes to join them to what is held."""
        self.refreshes += 1
        verify = held is not None and self._clock() >= held.verified_at + VERIFY_EVERY_S
        newest = await self._pages.newest(place, held, count, verify=verify, priority=priority)
        now, expires_at = self._clock(), self.expiry()
        held = await self.change(
            place.id,
            lambda old: join.refreshed(old, newest.span, now=now, expires_at=expires_at, drop_older=newest.drop_older),
        )
        if newest.fault is not None:
            raise newest.fault
        assert held is not None
        return held

    async def _extend(self, place: Place, held: Held, count: int, priority: Priority) -> Held:
        """Fetch the page below what is held."""
        self.extensions += 1
        span = await self._pages.older(place, held, count, priority=priority)
        now = self._clock()
        longer = await self.change(place.id, lambda old: join.extended(old or held, span, now=now))
        assert longer is not None
        return longer

    async def _load(self, channel_id: int) -> Held | None:
        try:
            held = await self._database.read(lambda connection: records.load(connection, channel_id))
        except StorageUnavailable as fault:
            log.debug("Reading the history of channel %s failed: %s", channel_id, fault)
            return None
        if held is not None:
            self.memory.put(channel_id, held)
        return held

    async def mark_changed(self, channel_id: int) -> None:
        """Note that the chat's own data reads otherwise, which is part of all that is made of its history."""
        now = self._clock()
        await self.change(channel_id, lambda held: held and join.changed(held, now=now))

    async def change(self, channel_id: int, change: Callable[[Held | None], Held | None]) -> Held | None:
        """Change what is stored of a channel, in one transaction, and what is in memory with it."""

        def changed(old: Held | None) -> Held | None:
            new = change(old)
            return new and join.trimmed(new, self._is_noise)

        def work(connection: sqlite3.Connection) -> Held | None:
            # Messages that have not changed stay the same objects, so nobody has to compare what is in them.
            old = records.load(connection, channel_id, None if unsaved else in_memory)
            if not unsaved:
                base = old
            elif (base := in_memory) is None:
                # What came after the stored state is lost, so that a change would not join it.
                records.delete(connection, channel_id)
                old = None
            new = changed(base)
            if new is not None and new is not old:
                records.save(connection, channel_id, old, new)
            return new

        # One after the other, as in the database's thread: each starts from what the one before has left in memory.
        async with self._changing:
            unsaved, in_memory = channel_id in self._unsaved, self.memory.get(channel_id)
            try:
                held = await self._database.run(work)
                self._unsaved.discard(channel_id)
            except StorageUnavailable as fault:
                # Readers get what Telegram said all the same; the disk keeps the older state.
                log.debug("The history of channel %s could not be stored: %s", channel_id, fault)
                self._unsaved.add(channel_id)
                held = await asyncio.to_thread(changed, in_memory)
            if held is not None:
                self.memory.put(channel_id, held)
        return held


def _retrieve(task: asyncio.Task[Held]) -> None:
    """Take note of a flight's fault: its readers may all have gone, and asyncio reports faults nobody looked at."""
    if not task.cancelled():
        task.exception()
