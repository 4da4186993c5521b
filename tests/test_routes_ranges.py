"""Range headers are read as RFC 9110 section 14 says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routes.ranges import MOST_RANGES, ByteRange, parse_range


@pytest.mark.parametrize(
    ("header", "ranges"),
    [
        # RFC 9110 14.1.2 with its own examples, for a file of 10000 bytes.
        ("bytes=0-499", [(0, 500)]),
        ("bytes=500-999", [(500, 1000)]),
        ("bytes=-500", [(9500, 10000)]),
        ("bytes=9500-", [(9500, 10000)]),
        ("bytes=0-0,-1", [(0, 1), (9999, 10000)]),
        ("bytes= 0-999, 4500-5499, -1000", [(0, 1000), (4500, 5500), (9000, 10000)]),
        ("bytes=500-600,601-999", [(500, 1000)]),
        ("bytes=500-700,601-999", [(500, 1000)]),
        # More.
        ("bytes=0-", [(0, 10000)]),
        ("bytes=0-99999", [(0, 10000)]),
        ("bytes=-99999", [(0, 10000)]),
        ("bytes=9999-", [(9999, 10000)]),
        ("Bytes=1-2", [(1, 3)]),
        ("bytes=1-2,,\t5-6 ,", [(1, 3), (5, 7)]),
        ("bytes=0001-0002", [(1, 3)]),
        (f"bytes=0-{'9' * 5000}", [(0, 10000)]),
        # The order asked for stays.
        ("bytes=500-599,0-9", [(500, 600), (0, 10)]),
        ("bytes=500-599,0-9,550-650", [(500, 651), (0, 10)]),
        # What does not lie in the file is left out.
        ("bytes=0-9,10000-10009", [(0, 10)]),
        ("bytes=-0,5-6", [(5, 7)]),
    ],
)
def test_well_formed_ranges(header: str, ranges: list[tuple[int, int]]) -> None:
    assert parse_range(header, 10000) == tuple(ranges)


@pytest.mark.parametrize("header", ["bytes=10000-", "bytes=10000-20000", "bytes=-0", f"bytes={'9' * 5000}-"])
def test_ranges_outside_the_file_can_not_be_satisfied(header: str) -> None:
    assert parse_range(header, 10000) == ()


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "bytes",
        "bytes=",
        "bytes=,",
        "bytes=-",
        "bytes=a-b",
        "bytes=5-4",
        "bytes=0-1,5-4",
        "bytes=--5",
        "bytes=-5-",
        "bytes=1 - 2",
        "bytes=1-2 3-4",
        "bytes =1-2",
        "bytes:1-2",
        "lines=1-2",
        "bytes=+1-2",
        "bytes=1_0-2_0",
        "bytes=0x1-0x2",
        "bytes=１-２",
        "bytes=0-1, bytes=2-3",
        "bytes=" + ",".join(f"{10 * n}-{10 * n}" for n in range(MOST_RANGES + 1)),
    ],
)
def test_what_is_malformed_or_unreasonable_is_ignored(header: str | None) -> None:
    assert parse_range(header, 10000) is None


def test_an_empty_file_has_no_ranges() -> None:
    assert parse_range("bytes=0-", 0) is None


def test_a_range_says_its_length_and_place() -> None:
    item = ByteRange(5, 8)
    assert item.length == 3
    assert item.content_range(100) == "bytes 5-7/100"


SIZES = st.integers(min_value=1, max_value=40)
NUMBERS = st.integers(min_value=0, max_value=50)
SPECS = st.one_of(
    st.tuples(NUMBERS, NUMBERS).map(lambda pair: f"{min(pair)}-{max(pair)}"),
    NUMBERS.map(lambda number: f"{number}-"),
    NUMBERS.map(lambda number: f"-{number}"),
)


def bytes_of(spec: str, size: int) -> set[int]:
    """The positions that one range-spec names, byte by byte as RFC 9110 14.1.2 words it."""
    first, last = spec.split("-")
    if not first:
        return {position for position in range(size) if position >= size - int(last)}
    return {position for position in range(size) if position >= int(first) and (not last or position <= int(last))}


@given(st.lists(SPECS, min_size=1, max_size=8), SIZES)
def test_the_ranges_cover_exactly_the_bytes_asked_for_without_overlap_in_order(specs: list[str], size: int) -> None:
    ranges = parse_range("bytes=" + ",".join(specs), size)
    assert ranges is not None
    wanted = [bytes_of(spec, size) for spec in specs]
    covered = [position for item in ranges for position in range(item.start, item.end)]
    assert len(covered) == len(set(covered))
    assert set(covered) == set().union(*wanted)
    # No two of them touch, so no fewer ranges would do.
    assert all(one.end != other.start for one in ranges for other in ranges)
    # Each stands at the place of the first spec that went into it.
    places = [
        min(place for place, positions in enumerate(wanted) if positions & set(range(item.start, item.end)))
        for item in ranges
    ]
    assert places == sorted(places)


@given(st.text(alphabet="bytes=0123456789-, \t", max_size=30), SIZES)
def test_any_text_gives_ranges_within_the_file_or_none(header: str, size: int) -> None:
    for item in parse_range(header, size) or ():
        assert 0 <= item.start < item.end <= size
