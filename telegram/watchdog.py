"""Sees to it that a connection that looks alive is alive: probes it, and has it restarted when it is not."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from enum import StrEnum
from typing import Any, Protocol

import msgspec

from errors import BridgeError, NotLoggedIn

logger = logging.getLogger(__name__)


class WatchdogOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How watchful to be. All times in seconds."""

    enabled: bool = True
    interval: float = 60
    timeout: float = 10
    # So many probes in a row without an answer lead to a restart.
    failures: int = 3
    restart_timeout: float = 90
    # A line in the log for each so many probes, 0 for none.
    heartbeat_every: int = 30
    # So many disconnects within the window lead to a restart.
    flap_limit: int = 3
    flap_window: float = 120
    # So many downloads in a row that ran out of time lead to a restart.
    download_timeouts: int = 5


class RestartReason(StrEnum):
    """Why a connection is restarted."""

    UNANSWERED_PROBES = "unanswered_probes"
    DISCONNECTS = "disconnects"
    DOWNLOAD_TIMEOUTS = "download_timeouts"


_WORDS = {
    RestartReason.UNANSWERED_PROBES: "it does not answer probes",
    RestartReason.DISCONNECTS: "it is lost again and again",
    RestartReason.DOWNLOAD_TIMEOUTS: "one download after the other runs out of time",
}


class WatchdogStats(msgspec.Struct, frozen=True, kw_only=True):
    """The watchdog at one moment. Counters count since the start of the process; ages are in seconds."""

    enabled: bool
    probes: int
    failed_probes: int
    failed_in_a_row: int
    last_probe_age_s: float | None
    last_failure_age_s: float | None
    disconnects: int
    download_timeouts_in_a_row: int
    restarting: bool
    restarts: int
    restarts_by_reason: dict[str, int]
    last_restart_reason: str | None
    last_restart_age_s: float | None


class Watched(Protocol):
    """A connection as the watchdog sees it. `answered_at` is the `time.monotonic()` of the latest answer."""

    @property
    def answered_at(self) -> float: ...

    async def probe(self, time_limit: float) -> None:
        """Return if Telegram answers within `time_limit` seconds. Raises BridgeError."""


