"""Blocking work in threads, brought to its end also when whoever waits for it is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[..., T], *args: object) -> T:
    """Run blocking work in a thread; if the caller is cancelled, only after the work is done.

    A descriptor must not be closed, and its number given to another file, while a thread still writes to it.
    """
    return await to_its_end(asyncio.get_running_loop().run_in_executor(None, work, *args))


async def to_its_end(future: asyncio.Future[T]) -> T:
    """What comes of the future; if the caller is cancelled, only after it is done."""
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        while not future.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({future})
        if not future.cancelled():
            # Looked at, so that asyncio does not report it as forgotten.
            future.exception()
        raise
