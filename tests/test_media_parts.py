"""A file's parts follow Telegram's rules and come in the order that viewers need."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media_cache.parts import FIRST_PART_SIZE, PART_SIZE, PartMap, index_of, part_at

MIB = 1024 * 1024
FOUR_GB = 4 * 1024**3


@given(st.integers(min_value=0, max_value=FOUR_GB))
def test_every_byte_lies_in_exactly_the_part_that_is_said_to_hold_it(offset: int) -> None:
    index = index_of(offset)
    part = part_at(index)
    assert part.offset <= offset < part.offset + part.limit
    assert part_at(index + 1).offset == part.offset + part.limit


@given(st.integers(min_value=0, max_value=5000))
def test_every_part_is_one_that_telegram_accepts(index: int) -> None:
    part = part_at(index)
    assert part.offset % 4096 == 0
    assert part.limit % 4096 == 0
    assert MIB % part.limit == 0
    assert part.offset // MIB == (part.offset + part.limit - 1) // MIB


@pytest.mark.parametrize(
    ("size", "lengths"),
    [
        (1, [1]),
        (FIRST_PART_SIZE, [FIRST_PART_SIZE]),
        (FIRST_PART_SIZE + 1, [FIRST_PART_SIZE, 1]),
        (PART_SIZE, [FIRST_PART_SIZE, FIRST_PART_SIZE]),
        (PART_SIZE + 1, [FIRST_PART_SIZE, FIRST_PART_SIZE, 1]),
        (3 * PART_SIZE - 1, [FIRST_PART_SIZE, FIRST_PART_SIZE, PART_SIZE, PART_SIZE - 1]),
    ],
)
def test_the_lengths_of_parts_add_up_to_the_file(size: int, lengths: list[int]) -> None:
    parts = PartMap(size)
    assert [parts.length(index) for index in range(parts.count)] == lengths


def test_without_viewers_parts_come_in_order_and_each_once() -> None:
    parts = PartMap(4 * MIB)
    assert [parts.claim() for _ in range(6)] == [0, 1, 2, 3, 4, None]


def test_a_far_viewer_is_served_first_and_then_the_parts_behind_it() -> None:
    parts = PartMap(100 * MIB)
    assert parts.claim() == 0
    assert [parts.claim([70]) for _ in range(3)] == [70, 71, 72]


def test_of_two_viewers_the_one_with_less_ahead_of_it_is_served() -> None:
    parts = PartMap(100 * MIB)
    for index in range(10):
        assert parts.claim() == index
    # The first viewer has ten parts before it, the second has none.
    assert [parts.claim([0, 50]) for _ in range(4)] == [50, 51, 52, 53]
    assert parts.claim([9, 50]) == 10


def test_a_viewer_behind_whom_all_is_there_leaves_the_turn_to_the_rest() -> None:
    parts = PartMap(3 * MIB)
    assert [parts.claim([3]) for _ in range(4)] == [0, 3, 1, 2]


def test_the_first_part_comes_first_whoever_waits_since_it_tells_the_type() -> None:
    assert PartMap(100 * MIB).claim([70]) == 0


@given(st.integers(min_value=1, max_value=40 * MIB), st.lists(st.integers(min_value=0, max_value=60)))
def test_whatever_viewers_want_every_part_is_fetched_once(size: int, wanted: list[int]) -> None:
    parts = PartMap(size)
    claimed = []
    while (index := parts.claim(wanted)) is not None:
        claimed.append(index)
        assert not parts.complete
        assert not parts.has(index)
        parts.arrived(index)
        assert parts.has(index)
    assert sorted(claimed) == list(range(parts.count))
    assert parts.complete
