"""Finished documents in memory, bounded in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from feeds.feed import Document
from single_flight import SingleFlight

Key = TypeVar("Key", bound=Hashable)


class DocumentCache(Generic[Key]):
    """The documents that were asked for last, up to `max_bytes` of bodies in all.

    A key has to name everything that a document depends on, so an entry is never wrong, only unused.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._entries: OrderedDict[Key, Document] = OrderedDict()
        self._rendering: SingleFlight[Key, Document] = SingleFlight()

    async def get(self, key: Key, render: Callable[[], Awaitable[Document]]) -> Document:
        """The document under the key, rendered once for all who ask at the same time."""
        document = self._entries.get(key)
        if document is not None:
            self._entries.move_to_end(key)
            return document

        async def render_and_keep() -> Document:
            document = await render()
            self._put(key, document)
            return document

        return await self._rendering.run(key, render_and_keep)

    def _put(self, key: Key, document: Document) -> None:
        self._entries[key] = document
        self._bytes += len(document.body)
        while self._bytes > self._max_bytes:
            _, evicted = self._entries.popitem(last=False)
            self._bytes -= len(evicted.body)
