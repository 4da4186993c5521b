"""How many parts of a file to ask for at once, how long that may take, and how long to bear faults that pass."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec

from errors import FloodWait, NotLoggedIn, Overloaded, PassingFault, ShuttingDown, StorageUnavailable

# Faults that no waiting here would end.
_LASTING = (NotLoggedIn, Overloaded, ShuttingDown, StorageUnavailable)
# Nobody knows when a fault ends that asks for so long a pause (seconds) without being a flood wait.
_UNKNOWN_END = 60.0


class WrongPart(PassingFault):
    """A part came with another length than it should have; `empty`: with no bytes at all."""

    def __init__(self, length: int, wanted: int) -> None:
        super().__init__(f"Telegram sent {length} bytes instead of {wanted} of a file's part", 30)
        self.empty = length == 0


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """For how long a download goes on although nothing comes. All times in seconds.

    `at_start` counts while no part has come: whoever asked can still be told what is wrong, and is told of a flood
    wait at once. `in_mid_file` counts from
    the last part that came: a viewer who has had a part of the file can't be told, so it is long enough for a whole
    restart of the Telegram client. One part is asked for `tries` times at most, and `wrong` times if it comes with a
    wrong length. Pauses between the tries double from the first to the longest.
    """

    at_start: float = 5
    in_mid_file: float = 120
    first_pause: float = 0.5
    longest_pause: float = 8
    tries: int = 20
    wrong: int = 4


class TimeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long a download may take: `size / min_speed`, between `least` and `most`. Seconds and bytes a second."""

    least: float = 120
    most: float = 1800
    min_speed: float = 262144

    def of(self, size: int) -> float:
        """Seconds for a file of `size` bytes (0: unknown, which gets the most)."""
        if not size:
            return self.most
        return min(max(size / self.min_speed, self.least), self.most)


class Pace:
    """The pace of one download.

    At most `most` parts are asked for at once, and that is where it begins. Faults halve that number, once for all the
    parts that were on their way together, down to one; as many good parts as are allowed at once let it grow by one.
    """

    def __init__(self, most: int, patience: Patience) -> None:
        self.window = most
        self._most = most
        self._patience = patience
        self._in_flight = 0
        self._room = asyncio.Event()
        self._good = 0
        self._begun = False
        self._shrunk_at = float("-inf")
        self._progress_at = _now()

    @asynccontextmanager
    async def turn(self, most: Callable[[], int] | None = None) -> AsyncIterator[float]:
        """Wait until one more part may be asked for; gives the moment for `failed`. The part is in flight inside.

        `most` says how many may be in flight now, if that is fewer than the pace allows.
        """
        while self._in_flight >= (self.window if most is None else min(self.window, most())):
            self._room.clear()
            await self._room.wait()
        self._in_flight += 1
        try:
            yield _now()
        finally:
            self._in_flight -= 1
            self._room.set()

    def waited(self, seconds: float) -> None:
        """For so long nothing was asked for, so that nothing could come."""
        self._progress_at += seconds

    def arrived(self) -> None:
        """A good part has come."""
        self._begun = True
        self._progress_at = _now()
        self._good += 1
        if self._good >= self.window and self.window < self._most:
            self.window += 1
            self._good = 0
            self._room.set()

    def failed(self, fault: PassingFault, tries: int, asked_at: float) -> float:
        """A part, asked for at `asked_at` and `tries` times so far, has met a fault: seconds until its next try.

        Raises the fault if there is to be none.
        """
        self._good = 0
        if asked_at >= self._shrunk_at:
            self.window = max(1, self.window // 2)
            self._shrunk_at = _now()
        patience = self._patience
        if isinstance(fault, FloodWait):
            lasting = not self._begun
            pause = fault.retry_after
        else:
            lasting = isinstance(fault, _LASTING) or fault.retry_after >= _UNKNOWN_END
            pause = min(patience.first_pause * 2 ** (tries - 1), patience.longest_pause)
        most_tries = patience.wrong if isinstance(fault, WrongPart) else patience.tries
        patient_until = self._progress_at + (patience.in_mid_file if self._begun else patience.at_start)
        if lasting or tries >= most_tries or _now() + pause > patient_until:
            raise fault
        return pause


def _now() -> float:
    return asyncio.get_running_loop().time()
