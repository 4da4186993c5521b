"""Files that are never half-written."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from types import TracebackType
from typing import Self

PART_MARK = ".part."
"""Stands in the name of every file in the making: `<final name>.part.<random>`."""


def sync_folder(folder: Path) -> None:
    """Make the folder's entries (a rename, a new file) outlive a power cut. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class PartFile:
    """A file that gets its final name only when it is whole.

    Bytes go into `<name>.part.<random>` in the same folder, at any offset and from any thread. `commit()` makes
    them durable and gives the file its name, replacing an older one in one step. Leaving the `with` block without
    a commit removes the part file. All methods block and raise OSError.
    """

    def __init__(self, path: Path, mode: int = 0o644) -> None:
        self.path = path
        self.part_path = path.with_name(f"{path.name}{PART_MARK}{secrets.token_hex(4)}")
        self._mode = mode
        self._descriptor = os.open(self.part_path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)

    def write_at(self, offset: int, data: bytes | memoryview) -> None:
        """Write all of `data` at `offset`."""
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._descriptor, rest, offset)
            offset += written
            rest = rest[written:]

    def read_at(self, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset`; what was never written inside the file reads as zeros."""
        return os.pread(self._descriptor, size, offset)

    def commit(self) -> None:
        """Flush to the disk, rename to the final name, flush the folder. The object is closed afterwards."""
        self.flush()
        self.take_name()
        sync_folder(self.path.parent)

    def flush(self) -> None:
        """Make what was written outlive a power cut."""
        os.fchmod(self._descriptor, self._mode)
        os.fsync(self._descriptor)

    def take_name(self) -> None:
        """Rename to the final name and close. Does nothing a second time; for a file that is whole and flushed."""
        if self._descriptor >= 0:
            self.part_path.replace(self.path)
            self._close()

    def discard(self) -> None:
        """Close and remove the part file. Does nothing after a commit or a second time."""
        if self._descriptor >= 0:
            self._close()
            self.part_path.unlink(missing_ok=True)

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()


def atomic_write(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a whole file, so that a reader or a crash sees the old content or the new one. Raises OSError.

    The file gets exactly `mode` (0o600 for secrets); before that nobody but its owner can read it.
    """
    with PartFile(path, mode) as part:
        part.write_at(0, data)
        part.commit()
