"""Whatever comes in whatever order, the gate keeps its promises. All times are virtual seconds."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_time import run

from errors import BridgeError, FloodWait, TelegramTimeout, TelegramUnavailable
from tg_throttle import BACKGROUND_SHARE, CONNECTING, FloodRules, Priority, RpcGate

TIMEOUT = 10.0
# What the sums of binary fractions may be off by.
TRIFLE = 1e-6
RULES = FloodRules(own=frozenset({"look-up", "details"}), apart=frozenset({"files"}), together_within=5)


@dataclass
class Plan:
    """One call: when it comes, what it will be like, and when its caller has had enough."""

    at: float
    name: str
    priority: Priority
    lasts: float
    ends: str
    deaf: bool
    opening: bool
    cancelled_after: float | None


@dataclass
class Seen:
    """What became of a call."""

    plan: Plan
    number: int
    started: float | None = None
    left: float | None = None
    outcome: BaseException | None = None


@dataclass
class Event:
    """What somebody else does to the gate."""

    at: float
    kind: str
    seconds: float = 0.0
    name: str = ""


@dataclass
class Story:
    """All that was seen of a gate."""

    calls: list[Seen] = field(default_factory=list)
    # In the order of their starts.
    starts: list[Seen] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


moments = st.integers(0, 240).map(lambda quarters: quarters / 4)
plans = st.builds(
    Plan,
    at=moments,
    name=st.sampled_from(["history", "history", "messages", "look-up", "details"]),
    priority=st.sampled_from(Priority),
    lasts=st.sampled_from([0.0, 0.1, 1.0, 5.0, 9.9, 11.0, 500.0]),
    ends=st.sampled_from(["well", "well", "well", "fault", "flood"]),
    deaf=st.booleans(),
    opening=st.sampled_from([False] * 9 + [True]),
    cancelled_after=st.none() | st.sampled_from([0.0, 0.1, 0.25, 1.0, 5.0, 10.0, 30.0]),
)
events = st.builds(
    Event,
    at=moments,
    kind=st.sampled_from(["flood", "close", "open", "open"]),
    seconds=st.sampled_from([1.0, 3.0, 20.0]),
    name=st.sampled_from(["history", "look-up", "files", CONNECTING]),
)


async def work(gate: RpcGate, seen: Seen, story: Story) -> str:
    """The call itself; a deaf one goes on though it is cancelled."""
    loop = asyncio.get_running_loop()
    seen.started = loop.time()
    story.starts.append(seen)
    plan = seen.plan
    try:
        gate_is_open_for(gate, plan)
    except BridgeError as refusal:
        story.refused.append(str(refusal))
    end = loop.time() + plan.lasts
    while loop.time() < end:
        try:
            await asyncio.sleep(end - loop.time())
        except asyncio.CancelledError:
            if not plan.deaf:
                raise
    if plan.ends == "fault":
        raise TelegramUnavailable("as planned")
    if plan.ends == "flood":
        raise FloodWait(4)
    return "well"


def gate_is_open_for(gate: RpcGate, plan: Plan) -> None:
    if not plan.opening:
        gate.check(plan.name)
    elif left := gate.pause(CONNECTING):
        raise FloodWait(left, CONNECTING)


async def call(gate: RpcGate, seen: Seen, story: Story) -> None:
    loop = asyncio.get_running_loop()
    plan = seen.plan
    await asyncio.sleep(plan.at)
    seen.number = len(story.calls)
    story.calls.append(seen)
    calling = asyncio.create_task(
        gate.call(plan.name, lambda: work(gate, seen, story), priority=plan.priority, opening=plan.opening)
    )
    if plan.cancelled_after is not None:
        loop.call_later(plan.cancelled_after, calling.cancel)
    await asyncio.wait({calling})
    seen.left = loop.time()
    if calling.cancelled():
        seen.outcome = asyncio.CancelledError()
    else:
        seen.outcome = calling.exception()


async def happen(gate: RpcGate, event: Event) -> None:
    await asyncio.sleep(event.at)
    if event.kind == "flood":
        gate.flood(event.seconds, event.name)
    elif event.kind == "close":
        gate.close(lambda: TelegramUnavailable("closed"))
    else:
        gate.open()


async def play(gate: RpcGate, plans: list[Plan], events: list[Event]) -> Story:
    """Let it all happen, wait for its end, and see that the gate is as good as new."""
    story = Story()
    await asyncio.gather(
        *(call(gate, Seen(plan, -1), story) for plan in plans), *(happen(gate, event) for event in events)
    )
    stats = gate.stats()
    assert (stats.in_flight, stats.queued_interactive, stats.queued_background) == (0, 0, 0)
    assert stats.started == len(story.starts) == sum(stats.calls.values())
    gate.open()
    await asyncio.sleep(100)
    for _ in range(10):
        assert await gate.call("history", lambda: asyncio.sleep(0, "next")) == "next"
    return story


@settings(max_examples=150, deadline=None)
@given(
    plans=st.lists(plans, max_size=40),
    events=st.lists(events, max_size=6),
    concurrency=st.integers(1, 4),
    interval=st.sampled_from([0.0, 0.1, 0.5, 2.0]),
)
def test_the_gate_keeps_its_promises_whatever_comes(
    plans: list[Plan], events: list[Event], concurrency: int, interval: float
) -> None:
    gate = RpcGate(concurrency=concurrency, min_interval=interval, timeout=TIMEOUT, rules=RULES)
    story = run(play(gate, plans, events))
    starts = story.starts

    # No call leaves while the gate is closed or its kind is held.
    assert story.refused == []
    # Starts are apart.
    for one, next_one in pairwise(starts):
        assert one.started is not None and next_one.started is not None
        assert next_one.started - one.started >= interval - TRIFLE
    # Nobody holds the gate for longer than a call may take, and not more than so many at once.
    for seen in starts:
        assert seen.started is not None and seen.left is not None
        assert seen.left - seen.started <= TIMEOUT + TRIFLE
        others = [
            other
            for other in starts
            if other.started is not None
            and other.left is not None
            and other.started <= seen.started < other.left - TRIFLE
        ]
        assert len(others) <= concurrency
    # First come, first served, among those of one priority.
    for priority in Priority:
        numbers = [seen.number for seen in starts if seen.plan.priority is priority]
        assert numbers == sorted(numbers)
    # Background calls get their share.
    for index, seen in enumerate(starts):
        if seen.plan.priority is Priority.BACKGROUND:
            overtakers = starts[:index][-(BACKGROUND_SHARE - 1 + 1) :]
            assert seen.started is not None
            overtakers = [
                other
                for other in overtakers
                if other.plan.priority is Priority.INTERACTIVE
                and other.started is not None
                and other.started > seen.plan.at + TRIFLE
            ]
            assert len(overtakers) < BACKGROUND_SHARE
    for seen in story.calls:
        check_outcome(seen)


def check_outcome(seen: Seen) -> None:
    """Whoever called has got what was to be had, in time."""
    plan, outcome = seen.plan, seen.outcome
    assert seen.left is not None
    if isinstance(outcome, asyncio.CancelledError):
        # Nothing keeps a caller who has had enough, not even a call that is deaf.
        assert plan.cancelled_after is not None
        assert seen.left <= plan.at + plan.cancelled_after + TRIFLE
    elif isinstance(outcome, TelegramTimeout):
        assert seen.started is not None
        assert plan.lasts > TIMEOUT
        assert abs(seen.left - seen.started - TIMEOUT) <= TRIFLE
    elif outcome is None:
        assert seen.started is not None
        assert plan.ends == "well" and plan.lasts <= TIMEOUT
        assert abs(seen.left - seen.started - plan.lasts) <= TRIFLE
    elif isinstance(outcome, FloodWait):
        assert outcome.retry_after > 0
    else:
        assert isinstance(outcome, TelegramUnavailable)
        assert str(outcome) == "closed" or plan.ends == "fault"


@settings(max_examples=50, deadline=None)
@given(background=st.integers(1, 8), interactive=st.integers(1, 60))
def test_background_calls_get_one_start_in_so_many_however_many_readers_come(background: int, interactive: int) -> None:
    gate = RpcGate(min_interval=1, timeout=TIMEOUT)
    plans = [Plan(0, "history", Priority.INTERACTIVE, 0.5, "well", False, False, None) for _ in range(interactive)]
    plans += [Plan(0, "history", Priority.BACKGROUND, 0.5, "well", False, False, None) for _ in range(background)]
    kinds = [seen.plan.priority for seen in run(play(gate, plans, [])).starts]
    assert len(kinds) == background + interactive
    in_a_row = 0
    left = background
    for kind in kinds:
        in_a_row = in_a_row + 1 if kind is Priority.INTERACTIVE else 0
        left -= kind is Priority.BACKGROUND
        assert not left or in_a_row < BACKGROUND_SHARE


def test_a_wait_of_hours_does_not_count_as_a_timeout() -> None:
    gate = RpcGate(min_interval=1800, timeout=TIMEOUT)
    plans = [Plan(0, "history", Priority.INTERACTIVE, 0.5, "well", False, False, None) for _ in range(5)]
    story = run(play(gate, plans, []))
    assert [seen.started for seen in story.starts] == [0, 1800, 3600, 5400, 7200]
    assert [seen.outcome for seen in story.calls] == [None] * 5
