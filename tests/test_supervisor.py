"""Background tasks: deaths, restarts, stopping."""

from __future__ import annotations

import asyncio
import logging
import time
from itertools import pairwise

import pytest

from supervisor import Supervisor


def quick() -> Supervisor:
    return Supervisor(first_pause=0.01, longest_pause=0.04, settled_after=60)


async def until(condition: object, within: float = 2.0) -> None:
    assert callable(condition)
    async with asyncio.timeout(within):
        while not condition():
            await asyncio.sleep(0.005)


async def test_a_task_that_dies_is_logged_with_its_traceback_and_started_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    supervisor = quick()
    runs = 0

    async def work() -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            raise ValueError("bad luck")
        await asyncio.sleep(60)

    supervisor.start("worker", work)
    await until(lambda: runs == 2)

    (record,) = [record for record in caplog.records if record.levelno == logging.CRITICAL]
    assert "worker" in record.message
    assert record.exc_info is not None
    assert "bad luck" in str(record.exc_info[1])
    assert record.exc_info[2] is not None
    stats = supervisor.stats()["worker"]
    assert (stats.running, stats.deaths, stats.last_error) == (True, 1, "ValueError")
    await supervisor.stop()
    assert not supervisor.stats()["worker"].running


async def test_pauses_between_restarts_grow_up_to_the_longest() -> None:
    supervisor = quick()
    starts: list[float] = []

    async def work() -> None:
        starts.append(time.monotonic())
        raise OSError

    supervisor.start("worker", work)
    await until(lambda: len(starts) == 6)
    await supervisor.stop()

    pauses = [later - earlier for earlier, later in pairwise(starts)]
    for pause, least in zip(pauses, (0.01, 0.02, 0.04, 0.04, 0.04), strict=True):
        assert pause >= least * 0.9
    assert max(pauses) < 0.2


async def test_a_long_run_resets_the_pause() -> None:
    supervisor = Supervisor(first_pause=0.01, longest_pause=30, settled_after=0.0)
    runs = 0

    async def work() -> None:
        nonlocal runs
        runs += 1
        raise OSError

    supervisor.start("worker", work)
    await until(lambda: runs == 12)
    await supervisor.stop()


async def test_a_task_that_returns_is_done() -> None:
    supervisor = quick()
    runs = 0

    async def work() -> None:
        nonlocal runs
        runs += 1

    supervisor.start("worker", work)
    await until(lambda: not supervisor.stats()["worker"].running)
    await asyncio.sleep(0.03)
    assert runs == 1
    supervisor.start("worker", work)
    await until(lambda: runs == 2)


async def test_somebody_elses_cancellation_is_a_death_and_no_end() -> None:
    supervisor = quick()
    runs = 0

    async def work() -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            gone = asyncio.get_running_loop().create_future()
            gone.cancel()
            await gone
        await asyncio.sleep(60)

    supervisor.start("worker", work)
    await until(lambda: runs == 2)
    assert supervisor.stats()["worker"].last_error == "CancelledError"
    await supervisor.stop()


async def test_a_name_runs_once() -> None:
    supervisor = quick()
    supervisor.start("worker", lambda: asyncio.sleep(60))
    with pytest.raises(ValueError, match="worker"):
        supervisor.start("worker", lambda: asyncio.sleep(60))
    await supervisor.stop()


async def test_tasks_stop_in_the_reverse_order_of_starting() -> None:
    supervisor = quick()
    stopped: list[str] = []

    def sleeper(name: str) -> object:
        async def work() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                stopped.append(name)

        return work

    for name in ("one", "two", "three"):
        supervisor.start(name, sleeper(name))  # type: ignore[arg-type]
    await asyncio.sleep(0.01)
    await supervisor.stop()
    assert stopped == ["three", "two", "one"]


async def test_a_task_that_swallows_its_cancellation_does_not_hold_stop_up(caplog: pytest.LogCaptureFixture) -> None:
    supervisor = quick()
    release = asyncio.Event()
    calm_stopped = False

    async def stubborn() -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    async def calm() -> None:
        nonlocal calm_stopped
        try:
            await asyncio.sleep(60)
        finally:
            calm_stopped = True

    supervisor.start("calm", calm)
    supervisor.start("stubborn", stubborn)
    await asyncio.sleep(0.01)
    began = time.monotonic()
    await supervisor.stop(within=0.2)

    assert time.monotonic() - began < 0.5
    assert calm_stopped
    assert [record.message for record in caplog.records if "stubborn" in record.message]
    assert not [record.message for record in caplog.records if "calm" in record.message]
    release.set()
    await asyncio.sleep(0.01)


async def test_stop_during_the_pause_before_a_restart_prevents_it() -> None:
    supervisor = Supervisor(first_pause=0.05)
    runs = 0

    async def work() -> None:
        nonlocal runs
        runs += 1
        raise OSError

    supervisor.start("worker", work)
    await until(lambda: supervisor.stats()["worker"].deaths == 1)
    await supervisor.stop()
    await asyncio.sleep(0.1)
    assert runs == 1
