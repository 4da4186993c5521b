"""What Telegram refused or did not answer a moment ago, so that not each poll asks again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from errors import ChannelNotFound, ChannelPrivate, TelegramRefused, TelegramTimeout, ThreadNotFound, afresh

FIRST_PAUSE_S = 60
LONGEST_PAUSE_S = 6 * 3600

# What may pass in a moment is asked for again soon, and then less and less often.
FIRST_SETBACK_S = 2
LONGEST_SETBACK_S = 900

Refusal = ChannelNotFound | ChannelPrivate | ThreadNotFound
Setback = TelegramRefused | TelegramTimeout


class _Entry(NamedTuple):
    refusal: Refusal
    times: int
    since: float
    until: float


class Refusals:
    """Remembers refusals in memory, each for twice as long as the one before, up to six hours.

    Not for ever: a channel may come back, and the account may join. At most `max_entries` keys are remembered.
    """

    def __init__(self, clock: Callable[[], float], max_entries: int = 1000) -> None:
        self._clock = clock
        self._max_entries = max_entries
        self._entries: OrderedDict[str | int, _Entry] = OrderedDict()

    @property
    def in_force(self) -> int:
        """How many keys are not asked for at present."""
        now = self._clock()
        return sum(entry.since <= now < entry.until for entry in self._entries.values())

    def check(self, key: str | int) -> None:
        """Raise the remembered refusal while it is too early to ask again."""
        entry = self._entries.get(key)
        # A clock that was set back must not make a pause last for days.
        if entry is not None and entry.since <= self._clock() < entry.until:
            raise type(entry.refusal)(str(entry.refusal))

    def add(self, key: str | int, refusal: Refusal) -> None:
        """Remember that Telegram has just refused."""
        before = self._entries.pop(key, None)
        times = before.times + 1 if before is not None else 1
        pause = min(FIRST_PAUSE_S * 2 ** min(times - 1, 20), LONGEST_PAUSE_S)
        now = self._clock()
        self._entries[key] = _Entry(afresh(refusal), times, now, now + pause)
        if len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)

    def forget(self, key: str | int) -> None:
        """Telegram has answered: the next refusal is the first one."""
        self._entries.pop(key, None)


class _Setback(NamedTuple):
    fault: Setback
    times: int
    since: float
    until: float


class Setbacks:
    """Remembers what Telegram did not answer, or with an error of its own, so that nobody asks for it at each poll.

    Each time it is for twice as long as the time before, up to a quarter of an hour: from `FIRST_SETBACK_S` seconds on
    for errors, which cost a moment, and from the fault's own `retry_after` on for timeouts, which hold everybody up.
    Other passing faults need no memory here, since they are told at once. At most `max_entries` keys are remembered.
    """

    def __init__(self, clock: Callable[[], float], max_entries: int = 1000) -> None:
        self._clock = clock
        self._max_entries = max_entries
        self._entries: OrderedDict[str | int, _Setback] = OrderedDict()

    @property
    def in_force(self) -> int:
        """How many keys are not asked for at present."""
        now = self._clock()
        return sum(entry.since <= now < entry.until for entry in self._entries.values())

    def check(self, key: str | int) -> None:
        """Raise the remembered fault while it is too early to ask again."""
        entry = self._entries.get(key)
        now = self._clock()
        # A clock that was set back must not make a pause last for days.
        if entry is not None and entry.since <= now < entry.until:
            raise type(entry.fault)(str(entry.fault), max(entry.until - now, entry.fault.retry_after))

    def add(self, key: str | int, fault: Setback) -> None:
        """Remember that Telegram has just failed."""
        before = self._entries.pop(key, None)
        times = before.times + 1 if before is not None else 1
        first = fault.retry_after if isinstance(fault, TelegramTimeout) else FIRST_SETBACK_S
        now = self._clock()
        pause = min(first * 2 ** min(times - 1, 20), LONGEST_SETBACK_S)
        self._entries[key] = _Setback(afresh(fault), times, now, now + pause)
        if len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)

    def forget(self, key: str | int) -> None:
        """Telegram has answered: the next setback is the first one."""
        self._entries.pop(key, None)

    def forget_all(self) -> None:
        """The connection is another one, so that it may be over with all of them."""
        self._entries.clear()
