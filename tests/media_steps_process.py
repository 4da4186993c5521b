"""A media cache that is killed at each of its write steps in turn.

Usage: `python media_steps_process.py FOLDER`. For each step the same work is done once, in FOLDER/<number of the
step> by a process of its own, which kills itself (SIGKILL) in the moment of that step; and once to its end, in
FOLDER/whole. The names of all steps are printed, one a line. Each folder's `journal` says what was done for good: a
line with the name of each file that was stored, and one with "-" and its name when it was swept.

A step is whatever changes the disk: a call of the system by Python, or the end of an SQLite transaction. A write is two
of them: nothing and one half of it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from media_source import CHANNEL, POST, Clock, Finder, MemorySource, file_bytes, media_cache

from errors import TelegramUnavailable
from media_cache import mime
from media_cache.cache import MediaCache, Progress

# Four parts, the first of them one half of the first MiB; one part.
CONTENTS = {"film": file_bytes(2_500_000, "film"), "photo": file_bytes(70_000, "photo")}
_AT_ONCE = 3
_DAY = 86400


async def _fetch(cache: MediaCache, files: MemorySource, name: str, journal: Callable[[str], None]) -> None:
    found = await cache.open(CHANNEL, POST, name, Finder(files.put(CONTENTS[name], name)))
    assert isinstance(found, Progress)
    await found.download.finished()
    journal(name)


async def _fail(cache: MediaCache, files: MemorySource) -> None:
    """Fetch a file that comes only in part, so that its partial is removed."""
    files.faults[1024 * 1024] = [TelegramUnavailable("down")]
    found = await cache.open(CHANNEL, POST, "torn", Finder(files.put(CONTENTS["film"], "torn")))
    assert isinstance(found, Progress)
    with suppress(TelegramUnavailable):
        await found.download.finished()
    await cache._flights.landed("torn")


async def _work(folder: Path, journal: Callable[[str], None]) -> None:
    """All that a cache writes in its life: files, accesses, and what a sweep removes."""
    clock = Clock()
    files = MemorySource()
    async with media_cache(folder, files, now=clock) as cache:
        await cache.prepare()
        await _fetch(cache, files, "film", journal)
        await _fetch(cache, files, "photo", journal)
        await _fail(cache, files)
        clock.now += 30 * _DAY
        cache.keep("photo")
        await cache.flush()
        assert (await cache.sweeper.sweep()).files == 1
        journal("-film")
        await _fetch(cache, files, "film", journal)
        cache.keep("film")


class _Steps:
    """Counts the steps of this process, and ends it at one of them."""

    def __init__(self, last: int | None) -> None:
        """Steps are counted from 0."""
        self.names: list[str] = []
        self._last = last
        self._lock = threading.Lock()

    def take(self, name: str, *, at_the_end: Callable[[], object] | None = None) -> None:
        """This step comes now; `at_the_end` is done if it is the last."""
        with self._lock:
            if len(self.names) == self._last:
                if at_the_end is not None:
                    at_the_end()
                os.kill(os.getpid(), signal.SIGKILL)
            self.names.append(name)

    def watch(self) -> None:
        """Count from now on."""
        for name in ["fsync", "fdatasync", "ftruncate", "fchmod", "rename", "replace", "unlink", "mkdir", "rmdir"]:
            setattr(os, name, partial(self._call, name, getattr(os, name)))
        for name in ["write", "pwrite"]:
            setattr(os, name, partial(self._write, name, getattr(os, name)))
        setattr(os, _OPEN, partial(self._open, os.open))
        setattr(sqlite3, _CONNECT, partial(sqlite3.connect, factory=partial(_Connection, self)))

    def _call(self, name: str, call: Callable[..., object], *arguments: Any, **options: Any) -> object:
        self.take(name)
        return call(*arguments, **options)

    def _write(self, name: str, call: Callable[..., int], to: int, data: memoryview, *at: int) -> int:
        self.take(name)
        self.take(f"half a {name}", at_the_end=lambda: call(to, data[: len(data) // 2], *at))
        return call(to, data, *at)

    def _open(self, call: Callable[..., int], path: object, flags: int, *arguments: Any, **options: Any) -> int:
        if flags & os.O_CREAT:
            self.take("create")
        return call(path, flags, *arguments, **options)


# Names, so that the type checker does not take the wrappers for the functions themselves.
_OPEN, _CONNECT = "open", "connect"


class _Connection(sqlite3.Connection):
    def __init__(self, steps: _Steps, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._steps = steps
        self._writes = False

    def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
        if statement.startswith("BEGIN"):
            self._writes = statement == "BEGIN IMMEDIATE"
        if statement == "COMMIT" and self._writes:
            self._steps.take("commit")
        return super().execute(statement, *parameters)


def _live(folder: Path, last: int | None) -> list[str]:
    """Do the work in this process; the names of its steps, if it comes to its end."""
    folder.mkdir()
    descriptor = os.open(folder / "journal", os.O_WRONLY | os.O_CREAT)
    write = os.write

    def journal(line: str) -> None:
        write(descriptor, f"{line}\n".encode())

    steps = _Steps(last)
    steps.watch()
    asyncio.run(_work(folder, journal))
    return steps.names


def _start(folder: Path, last: int) -> int:
    """Have the work done up to that step by a process of its own; its id."""
    if (process := os.fork()) == 0:
        _live(folder / str(last), last)
        # There is no such step.
        os._exit(0)
    return process


def main(folder: Path) -> int:
    """Kill at every step."""
    # What every process would load anew.
    mime.load()
    read, write = os.pipe()
    if os.fork() == 0:
        with os.fdopen(write, "w") as pipe:
            pipe.write("\n".join(_live(folder / "whole", None)))
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        names = pipe.read().split("\n")
    if os.wait()[1]:
        return 1
    print("\n".join(names))
    waiting = iter(range(len(names)))
    running = {_start(folder, number) for number in islice(waiting, _AT_ONCE)}
    while running:
        process, status = os.wait()
        running.remove(process)
        if not os.WIFSIGNALED(status):
            print("a process came to its end, though it was to be killed", file=sys.stderr)
            return 1
        running |= {_start(folder, number) for number in islice(waiting, 1)}
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
