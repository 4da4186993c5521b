"""The service as a process that tells what it holds: started by tests, with a local Telegram server at the other end.

Usage: `python soak_process.py PUBLIC_KEY REPORT`. The key is the server's, in hex; the settings come from the
environment, but for the port, which is any free one and is printed. At SIGUSR1 the file REPORT is replaced.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import logging
import signal
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import uvloop

from api_server import LOG_FORMAT, serve
from config import Settings, load_settings
from file_io import atomic_write
from http_server import listen


def main(arguments: list[str]) -> int:
    """Run until a signal; the exit code of the service."""
    public_key, report = arguments
    # Not before the service's own modules: they decide how Kurigram is loaded.
    from tgserver.crypto.rsa import PublicKey

    settings = load_settings(None)
    logging.basicConfig(level=settings.log_level, format=LOG_FORMAT)
    with (
        PublicKey(int(public_key, 16)).trusted(),
        listen("127.0.0.1", 0) as listener,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        print(listener.getsockname()[1], flush=True)
        return runner.run(_serve(settings, listener, Path(report)))


async def _serve(settings: Settings, listener: Any, report: Path) -> int:
    number = 0

    def write_report() -> None:
        nonlocal number
        number += 1
        atomic_write(report, json.dumps({"number": number, **holdings()}).encode())

    def collect() -> None:
        # The threads of a pool that is garbage end a moment after it.
        gc.collect()
        # What the allocator only keeps for the next peak is no growth.
        ctypes.CDLL(None).malloc_trim(0)
        asyncio.get_running_loop().call_later(0.5, write_report)

    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, collect)
    return await serve(settings, listener)


def holdings() -> dict[str, Any]:
    """What this process holds now: tasks, threads, descriptors, sessions, and objects by type."""
    from telegram.session import OneTrySession

    gc.collect()
    objects = gc.get_objects()
    sessions = [each for each in objects if isinstance(each, OneTrySession)]
    return {
        "tasks": sorted(_name(task) for task in asyncio.all_tasks()),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "descriptors": sorted(_descriptors()),
        "sessions": len(sessions),
        "unanswered": sum(len(session.results) for session in sessions),
        "objects": Counter(f"{type(each).__module__}.{type(each).__qualname__}" for each in objects),
    }


def _name(task: asyncio.Task[Any]) -> str:
    """The task's name without a number that asyncio drew, and what it runs."""
    coroutine = task.get_coro()
    name = task.get_name()
    return f"{'Task' if name.startswith('Task-') else name}: {getattr(coroutine, '__qualname__', coroutine)}"


def _descriptors() -> list[str]:
    """What the open descriptors lead to; sockets and the like by their kind alone."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = str(entry.readlink())
        except FileNotFoundError:
            # The descriptor of the folder itself.
            continue
        found.append(target if target.startswith("/") else target.partition(":")[0])
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
