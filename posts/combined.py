"""Which posts of several chats a page shows, and how far back each chat has to be read for that."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from posts.grouping import Group
from posts.selection import Wanted

_Order = tuple[float, int, int]
_NOWHERE: _Order = (float("-inf"), 0, 0)


class Place(NamedTuple):
    """Where a post stands among those of several chats.

    `date` is in unix seconds, 0 for a post without one; `message_id` is the first message's. A place stays what it is
    when posts around it come and go.
    """

    date: int
    chat_id: int
    message_id: int

    @property
    def order(self) -> _Order:
        """Sorts places: newest first, those without a date last, within a chat as the chat sorts them itself."""
        return (-self.date, self.chat_id, -self.message_id)

    def __str__(self) -> str:
        return f"{self.date},{self.chat_id},{self.message_id}"


class Part(NamedTuple):
    """What is at hand of one chat: its posts as `group_messages` sorts them.

    `open_end`: there are or may be older ones that can be fetched. `wanted` tells which posts are asked for.
    """

    chat_id: int
    groups: Sequence[Group]
    open_end: bool
    wanted: Wanted | None = None


class CombinedSelection(NamedTuple):
    """A page of posts, newest first, each with the index of its part.

    `older` is the place that the next page comes after, None if this page is empty; `following` is how many posts are
    known to be on it, counted up to a page full. `has_newer`: there are newer posts, and their page comes after
    `newer` (None: it is the first page). `beyond`: the page begins below all that is at hand. `short` are the parts
    that have to reach further back before it is sure that this page is right, the one that is missed most first.
    """

    posts: tuple[tuple[int, Group], ...]
    older: Place | None
    following: int
    has_newer: bool
    newer: Place | None
    beyond: bool
    short: tuple[int, ...]


class _Candidate(NamedTuple):
    """A post under its order, which no other has."""

    order: _Order
    part: int
    group: Group


def place_of(chat_id: int, group: Group) -> Place:
    """The place of a chat's post."""
    return Place(max(0, group.date or 0), chat_id, group.first.id)


def select_combined(parts: Sequence[Part], *, limit: int, before: Place | None = None) -> CombinedSelection:
    """The first `limit` of the wanted posts of all parts that come after the place, without one the newest.

    Pages that follow each other by `older` have each post once, and so have those that follow each other by `newer`.
    """
    start = None if before is None else before.order
    coming = heapq.merge(*(_downwards(index, part, start) for index, part in enumerate(parts)))
    page = list(islice(coming, limit))
    ends = {index: _end(part) for index, part in enumerate(parts) if part.open_end}
    first_end = min(ends.values(), default=None)
    following = 0
    for candidate in islice(coming, limit):
        if first_end is not None and candidate.order > first_end:
            break
        following += 1
    last = page[-1].order if len(page) == limit else None
    short = [index for index, end in ends.items() if last is None or end < last]
    above = [] if start is None else list(islice(_upwards(parts, start), limit + 1))
    return CombinedSelection(
        posts=tuple((candidate.part, candidate.group) for candidate in page),
        older=place_of(parts[page[-1].part].chat_id, page[-1].group) if page else None,
        following=following,
        has_newer=bool(above),
        newer=place_of(parts[above[limit].part].chat_id, above[limit].group) if len(above) > limit else None,
        beyond=start is not None and not any(_is_any_below(part, start) for part in parts),
        short=tuple(sorted(short, key=lambda index: ends[index])),
    )


def _end(part: Part) -> _Order:
    """The last place that can be vouched for: what is not at hand comes after it."""
    dated = (place for group in reversed(part.groups) if (place := place_of(part.chat_id, group)).date)
    return next((place.order for place in dated), _NOWHERE)


def _candidates(index: int, part: Part, groups: Iterable[Group]) -> Iterator[_Candidate]:
    return (_Candidate(place_of(part.chat_id, group).order, index, group) for group in groups)


def _downwards(index: int, part: Part, start: _Order | None) -> Iterator[_Candidate]:
    for candidate in _candidates(index, part, part.groups):
        if (start is None or candidate.order > start) and (part.wanted is None or part.wanted(candidate.group)):
            yield candidate


def _upwards(parts: Sequence[Part], start: _Order) -> Iterator[_Candidate]:
    """The wanted posts up from the place, that post included."""

    def above(index: int, part: Part) -> Iterator[_Candidate]:
        for candidate in _candidates(index, part, reversed(part.groups)):
            if candidate.order <= start and (part.wanted is None or part.wanted(candidate.group)):
                yield candidate

    return heapq.merge(*(above(index, part) for index, part in enumerate(parts)), reverse=True)


def _is_any_below(part: Part, start: _Order) -> bool:
    return bool(part.groups) and place_of(part.chat_id, part.groups[-1]).order > start
