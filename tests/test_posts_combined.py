"""Pages of the posts of several chats: each post on one of them, and none shown before it is sure to be its turn."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from post_samples import message

from model.message import Message
from posts.combined import CombinedSelection, Part, Place, place_of, select_combined
from posts.grouping import Group, group_messages
from posts.selection import Wanted, posts_at_hand

Post = tuple[int, int]


def posts(selection: CombinedSelection, parts: Sequence[Part]) -> list[Post]:
    return [(parts[part].chat_id, group.first.id) for part, group in selection.posts]


def part(chat_id: int, *dates: int, open_end: bool = False) -> Part:
    """A chat whose posts were written at these times, the oldest first."""
    groups = group_messages([message(id_, date=date) for id_, date in enumerate(dates, 1)])
    return Part(chat_id, groups, open_end)


def test_the_newest_posts_come_first_and_in_the_same_second_the_order_is_always_the_same() -> None:
    parts = [part(-2, 10, 30, 30), part(-1, 20, 30)]
    expected = [(-2, 3), (-2, 2), (-1, 2), (-1, 1), (-2, 1)]
    assert posts(select_combined(parts, limit=9), parts) == expected
    assert posts(select_combined(parts[::-1], limit=9), parts[::-1]) == expected
    assert posts(select_combined(parts, limit=2, before=Place(30, -2, 2)), parts) == expected[2:4]


def test_a_place_says_where_a_page_begins_though_its_post_is_gone() -> None:
    parts = [part(1, 10, 20, 30, 40)]
    assert posts(select_combined(parts, limit=2, before=Place(25, 7, 99)), parts) == [(1, 2), (1, 1)]


def test_posts_without_a_date_are_the_last() -> None:
    dateless = group_messages([message(1, date=None), message(2, date=10)])
    parts = [Part(1, dateless, open_end=False), part(2, 5)]
    assert posts(select_combined(parts, limit=3), parts) == [(1, 2), (2, 1), (1, 1)]
    assert str(place_of(1, dateless[1])) == "0,1,1"


def test_a_page_is_sure_only_down_to_where_each_open_chat_ends() -> None:
    parts = [part(1, 50, 60, open_end=True), part(2, 10, 20, 55)]
    assert select_combined(parts, limit=2).short == ()
    # Whatever the first chat has between 20 and 50 belongs between its 50 and the other's 20.
    assert select_combined(parts, limit=3).short == ()
    assert select_combined(parts, limit=4).short == (0,)
    assert select_combined(parts, limit=2).following == 1
    # A chat of which no post is at hand may have any.
    parts.append(Part(3, (), open_end=True))
    assert select_combined(parts, limit=2).short == (2,)
    assert select_combined(parts, limit=9).short == (2, 0)


def test_a_page_below_all_that_is_at_hand_says_so() -> None:
    parts = [part(1, 50, 60, open_end=True), part(2, 55)]
    assert select_combined(parts, limit=2, before=Place(50, 1, 1)).beyond
    assert not select_combined(parts, limit=2, before=Place(51, 1, 1)).beyond
    assert not select_combined([], limit=2).beyond


@st.composite
def chats(draw: st.DrawFn) -> list[list[Message]]:
    """Chats with albums, messages without a date, and many in the same seconds."""
    found = []
    for _ in range(draw(st.integers(1, 4))):
        date, written = 1_000_000, []
        for id_ in range(1, draw(st.integers(0, 15)) + 1):
            date += draw(st.integers(0, 3))
            dateless = draw(st.integers(0, 9)) == 0
            written.append(
                message(
                    id_, date=None if dateless else date, media_group_id=draw(st.sampled_from((None, 1 + id_ // 3)))
                )
            )
        found.append(written)
    return found


WANTED: list[Wanted | None] = [None, lambda group: group.first.id % 3 == 0, lambda group: False]
WHOLE = 99


def parts_of(all_messages: list[list[Message]], depths: Sequence[int], wanted: Wanted | None) -> list[Part]:
    """The newest `depth` messages of each chat."""
    parts = []
    for chat_id, (messages, depth) in enumerate(zip(all_messages, depths, strict=True), 1):
        at_hand = messages[max(0, len(messages) - depth) :]
        open_end = len(at_hand) < len(messages)
        parts.append(Part(chat_id, posts_at_hand(at_hand, None, open_end=open_end), open_end, wanted))
    return parts


def in_order(all_messages: list[list[Message]], wanted: Wanted | None) -> list[Post]:
    found: list[tuple[Place, Group]] = []
    for chat_id, messages in enumerate(all_messages, 1):
        found += [(place_of(chat_id, group), group) for group in group_messages(messages)]
    found.sort(key=lambda each: each[0].order)
    return [(place.chat_id, group.first.id) for place, group in found if wanted is None or wanted(group)]


@given(chats(), st.integers(1, 7), st.sampled_from(WANTED))
def test_all_pages_together_are_all_posts_in_order_and_lead_back(
    all_messages: list[list[Message]], limit: int, wanted: Wanted | None
) -> None:
    parts = parts_of(all_messages, [WHOLE] * len(all_messages), wanted)
    pages = [select_combined(parts, limit=limit)]
    while pages[-1].following:
        pages.append(select_combined(parts, limit=limit, before=pages[-1].older))
    assert [post for page in pages for post in posts(page, parts)] == in_order(all_messages, wanted)
    page = pages[-1]
    for expected in reversed(pages[:-1]):
        assert page.has_newer
        page = select_combined(parts, limit=limit, before=page.newer)
        assert page.posts == expected.posts
    assert not page.has_newer


@given(chats(), st.integers(1, 7), st.sampled_from(WANTED), st.data())
def test_reading_on_where_it_is_short_ends_with_the_right_page_and_reads_no_chat_for_nothing(
    all_messages: list[list[Message]], limit: int, wanted: Wanted | None, data: st.DataObject
) -> None:
    # Chats whose messages have dates that go with their ids, as Telegram's do; albums would be completed.
    all_messages = [
        [msgspec.structs.replace(each, media_group_id=None) for each in messages if each.date is not None]
        for messages in all_messages
    ]
    depths = [data.draw(st.integers(0, 15)) for _ in all_messages]
    expected = in_order(all_messages, wanted)[:limit]
    while True:
        parts = parts_of(all_messages, depths, wanted)
        selection = select_combined(parts, limit=limit)
        sure = posts(selection, parts)
        known = in_order(all_messages, wanted)[limit : limit + selection.following]
        if not selection.short:
            break
        for index in selection.short:
            assert parts[index].open_end
            depths[index] += 1
    assert sure == expected
    # What is said to follow does.
    rest = select_combined(parts, limit=limit, before=selection.older)
    assert posts(rest, parts)[: selection.following] == known
