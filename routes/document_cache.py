"""Finished documents in memory, bounded in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

import msgspec

from routes.content_coding import Encoded
from single_flight import SingleFlight
from tg_cache import StaleReason

Key = TypeVar("Key", bound=Hashable)


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """A document, and why it has fewer posts than it would have if Telegram could be asked (None: it has all).

    `link` is the Link header that belongs to a feed.
    """

    encoded: Encoded
    link: str = ""
    lacking: StaleReason | None = None


class DocumentCache(Generic[Key]):
    """The documents that were asked for last, up to `max_bytes` of bodies in all, plain and compressed.

    A key has to name everything that a document depends on, so an entry is never wrong, only unused. Documents that
    lack posts are not kept.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._entries: OrderedDict[Key, Rendered] = OrderedDict()
        self._rendering: SingleFlight[Key, Rendered] = SingleFlight()

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size(self) -> int:
        """Bytes of all bodies, plain and compressed."""
        return self._bytes

    async def get(self, key: Key, render: Callable[[], Coroutine[Any, Any, Rendered]]) -> Rendered:
        """The document under the key, rendered once for all who ask at the same time."""
        rendered = self._entries.get(key)
        if rendered is not None:
            self._entries.move_to_end(key)
            return rendered

        async def render_and_keep() -> Rendered:
            rendered = await render()
            if rendered.lacking is None:
                self._keep(key, rendered)
            return rendered

        return await self._rendering.run(key, render_and_keep)

    def _keep(self, key: Key, rendered: Rendered) -> None:
        self._entries[key] = rendered
        self._bytes += rendered.encoded.size
        while self._bytes > self._max_bytes:
            _, evicted = self._entries.popitem(last=False)
            self._bytes -= evicted.encoded.size
