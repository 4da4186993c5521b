"""Crowds, slow viewers and viewers that vanish: all get the right bytes, and none costs more than its own share."""

from __future__ import annotations

import asyncio
import hashlib
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from media_source import MemorySource, file_bytes
from telegram_world import until
from test_routes_media import Bridge, serving

from media_cache.parts import PART_SIZE

MIB = 1024 * 1024
VIDEO = file_bytes(6 * MIB + 5, "video")
DIGEST = hashlib.sha256(VIDEO).digest()
CLIP = VIDEO[: 3 * MIB + 5]
PROCESS = psutil.Process()


@pytest.fixture
async def bridge(tmp_path: Path) -> AsyncIterator[Bridge]:
    async with serving(tmp_path, MemorySource()) as running:
        yield running


class Viewer:
    """A connection that takes bytes only when it is told to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def start(self) -> int:
        """Read the head of a 200; gives the length of the body."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        return int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])

    async def some(self, count: int) -> bytes:
        return await self._reader.readexactly(count)

    async def digest_of_the_rest(self, length: int) -> bytes:
        digest = hashlib.sha256()
        while length:
            data = await self._reader.read(min(length, 65536))
            assert data, f"the connection ended {length} bytes too early"
            digest.update(data)
            length -= len(data)
        return digest.digest()

    def vanish(self) -> None:
        """Break the connection off, as a machine does that is switched off and on."""
        self._writer.transport.abort()


@asynccontextmanager
async def viewing(bridge: Bridge, url: str, *, small_buffer: bool = False) -> AsyncIterator[Viewer]:
    """Ask for a file. With `small_buffer` the system takes little that the viewer has not asked for."""
    client = socket.socket()
    if small_buffer:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setblocking(False)
    await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", bridge.client.base_url.port))
    reader, writer = await asyncio.open_connection(sock=client, limit=65536)
    writer.write(f"GET {url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    viewer = Viewer(reader, writer)
    try:
        yield viewer
    finally:
        viewer.vanish()


async def seen(bridge: Bridge, url: str) -> bytes:
    """Look at the whole file; gives its digest."""
    async with viewing(bridge, url) as viewer:
        return await viewer.digest_of_the_rest(await viewer.start())


class Peaks:
    """The most memory (bytes above that at the start) and descriptors in use while the block runs."""

    def __init__(self) -> None:
        self.memory = 0
        self.descriptors = 0

    async def __aenter__(self) -> Peaks:
        self._before = PROCESS.memory_info().rss
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        self._look()

    async def _watch(self) -> None:
        while True:
            self._look()
            await asyncio.sleep(0.05)

    def _look(self) -> None:
        self.memory = max(self.memory, PROCESS.memory_info().rss - self._before)
        self.descriptors = max(self.descriptors, PROCESS.num_fds())


async def test_200_viewers_of_a_cold_video_cause_one_download_and_hold_little_memory(bridge: Bridge) -> None:
    bridge.source.delay = 0.01
    url = bridge.put(CLIP, "video", mime_type="video/mp4")
    async with asyncio.timeout(60), Peaks() as peaks:
        digests = await asyncio.gather(*[seen(bridge, url) for _ in range(200)])
    assert Counter(digests) == {hashlib.sha256(CLIP).digest(): 200}
    asked = bridge.source.parts_of("video")
    assert len(asked) == len(set(asked))
    # Held whole for each of them, it would be 600 MB.
    assert peaks.memory < 150 * MIB


async def test_1000_requests_for_50_files_at_once_cold_and_warm(bridge: Bridge) -> None:
    contents = {f"file{number}": file_bytes(100_000 + number, f"{number}") for number in range(50)}
    urls = {name: bridge.put(content, name) for name, content in contents.items()}
    digests = {name: hashlib.sha256(content).digest() for name, content in contents.items()}
    before = PROCESS.num_fds()
    for _ in ["cold", "warm"]:
        async with asyncio.timeout(60), Peaks() as peaks:
            found = await asyncio.gather(*[seen(bridge, urls[name]) for name in contents for _ in range(20)])
        assert found == [digests[name] for name in contents for _ in range(20)]
        await bridge.settled()
        # Both ends of 1000 connections are ours; the files take one or two each.
        assert peaks.descriptors - before < 2000 + 200
        assert peaks.memory < 300 * MIB
    assert Counter(name for name, _, _ in bridge.source.asked) == Counter(contents.keys())
    assert bridge.source.most_files <= 3


@pytest.mark.parametrize("kind", ["whole", "on its way"])
async def test_viewers_that_stall_hold_up_nobody_and_hold_little_memory(bridge: Bridge, kind: str) -> None:
    if kind == "whole":
        url = await bridge.stored(VIDEO, "video", mime_type="video/mp4")
    else:
        bridge.source.delay = 0.01
        url = bridge.put(VIDEO, "video", mime_type="video/mp4")
    stalled = [viewing(bridge, url, small_buffer=True) for _ in range(50)]
    before = PROCESS.num_fds()
    async with asyncio.timeout(60), Peaks() as peaks:
        for context in stalled:
            viewer = await context.__aenter__()
            await viewer.start()
        async with viewing(bridge, url) as slow:
            length = await slow.start()
            # 10 KB a second, for a while.
            began = b""
            while len(began) < 5000:
                began += await slow.some(1000)
                await asyncio.sleep(0.1)
            assert began == VIDEO[:5000]
            # The download does not wait for them, nor do other viewers.
            await bridge.settled()
            assert await seen(bridge, url) == DIGEST
            rest = await slow.digest_of_the_rest(length - len(began))
            assert rest == hashlib.sha256(VIDEO[5000:]).digest()
    # Twice a chunk for each, and what the interpreter keeps for later.
    assert peaks.memory < 50 * MIB
    for context in stalled:
        await context.__aexit__(None, None, None)
    await until(lambda: PROCESS.num_fds() <= before + 2)


async def test_viewers_that_vanish_at_any_moment_leave_nothing_behind(bridge: Bridge) -> None:
    bridge.source.delay = 0.01
    url = bridge.put(VIDEO, "video", mime_type="video/mp4")
    assert (await bridge.client.head("/")).status_code == 404
    before, tasks = PROCESS.num_fds(), len(asyncio.all_tasks())

    async def glance(count: int) -> None:
        async with viewing(bridge, url) as viewer:
            if count:
                await viewer.start()
                await viewer.some(count)

    for _ in ["cold", "warm"]:
        await asyncio.gather(*[glance(count) for count in [0, 1, 100_000, PART_SIZE, 3 * MIB] for _ in range(10)])
        await bridge.settled()
        # One descriptor of the file stays open for those who come next.
        await until(lambda: PROCESS.num_fds() <= before + 1)
        await until(lambda: len(asyncio.all_tasks()) <= tasks)
        assert await seen(bridge, url) == DIGEST
