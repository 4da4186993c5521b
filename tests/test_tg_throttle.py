"""The gate: pace, order, timeouts, floods, closing. Nobody may lose a permit."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Coroutine
from itertools import pairwise

import msgspec
import pytest
import virtual_time

from errors import FloodWait, NotLoggedIn, TelegramTimeout, TelegramUnavailable
from tg_throttle import BACKGROUND_SHARE, CONNECTING, FloodRules, Priority, RpcGate, errand

BACKGROUND = Priority.BACKGROUND


def free(gate: RpcGate) -> bool:
    stats = gate.stats()
    return (stats.in_flight, stats.queued_interactive, stats.queued_background) == (0, 0, 0)


def noting(into: list[str], name: str, seconds: float = 0.0) -> Callable[[], Coroutine[None, None, str]]:
    async def work() -> str:
        into.append(name)
        await asyncio.sleep(seconds)
        return name

    return work


async def granted(gate: RpcGate, work: Callable[[], Coroutine[None, None, str]]) -> asyncio.Task[str]:
    """A call whose turn has come, but which has not run on yet."""
    blocker = asyncio.create_task(gate.call("m", noting([], "blocker")))
    call = asyncio.create_task(gate.call("m", work))
    await asyncio.sleep(0)
    assert gate.stats().queued_interactive == 1
    while gate.stats().queued_interactive:
        await asyncio.sleep(0)
    assert gate.stats().in_flight == 1
    assert blocker.done()
    return call


async def test_a_call_gives_what_the_function_gives() -> None:
    gate = RpcGate(min_interval=0)
    assert await gate.call("m", noting([], "answer")) == "answer"
    assert free(gate)
    assert gate.stats().started == 1


async def test_no_more_than_the_concurrency_run_at_once() -> None:
    gate = RpcGate(concurrency=3, min_interval=0)
    running = peak = 0

    async def work() -> None:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.01)
        running -= 1

    await asyncio.gather(*(gate.call("m", work) for _ in range(12)))
    assert peak == 3
    assert free(gate)


async def test_starts_are_at_least_the_interval_apart() -> None:
    gate = RpcGate(concurrency=5, min_interval=0.03)
    starts: list[float] = []

    async def work() -> None:
        starts.append(time.monotonic())

    await asyncio.gather(*(gate.call("m", work) for _ in range(4)))
    assert all(later - earlier > 0.028 for earlier, later in pairwise(starts))


async def test_calls_of_one_priority_are_served_in_the_order_they_came() -> None:
    gate = RpcGate(min_interval=0)
    order: list[str] = []
    await asyncio.gather(*(gate.call("m", noting(order, str(n), 0.001)) for n in range(8)))
    assert order == [str(n) for n in range(8)]


def test_the_calls_of_an_older_errand_come_first_so_that_it_is_done_before_younger_ones() -> None:
    gate = RpcGate(min_interval=0.5)
    order: list[str] = []

    async def call(name: str) -> None:
        await gate.call("m", noting(order, name, 0.1))

    async def go(name: str, came: float) -> None:
        await asyncio.sleep(came)
        with errand():
            await call(f"{name}1")
            # Also in a task of its own, and with a purpose within the purpose.
            await asyncio.create_task(go_on(f"{name}2"))
            await call(f"{name}3")

    async def go_on(name: str) -> None:
        with errand():
            await call(name)

    async def alone(came: float) -> None:
        await asyncio.sleep(came)
        await call("alone")

    async def all_go() -> None:
        await asyncio.gather(go("a", 0.01), go("b", 0.02), alone(0.03), go("c", 0.04))

    virtual_time.run(all_go())
    assert order == ["a1", "a2", "a3", "b1", "b2", "b3", "alone", "c1", "c2", "c3"]


async def test_a_call_after_its_errand_waits_like_any_other() -> None:
    gate = RpcGate(min_interval=0)
    order: list[str] = []
    with errand():
        over = asyncio.Event()

        async def late() -> None:
            await over.wait()
            await gate.call("m", noting(order, "late"))

        task = asyncio.create_task(late())
        await asyncio.sleep(0)
    first = asyncio.create_task(gate.call("m", noting(order, "first", 0.01)))
    others = [asyncio.create_task(gate.call("m", noting(order, str(n)))) for n in range(2)]
    await asyncio.sleep(0)
    over.set()
    await asyncio.gather(first, task, *others)
    assert order == ["first", "0", "1", "late"]


async def test_an_errand_does_not_carry_background_calls_ahead_of_readers() -> None:
    gate = RpcGate(min_interval=0)
    order: list[str] = []
    with errand():
        first = asyncio.create_task(gate.call("m", noting(order, "first", 0.01)))
        background = asyncio.create_task(gate.call("m", noting(order, "background"), priority=BACKGROUND))
        await asyncio.sleep(0)
    await asyncio.gather(first, background, gate.call("m", noting(order, "interactive")))
    assert order == ["first", "interactive", "background"]


async def test_interactive_calls_overtake_background_ones() -> None:
    gate = RpcGate(min_interval=0)
    order: list[str] = []
    await asyncio.gather(
        gate.call("m", noting(order, "first", 0.01), priority=BACKGROUND),
        gate.call("m", noting(order, "background"), priority=BACKGROUND),
        gate.call("m", noting(order, "interactive")),
    )
    assert order == ["first", "interactive", "background"]


async def test_background_calls_are_not_starved() -> None:
    gate = RpcGate(min_interval=0)
    order: list[str] = []
    calls = [gate.call("m", noting(order, "i", 0.001)) for _ in range(3 * BACKGROUND_SHARE)]
    calls += [gate.call("m", noting(order, "b", 0.001), priority=BACKGROUND) for _ in range(2)]
    await asyncio.gather(*calls)
    # All but the first call wait together, so the shares are exact.
    assert order.index("b") == BACKGROUND_SHARE - 1
    assert [n for n, who in enumerate(order) if who == "b"][1] == 2 * BACKGROUND_SHARE - 1


async def test_the_timeout_covers_the_call_and_not_the_wait() -> None:
    gate = RpcGate(min_interval=0, timeout=0.08)
    order: list[str] = []
    await asyncio.gather(*(gate.call("m", noting(order, str(n), 0.05)) for n in range(3)))
    assert len(order) == 3


async def test_a_call_that_lasts_too_long_fails_and_frees_its_place() -> None:
    gate = RpcGate(min_interval=0, timeout=0.02)
    with pytest.raises(TelegramTimeout, match=r"messages\.getHistory"):
        await gate.call("messages.getHistory", lambda: asyncio.sleep(60))
    assert free(gate)
    assert gate.stats().timeouts == 1
    assert await gate.call("m", noting([], "next")) == "next"


async def test_a_call_may_have_its_own_time_limit() -> None:
    gate = RpcGate(min_interval=0, timeout=60)
    with pytest.raises(TelegramTimeout):
        await gate.call("m", lambda: asyncio.sleep(60), time_limit=0.02)


async def test_a_call_that_swallows_its_cancellation_frees_its_place_all_the_same() -> None:
    gate = RpcGate(min_interval=0, timeout=0.02)
    release = asyncio.Event()

    async def deaf() -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    began = time.monotonic()
    with pytest.raises(TelegramTimeout):
        await gate.call("m", deaf)
    assert time.monotonic() - began < 0.2
    assert await gate.call("m", noting([], "next")) == "next"
    release.set()
    await asyncio.sleep(0)


async def test_a_cancelled_waiter_loses_no_place_and_keeps_nobody_back() -> None:
    gate = RpcGate(min_interval=0)
    order: list[str] = []
    first = asyncio.create_task(gate.call("m", noting(order, "first", 0.02)))
    waiter = asyncio.create_task(gate.call("m", noting(order, "cancelled")))
    last = asyncio.create_task(gate.call("m", noting(order, "last")))
    await asyncio.sleep(0.005)
    waiter.cancel()
    await asyncio.sleep(0)
    assert gate.stats().queued_interactive == 1
    await asyncio.gather(first, last)
    assert order == ["first", "last"]
    assert free(gate)


async def test_a_waiter_cancelled_in_the_moment_of_its_turn_gives_the_place_on() -> None:
    gate = RpcGate(min_interval=0)
    order: list[str] = []
    waiter = await granted(gate, noting(order, "cancelled"))
    next_one = asyncio.create_task(gate.call("m", noting(order, "next")))
    waiter.cancel()
    await asyncio.wait_for(next_one, 1)
    assert order == ["next"]
    assert free(gate)


async def test_a_cancelled_caller_cancels_its_call_and_frees_its_place() -> None:
    gate = RpcGate(min_interval=0)
    seen: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    caller = asyncio.create_task(gate.call("m", work))
    await asyncio.sleep(0.01)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    await asyncio.sleep(0)
    assert seen == ["cancelled"]
    assert free(gate)


async def test_a_call_that_was_cancelled_from_inside_is_a_fault_and_no_cancellation_of_the_caller() -> None:
    gate = RpcGate(min_interval=0)

    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(TelegramUnavailable):
        await gate.call("m", work)
    assert free(gate)


async def test_an_error_of_the_call_reaches_the_caller_and_frees_the_place() -> None:
    gate = RpcGate(min_interval=0)

    async def work() -> None:
        raise KeyError("boom")

    with pytest.raises(KeyError):
        await gate.call("m", work)
    assert free(gate)


async def test_a_flood_turns_everybody_away_at_once_until_it_is_over() -> None:
    gate = RpcGate(min_interval=0)
    order: list[str] = []

    async def flooded() -> None:
        await asyncio.sleep(0.01)
        raise FloodWait(1.0)

    first = asyncio.create_task(gate.call("m", flooded))
    waiting = [
        asyncio.create_task(gate.call("m", noting(order, "waiter"))),
        asyncio.create_task(gate.call("m", noting(order, "waiter"), priority=BACKGROUND)),
    ]
    began = time.monotonic()
    for call in (first, *waiting):
        with pytest.raises(FloodWait) as caught:
            await call
        assert 0.8 < caught.value.retry_after <= 1.0
    with pytest.raises(FloodWait):
        await gate.call("m", noting(order, "late"))
    assert time.monotonic() - began < 0.3
    assert free(gate)
    assert order == []
    stats = gate.stats()
    assert stats.floods == 1
    assert 0.5 < stats.flood_remaining <= 1.0

    await asyncio.sleep(stats.flood_remaining + 0.02)
    assert await gate.call("m", noting(order, "after")) == "after"
    assert gate.flood_remaining == 0


async def test_a_shorter_flood_does_not_end_a_longer_one() -> None:
    gate = RpcGate()
    gate.flood(30)
    gate.flood(2)
    assert gate.flood_remaining > 29
    with pytest.raises(FloodWait):
        gate.check()


async def test_a_flood_that_ends_an_abandoned_call_is_remembered() -> None:
    gate = RpcGate(min_interval=0, timeout=0.01)

    async def slow_flood() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise FloodWait(20) from None

    with pytest.raises(TelegramTimeout):
        await gate.call("m", slow_flood)
    await asyncio.sleep(0.01)
    assert gate.flood_remaining > 19


async def test_a_closed_gate_tells_everybody_why_and_opens_again() -> None:
    gate = RpcGate(min_interval=0, timeout=60)
    order: list[str] = []
    in_flight = asyncio.create_task(gate.call("m", lambda: asyncio.sleep(60)))
    waiter = asyncio.create_task(gate.call("m", noting(order, "waiter")))
    await asyncio.sleep(0.01)

    gate.close(lambda: NotLoggedIn("log in first"))
    for call in (in_flight, waiter):
        with pytest.raises(NotLoggedIn, match="log in first"):
            await call
    with pytest.raises(NotLoggedIn):
        await gate.call("m", noting(order, "late"))
    assert free(gate)
    assert not gate.stats().open

    gate.open()
    assert await gate.call("m", noting(order, "after")) == "after"
    assert order == ["after"]


async def test_a_call_whose_turn_came_just_before_the_gate_closed_does_not_run() -> None:
    gate = RpcGate(min_interval=0)
    order: list[str] = []
    call = await granted(gate, noting(order, "too late"))
    gate.close(NotLoggedIn)
    with pytest.raises(NotLoggedIn):
        await call
    assert order == []
    assert free(gate)


async def test_a_gate_can_be_made_before_the_event_loop_runs() -> None:
    gate = await asyncio.to_thread(RpcGate, min_interval=0)
    assert gate.stats().open


async def test_nothing_is_lost_when_hundreds_of_calls_end_in_every_way() -> None:
    gate = RpcGate(concurrency=4, min_interval=0, timeout=0.01)

    async def fail() -> None:
        raise KeyError

    kinds: list[Callable[[], Coroutine[None, None, object]]] = [
        noting([], "ok", 0.001),
        fail,
        lambda: asyncio.sleep(60),
    ]
    tasks = [asyncio.create_task(gate.call("m", kinds[n % 3], priority=list(Priority)[n % 2])) for n in range(300)]
    await asyncio.sleep(0.005)
    for task in tasks[::7]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert free(gate)
    assert await gate.call("m", noting([], "next")) == "next"


RULES = FloodRules(own=frozenset({"look-up", "details"}), apart=frozenset({"files"}), together_within=60)


def remaining(gate: RpcGate) -> dict[str, int]:
    return {scope: round(left) for scope, left in gate.floods().items()}


@pytest.mark.parametrize(
    ("floods", "expected"),
    [
        ([("history", 30)], {"account": 30}),
        ([("", 30)], {"account": 30}),
        ([("look-up", 30)], {"look-up": 30}),
        ([("look-up", 30), ("look-up", 40)], {"look-up": 40}),
        ([("look-up", 30), ("details", 40)], {"look-up": 30, "account": 40}),
        ([("look-up", 30), ("details", 40), ("look-up", 50)], {"look-up": 30, "account": 50}),
        ([("files", 30), ("look-up", 40)], {"files": 30, "look-up": 40}),
        ([("look-up", 30), ("files", 40)], {"files": 40, "look-up": 30}),
        ([(CONNECTING, 30), ("look-up", 40)], {CONNECTING: 30, "look-up": 40}),
        ([("history", 30), ("look-up", 40)], {"account": 30, "look-up": 40}),
    ],
)
async def test_whose_a_flood_is(floods: list[tuple[str, float]], expected: dict[str, int]) -> None:
    gate = RpcGate(rules=RULES)
    for name, seconds in floods:
        gate.flood(seconds, name)
    assert remaining(gate) == expected
    assert gate.stats().floods == len(floods)


async def test_two_kinds_that_flood_within_a_short_time_are_the_accounts_though_the_first_flood_is_over() -> None:
    gate = RpcGate(rules=msgspec.structs.replace(RULES, together_within=60))
    gate.flood(1, "look-up")
    await asyncio.sleep(1.05)
    assert gate.flood(30, "details") == "account"

    gate = RpcGate(rules=msgspec.structs.replace(RULES, together_within=0.5))
    gate.flood(1, "look-up")
    await asyncio.sleep(1.05)
    assert gate.flood(30, "details") == "details"


async def test_a_flood_of_one_kind_turns_its_own_away_at_once_and_lets_the_others_on() -> None:
    gate = RpcGate(min_interval=0, rules=RULES)
    order: list[str] = []

    async def flooded() -> None:
        await asyncio.sleep(0.01)
        raise FloodWait(86_400)

    first = asyncio.create_task(gate.call("look-up", flooded))
    second = asyncio.create_task(gate.call("look-up", noting(order, "never")))
    third = asyncio.create_task(gate.call("history", noting(order, "third")))
    fourth = asyncio.create_task(gate.call("look-up", noting(order, "never"), priority=BACKGROUND))
    for call in (first, second, fourth):
        with pytest.raises(FloodWait) as caught:
            await call
        assert (caught.value.scope, round(caught.value.retry_after)) == ("look-up", 86_400)
        assert caught.value.partial
    assert await third == "third"
    with pytest.raises(FloodWait):
        gate.check("look-up")
    gate.check()
    assert await gate.call("details", noting(order, "details")) == "details"
    assert order == ["third", "details"]
    assert free(gate)


async def test_a_flood_that_turns_out_the_accounts_is_told_as_such() -> None:
    gate = RpcGate(min_interval=0, rules=RULES)

    async def flooded() -> None:
        raise FloodWait(20)

    gate.flood(86_400, "look-up")
    with pytest.raises(FloodWait) as caught:
        await gate.call("details", flooded)
    assert not caught.value.partial
    with pytest.raises(FloodWait):
        await gate.call("history", noting([], "never"))


async def test_a_pause_from_connecting_holds_only_calls_that_make_a_connection() -> None:
    gate = RpcGate(min_interval=0, rules=RULES)
    gate.flood(50, CONNECTING)
    assert await gate.call("history", noting([], "history")) == "history"
    with pytest.raises(FloodWait) as caught:
        await gate.call("state", noting([], "never"), opening=True)
    assert caught.value.scope == CONNECTING


async def test_calls_that_make_a_connection_pass_a_closed_gate_and_a_flood_of_the_account_until_it_closes_again() -> (
    None
):
    gate = RpcGate(min_interval=0, rules=RULES)
    gate.flood(50)
    gate.close(NotLoggedIn)
    assert await gate.call("state", noting([], "state"), opening=True) == "state"
    in_flight = asyncio.create_task(gate.call("state", lambda: asyncio.sleep(60), opening=True))
    waiting = asyncio.create_task(gate.call("state", noting([], "never"), opening=True))
    await asyncio.sleep(0.01)
    gate.close(lambda: TelegramUnavailable("shutting down"))
    for call in (in_flight, waiting):
        with pytest.raises(TelegramUnavailable, match="shutting down"):
            await call
    assert free(gate)


async def test_a_flood_met_by_a_call_that_makes_a_connection_is_a_pause_from_connecting() -> None:
    gate = RpcGate(min_interval=0, rules=RULES)

    async def flooded() -> None:
        raise FloodWait(20)

    with pytest.raises(FloodWait) as caught:
        await gate.call("state", flooded, opening=True)
    assert caught.value.scope == CONNECTING
    assert remaining(gate) == {CONNECTING: 20}


async def test_a_call_in_flight_when_the_gate_closes_and_opens_at_once_is_told_why_it_closed() -> None:
    gate = RpcGate(min_interval=0)
    call = asyncio.create_task(gate.call("m", lambda: asyncio.sleep(60)))
    await asyncio.sleep(0.01)
    gate.close(NotLoggedIn)
    gate.open()
    with pytest.raises(NotLoggedIn):
        await call
    assert gate.stats().timeouts == 0


async def test_calls_are_counted_by_name_when_they_start() -> None:
    gate = RpcGate(min_interval=0)
    await gate.call("one", noting([], "1"))
    await gate.call("one", noting([], "1"))
    late = asyncio.create_task(gate.call("two", lambda: asyncio.sleep(60)))
    never = asyncio.create_task(gate.call("three", noting([], "3")))
    await asyncio.sleep(0.01)
    assert gate.stats().calls == {"one": 2, "two": 1}
    assert gate.stats().started == 3
    for task in (late, never):
        task.cancel()
    await asyncio.wait((late, never))
    assert "three" not in gate.stats().calls


@pytest.mark.parametrize("turns", range(4))
async def test_an_error_that_comes_as_its_caller_leaves_is_not_reported_as_forgotten(
    caplog: pytest.LogCaptureFixture, turns: int
) -> None:
    gate = RpcGate(concurrency=1, min_interval=0, timeout=5)
    loop = asyncio.get_running_loop()
    answers: list[asyncio.Future[None]] = [loop.create_future()]

    async def call() -> None:
        await answers[0]

    caller = loop.create_task(gate.call("messages.getHistory", call))
    while not gate.stats().in_flight:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    answers[0].set_exception(TelegramUnavailable("gone"))
    # The call ends in a turn of the loop, and its caller hears of that in a later one.
    for _ in range(turns):
        await asyncio.sleep(0)
    caller.cancel()
    await asyncio.wait({caller})
    if not caller.cancelled():
        caller.exception()
    answers.clear()
    del caller
    gc.collect()
    await asyncio.sleep(0)
    assert not caplog.records
