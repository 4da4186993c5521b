"""The gate that every Telegram call passes: how many at once, how close together, for how long, in what order.

It knows nothing of Telegram's library: a call is any coroutine function.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from errors import FloodWait, PassingFault, TelegramTimeout, TelegramUnavailable

T = TypeVar("T")

# While interactive calls keep coming, one start in this many is a background call's.
BACKGROUND_SHARE = 5


class Priority(StrEnum):
    """Who waits for a call: a reader at the other end of a request, or nobody."""

    INTERACTIVE = "interactive"
    BACKGROUND = "background"


class GateStats(msgspec.Struct, frozen=True, kw_only=True):
    """The gate at one moment. Counters count since the start of the process; `flood_remaining` is in seconds."""

    open: bool
    in_flight: int
    queued_interactive: int
    queued_background: int
    started: int
    floods: int
    timeouts: int
    flood_remaining: float


class RpcGate:
    """Lets calls through one by one, first come first served, interactive ones ahead of background ones.

    `concurrency`: calls in flight at most. `min_interval`: seconds between two starts at least. `timeout`:
    seconds that a call may last once it started; waiting for its turn does not count.

    A `FloodWait` out of any call shuts the gate for its duration: whoever waits or comes learns at once how
    long. `close` shuts it for good (until `open`) and wakes even the calls in flight. `on_flood` is called whenever
    Telegram has asked for a pause.
    """

    def __init__(self, *, concurrency: int = 1, min_interval: float = 0.5, timeout: float = 60) -> None:
        self.on_flood: Callable[[], None] = lambda: None
        self._concurrency = concurrency
        self._min_interval = min_interval
        self._timeout = timeout
        self._queues: dict[Priority, deque[asyncio.Future[None]]] = {priority: deque() for priority in Priority}
        self._interactive_in_a_row = 0
        self._in_flight = 0
        self._next_start = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._flood_until = 0.0
        self._fault: Callable[[], PassingFault] | None = None
        # One for each call in flight: resolved when the gate closes.
        self._interrupts: set[asyncio.Future[None]] = set()
        # Calls given up on that have not ended yet; the loop itself keeps only weak references.
        self._abandoned: set[asyncio.Task[Any]] = set()
        self._started = 0
        self._floods = 0
        self._timeouts = 0

    async def call(
        self,
        name: str,
        function: Callable[[], Coroutine[Any, Any, T]],
        *,
        priority: Priority = Priority.INTERACTIVE,
        time_limit: float | None = None,
    ) -> T:
        """Run `function` when its turn comes, and give what it gives.

        `name` is for error texts and the task's name. `time_limit` (seconds) replaces the gate's `timeout`.
        Raises `FloodWait` while Telegram wants a pause, the fault that the gate was closed with,
        `TelegramTimeout` when the call lasts too long, and whatever `function` raises. A call that ignores
        its cancellation goes on unwatched; its place is free from the moment it was given up.
        """
        self.check()
        turn = asyncio.get_running_loop().create_future()
        self._queues[priority].append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                if turn.exception() is None:
                    self._release()
            elif turn in self._queues[priority]:
                self._queues[priority].remove(turn)
            raise
        return await self._run(name, function, self._timeout if time_limit is None else time_limit)

    def check(self) -> None:
        """Raise what a call would get at once: the fault the gate is closed with, or `FloodWait`."""
        if self._fault is not None:
            raise self._fault()
        if (remaining := self.flood_remaining) > 0:
            raise FloodWait(remaining)

    @property
    def flood_remaining(self) -> float:
        """Seconds until Telegram's last FLOOD_WAIT is over, 0 when there is none."""
        return max(0.0, self._flood_until - self._now()) if self._flood_until else 0.0

    def flood(self, seconds: float) -> None:
        """Remember a FLOOD_WAIT of `seconds`: everybody who waits or comes gets `FloodWait` until it is over."""
        self._floods += 1
        self.recall_flood(max(seconds, 1.0))
        self.on_flood()

    def recall_flood(self, seconds: float) -> None:
        """Remember a FLOOD_WAIT that an earlier process met, and that is over in `seconds`."""
        self._flood_until = max(self._flood_until, self._now() + seconds)
        self._turn_away()

    def close(self, fault: Callable[[], PassingFault]) -> None:
        """Refuse all calls, waiting and in flight ones too, with a new `fault()` each, until `open`."""
        self._fault = fault
        self._turn_away()
        for interrupt in self._interrupts:
            if not interrupt.done():
                interrupt.set_result(None)

    def open(self) -> None:
        """Let calls through again after `close`. A flood that is not over stays remembered."""
        self._fault = None

    def stats(self) -> GateStats:
        """Counters for health and metrics."""
        return GateStats(
            open=self._fault is None,
            in_flight=self._in_flight,
            queued_interactive=len(self._queues[Priority.INTERACTIVE]),
            queued_background=len(self._queues[Priority.BACKGROUND]),
            started=self._started,
            floods=self._floods,
            timeouts=self._timeouts,
            flood_remaining=self.flood_remaining,
        )

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _admit(self) -> None:
        """Start as many waiting calls as may start now; come back when the next one may."""
        while self._in_flight < self._concurrency and (queue := self._next_queue()) is not None:
            delay = self._next_start - self._now()
            if delay > 0:
                if self._timer is None:
                    self._timer = asyncio.get_running_loop().call_later(delay, self._on_timer)
                return
            turn = queue.popleft()
            if turn.done():
                continue
            if queue is self._queues[Priority.BACKGROUND]:
                self._interactive_in_a_row = 0
            else:
                self._interactive_in_a_row += 1
            self._in_flight += 1
            self._started += 1
            self._next_start = self._now() + self._min_interval
            turn.set_result(None)

    def _on_timer(self) -> None:
        self._timer = None
        self._admit()

    def _next_queue(self) -> deque[asyncio.Future[None]] | None:
        interactive, background = self._queues[Priority.INTERACTIVE], self._queues[Priority.BACKGROUND]
        if background and (not interactive or self._interactive_in_a_row >= BACKGROUND_SHARE - 1):
            return background
        return interactive or None

    def _release(self) -> None:
        self._in_flight -= 1
        self._admit()

    def _turn_away(self) -> None:
        for queue in self._queues.values():
            while queue:
                turn = queue.popleft()
                if not turn.done():
                    turn.set_exception(self._fault() if self._fault is not None else FloodWait(self.flood_remaining))

    async def _run(self, name: str, function: Callable[[], Coroutine[Any, Any, T]], seconds: float) -> T:
        """Run a call that has its place, and give the place back however the call ends."""
        loop = asyncio.get_running_loop()
        interrupt = loop.create_future()
        self._interrupts.add(interrupt)
        try:
            # The gate may have shut between the turn and this line.
            self.check()
            task = loop.create_task(function(), name=f"telegram call {name}")
            # Floods are remembered even if nobody waits for the call any more.
            task.add_done_callback(self._learn)
            try:
                await asyncio.wait((task, interrupt), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            finally:
                # A call may swallow its cancellation, so nobody waits for its end.
                if not task.done():
                    task.cancel()
                    self._abandoned.add(task)
                    task.add_done_callback(self._abandoned.discard)
            if task.done():
                if task.cancelled():
                    raise TelegramUnavailable(f"The call {name} was interrupted")
                return task.result()
            if self._fault is not None:
                raise self._fault()
            self._timeouts += 1
            raise TelegramTimeout(f"Telegram did not answer {name} within {seconds:g} s")
        finally:
            self._interrupts.discard(interrupt)
            self._release()

    def _learn(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and isinstance(fault := task.exception(), FloodWait):
            self.flood(fault.retry_after)
