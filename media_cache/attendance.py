"""Who views a file that is on its way, and where in it they stand."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Attendance:
    """The viewers of one download. `positions` are the parts at which some stand, with how many of them."""

    def __init__(self) -> None:
        self.positions: Counter[int] = Counter()
        # How many wait or read, and when the last of them left (the loop's time).
        self._attending = 0
        self._deserted_at: float | None = None

    @contextmanager
    def attended(self) -> Iterator[None]:
        """For the time of the block there is one more viewer."""
        self._attending += 1
        try:
            yield
        finally:
            self._attending -= 1
            if not self._attending:
                self._deserted_at = asyncio.get_running_loop().time()

    @contextmanager
    def standing_at(self, index: int) -> Iterator[None]:
        """For the time of the block a viewer wants the part with that number."""
        self.positions[index] += 1
        try:
            yield
        finally:
            self.positions[index] -= 1
            if not self.positions[index]:
                del self.positions[index]

    @property
    def deserted_for(self) -> float:
        """For how many seconds the last viewer has been gone; 0 while there is one, and before the first."""
        if self._attending or self._deserted_at is None:
            return 0.0
        return asyncio.get_running_loop().time() - self._deserted_at
