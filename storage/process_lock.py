"""One process at a time: a lock that lasts as long as its holder, however that ends."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from errors import StorageError

log = logging.getLogger(__name__)

LOCK_NAME = "bridge.lock"


class Locked(Exception):
    """Another process holds the lock. `holder` is its process id as text, "" if it is not known."""

    def __init__(self, holder: str) -> None:
        super().__init__(f"in use by another process{f' (pid {holder})' if holder else ''}")
        self.holder = holder


class ProcessLock:
    """Held from its making until `release`, or until the process ends. A context manager, too.

    The file at `path` is made if it is not there, holds the holder's process id, and is left behind: removing it would
    race with its next holder. Raises Locked, and OSError if the file can't be opened or locked.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._descriptor, 20, 0).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            raise Locked(holder) from None
        except OSError:
            os.close(self._descriptor)
            raise
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let others have it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


async def claim_folder(folder: Path, *, patience_s: float = 12) -> ProcessLock:
    """Make the data folder if it is not there, and claim it for this process.

    A predecessor that is still stopping is waited for, up to `patience_s`. Raises StorageError, one line that names
    the folder, and the process that holds it or what is wrong with it.
    """
    deadline = time.monotonic() + patience_s
    told = False
    while True:
        try:
            return await asyncio.to_thread(_claim, folder)
        except Locked as locked:
            if time.monotonic() > deadline:
                raise StorageError(f"{folder} is {locked}: stop that one first, or set another DATA_PATH") from locked
            if not told:
                log.warning("%s is %s: waiting for it to end", folder, locked)
                told = True
            await asyncio.sleep(0.2)
        except OSError as error:
            user = os.getuid()
            raise StorageError(
                f"Cannot use the data folder {folder}: {error.strerror}. Make it a folder that uid {user} can write "
                f"(for example: chown -R {user} {folder}), or set another DATA_PATH"
            ) from error


def _claim(folder: Path) -> ProcessLock:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return ProcessLock(folder / LOCK_NAME)
