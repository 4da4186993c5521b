"""Which thread a key means, and what is known of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from errors import ChannelNotFound, ChannelPrivate, PassingFault, ThreadNotFound
from history import records
from history.directory import Directory, get_recent, is_partial, put_recent
from history.place import FoundPlace, Place, place_of, thread_id_of
from history.source import TelegramReader
from model.channel import Channel, ChannelKind
from model.thread import Thread, ThreadKey, ThreadKind
from single_flight import SingleFlight
from tg_throttle import Priority


class _Known(NamedTuple):
    thread: Thread
    expires_at: float


class ThreadDirectory:
    """Finds threads, as `Directory` finds the chats that they belong to.

    What is found is fresh for `ttl()` seconds: that a topic has another name may go unseen for so long.
    """

    def __init__(
        self, source: TelegramReader, directory: Directory, *, ttl: Callable[[], float], clock: Callable[[], float]
    ) -> None:
        self._source = source
        self._directory = directory
        self._ttl = ttl
        self._clock = clock
        self._threads: OrderedDict[int, _Known] = OrderedDict()
        self._asking: SingleFlight[int, tuple[Thread, PassingFault | None]] = SingleFlight()

    async def find(self, key: ThreadKey, priority: Priority) -> FoundPlace:
        """The thread.

        Raises ThreadNotFound, what finding the chat raises, or a PassingFault if nothing is known of the thread.
        """
        found = await self._directory.find(key.chat, priority)
        chat, fault = found
        number = thread_id_of(chat.id, key)
        self._directory.refusals.check(number)
        known = get_recent(self._threads, number)
        if known is not None and self._directory.is_fresh(known.expires_at):
            return FoundPlace(place_of(known.thread, chat), fault)
        thread, own_fault = await self._asking.run(number, lambda: self._fetch(number, chat, key, priority))
        return FoundPlace(place_of(thread, chat), fault or own_fault)

    def known(self, key: ThreadKey) -> Place | None:
        """The thread, if it and its chat are in memory and fresh. Raises what Telegram refused a moment ago."""
        chat = self._directory.known(key.chat)
        if chat is None:
            return None
        number = thread_id_of(chat.id, key)
        self._directory.refusals.check(number)
        known = get_recent(self._threads, number)
        if known is None or not self._directory.is_fresh(known.expires_at):
            return None
        return place_of(known.thread, chat)

    async def recall(self, key: ThreadKey) -> Place | None:
        """The thread as it is stored, however old; None if nothing is known of it."""
        chat = await self._directory.recall(key.chat)
        if chat is None:
            return None
        number = thread_id_of(chat.id, key)
        self._directory.refusals.check(number)
        known = get_recent(self._threads, number) or await self._load(number)
        return None if known is None else place_of(known.thread, chat)

    def calls_to_find(self, key: ThreadKey) -> int:
        """How many calls `find` has yet to make, at most."""
        return self._directory.calls_to_find(key.chat) + 1

    async def _fetch(
        self, number: int, chat: Channel, key: ThreadKey, priority: Priority
    ) -> tuple[Thread, PassingFault | None]:
        """What is known of the thread: as stored, or else as Telegram says, or else as was stored too long ago."""
        stored = await self._load(number)
        if stored is not None and self._directory.is_fresh(stored.expires_at):
            put_recent(self._threads, number, stored)
            return stored.thread, None
        try:
            thread = await self._directory.ask(number, lambda: self._describe(chat, key, priority))
        except PassingFault as fault:
            if stored is None:
                raise
            return stored.thread, None if is_partial(fault) else fault
        expires_at = self._clock() + self._ttl()
        put_recent(self._threads, number, _Known(thread, expires_at))
        await self._directory.write(lambda connection: records.save_thread(connection, number, thread, expires_at))
        return thread, None

    async def _describe(self, chat: Channel, key: ThreadKey, priority: Priority) -> Thread:
        if key.kind is ThreadKind.TOPIC and chat.kind is not ChannelKind.SUPERGROUP:
            raise ThreadNotFound(f"{chat.title} is no group with topics")
        if key.kind is ThreadKind.COMMENTS and chat.kind is not ChannelKind.CHANNEL:
            raise ThreadNotFound(f"{chat.title} is no channel, so its posts have no comments")
        try:
            return await self._source.thread(chat, key.kind, key.root_id, priority=priority)
        except (ChannelNotFound, ChannelPrivate):
            renewed = await self._directory.renew(chat, priority)
            if renewed is None:
                raise
            return await self._source.thread(renewed, key.kind, key.root_id, priority=priority)

    async def _load(self, number: int) -> _Known | None:
        stored = await self._directory.read(lambda connection: records.load_thread(connection, number))
        return None if stored is None else _Known(*stored)
