"""Which parts of a file there are, are on their way, and are to be asked for next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

PART_SIZE = 1024 * 1024
"""Telegram's largest part. It never lets a part cross a multiple of this."""
SMALLEST_PART = 4096
"""Telegram gives parts in multiples of this."""
FIRST_PART_SIZE = PART_SIZE // 2
"""The first MiB comes in two halves, so that a viewer's first byte is there sooner."""

_MISSING, _ASKED, _THERE = 0, 1, 2


class Part(NamedTuple):
    """One request to Telegram: `limit` bytes from `offset`."""

    offset: int
    limit: int


def part_at(index: int) -> Part:
    """The part with that number, of a file of any size."""
    if index < 2:
        return Part(index * FIRST_PART_SIZE, FIRST_PART_SIZE)
    return Part((index - 1) * PART_SIZE, PART_SIZE)


def index_of(offset: int) -> int:
    """The number of the part that holds the byte at `offset`."""
    return offset // FIRST_PART_SIZE if offset < PART_SIZE else offset // PART_SIZE + 1


class PartMap:
    """The parts of a file of `size` > 0 bytes, each missing, asked for or there."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.count = index_of(size - 1) + 1
        self._state = bytearray(self.count)

    def length(self, index: int) -> int:
        """How many bytes of the file the part holds: its limit, less in the last one."""
        part = part_at(index)
        return min(part.limit, self.size - part.offset)

    def has(self, index: int) -> bool:
        """Whether the part is there."""
        return self._state[index] == _THERE

    def claim(self, wanted: Iterable[int] = ()) -> int | None:
        """Mark the most urgent missing part as asked for and return its number, None if none is missing.

        The first part comes before all others, since the file's type is read from it. `wanted` are the parts at which
        viewers stand: then the most urgent part is the one that is the fewest parts ahead of a viewer; without viewers
        it is the first missing one.
        """
        best: tuple[int, int] | None = None
        if self._state[0] == _MISSING:
            wanted = ()
        for position in wanted:
            index = self._state.find(_MISSING, position)
            if index >= 0 and (best is None or (index - position, index) < best):
                best = (index - position, index)
        index = best[1] if best else self._state.find(_MISSING)
        if index < 0:
            return None
        self._state[index] = _ASKED
        return index

    def arrived(self, index: int) -> None:
        """The part is there."""
        self._state[index] = _THERE

    def release(self, index: int) -> None:
        """The part did not come: it is missing again."""
        self._state[index] = _MISSING

    @property
    def complete(self) -> bool:
        """Whether every part is there."""
        return self._state.count(_THERE) == self.count
