"""The service killed at random moments, and started again on what it left behind.

The seed is printed; KILL_SEED replays it, as far as time allows.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from soak_readers import FEEDS, Readers, shown_posts
from soak_service import ServiceProcess
from soak_world import Channels

from media_cache.layout import MediaFolder, is_part
from telegram.session_file import SessionFile
from tgserver import Server

KILLS = 8
# The longest that a process is let live once it listens. Kurigram is loaded, and the line stands, within a second.
LIFE_S = 2.0
# A busy machine has time enough for a start, a check of the database, and a login.
LISTENS_WITHIN, CONNECTED_WITHIN = 20, 20
POSTS = 24
# Nothing is posted in the first of the channels.
STILL = 2
FLOOD_S = 900
SETTINGS = {
    "TG_RPC_CONCURRENCY": "2",
    "TG_RPC_MIN_INTERVAL_MS": "0",
    "TG_RPC_TIMEOUT": "5",
    "HISTORY_CACHE_TTL_MINUTES": "0",
}


@pytest.fixture
async def killing(tmp_path: Path) -> AsyncIterator[Killing]:
    """The service, running and connected, and those who use it."""
    seed = int(os.environ.get("KILL_SEED") or random.randrange(10**6))
    print(f"KILL_SEED={seed}")
    channels = Channels(6, POSTS, largest=2_000_000)
    (tmp_path / "data").mkdir()
    async with Server(channels.world) as server:
        await server.write_session_file(SessionFile(tmp_path / "data").path)
        # Slow enough that files are on their way whenever it ends.
        server.latency, server.bandwidth = 0.02, 3_000_000.0
        service = ServiceProcess(server, tmp_path, **SETTINGS)
        try:
            await service.start()
            await service.until_connected(CONNECTED_WITHIN)
            yield Killing(service, server, channels, random.Random(seed))
        finally:
            service.kill()


class Killing:
    """The service, and what is demanded of what it leaves behind."""

    def __init__(self, service: ServiceProcess, server: Server, channels: Channels, draw: random.Random) -> None:
        self.service = service
        self.server = server
        self.channels = channels
        self.draw = draw
        self.readers = Readers(service, channels, draw)
        self.folder = MediaFolder(service.data / "media")
        # What was found after kills, to see that they hit something.
        self.partials = self.whole = self.longest_start = 0.0

    async def documents(self) -> dict[str, tuple[str, frozenset[int]]]:
        """ETag and posts of each document of the channels in which nothing happens."""
        found = {}
        async with self.service.client() as client:
            for name in self.channels.names[:STILL]:
                for kind in FEEDS:
                    await self.readers.feed(client, name, kind)
                    answer = await client.get(f"/{kind}/{name}")
                    assert answer.status_code == 200
                    found[f"/{kind}/{name}"] = answer.headers["etag"], frozenset(shown_posts(kind, answer))
        return found

    async def live(self, seconds: float) -> None:
        """Let the process work hard for so long: readers, and posts for them to read."""
        deadline = time.monotonic() + seconds
        async with self.service.client() as client:
            readers = [asyncio.create_task(self._read_on(client)) for _ in range(6)]
            while time.monotonic() < deadline:
                name = self.draw.choice(self.channels.names[STILL:])
                if len(self.channels.ids(name)) < 2 * POSTS:
                    self.channels.post(self.server, name)
                await asyncio.sleep(min(0.05, max(0.0, deadline - time.monotonic())))
            self.service.kill()
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)

    async def _read_on(self, client: httpx.AsyncClient) -> None:
        while True:
            name = self.draw.choice(self.channels.names)
            if self.readers.media and self.draw.random() < 0.7:
                await self.readers.file(client, self.draw.choice(list(self.readers.media)))
            else:
                await self.readers.feed(client, name, self.draw.choice(FEEDS))
            await asyncio.sleep(0.01)

    def look_at_the_dead(self) -> None:
        """Whatever has its final name is whole, and nothing was set aside."""
        files = list(self.folder.files())
        self.partials += sum(is_part(path) for path in files)
        contents = set(self._contents())
        whole = [path for path in files if not is_part(path)]
        self.whole = len(whole)
        assert [path.name for path in whole if path.read_bytes() not in contents] == []
        assert self._set_aside() == []

    async def rise(self) -> None:
        """Start again: at once, logged in as before, with rows and files that agree."""
        began = time.monotonic()
        async with asyncio.timeout(LISTENS_WITHIN):
            await self.service.start()
        await self.service.until_connected(CONNECTED_WITHIN)
        self.longest_start = max(self.longest_start, time.monotonic() - began)
        assert self._set_aside() == []
        async with asyncio.timeout(10):
            while (await self.service.health())["tasks"]["media preparation"]["running"]:
                await asyncio.sleep(0.05)
        rows = self.rows("SELECT unique_id, size FROM media_files")
        # No one has asked for a file since the start.
        assert {path: path.stat().st_size for path in self.folder.files()} == {
            self.folder.path(unique_id): size for unique_id, size in rows
        }

    def rows(self, query: str) -> list[tuple[str, int]]:
        """Rows of the database, by another connection."""
        path = (self.service.data / "bridge.db").resolve()
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
            return [(str(key), int(value)) for key, value in database.execute(query)]

    def _set_aside(self) -> list[str]:
        return [path.name for path in self.service.data.iterdir() if ".corrupt" in path.name or ".bad" in path.name]

    def _contents(self) -> list[bytes]:
        return [file.read(0, file.size) for file in self.channels.world.files.values()]


@pytest.mark.slow
async def test_whenever_it_is_killed_it_goes_on_as_if_it_had_not_been(killing: Killing) -> None:
    before = await killing.documents()
    for _ in range(KILLS):
        await killing.live(killing.draw.uniform(0, LIFE_S))
        killing.look_at_the_dead()
        await killing.rise()
        assert await killing.documents() == before
    print(
        f"longest start {killing.longest_start:.1f} s, {killing.partials:.0f} partials, {killing.whole:.0f} whole files"
    )
    assert killing.partials
    assert killing.whole
    killing.server.latency, killing.server.bandwidth = 0.0, None
    async with killing.service.client() as client:
        for name in killing.channels.names:
            answer = await client.get(f"/feed.json/{name}")
            assert shown_posts("feed.json", answer) == killing.channels.ids(name)
            await killing.readers.feed(client, name, "feed.json")
        for path in killing.readers.media:
            assert await killing.readers.file(client, path)
    # The login was never made anew, nor was a moment's work of the last process lost.
    assert not killing.server.calls["auth.sendCode"]
    assert await killing.service.stop() == 0
    assert killing.service.complaints() == []


async def test_a_pause_that_telegram_asked_for_outlives_a_kill(killing: Killing) -> None:
    known, unknown = killing.channels.names[0], killing.channels.names[-1]
    async with killing.service.client() as client:
        assert await killing.readers.feed(client, known, "rss")
        killing.server.fail("messages.getHistory", f"FLOOD_WAIT_{FLOOD_S}", 1)
        assert not await killing.readers.feed(client, known, "rss")
    async with asyncio.timeout(5):
        while not killing.rows("SELECT scope, until_at FROM floods"):
            await asyncio.sleep(0.01)
    killing.service.kill()
    killing.server.forget_calls()
    await killing.rise()
    async with killing.service.client() as client:
        stale = await client.get(f"/rss/{known}")
        assert stale.status_code == 200
        assert "detail=flood" in stale.headers["cache-status"]
        refused = await client.get(f"/rss/{unknown}")
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 250
    assert not killing.server.calls["messages.getHistory"]
