"""One piece of work for all who want its result at the same time."""

from __future__ import annotations

import asyncio

import pytest

from single_flight import SingleFlight


class Work:
    """Work that can be counted and is done when told."""

    def __init__(self) -> None:
        self.runs = 0
        self.may_end = asyncio.Event()

    async def __call__(self) -> int:
        self.runs += 1
        await self.may_end.wait()
        return self.runs


async def test_all_who_ask_at_once_share_one_run() -> None:
    work, flight = Work(), SingleFlight[str, int]()
    asking = [asyncio.create_task(flight.run("key", work)) for _ in range(10)]
    await asyncio.sleep(0)
    work.may_end.set()
    assert await asyncio.gather(*asking) == [1] * 10
    assert await flight.run("key", work) == 2


async def test_other_keys_run_beside() -> None:
    work, flight = Work(), SingleFlight[str, int]()
    work.may_end.set()
    await asyncio.gather(flight.run("a", work), flight.run("b", work))
    assert work.runs == 2


async def test_a_caller_that_leaves_takes_nothing_from_the_others() -> None:
    work, flight = Work(), SingleFlight[str, int]()
    leaving, staying = (asyncio.create_task(flight.run("key", work)) for _ in range(2))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.sleep(0)
    work.may_end.set()
    assert await staying == 1
    assert leaving.cancelled()


async def test_an_error_reaches_everybody_and_is_not_remembered() -> None:
    flight = SingleFlight[str, int]()
    runs = 0

    async def fail() -> int:
        nonlocal runs
        runs += 1
        raise ValueError("no")

    for _ in range(2):
        answers = await asyncio.gather(*(flight.run("key", fail) for _ in range(3)), return_exceptions=True)
        assert [type(answer) for answer in answers] == [ValueError] * 3
    assert runs == 2


async def test_an_error_that_nobody_waits_for_any_more_is_no_complaint(caplog: pytest.LogCaptureFixture) -> None:
    flight = SingleFlight[str, int]()

    async def fail() -> int:
        await asyncio.sleep(0.01)
        raise ValueError("no")

    caller = asyncio.create_task(flight.run("key", fail))
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.sleep(0.05)
    assert caplog.records == []
