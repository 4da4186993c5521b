"""Single posts outside all windows, and posts that are known not to exist."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

import msgspec

from errors import TelegramRefused, TelegramTimeout
from history.refusals import Setbacks
from history.source import TelegramReader
from model.channel import Channel
from model.message import Message
from tg_throttle import Priority

# A post may have been asked for just before it was written, so that it is missing is believed for seconds only.
MISSING_TTL_S = 300


class _Loose(msgspec.Struct, frozen=True):
    """A post that was fetched alone, with its album; empty if it does not exist."""

    messages: tuple[Message, ...]
    expires_at: float


class LoosePosts:
    """Asks for single posts, and remembers those that were asked for last, at most `max_entries` of them."""

    def __init__(self, source: TelegramReader, clock: Callable[[], float], max_entries: int = 500) -> None:
        # By chats' ids.
        self.setbacks = Setbacks(clock)
        self._source = source
        self._clock = clock
        self._max_entries = max_entries
        self._entries: OrderedDict[tuple[int, int], _Loose] = OrderedDict()

    @property
    def missing(self) -> int:
        """How many posts are remembered not to exist."""
        now = self._clock()
        return sum(not entry.messages and now < entry.expires_at for entry in self._entries.values())

    async def fetch(self, channel: Channel, ids: Sequence[int], priority: Priority) -> Sequence[Message]:
        """Those of the messages that there are, as Telegram has them now.

        A chat whose messages Telegram has just failed to give is left alone for a while, whoever asks. Raises what the
        source raises.
        """
        self.setbacks.check(channel.id)
        try:
            messages = await self._source.messages(channel, ids, priority=priority)
        except (TelegramTimeout, TelegramRefused) as fault:
            self.setbacks.add(channel.id, fault)
            raise
        self.setbacks.forget(channel.id)
        return messages

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
