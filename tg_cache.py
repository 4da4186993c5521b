"""The history of every channel that is read: kept on disk and in memory, asked for once, stale rather than absent."""

from __future__ import annotations

import asyncio
import logging
import random
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

import msgspec

from errors import (
    ChannelNotFound,
    ChannelPrivate,
    PassingFault,
    PostNotFound,
    StorageUnavailable,
    TelegramTimeout,
)
from file_io import Database
from history import join, records
from history.directory import Directory
from history.memory import WindowMemory
from history.refusals import Timeouts
from history.source import PAGE, TelegramReader
from history.window import ALBUM_SIZE, Held, StaleReason, Window, album_of, window_of
from model.channel import Channel
from model.channel_key import parse_channel_key
from model.message import LARGEST_ID, Message
from single_flight import SingleFlight
from tg_throttle import Priority

__all__ = ["History", "HistoryStats", "StaleReason", "TelegramReader", "Window", "parse_channel_key"]

log = logging.getLogger(__name__)

# After so many pages that do not reach what is stored, the stored part is given up.
_PAGES_TO_CLOSE_A_GAP = 3
# Parts of a window below the newest page are looked at again after this time: edits and deletions show.
_VERIFY_EVERY_S = 24 * 3600
# An album that the window's edge cuts has less than this below it.
_ALBUM_PAGE = 2 * ALBUM_SIZE
# How long a post is taken to be missing, in seconds; it may have been asked for just before it was written.
_MISSING_TTL_S = 300
# Single posts outside all windows that are kept in memory.
_LOOSE_POSTS = 500


class HistoryStats(msgspec.Struct, frozen=True, kw_only=True):
    """The history at one moment; counters count since the start of the process."""

    windows_in_memory: int
    messages_in_memory: int
    hits: int
    refreshes: int
    extensions: int
    stale_served: int
    refused_channels: int


class _Loose(msgspec.Struct, frozen=True):
    """A post that was fetched alone, with its album; empty if it does not exist."""

    messages: tuple[Message, ...]
    expires_at: float


