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

    def __len__(self) -> int:
        return len(self._tasks)

    def __contains__(self, key: Key) -> bool:
        return key in self._tasks

    async def run(self, key: Key, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result of the running task under this key, or else of `work`, started now."""
        return await asyncio.shield(self.start(key, work))

    def start(self, key: Key, work: Callable[[], Coroutine[Any, Any, Result]]) -> asyncio.Task[Result]:
        """The running task under this key, or else one that runs `work`. It is shared: nobody may cancel it."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(work())
            task.add_done_callback(lambda done: self._finished(key, done))
        return task

    def _finished(self, key: Key, task: asyncio.Task[Result]) -> None:
        del self._tasks[key]
        if not task.cancelled():
            # Every waiter may have gone; the error was theirs, so asyncio need not report it as forgotten.
            task.exception()
