"""Which of a chat's posts a page shows, and where the pages beside it begin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from model.message import Message
from posts.grouping import Group, group_messages

FIRST_PAGE = 0
"""Stands for the id that the newest posts come before."""

Wanted = Callable[[Group], bool]


class Selection(NamedTuple):
    """A page of posts, newest first.

    `older` is the id that the next page comes before, None if this page is empty; `following` is how many posts are at
    hand for it, counted up to a page full. `newer` is the id that the page of newer posts comes before (`FIRST_PAGE` if
    those are the newest of all), None if there are none. `beyond`: the page begins below all that is at hand.
    """

    groups: tuple[Group, ...]
    older: int | None
    following: int
    newer: int | None
    beyond: bool


def posts_at_hand(messages: Sequence[Message], merge_seconds: int | None, *, open_end: bool) -> list[Group]:
    """The posts that the messages make, in their order.

    `open_end`: there are older messages. What is merged by time may go on in those, so then the last such post is left
    out, unless it is all there is.
    """
    groups = group_messages(messages, merge_seconds)
    if open_end and merge_seconds is not None and len(groups) > 1:
        last = max((index for index, group in enumerate(groups) if group.date is not None), default=None)
        if last is not None:
            del groups[last]
    return groups


def select(
    groups: Sequence[Group], *, limit: int, before: int | None = None, wanted: Wanted | None = None
) -> Selection:
    """The first `limit` of the wanted posts that come, in their order, after the one that message `before` is part of.

    Without `before` they are the newest. Where no post has that message, it is the posts that begin with a smaller id.
    Pages that follow each other by `older` have each post once, however they are sorted by date, and so have those that
    follow each other by `newer`.
    """
    start = 0 if before is None else _position(groups, before)
    if wanted is None:
        page = tuple(groups[start : start + limit])
        following = min(limit, max(0, len(groups) - start - limit))
    else:
        coming = filter(wanted, islice(groups, start, None))
        page = tuple(islice(coming, limit))
        following = sum(1 for _ in islice(coming, limit))
    return Selection(
        groups=page,
        older=page[-1].first.id if page else None,
        following=following,
        newer=_newer(_upwards(groups, start, wanted), limit),
        beyond=before is not None and start == len(groups),
    )


def _position(groups: Sequence[Group], before: int) -> int:
    """The index of the first post after the one that has the message."""
    smaller = len(groups)
    for index, group in enumerate(groups):
        if any(message.id == before for message in group.messages):
            return index + 1
        if smaller == len(groups) and group.first.id < before:
            smaller = index
    return smaller


def _upwards(groups: Sequence[Group], start: int, wanted: Wanted | None) -> Iterator[Group]:
    above = (groups[index] for index in range(start - 1, -1, -1))
    return above if wanted is None else filter(wanted, above)


def _newer(above: Iterator[Group], limit: int) -> int | None:
    """What the page of the `limit` posts right above comes before."""
    page = list(islice(above, limit + 1))
    if not page:
        return None
    return page[limit].first.id if len(page) > limit else FIRST_PAGE
