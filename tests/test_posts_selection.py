"""Pages of posts: each post is on one of them, whole."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from post_samples import message

from model.message import Message, Service
from posts.grouping import Group, group_messages
from posts.selection import FIRST_PAGE, Selection, Wanted, posts_at_hand, select


def groups_of(count: int) -> list[Group]:
    return group_messages([message(id_) for id_ in range(1, count + 1)])


def ids(selection: Selection) -> list[int]:
    return [message.id for group in selection.groups for message in group.messages]


def walk_down(groups: Sequence[Group], limit: int, wanted: Wanted | None) -> list[Selection]:
    pages = [select(groups, limit=limit, wanted=wanted)]
    while pages[-1].following:
        pages.append(select(groups, limit=limit, before=pages[-1].older, wanted=wanted))
    return pages


def test_a_page_has_the_first_posts_after_the_one_named() -> None:
    groups = groups_of(10)
    assert ids(select(groups, limit=3)) == [10, 9, 8]
    assert ids(select(groups, limit=3, before=8)) == [7, 6, 5]
    assert ids(select(groups, limit=3, before=2)) == [1]


@pytest.mark.parametrize(
    ("before", "newer"), [(None, None), (10, FIRST_PAGE), (9, FIRST_PAGE), (8, FIRST_PAGE), (7, 10), (5, 8), (1, 4)]
)
def test_a_page_knows_what_the_newer_one_comes_before(before: int | None, newer: int | None) -> None:
    assert select(groups_of(10), limit=3, before=before).newer == newer


@pytest.mark.parametrize(("before", "older", "following"), [(None, 8, 3), (7, 4, 3), (6, 3, 2), (4, 1, 0), (2, 1, 0)])
def test_a_page_knows_what_the_older_one_comes_before(before: int | None, older: int, following: int) -> None:
    selection = select(groups_of(10), limit=3, before=before)
    assert (selection.older, selection.following) == (older, following)


def test_an_album_is_on_one_page_whichever_of_its_ids_is_named() -> None:
    messages = [message(1), *(message(id_, media_group_id=5) for id_ in (2, 3, 4)), message(6)]
    groups = group_messages(messages)
    assert ids(select(groups, limit=2)) == [6, 2, 3, 4]
    for id_ in (2, 3, 4):
        assert ids(select(groups, limit=2, before=id_)) == [1]
    # Five was deleted.
    assert ids(select(groups, limit=1, before=5)) == [2, 3, 4]


def test_where_a_post_is_gone_the_page_begins_with_the_next_smaller_id() -> None:
    groups = [group for group in groups_of(10) if group.first.id != 6]
    assert ids(select(groups, limit=2, before=6)) == [5, 4]


def test_a_page_below_all_that_is_at_hand_says_so() -> None:
    groups = groups_of(10)[:5]
    below = select(groups, limit=3, before=2)
    assert (below.groups, below.beyond, below.older, below.newer) == ((), True, None, 9)
    assert not select(groups, limit=3, before=10).beyond
    assert not select([], limit=3).beyond


def test_the_place_of_a_page_does_not_depend_on_what_is_wanted() -> None:
    def even(group: Group) -> bool:
        return group.first.id % 2 == 0

    groups = groups_of(10)
    assert ids(select(groups, limit=2, before=7, wanted=even)) == [6, 4]
    assert ids(select(groups, limit=2, before=8, wanted=even)) == [6, 4]
    assert select(groups, limit=2, before=8, wanted=even).newer == FIRST_PAGE


def test_only_as_many_posts_are_looked_at_as_matter() -> None:
    looked_at: list[int] = []

    def wanted(group: Group) -> bool:
        looked_at.append(group.first.id)
        return True

    select(groups_of(1000), limit=5, wanted=wanted)
    assert looked_at == list(range(1000, 990, -1))


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Messages in a row: albums, some without a date, some out of order, and noise."""
    messages: list[Message] = []
    album = 0
    for id_ in range(1, draw(st.integers(0, 40)) + 1):
        kind = draw(st.sampled_from(("text", "text", "text", "album", "album", "noise", "dateless", "odd")))
        if kind == "album" and draw(st.booleans()):
            album += 1
        date = None if kind == "dateless" else 1_000_000 + (draw(st.integers(0, 500)) if kind == "odd" else 7 * id_)
        messages.append(
            message(
                id_,
                date=date,
                media_group_id=album or None if kind == "album" else None,
                service=Service(kind="pin_message") if kind == "noise" else None,
            )
        )
    return messages


WANTED: list[Wanted | None] = [
    None,
    lambda group: group.first.id % 3 == 0,
    lambda group: len(group.messages) > 1,
    lambda group: False,
]


@given(histories(), st.integers(1, 7), st.sampled_from([None, 0, 7, 50]), st.sampled_from(WANTED))
def test_all_pages_together_are_the_whole_list(
    messages: list[Message], limit: int, merge_seconds: int | None, wanted: Wanted | None
) -> None:
    groups = group_messages(messages, merge_seconds)
    whole = [group for group in groups if wanted is None or wanted(group)]
    pages = walk_down(groups, limit, wanted)
    assert [group for page in pages for group in page.groups] == whole
    assert all(len(page.groups) == limit for page in pages[:-1])


@given(histories(), st.integers(1, 7), st.sampled_from([None, 7]), st.sampled_from(WANTED))
def test_the_way_back_up_is_the_way_down(
    messages: list[Message], limit: int, merge_seconds: int | None, wanted: Wanted | None
) -> None:
    groups = group_messages(messages, merge_seconds)
    pages = walk_down(groups, limit, wanted)
    page = pages[-1]
    for expected in reversed(pages[:-1]):
        assert page.newer is not None
        page = select(groups, limit=limit, before=page.newer or None, wanted=wanted)
        assert page.groups == expected.groups
    assert page.newer is None


def test_a_merged_post_that_may_go_on_below_is_left_out() -> None:
    near = [message(id_, date=1000 + id_) for id_ in (1, 2)]
    far = [message(id_, date=9000 + id_) for id_ in (3, 4)]
    assert [group.first.id for group in posts_at_hand([*near, *far], 5, open_end=True)] == [3]
    assert [group.first.id for group in posts_at_hand([*near, *far], 5, open_end=False)] == [3, 1]
    assert [group.first.id for group in posts_at_hand(near, 5, open_end=True)] == [1]
    assert len(posts_at_hand([*near, *far], None, open_end=True)) == 4
