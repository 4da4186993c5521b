"""One piece of work for all who want its result at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class SingleFlight(Generic[Key, Result]):
    """Runs at most one task a key; whoever asks while it runs gets the same result or the same error.

    A caller that is cancelled leaves the task running for the others, and for the caches that it fills.
    """

    def __init__(self) -> None:
        self._tasks: dict[Key, asyncio.Task[Result]] = {}

    async def run(self, key: Key, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result of the running task under this key, or else of `work`, started now."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(work())
            task.add_done_callback(lambda done: self._finished(key, done))
        return await asyncio.shield(task)

    def _finished(self, key: Key, task: asyncio.Task[Result]) -> None:
        del self._tasks[key]
        if not task.cancelled():
            # Every waiter may have gone; the error was theirs, so asyncio need not report it as forgotten.
            task.exception()
