"""Reading a file at any offset, from any thread, for as long as somebody wants to."""

from __future__ import annotations

import asyncio
import ctypes
import os
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path

from errors import StorageUnavailable

Chunk = bytes | bytearray
"""Bytes of a file. Nobody changes them: a copy into an immutable object would cost as much as the reading."""

# Bytes that a viewer is given at a time. Copying so many takes less time than a hand-over to a thread and back, and
# hundreds of slow viewers hold no more than twice this each: one chunk on its way, one behind it.
CHUNK_BYTES = 128 * 1024
# Bytes that the disk is asked for at a time, so that the next chunks are in memory when the viewer comes for them.
_READ_AHEAD = 2 * 1024 * 1024
# Linux: read what is in memory, never wait for the disk.
_NO_WAIT = getattr(os, "RWF_NOWAIT", None)
# As `os.preadv`, but it keeps the interpreter's lock, which it needs for microseconds: to get the lock back from a
# thread that renders takes a millisecond, and that for each chunk. An `off_t` is a `long` on 64-bit systems.
_preadv2 = getattr(ctypes.PyDLL(None), "preadv2", None) if ctypes.sizeof(ctypes.c_long) == 8 else None
_advise = getattr(os, "posix_fadvise", None)


class FileLost(Exception):
    """The file is not there, or has another size than it should have."""


class SharedFile:
    """A file open for reading. Its descriptor is closed when the last holder lets go of the object.

    So neither a removal of the file nor a cancelled reader, whose thread may still be reading, can take the descriptor
    from under a reader.
    """

    __slots__ = ("_descriptor",)

    def __init__(self, path: Path) -> None:
        """Open the file; blocks. Raises OSError."""
        self._descriptor = -1
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)

    def is_whole(self, size: int) -> bool:
        """Whether the file still has that size and its name. Raises OSError."""
        status = os.fstat(self._descriptor)
        return status.st_size == size and status.st_nlink > 0

    def size(self) -> int:
        """The file's size in bytes now. Raises OSError."""
        return os.fstat(self._descriptor).st_size

    def read_at(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes from `offset`; blocks. Raises StorageUnavailable if the disk does not give them."""
        try:
            data = os.pread(self._descriptor, length, offset)
            while len(data) < length:
                more = os.pread(self._descriptor, length - len(data), offset + len(data))
                if not more:
                    raise StorageUnavailable("A media file has become shorter while it was read")
                data += more
        except OSError as fault:
            raise StorageUnavailable(f"A media file can't be read: {fault.strerror}") from fault
        return data

    async def stream(self, start: int, end: int) -> AsyncGenerator[Chunk, None]:
        """Bytes [start, end) in chunks, each read when it is asked for. Raises StorageUnavailable."""
        loop = asyncio.get_running_loop()
        while start < end:
            length = min(CHUNK_BYTES, end - start)
            data = self.read_from_memory(start, length)
            if data is None:
                data = await loop.run_in_executor(None, self._read_from_disk, start, length)
            yield data
            start += length

    def read_from_memory(self, offset: int, length: int) -> Chunk | None:
        """`length` bytes from `offset` if the system has them in its page cache, None if it has not or can't tell."""
        if _NO_WAIT is None:
            return None
        buffer = bytearray(length)
        try:
            if _preadv2 is None:
                count = os.preadv(self._descriptor, [buffer], offset, _NO_WAIT)
            else:
                vector = (ctypes.c_size_t * 2)(ctypes.addressof(ctypes.c_char.from_buffer(buffer)), length)
                count = _preadv2(self._descriptor, vector, 1, ctypes.c_long(offset), _NO_WAIT)
        except OSError:
            # Not in memory, or a file system without this: the thread finds out what is wrong, if anything is.
            return None
        return buffer if count == length else None

    def _read_from_disk(self, offset: int, length: int) -> bytes:
        """As `read_at`, and have the disk fetch what follows."""
        if _advise is not None:
            with suppress(OSError):
                _advise(self._descriptor, offset, _READ_AHEAD, os.POSIX_FADV_WILLNEED)
        return self.read_at(offset, length)


def open_whole(path: Path, size: int) -> SharedFile:
    """Open a file that should have `size` bytes; blocks. Raises FileLost, and StorageUnavailable for a disk fault."""
    try:
        file = SharedFile(path)
        found = file.size()
    except FileNotFoundError:
        raise FileLost(f"{path} is not there") from None
    except OSError as fault:
        raise StorageUnavailable(f"A media file can't be opened: {fault.strerror}") from fault
    if found != size:
        raise FileLost(f"{path} has {found} bytes instead of {size}")
    return file
