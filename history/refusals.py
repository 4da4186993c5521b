"""What Telegram refused or did not answer a moment ago, so that not each poll asks again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from errors import ChannelNotFound, ChannelPrivate, TelegramTimeout

FIRST_PAUSE_S = 60
LONGEST_PAUSE_S = 6 * 3600

Refusal = ChannelNotFound | ChannelPrivate


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
        self._entries[key] = _Entry(refusal, times, now, now + pause)
        if len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)

    def forget(self, key: str | int) -> None:
        """Telegram has answered: the next refusal is the first one."""
        self._entries.pop(key, None)


class _Timeout(NamedTuple):
    reason: str
    since: float
    until: float


class Timeouts:
    """Remembers calls that Telegram did not answer: until `retry_after` is over nobody waits for the same again.

    Other passing faults need no memory here, since they are told at once.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._entries: dict[str | int, _Timeout] = {}

    def check(self, key: str | int) -> None:
        """Raise TelegramTimeout while it is too early to ask again."""
        entry = self._entries.get(key)
        now = self._clock()
        if entry is not None and entry.since <= now < entry.until:
            raise TelegramTimeout(entry.reason, entry.until - now)
        self._entries.pop(key, None)

    def add(self, key: str | int, fault: TelegramTimeout) -> None:
        """Remember that Telegram has just not answered."""
        now = self._clock()
        self._entries = {other: entry for other, entry in self._entries.items() if entry.until > now}
        self._entries[key] = _Timeout(str(fault), now, now + fault.retry_after)
