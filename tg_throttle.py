"""The gate that every Telegram call passes: how many at once, how close together, for how long, in what order.

It knows nothing of Telegram's library: a call is any coroutine function.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from errors import WHOLE_ACCOUNT, FloodWait, PassingFault, TelegramTimeout, TelegramUnavailable

T = TypeVar("T")

# While interactive calls keep coming, one start in this many is a background call's.
BACKGROUND_SHARE = 5
# How much the latest call counts in the mean of all.
_LATEST_SHARE = 0.1


class Priority(StrEnum):
    """Who waits for a call: a reader at the other end of a request, or nobody."""

    INTERACTIVE = "interactive"
    BACKGROUND = "background"


# The scope of a pause in which no new connection may be made; one that stands goes on.
CONNECTING = "connecting"


class FloodRules(msgspec.Struct, frozen=True, kw_only=True):
    """Whose a flood is: by default the whole account's, so that nothing is asked until it is over.

    `own`: calls with a limit of their own, whose flood holds only the same call. Two of them that flood within
    `together_within` seconds, or one while another one's flood lasts, are the account's trouble after all. `apart`:
    scopes whose floods say nothing of others.
    """

    own: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    together_within: float = 60

    def scope_of(self, name: str) -> str:
        """What a flood of `name` holds, if nothing else floods."""
        return name if name in self.own or name in self.apart or name == CONNECTING else WHOLE_ACCOUNT


class GateStats(msgspec.Struct, frozen=True, kw_only=True):
    """The gate at one moment. Counters count since the start of the process.

    `longest_wait_s` is the longest that one of those in a queue has waited; the usual times are means in which the
    latest calls count most. `calls` are those that started, by name; `floods_on` are the seconds that each pause lasts
    on, by scope.
    """

    open: bool
    in_flight: int
    queued_interactive: int
    queued_background: int
    longest_wait_s: float
    usual_wait_s: float
    usual_call_s: float
    started: int
    calls: dict[str, int]
    floods: int
    timeouts: int
    flood_remaining: float
    floods_on: dict[str, float]


@dataclass(slots=True, eq=False)
class _Errand:
    """Calls that serve one purpose, which came up at `since`."""

    since: float
    over: bool = False


# Tasks that are made on an errand inherit it.
_current_errand: ContextVar[_Errand | None] = ContextVar("errand", default=None)


@contextmanager
def errand() -> Iterator[None]:
    """All calls made within, also by tasks started within, get their turns as if they had all come at its beginning.

    So of many that need several calls each the first is done first, and not all of them at the very end. An errand
    within an errand is part of it.
    """
    outer = _current_errand.get()
    if outer is not None and not outer.over:
        yield
        return
    own = _Errand(asyncio.get_running_loop().time())
    token = _current_errand.set(own)
    try:
        yield
    finally:
        # What goes on longer, such as a connection made for it, is nobody's errand any more.
        own.over = True
        _current_errand.reset(token)


@dataclass(slots=True, eq=False)
class _Turn:
    """A call that waits `since` then, in its place among those that `came`.

    `granted` gets None when it may start, or why it may not.
    """

    name: str
    opening: bool
    since: float
    came: float
    granted: asyncio.Future[None]


class RpcGate:
    """Lets calls through one by one, first come first served, interactive ones ahead of background ones.

    Calls of one `errand` have all come when it began.

    `concurrency`: calls in flight at most. `min_interval`: seconds between two starts at least. `timeout`:
    seconds that a call may last once it started; waiting for its turn does not count.

    A `FloodWait` out of any call shuts the gate for its duration, for all calls or for some, as `rules` say: whoever
    waits or comes with one of them learns at once how long. `close` shuts it for good (until `open`) and wakes even
    the calls in flight. `on_flood` is called whenever Telegram has asked for a pause.
    """

    def __init__(
        self,
        *,
        concurrency: int = 1,
        min_interval: float = 0.5,
        timeout: float = 60,
        rules: FloodRules | None = None,
    ) -> None:
        self.on_flood: Callable[[], None] = lambda: None
        self._concurrency = concurrency
        self._min_interval = min_interval
        self._timeout = timeout
        self._rules = rules or FloodRules()
        self._queues: dict[Priority, deque[_Turn]] = {priority: deque() for priority in Priority}
        self._interactive_in_a_row = 0
        self._in_flight = 0
        self._next_start = 0.0
        self._timer: asyncio.TimerHandle | None = None
        # By scope: when the pause is over, and when the latest flood was met, though another scope may have got it.
        self._floods_until: dict[str, float] = {}
        self._floods_met: dict[str, float] = {}
        self._fault: Callable[[], PassingFault] | None = None
        # One for each call in flight: gets the reason when the gate closes.
        self._interrupts: set[asyncio.Future[PassingFault]] = set()
        # Calls given up on that have not ended yet; the loop itself keeps only weak references.
        self._abandoned: set[asyncio.Task[Any]] = set()
        self._calls: Counter[str] = Counter()
        # Means of the latest calls' lengths, and of their waits before.
        self._usual_seconds = self._usual_wait = 0.0
        self._floods = 0
        self._timeouts = 0

    async def call(
        self,
        name: str,
        function: Callable[[], Coroutine[Any, Any, T]],
        *,
        priority: Priority = Priority.INTERACTIVE,
        time_limit: float | None = None,
        opening: bool = False,
    ) -> T:
        """Run `function` when its turn comes, and give what it gives.

        `name` is that of the call, for the flood rules, counters and error texts. `time_limit` (seconds) replaces the
        gate's `timeout`. `opening` is for calls that make a connection: they pass though the gate is closed for want
        of one, and are held only by a pause from connecting, which their own floods count as.
        Raises `FloodWait` while Telegram wants a pause, the fault that the gate was closed with,
        `TelegramTimeout` when the call lasts too long, and whatever `function` raises. A call that ignores
        its cancellation goes on unwatched; its place is free from the moment it was given up.
        """
        self._check(name, opening)
        queue = self._queues[priority]
        now, purpose = self._now(), _current_errand.get()
        came = now if purpose is None or purpose.over else purpose.since
        turn = _Turn(name, opening, now, came, asyncio.get_running_loop().create_future())
        place = len(queue)
        while place and queue[place - 1].came > came:
            place -= 1
        queue.insert(place, turn)
        self._admit()
        try:
            await turn.granted
        except asyncio.CancelledError:
            if not turn.granted.cancelled():
                if turn.granted.exception() is None:
                    self._release()
            elif turn in queue:
                queue.remove(turn)
            raise
        return await self._run(turn, function, self._timeout if time_limit is None else time_limit)

    def check(self, name: str = "") -> None:
        """Raise what a call of that name would get at once: the fault the gate is closed with, or `FloodWait`."""
        self._check(name, opening=False)

    @property
    def flood_remaining(self) -> float:
        """Seconds until the pause of the whole account is over, 0 when there is none."""
        return self.pause(WHOLE_ACCOUNT)

    def pause(self, scope: str) -> float:
        """Seconds until the pause of that scope is over, 0 when there is none."""
        return max(0.0, self._floods_until.get(scope, 0.0) - self._now()) if self._floods_until else 0.0

    def floods(self) -> dict[str, float]:
        """The pauses that are not over, in seconds, by scope."""
        return {scope: left for scope in self._floods_until if (left := self.pause(scope)) > 0}

    def flood(self, seconds: float, name: str = "") -> str:
        """Remember a FLOOD_WAIT of `seconds` that a call of that name met, until it is over; gives its scope."""
        self._floods += 1
        seconds = max(seconds, 1.0)
        scope, now = self._rules.scope_of(name), self._now()
        if scope in self._rules.own:
            others = self._rules.own - {scope}
            lately = (
                self._floods_met.get(other, float("-inf")) > now - self._rules.together_within for other in others
            )
            self._floods_met[scope] = now
            if any(lately) or any(self.pause(other) for other in others):
                scope = WHOLE_ACCOUNT
        self._hold(scope, seconds)
        self.on_flood()
        return scope

    def recall_flood(self, seconds: float, scope: str = WHOLE_ACCOUNT) -> None:
        """Remember a pause that an earlier process was asked for, and that is over in `seconds`."""
        self._hold(self._rules.scope_of(scope), seconds)

    def close(self, fault: Callable[[], PassingFault]) -> None:
        """Refuse all calls, waiting and in flight ones too, with a new `fault()` each, until `open`."""
        self._fault = fault
        self._turn_away(everybody=True)
        for interrupt in self._interrupts:
            if not interrupt.done():
                interrupt.set_result(fault())

    def open(self) -> None:
        """Let calls through again after `close`. A flood that is not over stays remembered."""
        self._fault = None

    def expected_wait(self) -> float:
        """Seconds until a call that came now would be over, judged by how long the latest calls took."""
        ahead = sum(len(queue) for queue in self._queues.values()) + self._in_flight + 1
        return self.flood_remaining + ahead * max(self._min_interval, self._usual_seconds / self._concurrency)

    def stats(self) -> GateStats:
        """Counters for health and metrics."""
        return GateStats(
            open=self._fault is None,
            in_flight=self._in_flight,
            queued_interactive=len(self._queues[Priority.INTERACTIVE]),
            queued_background=len(self._queues[Priority.BACKGROUND]),
            longest_wait_s=round(
                max((self._now() - turn.since for queue in self._queues.values() for turn in queue), default=0.0), 3
            ),
            usual_wait_s=round(self._usual_wait, 3),
            usual_call_s=round(self._usual_seconds, 3),
            started=self._calls.total(),
            calls=dict(self._calls),
            floods=self._floods,
            timeouts=self._timeouts,
            flood_remaining=self.flood_remaining,
            floods_on=self.floods(),
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
            if turn.granted.done():
                continue
            if queue is self._queues[Priority.BACKGROUND]:
                self._interactive_in_a_row = 0
            else:
                self._interactive_in_a_row += 1
            self._in_flight += 1
            self._next_start = self._now() + self._min_interval
            self._usual_wait += (self._now() - turn.since - self._usual_wait) * _LATEST_SHARE
            turn.granted.set_result(None)

    def _on_timer(self) -> None:
        self._timer = None
        self._admit()

    def _next_queue(self) -> deque[_Turn] | None:
        interactive, background = self._queues[Priority.INTERACTIVE], self._queues[Priority.BACKGROUND]
        if background and (not interactive or self._interactive_in_a_row >= BACKGROUND_SHARE - 1):
            return background
        return interactive or None

    def _release(self) -> None:
        self._in_flight -= 1
        self._admit()

    def _hold(self, scope: str, seconds: float) -> None:
        self._floods_until[scope] = max(self._floods_until.get(scope, 0.0), self._now() + seconds)
        self._turn_away()

    def _check(self, name: str, opening: bool) -> None:
        if (refusal := self._refusal(name, opening)) is not None:
            raise refusal

    def _refusal(self, name: str, opening: bool) -> PassingFault | None:
        """What a call gets at once, None if it may wait for its turn."""
        if opening:
            held = {CONNECTING}
        elif self._fault is not None:
            return self._fault()
        else:
            held = {WHOLE_ACCOUNT, self._rules.scope_of(name)}
        scope = max(held, key=self.pause)
        return FloodWait(left, scope) if (left := self.pause(scope)) > 0 else None

    def _turn_away(self, *, everybody: bool = False) -> None:
        """Tell all who wait and may not start any more; with `everybody` those, too, that make a connection."""
        for queue in self._queues.values():
            for turn in list(queue):
                refusal = self._refusal(turn.name, turn.opening and not everybody)
                if refusal is not None:
                    queue.remove(turn)
                    if not turn.granted.done():
                        turn.granted.set_exception(refusal)

    async def _run(self, turn: _Turn, function: Callable[[], Coroutine[Any, Any, T]], seconds: float) -> T:
        """Run a call that has its place, and give the place back however the call ends."""
        loop = asyncio.get_running_loop()
        interrupt: asyncio.Future[PassingFault] = loop.create_future()
        self._interrupts.add(interrupt)
        began = loop.time()
        try:
            task = loop.create_task(self._learning(turn, function), name=f"telegram call {turn.name}")
            # Also for a caller that leaves in the very moment in which the call fails.
            task.add_done_callback(self._forget)
            try:
                await asyncio.wait((task, interrupt), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            finally:
                # A call may swallow its cancellation, so nobody waits for its end.
                if not task.done():
                    task.cancel()
                    self._abandoned.add(task)
            if task.done():
                if task.cancelled():
                    raise TelegramUnavailable(f"The call {turn.name} was interrupted")
                return task.result()
            if interrupt.done():
                raise interrupt.result()
            self._timeouts += 1
            raise TelegramTimeout(f"Telegram did not answer {turn.name} within {seconds:g} s")
        finally:
            self._interrupts.discard(interrupt)
            self._usual_seconds += (loop.time() - began - self._usual_seconds) * _LATEST_SHARE
            self._release()

    async def _learning(self, turn: _Turn, function: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The call; its floods are remembered even if nobody waits for it any more."""
        # The gate may have shut between the turn and this line.
        self._check(turn.name, turn.opening)
        self._calls[turn.name] += 1
        try:
            return await function()
        except FloodWait as fault:
            scope = self.flood(fault.retry_after, CONNECTING if turn.opening else turn.name)
            raise FloodWait(fault.retry_after, scope) from fault

    def _forget(self, ended: asyncio.Task[Any]) -> None:
        self._abandoned.discard(ended)
        if not ended.cancelled():
            # Looked at, so that asyncio does not report an error that nobody waits for.
            ended.exception()
