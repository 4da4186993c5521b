from __future__ import annotations

import asyncio
import threading

import pytest

from threads import in_thread, to_its_end


async def test_work_in_a_thread_gives_its_result_or_its_fault() -> None:
    assert await in_thread(lambda number: (number, threading.current_thread() is threading.main_thread()), 7) == (
        7,
        False,
    )
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 // 0)


async def test_who_is_cancelled_again_and_again_leaves_only_when_the_work_is_done() -> None:
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait(10)
        done.set()

    caller = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(begun.wait, 10)
    for _ in range(3):
        caller.cancel()
        await asyncio.sleep(0.01)
    assert not caller.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert done.is_set()


async def test_a_fault_that_comes_after_the_caller_was_cancelled_is_not_reported_as_forgotten() -> None:
    unseen: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: unseen.append(context))
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    caller = asyncio.create_task(to_its_end(future))
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.sleep(0)
    future.set_exception(OSError("late"))
    with pytest.raises(asyncio.CancelledError):
        await caller
    del future
    await asyncio.sleep(0)
    assert unseen == []
