"""The pace of a download: slower after faults, faster after good parts, and an end to all patience."""

from __future__ import annotations

import asyncio

import pytest

from errors import FloodWait, NotLoggedIn, PassingFault, ShuttingDown, StorageUnavailable, TelegramUnavailable
from media_cache.pace import Pace, Patience, WrongPart

DOWN = TelegramUnavailable("down", 5)
PATIENT = Patience(at_start=100, in_mid_file=100)


async def now() -> float:
    return asyncio.get_running_loop().time()


async def test_faults_of_parts_that_were_on_their_way_together_halve_the_window_once() -> None:
    pace = Pace(8, PATIENT)
    asked_at = await now()
    await asyncio.sleep(0.001)
    for _ in range(8):
        pace.failed(DOWN, 1, asked_at)
    assert pace.window == 4


async def test_the_window_never_closes() -> None:
    pace = Pace(8, PATIENT)
    windows = []
    for _ in range(5):
        await asyncio.sleep(0.001)
        pace.failed(DOWN, 1, await now())
        windows.append(pace.window)
    assert windows == [4, 2, 1, 1, 1]


async def test_good_parts_open_the_window_again_up_to_where_it_began() -> None:
    pace = Pace(4, PATIENT)
    for _ in range(2):
        await asyncio.sleep(0.001)
        pace.failed(DOWN, 1, await now())
    windows = []
    for _ in range(12):
        pace.arrived()
        windows.append(pace.window)
    assert windows == [2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4]


async def test_no_more_parts_are_in_flight_than_the_window_has_room_for() -> None:
    pace = Pace(4, PATIENT)
    at_once = most = 0

    async def part() -> None:
        nonlocal at_once, most
        async with pace.turn():
            at_once += 1
            most = max(most, at_once)
            await asyncio.sleep(0.002)
            at_once -= 1

    await asyncio.gather(*[part() for _ in range(20)])
    assert most == 4
    pace.failed(DOWN, 1, await now())
    most = 0
    await asyncio.gather(*[part() for _ in range(20)])
    assert most == 2


async def test_a_part_whose_waiting_ends_early_takes_no_room() -> None:
    pace = Pace(1, PATIENT)
    async with pace.turn():
        waiting = asyncio.create_task(pace.turn().__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    async with asyncio.timeout(1), pace.turn():
        pass


async def test_pauses_double_up_to_the_longest() -> None:
    pace = Pace(8, Patience(at_start=1000, first_pause=0.5, longest_pause=8))
    assert [pace.failed(DOWN, tries, await now()) for tries in range(1, 8)] == [0.5, 1, 2, 4, 8, 8, 8]


async def test_a_flood_wait_is_waited_for_in_mid_file_and_told_at_the_start() -> None:
    pace = Pace(8, PATIENT)
    with pytest.raises(FloodWait):
        pace.failed(FloodWait(20), 1, await now())
    pace.arrived()
    assert pace.failed(FloodWait(20), 1, await now()) == 20
    with pytest.raises(FloodWait):
        pace.failed(FloodWait(101), 1, await now())


@pytest.mark.parametrize(
    "fault",
    [NotLoggedIn(), StorageUnavailable("full"), ShuttingDown(), TelegramUnavailable("refused", 60)],
    ids=lambda fault: type(fault).__name__,
)
async def test_a_fault_that_waiting_does_not_end_is_not_waited_for(fault: PassingFault) -> None:
    pace = Pace(8, PATIENT)
    pace.arrived()
    with pytest.raises(type(fault)):
        pace.failed(fault, 1, await now())


@pytest.mark.parametrize(("fault", "tries"), [(DOWN, 20), (WrongPart(5, 10), 4)], ids=["down", "wrong"])
async def test_one_part_is_not_asked_for_for_ever(fault: PassingFault, tries: int) -> None:
    pace = Pace(8, Patience(at_start=1000))
    pace.failed(fault, tries - 1, await now())
    with pytest.raises(type(fault)):
        pace.failed(fault, tries, await now())


async def test_patience_counts_from_the_last_part_that_came() -> None:
    pace = Pace(8, Patience(at_start=0.01, in_mid_file=0.15, first_pause=0.1))
    with pytest.raises(TelegramUnavailable):
        pace.failed(DOWN, 1, await now())
    pace.arrived()
    pace.failed(DOWN, 1, await now())
    await asyncio.sleep(0.1)
    with pytest.raises(TelegramUnavailable):
        pace.failed(DOWN, 1, await now())
    pace.arrived()
    pace.failed(DOWN, 1, await now())
