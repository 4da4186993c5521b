"""The history of every channel that is read: kept on disk and in memory, asked for once, stale rather than absent."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

import msgspec

from errors import PassingFault, PostNotFound, TelegramUnavailable
from history import join
from history.directory import Directory, Found
from history.loose import LoosePosts
from history.place import Key, Place
from history.places import Places
from history.source import TelegramReader
from history.stats import HistoryStats
from history.threads import ThreadDirectory
from history.waiting import Patience, WaitingRoom
from history.window import ALBUM_SIZE, Held, IsNoise, StaleReason, Window, album_of, window_of
from history.windows import VERIFY_EVERY_S, Windows
from model.channel import Channel
from model.channel_key import parse_channel_key
from model.message import LARGEST_ID, Message
from single_flight import SingleFlight
from storage.database import Database
from tg_throttle import Priority, errand

__all__ = ["History", "HistoryStats", "Patience", "StaleReason", "TelegramReader", "Window", "parse_channel_key"]

T = TypeVar("T")

# A history that is all noise is read on at the next request, which may come at once.
_UNFINISHED_RETRY_S = 10


class History:
    """Serves channels, windows of messages and single posts.

    `history_ttl` and `channel_ttl` are in seconds. `jitter` is drawn at each write and multiplies a TTL, so that
    channels first polled together do not stay together. `max_memory_messages` bounds the decoded windows in memory:
    a message takes 2 to 5 KB, and reading a window from the disk takes 2 ms. `is_noise` tells messages that make no
    post. `queue_wait` estimates the seconds that a Telegram call waits for its turn.

    Who asks interactively waits no longer than `patience` allows. The fetch itself goes on then, and so it does when
    whoever wanted it has been cancelled.
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
        is_noise: IsNoise = lambda message: False,
        patience: Patience | None = None,
        queue_wait: Callable[[], float] = lambda: 1.0,
    ) -> None:
        self._clock = clock
        self._directory = Directory(
            database, source, ttl=lambda: channel_ttl * jitter(), longest_ttl=channel_ttl, clock=clock
        )
        self._windows = Windows(
            database,
            source,
            self._directory,
            ttl=lambda: history_ttl * jitter(),
            clock=clock,
            max_memory_messages=max_memory_messages,
            is_noise=is_noise,
        )
        self._directory.on_change = self._windows.mark_changed
        threads = ThreadDirectory(source, self._directory, ttl=lambda: channel_ttl * jitter(), clock=clock)
        self._places = Places(self._directory, threads)
        self._is_noise = is_noise
        self._queue_wait = queue_wait
        self._waiting = WaitingRoom(patience or Patience())
        self._posts: SingleFlight[tuple[int, int, bool], tuple[Message, ...]] = SingleFlight()
        self._loose = LoosePosts(source, clock)
        self._setbacks = (self._directory.setbacks, self._windows.setbacks, self._loose.setbacks)
        self._hits = self._stale_served = 0

    async def channel(self, key: str | int, *, priority: Priority = Priority.INTERACTIVE) -> Channel:
        """The chat under a key of `parse_channel_key`.

        Raises ChannelNotFound, ChannelPrivate, or a PassingFault if nothing is known of it.
        """
        if (known := self._directory.known(key)) is not None:
            return known
        found = await self._patiently(
            ("channel", key),
            lambda: self._directory.find(key, priority),
            lambda: self._recall(key),
            calls=lambda: self._directory.calls_to_find(key),
            priority=priority,
        )
        return found.channel

    async def window(
        self,
        key: Key,
        count: int,
        *,
        priority: Priority = Priority.INTERACTIVE,
        waited: float = 0,
        stale: bool = True,
    ) -> Window:
        """The newest `count` messages of a chat or thread (1 to `MAX_MESSAGES`), a few more if an album would be cut.

        Fewer if there are no more, or if Telegram can't be asked now: then what is stored is served, with `stale`
        set. `waited` are seconds for which the reader has waited before. Raises ChannelNotFound, ChannelPrivate,
        ThreadNotFound, or a PassingFault if nothing is stored that could make a post; with `stale` False also where
        the window would be stale.
        """
        count = max(1, min(count, join.MAX_MESSAGES))
        known = self._places.known(key)
        held = None if known is None else self._windows.fresh(known.id, count)
        if known is not None and held is not None:
            self._hits += 1
            return self._window(held, count, known)
        return await self._patiently(
            ("window", key, count, stale),
            lambda: self._current(key, count, priority, stale=stale),
            lambda: self._recall_window(key, count) if stale else _nothing(),
            calls=lambda: self._places.calls_to_find(key) + 1,
            priority=priority,
            waited=waited,
        )

    async def stored_id(self, key: str | int) -> int | None:
        """The id of the chat that a key last meant, as far as is stored. Telegram is never asked."""
        return await self._directory.recall_id(key)

    async def recall(self, key: str | int) -> Channel | None:
        """The chat as it is stored, however old and even if Telegram refuses it now. Telegram is never asked."""
        return await self._directory.recall(key, refused=True)

    async def stored(self, key: Key) -> Window | None:
        """All that is stored of a chat or thread, however old, but an album that goes on below it; None if nothing is.

        Telegram is never asked. Raises ChannelNotFound, ChannelPrivate or ThreadNotFound if it refused that lately.
        """
        recalled = await self._recall_held(key)
        if recalled is None:
            return None
        place, held = recalled
        return self._window(held, len(held.messages), place)

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
        known = self._directory.known(key)
        held = None if known is None else self._windows.memory.get(known.id)
        if known is not None and held is not None and (messages := self._album_in(held, known, post_id)):
            return known, messages
        return await self._patiently(
            ("album", key, post_id),
            lambda: self._current_album(key, post_id, priority),
            lambda: self._recall_album(key, post_id),
            calls=lambda: self._directory.calls_to_find(key) + 1,
            priority=priority,
        )

    async def refetch(self, key: str | int, post_id: int, *, priority: Priority = Priority.INTERACTIVE) -> Message:
        """One message as Telegram has it now, with file references that are good for hours. It is stored, too.

        Raises PostNotFound if it is gone, and what `window` raises.
        """
        return await self._patiently(
            ("anew", key, post_id),
            lambda: self._current_message(key, post_id, priority),
            _nothing,
            calls=lambda: self._directory.calls_to_find(key) + 1,
            priority=priority,
        )

    async def apply(self, channel_id: int, changed: Sequence[Message] = (), deleted: Sequence[int] = ()) -> None:
        """Take over what Telegram pushed: new and edited messages, and ids that are gone.

        New messages have to be all there are since the last ones: the caller answers for that. Nothing happens for
        a chat of which no history is stored.
        """
        for post_id in (*deleted, *(message.id for message in changed)):
            self._loose.forget(channel_id, post_id)
        now = self._clock()
        await self._windows.change(
            channel_id,
            lambda held: held and join.patched(held, changed=changed, deleted=deleted, now=now),
        )

    async def confirm(self, channel_id: int) -> None:
        """The stored history of the chat is known to be complete as of now: its time to live starts anew.

        Not without end: pushed deletions get lost now and then, so Telegram is asked once a day all the same.
        """
        now, expires_at = self._clock(), self._windows.expiry()

        def confirmed(held: Held | None) -> Held | None:
            if held is None:
                return None
            until = min(expires_at, held.verified_at + VERIFY_EVERY_S)
            return msgspec.structs.replace(held, fetched_at=now, expires_at=until)

        await self._windows.change(channel_id, confirmed)

    def forget_failures(self) -> None:
        """The connection has come back: what failed may be asked for again."""
        for setbacks in self._setbacks:
            setbacks.forget_all()

    def stats(self) -> HistoryStats:
        """Counters for health and metrics."""
        return HistoryStats(
            windows_in_memory=len(self._windows.memory),
            messages_in_memory=self._windows.memory.messages,
            hits=self._hits,
            refreshes=self._windows.refreshes,
            extensions=self._windows.extensions,
            stale_served=self._stale_served,
            refused_channels=self._directory.refusals.in_force,
            failing_channels=sum(setbacks.in_force for setbacks in self._setbacks),
            missing_posts=self._loose.missing,
            waiting=self._waiting.stats(),
        )

    async def _patiently(
        self,
        key: tuple[Key, ...],
        fetch: Callable[[], Coroutine[Any, Any, T]],
        stored: Callable[[], Coroutine[Any, Any, T | None]],
        *,
        calls: Callable[[], int],
        priority: Priority,
        waited: float = 0,
    ) -> T:
        """What `fetch` gives, for as long as a reader waits; in the background for as long as it takes."""

        async def on_one_errand() -> T:
            # When many channels are asked for at once, the first is served soon, and not all of them at the end.
            with errand():
                return await fetch()

        if priority is Priority.BACKGROUND:
            return await on_one_errand()
        return await self._waiting.wait(
            key, on_one_errand, stored=stored, retry_after=lambda: self._queue_wait() * max(1, calls()), waited=waited
        )

    async def _current(self, key: Key, count: int, priority: Priority, *, stale: bool) -> Window:
        """The window as it should be, else, if it may be `stale`, as well as it can be."""
        place, fault = await self._places.find(key, priority)
        if fault is not None and not stale:
            raise fault
        held = self._windows.fresh(place.id, count)
        if held is not None:
            self._hits += 1
        else:
            try:
                held = await self._windows.bring(place, count, priority)
            except PassingFault as caught:
                held = await self._windows.stored(place.id)
                if held is None or not stale:
                    raise
                fault = caught
        window = self._served(held, count, place, fault)
        if window.stale is not None and not stale:
            raise TelegramUnavailable("The bridge reads on in this chat's past, ask again", _UNFINISHED_RETRY_S)
        return window

    def _window(self, held: Held, count: int, place: Place, stale: StaleReason | None = None) -> Window:
        return window_of(held, count, place.channel, self._is_noise, stale, place.thread)

    def _served(self, held: Held, count: int, place: Place, fault: PassingFault | None) -> Window:
        """The window of what is held. Without a post in it, it must not pass for that of an empty channel."""
        reason = None if fault is None else StaleReason.of(fault)
        if fault is None and held.lacks(count, self._is_noise):
            reason = StaleReason.INCOMPLETE
        window = self._window(held, count, place, reason)
        if reason is not None:
            if not window.reached_start and all(self._is_noise(message) for message in window.messages):
                raise fault or TelegramUnavailable(
                    "No post was found yet below this chat's service messages: the bridge reads on, ask again",
                    _UNFINISHED_RETRY_S,
                )
            self._stale_served += 1
        return window

    async def _current_album(
        self, key: str | int, post_id: int, priority: Priority
    ) -> tuple[Channel, tuple[Message, ...]]:
        channel = (await self._directory.find(key, priority)).channel
        held = await self._windows.stored(channel.id)
        if held is not None:
            if messages := self._album_in(held, channel, post_id):
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

    async def _current_message(self, key: str | int, post_id: int, priority: Priority) -> Message:
        channel = (await self._directory.find(key, priority)).channel
        messages = await self._posts.run(
            (channel.id, post_id, True), lambda: self._fetch_anew(channel, post_id, priority)
        )
        if not messages:
            raise _not_found(channel, post_id)
        return messages[0]

    async def _recall(self, key: str | int) -> Found | None:
        channel = await self._directory.recall(key)
        return None if channel is None else Found(channel)

    async def _recall_held(self, key: Key) -> tuple[Place, Held] | None:
        """What is stored under the key, however old."""
        place = await self._places.recall(key)
        held = None if place is None else await self._windows.stored(place.id)
        return None if place is None or held is None else (place, held)

    async def _recall_window(self, key: Key, count: int) -> Window | None:
        recalled = await self._recall_held(key)
        if recalled is None:
            return None
        place, held = recalled
        window = self._window(held, count, place, StaleReason.BUSY)
        if not window.reached_start and all(self._is_noise(message) for message in window.messages):
            return None
        self._stale_served += 1
        return window

    async def _recall_album(self, key: str | int, post_id: int) -> tuple[Channel, tuple[Message, ...]] | None:
        recalled = await self._recall_held(key)
        if recalled is None:
            return None
        place, held = recalled
        messages = self._album_in(held, place.channel, post_id)
        return (place.channel, messages) if messages else None

    def _album_in(self, held: Held, channel: Channel, post_id: int) -> tuple[Message, ...]:
        whole = window_of(held, len(held.messages), channel, self._is_noise)
        return album_of(whole.messages, post_id)

    async def _fetch_album(self, channel: Channel, post_id: int, priority: Priority) -> tuple[Message, ...]:
        """A post outside the window: asked for with its neighbours, since an album's ids lie close together."""
        loose = self._loose.get(channel.id, post_id)
        if loose is not None:
            return loose
        ids = range(max(1, post_id - ALBUM_SIZE + 1), min(post_id + ALBUM_SIZE, LARGEST_ID + 1))
        messages = await self._loose.fetch(channel, ids, priority)
        album = album_of(tuple(messages), post_id)
        self._loose.put(channel.id, post_id, album, self._windows.expiry())
        return album

    async def _fetch_anew(self, channel: Channel, post_id: int, priority: Priority) -> tuple[Message, ...]:
        fetched = await self._loose.fetch(channel, [post_id], priority)
        messages = tuple(message for message in fetched if message.id == post_id)
        self._loose.forget(channel.id, post_id)
        now = self._clock()

        def renewed(held: Held | None) -> Held | None:
            if held is None or not held.floor_id <= post_id <= held.top_id:
                return held
            return join.patched(held, changed=messages, deleted=[post_id], now=now)

        await self._windows.change(channel.id, renewed)
        return messages


def _not_found(channel: Channel, post_id: int) -> PostNotFound:
    return PostNotFound(f"{channel.title} has no post {post_id}")


async def _nothing() -> None:
    return None
