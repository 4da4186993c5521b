"""Tells the owner of calls that failed for a reason that passes, without a line for each reader who waited."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from errors import PassingFault

logger = logging.getLogger(__name__)

# Seconds between two lines about the same fault of the same call.
QUIET_FOR = 60.0


class FaultLog:
    """One line a minute for each reason why a call fails. `now` gives monotonic seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        # When each was told, the oldest first.
        self._told: dict[tuple[str, str], float] = {}

    def note(self, method: str, fault: PassingFault) -> None:
        """Log the fault that a call of that method ended with, unless a like one was told lately."""
        key = (method, str(fault))
        now = self._now()
        while self._told and now >= next(iter(self._told.values())) + QUIET_FOR:
            del self._told[next(iter(self._told))]
        if key in self._told:
            return
        self._told[key] = now
        logger.warning("The call %s failed: %s", method, fault)
