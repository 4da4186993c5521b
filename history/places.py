"""Finds chats and threads alike, whatever a key means."""

from __future__ import annotations

from history.directory import Directory
from history.place import FoundPlace, Key, Place
from history.threads import ThreadDirectory
from model.thread import ThreadKey
from tg_throttle import Priority


class Places:
    """A directory of chats and one of threads, as one. All methods raise what theirs raise."""

    def __init__(self, chats: Directory, threads: ThreadDirectory) -> None:
        self._chats = chats
        self._threads = threads

    def known(self, key: Key) -> Place | None:
        """The place, if what is known of it is in memory and fresh."""
        if isinstance(key, ThreadKey):
            return self._threads.known(key)
        chat = self._chats.known(key)
        return None if chat is None else Place(chat)

    async def find(self, key: Key, priority: Priority) -> FoundPlace:
        """The place, with Telegram asked for what is not known of it."""
        if isinstance(key, ThreadKey):
            return await self._threads.find(key, priority)
        found = await self._chats.find(key, priority)
        return FoundPlace(Place(found.channel), found.fault)

    async def recall(self, key: Key) -> Place | None:
        """The place as it is stored, however old; None if nothing is known of it."""
        if isinstance(key, ThreadKey):
            return await self._threads.recall(key)
        chat = await self._chats.recall(key)
        return None if chat is None else Place(chat)

    def calls_to_find(self, key: Key) -> int:
        """How many calls `find` has yet to make, at most."""
        if isinstance(key, ThreadKey):
            return self._threads.calls_to_find(key)
        return self._chats.calls_to_find(key)