class History:
    """Serves channels, windows of messages and single posts.

    `history_ttl` and `channel_ttl` are in seconds. `jitter` is drawn at each write and multiplies a TTL, so that
    channels first polled together do not stay together. `max_memory_messages` bounds the decoded windows in memory:
    a message takes 2 to 5 KB, and reading a window from the disk takes 2 ms.
    """

    def __init__(
        self,
        database: Database,
        source: TelegramReader,
        *,
        history_ttl: float,
        channel_ttl: float,
        clock: Callable[[], float] = time.time,
        jitter: Callable[[], float] = lambda: random.uniform(0.9, 1.0),
        max_memory_messages: int = 2_000,
    ) -> None:
        self._database = database
        self._source = source
        self._clock = clock
        self._history_ttl = history_ttl
        self._jitter = jitter
        self._directory = Directory(
            database, source, ttl=lambda: channel_ttl * jitter(), longest_ttl=channel_ttl, clock=clock
        )
        self._memory = WindowMemory(max_memory_messages)
        self._flights: dict[int, asyncio.Task[Held]] = {}
        self._posts: SingleFlight[tuple[int, int, bool], tuple[Message, ...]] = SingleFlight()
        self._loose: OrderedDict[tuple[int, int], _Loose] = OrderedDict()
        self._timeouts = Timeouts(clock)
        self._hits = self._refreshes = self._extensions = self._stale_served = 0

    async def channel(self, key: str | int, *, priority: Priority = Priority.INTERACTIVE) -> Channel:
        """The chat under a key of `parse_channel_key`.

        Raises ChannelNotFound, ChannelPrivate, or a PassingFault if nothing is known of it.
        """
        return (await self._directory.find(key, priority)).channel

    async def window(self, key: str | int, count: int, *, priority: Priority = Priority.INTERACTIVE) -> Window:
        """The newest `count` messages of a chat (1 to `MAX_MESSAGES`), a few more if an album would be cut.

        Fewer if the chat has no more, or if Telegram can't be asked now: then what is stored is served, with
        `stale` set. Raises ChannelNotFound, ChannelPrivate, or a PassingFault if nothing is stored.
        """
        count = max(1, min(count, join.MAX_MESSAGES))
        found = await self._directory.find(key, priority)
        channel_id, fault = found.channel.id, found.fault
        held = self._memory.get(channel_id)
        if held is not None and self._suffices(held, count):
            self._hits += 1
        else:
            try:
                held = await self._bring(found.channel, count, priority)
            except PassingFault as caught:
                held = self._memory.get(channel_id) or await self._load(channel_id)
                if held is None:
                    raise
                fault = caught
        if fault is not None:
            self._stale_served += 1
        return window_of(held, count, found.channel, None if fault is None else StaleReason.of(fault))

    async def message(self, key: str | int, post_id: int, *, priority: Priority = Priority.INTERACTIVE) -> Message:
        """One message. Raises PostNotFound, and what `window` raises."""
        _, messages = await self.album(key, post_id, priority=priority)
        return next(message for message in messages if message.id == post_id)

    async def album(
        self, key: str | int, post_id: int, *, priority: Priority = Priority.INTERACTIVE
    ) -> tuple[Channel, tuple[Message, ...]]:
        """A message with the rest of its album, by id; most messages are alone.

        Raises PostNotFound, and what `window` raises.
        """
        channel = await self.channel(key, priority=priority)
        held = self._memory.get(channel.id) or await self._load(channel.id)
        if held is not None:
            if messages := album_of(window_of(held, len(held.messages), channel).messages, post_id):
                return channel, messages
            if (
                held.is_fresh(self._clock())
                and held.floor_id <= post_id <= held.top_id
                and not album_of(held.messages, post_id)
            ):
                raise _not_found(channel, post_id)
        messages = await self._posts.run(
            (channel.id, post_id, False), lambda: self._fetch_album(channel, post_id, priority)
        )
        if not messages:
            raise _not_found(channel, post_id)
        return channel, messages

    async def refetch(self, key: str | int, post_id: int, *, priority: Priority = Priority.INTERACTIVE) -> Message:
        """One message as Telegram has it now, with file references that are good for hours. It is stored, too.

        Raises PostNotFound if it is gone, and what `window` raises.
        """
        channel = await self.channel(key, priority=priority)
        messages = await self._posts.run(
            (channel.id, post_id, True), lambda: self._fetch_anew(channel, post_id, priority)
        )
        if not messages:
            raise _not_found(channel, post_id)
        return messages[0]

    async def apply(self, channel_id: int, changed: Sequence[Message] = (), deleted: Sequence[int] = ()) -> None:
        """Take over what Telegram pushed: new and edited messages, and ids that are gone.

        New messages have to be all there are since the last ones: the caller answers for that. Nothing happens for
        a chat of which no history is stored.
        """
        for post_id in (*deleted, *(message.id for message in changed)):
            self._loose.pop((channel_id, post_id), None)
        now = self._clock()
        await self._change(
            channel_id,
            lambda held: held and join.patched(held, changed=changed, deleted=deleted, now=now),
        )

    async def confirm(self, channel_id: int) -> None:
        """The stored history of the chat is known to be complete as of now: its time to live starts anew.

        Not without end: pushed deletions get lost now and then, so Telegram is asked once a day all the same.
        """
        now, expires_at = self._clock(), self._expiry()

        def confirmed(held: Held | None) -> Held | None:
            if held is None:
                return None
            until = min(expires_at, held.verified_at + _VERIFY_EVERY_S)
            return msgspec.structs.replace(held, fetched_at=now, expires_at=until)

        await self._change(channel_id, confirmed)

    def stats(self) -> HistoryStats:
        """Counters for health and metrics."""
        return HistoryStats(
            windows_in_memory=len(self._memory),
            messages_in_memory=self._memory.messages,
            hits=self._hits,
            refreshes=self._refreshes,
            extensions=self._extensions,
            stale_served=self._stale_served,
            refused_channels=len(self._directory.refusals),
        )

    def _suffices(self, held: Held, count: int) -> bool:
        return held.is_fresh(self._clock()) and not held.lacks(count)

    def _expiry(self) -> float:
        return self._clock() + self._history_ttl * self._jitter()

    async def _bring(self, channel: Channel, count: int, priority: Priority) -> Held:
        """A window of `count` messages, by the one flight that all readers of the channel share.

        A reader that is cancelled leaves the flight to the others.
        """
        while True:
            flight = self._flights.get(channel.id)
            if flight is None:
                flight = self._flights[channel.id] = asyncio.create_task(self._fly(channel, count, priority))
                flight.add_done_callback(_retrieve)
            held = await asyncio.shield(flight)
            # It may have been somebody's flight who wanted less.
            if not held.lacks(count):
                return held

    async def _fly(self, channel: Channel, count: int, priority: Priority) -> Held:
        try:
            self._timeouts.check(channel.id)
            try:
                held = await self._update(channel, count, priority)
            except (ChannelNotFound, ChannelPrivate):
                renewed = await self._directory.renew(channel, priority)
                if renewed is None:
                    raise
                held = await self._update(renewed, count, priority)
        except TelegramTimeout as fault:
            self._timeouts.add(channel.id, fault)
            raise
        except (ChannelNotFound, ChannelPrivate) as refusal:
            self._directory.refusals.add(channel.id, refusal)
            raise
        finally:
            # At once, so that nobody joins a flight that is over.
            del self._flights[channel.id]
        self._directory.refusals.forget(channel.id)
        return held

    async def _update(self, channel: Channel, count: int, priority: Priority) -> Held:
        held = self._memory.get(channel.id) or await self._load(channel.id)
        if held is None or not held.is_fresh(self._clock()):
            held = await self._refresh(channel, held, count, priority)
        while held.lacks(count):
            held = await self._extend(channel, held, count, priority)
        return held

    async def _refresh(self, channel: Channel, held: Held | None, count: int, priority: Priority) -> Held:
        """Fetch the newest messages, and as many pages as it takes to join them to what is held."""
        self._refreshes += 1
        verify = held is not None and self._clock() >= held.verified_at + _VERIFY_EVERY_S
        span = await self._page(channel, 0, PAGE, priority)
        interrupted: PassingFault | None = None
        pages = 1
        try:
            while held is not None and not span.start:
                gap = not join.connects(held, span) and pages < _PAGES_TO_CLOSE_A_GAP
                unverified = verify and span.low > held.floor_id and len(span.messages) < count
                if not gap and not unverified:
                    break
                span = join.prolonged(span, await self._page(channel, span.low, PAGE, priority))
                pages += 1
        except PassingFault as fault:
            # What has come is kept, and what was not looked at stays as it is.
            interrupted, verify = fault, False
        now, expires_at = self._clock(), self._expiry()
        held = await self._change(
            channel.id,
            lambda old: join.refreshed(old, span, now=now, expires_at=expires_at, drop_older=verify),
        )
        if interrupted is not None:
            raise interrupted
        assert held is not None
        return held

    async def _extend(self, channel: Channel, held: Held, count: int, priority: Priority) -> Held:
        """Fetch the page below what is held."""
        self._extensions += 1
        limit = PAGE if len(held.messages) < count else _ALBUM_PAGE
        span = await self._page(channel, held.floor_id, limit, priority)
        now = self._clock()
        longer = await self._change(channel.id, lambda old: join.extended(old or held, span, now=now))
        assert longer is not None
        return longer

    async def _page(self, channel: Channel, offset_id: int, limit: int, priority: Priority) -> join.Span:
        page = await self._source.history(channel, offset_id=offset_id, limit=limit, priority=priority)
        return join.span_of(page, offset_id=offset_id, limit=limit)

    async def _fetch_album(self, channel: Channel, post_id: int, priority: Priority) -> tuple[Message, ...]:
        """A post outside the window: asked for with its neighbours, since an album's ids lie close together."""
        loose = self._loose.get((channel.id, post_id))
        if loose is not None and self._clock() < loose.expires_at:
            return loose.messages
        ids = range(max(1, post_id - ALBUM_SIZE + 1), min(post_id + ALBUM_SIZE, LARGEST_ID + 1))
        messages = await self._source.messages(channel, ids, priority=priority)
        album = album_of(tuple(messages), post_id)
        self._keep_loose(channel.id, post_id, album)
        return album

    async def _fetch_anew(self, channel: Channel, post_id: int, priority: Priority) -> tuple[Message, ...]:
        fetched = await self._source.messages(channel, [post_id], priority=priority)
        messages = tuple(message for message in fetched if message.id == post_id)
        self._loose.pop((channel.id, post_id), None)
        now = self._clock()

        def renewed(held: Held | None) -> Held | None:
            if held is None or not held.floor_id <= post_id <= held.top_id:
                return held
            return join.patched(held, changed=messages, deleted=[post_id], now=now)

        await self._change(channel.id, renewed)
        return messages

    def _keep_loose(self, channel_id: int, post_id: int, messages: tuple[Message, ...]) -> None:
        loose = _Loose(messages, self._expiry() if messages else self._clock() + _MISSING_TTL_S)
        for key in {(channel_id, post_id), *((channel_id, message.id) for message in messages)}:
            self._loose[key] = loose
            self._loose.move_to_end(key)
        while len(self._loose) > _LOOSE_POSTS:
            self._loose.popitem(last=False)

    async def _load(self, channel_id: int) -> Held | None:
        try:
            held = await self._database.read(lambda connection: records.load(connection, channel_id))
        except StorageUnavailable as fault:
            log.warning("Reading the history of channel %s failed: %s", channel_id, fault)
            return None
        if held is not None:
            self._memory.put(channel_id, held)
        return held

    async def _change(self, channel_id: int, change: Callable[[Held | None], Held | None]) -> Held | None:
        """Change what is stored of a channel, in one transaction, and what is in memory with it."""

        def work(connection: sqlite3.Connection) -> Held | None:
            old = records.load(connection, channel_id)
            new = change(old)
            if new is not None and new is not old:
                records.save(connection, channel_id, old, new)
            return new

        try:
            held = await self._database.run(work)
        except StorageUnavailable as fault:
            # Readers get what Telegram said all the same; the disk keeps the older state.
            log.warning("The history of channel %s could not be stored: %s", channel_id, fault)
            held = await asyncio.to_thread(change, self._memory.get(channel_id))
        if held is not None:
            self._memory.put(channel_id, held)
        return held


def _not_found(channel: Channel, post_id: int) -> PostNotFound:
    return PostNotFound(f"{channel.title} has no post {post_id}")


def _retrieve(task: asyncio.Task[Held]) -> None:
    """Take note of a flight's fault: its readers may all have gone, and asyncio reports faults nobody looked at."""
    if not task.cancelled():
        task.exception()
