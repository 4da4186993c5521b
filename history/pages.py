"""Pages of a chat's or thread's history as Telegram gives them: how many it takes, and when to stop."""

from __future__ import annotations

from typing import NamedTuple

from errors import PassingFault
from history import join
from history.place import Place, without_answers_to_root
from history.source import PAGE, TelegramReader
from history.window import ALBUM_SIZE, Held, IsNoise, reach
from tg_throttle import Priority

PAGES_AT_ONCE = 20
"""The most pages of history that one request leads to; the next one goes on from there."""

# After so many pages that do not reach what is stored, the stored part is given up, unless they tell of nothing.
_PAGES_TO_CLOSE_A_GAP = 3
# An album that the window's edge cuts has less than this below it.
_ALBUM_PAGE = 2 * ALBUM_SIZE


class Newest(NamedTuple):
    """The newest messages. `drop_older`: what is stored below them has gone unchecked for too long.

    `fault` ended the fetch before it got as far as it should.
    """

    span: join.Span
    drop_older: bool
    fault: PassingFault | None


class Pages:
    """Fetches pages. All methods raise what `TelegramReader.history` or, of a thread, `replies` raises."""

    def __init__(self, source: TelegramReader, is_noise: IsNoise) -> None:
        self._source = source
        self._is_noise = is_noise

    async def newest(self, place: Place, held: Held | None, count: int, *, verify: bool, priority: Priority) -> Newest:
        """The newest messages, and as many pages as it takes to join them to what is held.

        With `verify` so many that `count` messages are sure to be as Telegram has them.
        """
        span = await self._page(place, 0, PAGE, priority)
        pages = 1
        try:
            while held is not None and not span.start and pages < PAGES_AT_ONCE:
                gap = not join.connects(held, span) and (pages < _PAGES_TO_CLOSE_A_GAP or self._is_all_noise(span))
                unchecked = verify and span.low > held.floor_id and len(span.messages) < count
                if not gap and not unchecked:
                    break
                span = join.prolonged(span, await self._page(place, span.low, PAGE, priority))
                pages += 1
        except PassingFault as fault:
            # What has come is kept, and what was not looked at stays as it is.
            return Newest(span, drop_older=False, fault=fault)
        # It may have taken many requests to get below the noise.
        return Newest(span, drop_older=verify and not self._is_all_noise(span), fault=None)

    async def older(self, place: Place, held: Held, count: int, *, priority: Priority) -> join.Span:
        """The page right below what is held."""
        limit = PAGE if reach(held.messages, count, self._is_noise) is None else _ALBUM_PAGE
        return await self._page(place, held.floor_id, limit, priority)

    def _is_all_noise(self, span: join.Span) -> bool:
        return all(self._is_noise(message) for message in span.messages)

    async def _page(self, place: Place, offset_id: int, limit: int, priority: Priority) -> join.Span:
        if place.thread is None:
            page = await self._source.history(place.channel, offset_id=offset_id, limit=limit, priority=priority)
        else:
            replies = await self._source.replies(place.thread, offset_id=offset_id, limit=limit, priority=priority)
            page = without_answers_to_root(replies, place.thread)
        return join.span_of(page, offset_id=offset_id, limit=limit)
