"""Keeps background tasks running: notes their deaths, starts them again, ends them in order."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

logger = logging.getLogger(__name__)


class TaskStats(msgspec.Struct, frozen=True, kw_only=True):
    """One background task at one moment. `last_error` is the class name of what it last died of."""

    running: bool
    deaths: int
    last_error: str = ""


class _Watched:
    """A background task and its record."""

    def __init__(self) -> None:
        self.task: asyncio.Task[None] | None = None
        self.deaths = 0
        self.last_error = ""


class Supervisor:
    """Runs named coroutines in the background.

    One that raises is logged with its traceback and started again after a pause: `first_pause` seconds,
    doubled with every death up to `longest_pause`, back to the first after it ran for `settled_after` seconds.
    One that returns is done.
    """

    def __init__(self, *, first_pause: float = 1.0, longest_pause: float = 60.0, settled_after: float = 300.0) -> None:
        self._first_pause = first_pause
        self._longest_pause = longest_pause
        self._settled_after = settled_after
        self._watched: dict[str, _Watched] = {}

    def start(self, name: str, factory: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `factory()` in the background under `name`. Raises ValueError if that name runs already."""
        watched = self._watched.setdefault(name, _Watched())
        if watched.task is not None and not watched.task.done():
            raise ValueError(f"A background task named {name!r} is running already")
        # The order of starting is the order of this dict; a name that is used again goes to its end.
        self._watched[name] = self._watched.pop(name)
        watched.task = asyncio.get_running_loop().create_task(self._keep(name, watched, factory), name=name)

    async def stop(self, within: float = 5.0) -> None:
        """Cancel all tasks, the last started first, within `within` seconds in all.

        A task that does not end in its share of that time is logged and left behind.
        """
        deadline = time.monotonic() + within
        tasks = [
            (name, watched.task)
            for name, watched in reversed(self._watched.items())
            if watched.task is not None and not watched.task.done()
        ]
        for position, (name, task) in enumerate(tasks):
            task.cancel()
            share = max(0.0, deadline - time.monotonic()) / (len(tasks) - position)
            await asyncio.wait({task}, timeout=share)
            if not task.done():
                logger.error("The background task %s did not stop in time and is left behind", name)

    def stats(self) -> dict[str, TaskStats]:
        """Every task ever started, by name."""
        return {
            name: TaskStats(
                running=watched.task is not None and not watched.task.done(),
                deaths=watched.deaths,
                last_error=watched.last_error,
            )
            for name, watched in self._watched.items()
        }

    async def _keep(self, name: str, watched: _Watched, factory: Callable[[], Coroutine[Any, Any, None]]) -> None:
        pause = self._first_pause
        while True:
            began = time.monotonic()
            run = asyncio.get_running_loop().create_task(factory(), name=name)
            try:
                await asyncio.wait({run})
            except asyncio.CancelledError:
                run.cancel()
                await asyncio.wait({run})
                if not run.cancelled() and (error := run.exception()) is not None:
                    logger.error("The background task %s failed while it was stopped", name, exc_info=error)
                raise
            # A run that was cancelled though nobody stopped it died of somebody else's cancellation.
            fault = asyncio.CancelledError() if run.cancelled() else run.exception()
            if fault is None:
                return
            if time.monotonic() - began >= self._settled_after:
                pause = self._first_pause
            watched.deaths += 1
            watched.last_error = type(fault).__name__
            logger.critical(
                "The background task %s died; it starts again in %g s (death %d)",
                name,
                pause,
                watched.deaths,
                exc_info=fault,
            )
            await asyncio.sleep(pause)
            pause = min(pause * 2, self._longest_pause)
