"""Byte ranges of RFC 9110 section 14, as pure functions."""

from __future__ import annotations

import re
from typing import NamedTuple

# More ranges than a player or a download manager asks for; RFC 9110 14.2 lets a server ignore "many small ranges".
MOST_RANGES = 32

_UNIT = re.compile(r"bytes=", re.IGNORECASE)
_SPEC = re.compile(r"([0-9]*)-([0-9]*)", re.ASCII)
# Beyond every file size; keeps absurdly long numbers from being computed with.
_HUGE = 10**18


class ByteRange(NamedTuple):
    """Bytes [start, end) of a file, never empty."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """How many bytes."""
        return self.end - self.start

    def content_range(self, size: int) -> str:
        """The Content-Range value within a file of `size` bytes."""
        return f"bytes {self.start}-{self.end - 1}/{size}"


def parse_range(header: str | None, size: int) -> tuple[ByteRange, ...] | None:
    """What a Range header asks of a file of `size` bytes.

    None: there is no usable range (no header, another unit, malformed, too many ranges, an empty file), so that
    the whole file is the answer (RFC 9110 14.2). An empty tuple: well-formed, but nothing of it lies in the file,
    so the answer is 416. Else the ranges in the order asked for; those that overlap or touch are joined, as
    RFC 9110 15.3.7.2 allows, and those outside the file left out.
    """
    if header is None or size <= 0:
        return None
    unit = _UNIT.match(header)
    if unit is None:
        return None
    # Empty list elements are to be accepted and ignored (RFC 9110 5.6.1.2).
    specs = [spec for part in header[unit.end() :].split(",") if (spec := part.strip(" \t"))]
    if not specs or len(specs) > MOST_RANGES:
        return None
    ranges = []
    for spec in specs:
        match = _SPEC.fullmatch(spec)
        if match is None:
            return None
        first, last = match.groups()
        if not first and not last:
            return None
        if first and last and _number(last) < _number(first):
            return None
        if found := _within(first, last, size):
            ranges.append(found)
    return _joined(ranges)


def _number(digits: str) -> int:
    digits = digits.lstrip("0")
    return _HUGE if len(digits) > 18 else int(digits or "0")


def _within(first: str, last: str, size: int) -> ByteRange | None:
    """The part of a well-formed range that lies in the file, if any (RFC 9110 14.1.2)."""
    if not first:
        length = min(_number(last), size)
        return ByteRange(size - length, size) if length else None
    start = _number(first)
    if start >= size:
        return None
    return ByteRange(start, min(_number(last) + 1, size) if last else size)


def _joined(ranges: list[ByteRange]) -> tuple[ByteRange, ...]:
    """Overlapping and touching ranges as one, each at the place of the first that went into it."""
    joined: list[tuple[int, ByteRange]] = []
    for place, item in sorted(enumerate(ranges), key=lambda pair: pair[1]):
        if joined and item.start <= joined[-1][1].end:
            other_place, other = joined[-1]
            joined[-1] = (min(place, other_place), ByteRange(other.start, max(other.end, item.end)))
        else:
            joined.append((place, item))
    return tuple(item for _, item in sorted(joined))
