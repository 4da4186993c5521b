"""What went wrong lately, so that the same fault is not asked for again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from errors import BridgeError, FloodWait, MediaGone, NotLoggedIn, Overloaded, PassingFault, StorageUnavailable, afresh

FIRST_PAUSE = 60.0
LONGEST_PAUSE = 6 * 3600.0
# What was gone a day ago may be there again.
GONE_TTL = 86400.0

COMMON_FAULTS = (FloodWait, NotLoggedIn, Overloaded, StorageUnavailable)
"""Faults that are not a file's own: they are known elsewhere, and end for all files at once."""


@dataclass(slots=True)
class _Failure:
    fault: BridgeError
    pause: float
    since: float
    until: float
    times: int


class FailureMemory:
    """Remembers the last fault of each key and for how long it is the answer.

    The pause is 60 s after the first fault and doubles with each further one, up to 6 h. Times in seconds of `now`.
    """

    def __init__(self, now: Callable[[], float], *, capacity: int = 10_000) -> None:
        self._now = now
        self._capacity = capacity
        self._failures: OrderedDict[str, _Failure] = OrderedDict()
        # Since when and until when the set holds; None: it has to be made anew.
        self._gone: frozenset[str] | None = frozenset()
        self._gone_holds = (0.0, float("inf"))

    def __len__(self) -> int:
        return len(self._failures)

    def check(self, key: str) -> None:
        """Raise the key's fault while its pause lasts, with `retry_after` set to what is left of it."""
        if (left := self.pause_of(key)) <= 0:
            return
        fault = afresh(self._failures[key].fault)
        if isinstance(fault, PassingFault):
            fault.retry_after = left
        raise fault

    def pause_of(self, key: str) -> float:
        """How many seconds are left of the key's pause, 0 without one."""
        failure = self._failures.get(key)
        if failure is None:
            return 0.0
        now = self._now()
        # A clock that was set back must not make a pause last for days.
        return failure.until - now if failure.since <= now < failure.until else 0.0

    def times(self, key: str) -> int:
        """How often in a row the key has failed."""
        failure = self._failures.get(key)
        return 0 if failure is None else failure.times

    def gone(self) -> frozenset[str]:
        """The keys of which the last that was heard, within a day, is that there is no such file any more.

        The same object as long as nothing changes.
        """
        now = self._now()
        since, until = self._gone_holds
        if self._gone is None or not since <= now < until:
            # A clock that was set back must not make it last longer.
            times = {
                key: failure.since
                for key, failure in self._failures.items()
                if isinstance(failure.fault, MediaGone) and failure.since <= now < failure.since + GONE_TTL
            }
            self._gone = frozenset(times)
            self._gone_holds = (max(times.values(), default=0.0), min(times.values(), default=float("inf")) + GONE_TTL)
        return self._gone

    def note(self, key: str, fault: BridgeError) -> None:
        """The key has failed (again). A fault that names a longer time of its own gets that.

        `COMMON_FAULTS` (a flood wait, the disk, no login, no room) are not remembered.
        """
        if isinstance(fault, COMMON_FAULTS):
            return
        before = self._forget(key)
        pause = FIRST_PAUSE if before is None else min(before.pause * 2, LONGEST_PAUSE)
        wait = max(pause, fault.retry_after) if isinstance(fault, PassingFault) else pause
        now = self._now()
        self._failures[key] = _Failure(afresh(fault), pause, now, now + wait, 1 if before is None else before.times + 1)
        if isinstance(fault, MediaGone):
            self._gone = None
        while len(self._failures) > self._capacity:
            self._forget(next(iter(self._failures)))

    def forget(self, key: str) -> None:
        """The key has worked."""
        self._forget(key)

    def forget_all(self) -> None:
        """Something that was behind many faults has been healed."""
        self._failures.clear()
        self._gone = None

    def _forget(self, key: str) -> _Failure | None:
        failure = self._failures.pop(key, None)
        if failure is not None and isinstance(failure.fault, MediaGone):
            self._gone = None
        return failure
