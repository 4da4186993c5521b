"""A shared file gives exactly the bytes asked for, from memory or from the disk, and closes by itself."""

from __future__ import annotations

import asyncio
import gc
from contextlib import suppress
from pathlib import Path

import pytest
from media_source import file_bytes

from errors import StorageUnavailable
from media_cache import shared_file
from media_cache.shared_file import FileLost, SharedFile, open_whole

CONTENT = file_bytes(3 * 1024 * 1024 + 17)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "file"
    target.write_bytes(CONTENT)
    return target


@pytest.fixture(params=["from memory", "from memory by Python's own call", "from the disk"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without the system's ways to read only what is in memory."""
    if request.param != "from memory":
        monkeypatch.setattr(shared_file, "_preadv2", None)
    if request.param == "from the disk":
        monkeypatch.setattr(shared_file, "_NO_WAIT", None)


def descriptors_of(path: Path) -> int:
    """How many descriptors of this process are open on the file."""
    found = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found += descriptor.readlink() == path
    return found


async def read(file: SharedFile, start: int, end: int) -> bytes:
    return b"".join([chunk async for chunk in file.stream(start, end)])


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize(
    ("start", "end"),
    [(0, len(CONTENT)), (0, 1), (len(CONTENT) - 1, len(CONTENT)), (262143, 262145), (5, 2_000_000), (7, 7)],
)
async def test_any_stretch_of_the_file(path: Path, start: int, end: int) -> None:
    assert await read(SharedFile(path), start, end) == CONTENT[start:end]


@pytest.mark.usefixtures("_way")
def test_what_is_in_memory_is_had_at_once_and_whole_or_not_at_all(path: Path) -> None:
    file = SharedFile(path)
    for start, length in [(0, 1), (5, 100_000), (len(CONTENT) - 3, 3)]:
        found = file.read_from_memory(start, length)
        # Not every file system can tell.
        assert found in (None, CONTENT[start : start + length])
    assert file.read_from_memory(len(CONTENT) - 3, 4) is None
    assert file.read_from_memory(-5, 4) is None


@pytest.mark.usefixtures("_way")
async def test_a_file_that_gets_shorter_while_it_is_read_is_a_fault_and_not_an_end(path: Path) -> None:
    file = SharedFile(path)
    chunks = file.stream(0, len(CONTENT))
    await anext(chunks)
    with path.open("r+b") as harm:
        harm.truncate(1000)
    with pytest.raises(StorageUnavailable, match="shorter"):
        async for _ in chunks:
            pass


def test_a_file_of_another_size_or_none_is_lost(path: Path) -> None:
    assert open_whole(path, len(CONTENT)).size() == len(CONTENT)
    with pytest.raises(FileLost, match="instead of"):
        open_whole(path, len(CONTENT) + 1)
    path.unlink()
    with pytest.raises(FileLost, match="not there"):
        open_whole(path, len(CONTENT))


def test_a_removed_or_changed_file_is_not_whole_any_more(path: Path) -> None:
    file = SharedFile(path)
    assert file.is_whole(len(CONTENT))
    with path.open("ab") as harm:
        harm.write(b"x")
    assert not file.is_whole(len(CONTENT))
    path.unlink()
    assert not file.is_whole(len(CONTENT) + 1)


async def test_readers_that_are_cancelled_at_any_moment_leave_no_descriptor(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_file, "_NO_WAIT", None)

    async def glance() -> None:
        await read(SharedFile(path), 0, len(CONTENT))

    readers = [asyncio.create_task(glance()) for _ in range(30)]
    await asyncio.sleep(0.002)
    assert descriptors_of(path)
    for reader in readers:
        reader.cancel()
    await asyncio.wait(readers)
    del reader
    readers.clear()
    # A thread that was reading then lets go a moment later.
    async with asyncio.timeout(5):
        while descriptors_of(path):
            gc.collect()
            await asyncio.sleep(0.01)
