from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from post_samples import message

from model.message import Message, Service
from posts.grouping import Group, group_messages
from posts.identity import item_id


def ids(groups: list[Group]) -> list[tuple[int, ...]]:
    return [tuple(one.id for one in group.messages) for group in groups]


def at(id_: int, date: int | None, album: int | None = None, content: str = "x") -> Message:
    return message(id_, content, date=date, media_group_id=album)


@pytest.mark.parametrize(
    ("messages", "merge_seconds", "posts"),
    [
        # Newest first, equal dates by id, dateless last.
        ([at(1, 10), at(2, 30), at(3, 20)], None, [(2,), (3,), (1,)]),
        ([at(1, 10), at(2, 10)], None, [(2,), (1,)]),
        ([at(1, None), at(2, 0), at(3, None)], None, [(2,), (3,), (1,)]),
        # An album is one post, in the order of ids, however far its messages are apart.
        ([at(3, 10, 5), at(9, 11), at(2, 10, 5), at(4, 900, 5)], None, [(9,), (2, 3, 4)]),
        ([at(1, 10, 0), at(2, 10, 0)], None, [(1, 2)]),
        # Each message joins the one before it: the gap counts, not the distance to the first.
        ([at(1, 10), at(2, 15), at(3, 20), at(4, 26)], 5, [(4,), (1, 2, 3)]),
        ([at(1, 10), at(2, 10), at(3, 11)], 0, [(3,), (1, 2)]),
        ([at(1, 10), at(2, 10)], None, [(2,), (1,)]),
        # An album comes along whole, and ties what is near either end.
        ([at(1, 10), at(2, 12, 7), at(3, 99, 7), at(4, 100)], 5, [(1, 2, 3, 4)]),
        ([at(1, 10), at(2, 12, 7), at(3, None, 7)], 5, [(1, 2, 3)]),
        # Messages without a date merge with nothing.
        ([at(1, None), at(2, None), at(3, 10)], 5, [(3,), (2,), (1,)]),
        # The same message twice is one message.
        ([at(1, 10), at(1, 10)], 5, [(1,)]),
        ([], 5, []),
    ],
)
def test_messages_become_posts(
    messages: list[Message], merge_seconds: int | None, posts: list[tuple[int, ...]]
) -> None:
    assert ids(group_messages(messages, merge_seconds)) == posts


def test_noise_makes_no_post_and_other_events_stand_alone() -> None:
    events = [
        message(1, date=10, service=Service(kind="pin_message")),
        message(2, date=11, service=Service(kind="topic_create", title="Talk")),
        message(3, "hello", date=12),
    ]
    assert ids(group_messages(events, 60)) == [(3,), (2,)]


def test_an_event_between_two_messages_does_not_part_them() -> None:
    talk = message(2, date=13, service=Service(kind="topic_create"))
    assert ids(group_messages([at(1, 10), talk, at(3, 15)], 5)) == [(2,), (1, 3)]


def test_only_what_would_be_several_posts_counts_as_merged() -> None:
    assert [group.merged for group in group_messages([at(1, 10, 5), at(2, 10, 5)], 5)] == [False]
    assert [group.merged for group in group_messages([at(1, 10), at(2, 10)], 5)] == [True]


def test_a_merged_post_knows_the_posts_it_is_made_of() -> None:
    (group,) = group_messages([at(1, 10), at(2, 10, 5), at(3, 10, 5), at(4, 11)], 5)
    assert [[one.id for one in part] for part in group.parts()] == [[1], [2, 3], [4]]


def test_the_main_message_is_the_first_with_text() -> None:
    (group,) = group_messages([at(1, 10, content=""), at(2, 10, content=" \n"), at(3, 10, content="a"), at(4, 10)], 5)
    assert group.main.id == 3
    (group,) = group_messages([at(1, 10, content=""), at(2, 10, content="")], 5)
    assert group.main.id == 1


def test_texts_join_by_a_blank_line() -> None:
    (group,) = group_messages([at(1, 10, content="a"), at(2, 10, content=""), at(3, 10, content="b")], 5)
    assert group.text.text == "a\n\nb"


MESSAGES = st.lists(
    st.builds(
        at,
        st.integers(1, 60),
        st.none() | st.integers(0, 40),
        st.none() | st.none() | st.integers(1, 3),
        st.sampled_from(["", "x"]),
    ),
    max_size=25,
    unique_by=lambda one: one.id,
)


@settings(max_examples=200, deadline=None)
@given(MESSAGES, st.none() | st.integers(0, 6))
def test_every_message_is_in_one_post_and_no_id_comes_twice(messages: list[Message], merge_seconds: int | None) -> None:
    groups = group_messages(messages, merge_seconds)
    assert Counter(one.id for group in groups for one in group.messages) == Counter(one.id for one in messages)
    guids = [item_id(-1001, group.first) for group in groups]
    assert len(set(guids)) == len(guids)
    dates = [group.date for group in groups]
    dated = [date for date in dates if date is not None]
    assert dates == sorted(dated, reverse=True) + [None] * (len(dates) - len(dated))


@settings(max_examples=100, deadline=None)
@given(MESSAGES, st.none() | st.integers(0, 6), st.data())
def test_the_order_of_the_input_means_nothing(
    messages: list[Message], merge_seconds: int | None, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(messages))
    assert ids(group_messages(shuffled, merge_seconds)) == ids(group_messages(messages, merge_seconds))