class Watchdog:
    """Probes a connection at intervals, counts how often it is lost, and decides on restarts, one at a time.

    `current` gives the connection, None while there is none. `restart` ends it and returns when another one has
    been verified, or when none is to be expected for a reason that a restart can't mend; it is cancelled after
    `restart_timeout` seconds. Then `give_up` is called, once.
    """

    def __init__(
        self,
        options: WatchdogOptions,
        current: Callable[[], Watched | None],
        restart: Callable[[], Coroutine[Any, Any, None]],
        give_up: Callable[[], None],
    ) -> None:
        self._options = options
        self._current = current
        self._restart = restart
        self._give_up = give_up
        self._at_rest = False
        self._wanted: asyncio.Queue[RestartReason] = asyncio.Queue(maxsize=1)
        self._restarting = False
        self._losses: deque[float] = deque(maxlen=options.flap_limit)
        self._disconnects = 0
        self._download_timeouts = 0
        self._probes = self._failed_probes = self._failed_in_a_row = 0
        self._probed_at: float | None = None
        self._failed_at: float | None = None
        self._restarts: Counter[RestartReason] = Counter()
        self._last_reason: RestartReason | None = None
        self._restarted_at: float | None = None

    def rest(self) -> None:
        """Restart nothing and give nothing up any more: the connection is about to be closed for good."""
        self._at_rest = True

    def note_disconnect(self) -> None:
        """Count a lost connection. Those that the watchdog itself or a shutdown ends are not to be told."""
        self._disconnects += 1
        now = time.monotonic()
        self._losses.append(now)
        full = len(self._losses) == self._losses.maxlen
        if full and now - self._losses[0] <= self._options.flap_window:
            self._demand(RestartReason.DISCONNECTS)

    def note_download(self, *, timed_out: bool) -> None:
        """Count a download that ran out of time, or end the row with one that went well; other faults are no matter."""
        if self._restarting:
            # It was asked for through the connection that is being closed.
            return
        self._download_timeouts = self._download_timeouts + 1 if timed_out else 0
        if self._download_timeouts >= self._options.download_timeouts:
            self._demand(RestartReason.DOWNLOAD_TIMEOUTS)

    def stats(self) -> WatchdogStats:
        """Counters for health and metrics."""
        return WatchdogStats(
            enabled=self._options.enabled,
            probes=self._probes,
            failed_probes=self._failed_probes,
            failed_in_a_row=self._failed_in_a_row,
            last_probe_age_s=_age(self._probed_at),
            last_failure_age_s=_age(self._failed_at),
            disconnects=self._disconnects,
            download_timeouts_in_a_row=self._download_timeouts,
            restarting=self._restarting,
            restarts=self._restarts.total(),
            restarts_by_reason={reason.value: self._restarts[reason] for reason in RestartReason},
            last_restart_reason=self._last_reason,
            last_restart_age_s=_age(self._restarted_at),
        )

    async def probe_forever(self) -> None:
        """Probe the connection at each interval."""
        while True:
            await asyncio.sleep(self._options.interval)
            connection = self._current()
            if connection is None or self._restarting:
                # Whoever connects finds out for himself whether Telegram answers.
                self._failed_in_a_row = 0
                continue
            await self._probe(connection)
            if self._failed_in_a_row >= self._options.failures:
                self._demand(RestartReason.UNANSWERED_PROBES)

    async def restart_forever(self) -> None:
        """Carry out the restarts that turn out to be needed."""
        while True:
            reason = await self._wanted.get()
            self._restarting = True
            try:
                await self._carry_out(reason)
            finally:
                self._restarting = False
                self._failed_in_a_row = 0
                self._download_timeouts = 0
                self._losses.clear()

    async def _probe(self, connection: Watched) -> None:
        began = self._probed_at = time.monotonic()
        self._probes += 1
        fault: Exception | None = None
        try:
            # Its turn may be long in coming when other calls hang, which is no better.
            async with asyncio.timeout(self._options.interval + self._options.timeout):
                await connection.probe(self._options.timeout)
        except NotLoggedIn:
            # That is an answer, and the end of this connection, which says so itself.
            pass
        except (BridgeError, TimeoutError) as caught:
            fault = caught
        if self._at_rest:
            return
        # An answer to somebody else's call is as good.
        if fault is None or connection.answered_at > began:
            self._failed_in_a_row = 0
        else:
            self._failed_probes += 1
            self._failed_in_a_row += 1
            self._failed_at = time.monotonic()
            logger.warning(
                "Telegram did not answer a probe (%d in a row): %s",
                self._failed_in_a_row,
                str(fault) or "other calls are waiting for their answers",
            )
        if self._options.heartbeat_every and self._probes % self._options.heartbeat_every == 0:
            logger.info(
                "Watchdog: %d probes, %d of them not answered; %d restarts, %d disconnects",
                self._probes,
                self._failed_probes,
                self._restarts.total(),
                self._disconnects,
            )

    def _demand(self, reason: RestartReason) -> None:
        if self._options.enabled and not self._at_rest and not self._restarting and self._wanted.empty():
            self._wanted.put_nowait(reason)

    async def _carry_out(self, reason: RestartReason) -> None:
        if self._at_rest:
            return
        logger.error("The connection to Telegram is being restarted: %s", _WORDS[reason])
        self._restarts[reason] += 1
        self._last_reason, self._restarted_at = reason, time.monotonic()
        try:
            async with asyncio.timeout(self._options.restart_timeout):
                await self._restart()
        except TimeoutError:
            if not self._at_rest:
                self._at_rest = True
                logger.critical(
                    "The connection to Telegram could not be restarted within %g s: the process ends, to be started "
                    "anew by whoever keeps it running",
                    self._options.restart_timeout,
                )
                self._give_up()


def _age(moment: float | None) -> float | None:
    return None if moment is None else round(time.monotonic() - moment, 1)
