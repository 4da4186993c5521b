"""Single posts outside all windows, and posts that are known not to exist."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import msgspec

from model.message import Message

# A post may have been asked for just before it was written, so that it is missing is believed for seconds only.
MISSING_TTL_S = 300


class _Loose(msgspec.Struct, frozen=True):
    """A post that was fetched alone, with its album; empty if it does not exist."""

    messages: tuple[Message, ...]
    expires_at: float


class LoosePosts:
    """Remembers the posts that were asked for last, at most `max_entries` of them."""

    def __init__(self, clock: Callable[[], float], max_entries: int = 500) -> None:
        self._clock = clock
        self._max_entries = max_entries
        self._entries: OrderedDict[tuple[int, int], _Loose] = OrderedDict()

    @property
    def missing(self) -> int:
        """How many posts are remembered not to exist."""
        now = self._clock()
        return sum(not entry.messages and now < entry.expires_at for entry in self._entries.values())

    def get(self, channel_id: int, post_id: int) -> tuple[Message, ...] | None:
        """The post's album, empty if the post does not exist, None if nothing is known."""
        entry = self._entries.get((channel_id, post_id))
        return None if entry is None or self._clock() >= entry.expires_at else entry.messages

    def put(self, channel_id: int, post_id: int, messages: tuple[Message, ...], expires_at: float) -> None:
        """Remember the post with its album until then (unix seconds); for a short time that it does not exist."""
        entry = _Loose(messages, expires_at if messages else self._clock() + MISSING_TTL_S)
        for key in {(channel_id, post_id), *((channel_id, message.id) for message in messages)}:
            self._entries[key] = entry
            self._entries.move_to_end(key)
        while len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)

    def forget(self, channel_id: int, post_id: int) -> None:
        """The post has changed."""
        self._entries.pop((channel_id, post_id), None)
