"""A file's bytes on their way to a client leave the event loop to everybody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from media_source import file_bytes
from starlette.types import Message

from media_cache.shared_file import CHUNK_BYTES, Chunk, SharedFile
from routes.byte_response import ByteResponse
from routes.ranges import ByteRange

CHUNKS = 64
SIZE = CHUNKS * CHUNK_BYTES


@pytest.mark.parametrize(
    "ranges",
    [None, [ByteRange(0, SIZE - 1)], [ByteRange(at, at + 9) for at in range(0, CHUNKS * 10, 10)]],
    ids=["the whole", "one range", "many small ranges"],
)
async def test_a_client_that_takes_all_bytes_at_once_does_not_keep_others_waiting(
    tmp_path: Path, ranges: list[ByteRange] | None
) -> None:
    path = tmp_path / "file"
    path.write_bytes(file_bytes(SIZE))
    file = SharedFile(path)
    # What the clock shows is the machine's affair: what counts is how much is sent between two turns of another task.
    longest = sent = 0

    async def at_once(message: Message) -> None:
        nonlocal sent
        sent += bool(message.get("body"))

    async def others() -> None:
        nonlocal longest
        before = 0
        while True:
            longest, before = max(longest, sent - before), sent
            await asyncio.sleep(0)

    async def receive() -> Message:
        return await asyncio.Future()

    def read(start: int, end: int) -> AsyncGenerator[Chunk, None]:
        return file.stream(start, end)

    task = asyncio.create_task(others())
    await asyncio.sleep(0)
    response = ByteResponse(read, SIZE, "video/mp4", [], ranges)
    await response({"type": "http", "method": "GET", "path": "/media"}, receive, at_once)
    await asyncio.sleep(0)
    task.cancel()
    assert sent >= CHUNKS
    assert longest <= 4
