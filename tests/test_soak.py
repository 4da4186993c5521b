"""Two minutes of everything that can go wrong with Telegram: nothing wrong is served, and nothing stays behind.

The seed is printed; SOAK_SEED replays it, as far as time allows.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest
from soak_faults import Storm
from soak_readers import FEEDS, Readers
from soak_service import Holdings, ServiceProcess
from soak_world import FAR_DC, HOME_DC, Channels

from media_cache.layout import MediaFolder, is_part
from telegram.session_file import SessionFile
from tgserver import Server
from tgserver.accounts import AuthKey

CONCURRENCY, TRANSMISSIONS = 2, 3
# Impatient, so that a lot happens in two minutes.
SETTINGS = {
    "TG_RPC_CONCURRENCY": str(CONCURRENCY),
    "TG_RPC_MIN_INTERVAL_MS": "20",
    "TG_RPC_TIMEOUT": "2",
    "TG_MAX_CONCURRENT_TRANSMISSIONS": str(TRANSMISSIONS),
    "TG_WATCHDOG_INTERVAL": "2",
    "TG_WATCHDOG_TIMEOUT": "1",
    "HISTORY_CACHE_TTL_MINUTES": "0",
    # Files are to be on their way as long as the storm lasts, and not all there after the first minute.
    "MEDIA_WARM": "false",
    "LOG_LEVEL": "INFO",
}
WARM_UP_S, STORM_S = 20, 60
# Seconds from the end of all faults to a connection that stands, and to fresh feeds of all channels.
CONNECTED_WITHIN, HEALTHY_WITHIN = 45, 90
LARGEST_FILE = 1_500_000
# Against the end of the warm-up, whose peaks are lower: it does not read all files, nor log in anew.
MEMORY_RATIO, MEMORY_SLACK = 1.1, 4 * 2**20


@pytest.mark.slow
async def test_after_two_minutes_of_faults_the_service_is_healthy_and_has_leaked_nothing(tmp_path: Path) -> None:
    seed = int(os.environ.get("SOAK_SEED") or random.randrange(10**6))
    print(f"SOAK_SEED={seed}")
    draw = random.Random(seed)
    channels = Channels(12, 40, largest=LARGEST_FILE)
    (tmp_path / "data").mkdir()
    async with Server(channels.world) as server:
        await server.write_session_file(SessionFile(tmp_path / "data").path)
        service = ServiceProcess(server, tmp_path, **SETTINGS)
        try:
            await service.start()
            await service.until_connected(20)
            soak = Soak(service, server, channels, draw)
            await soak.run()
            assert await service.stop() == 0
        finally:
            service.kill()
        soak.judge()


class Soak:
    """The storm, what is measured before and after it, and what is demanded at its end."""

    def __init__(self, service: ServiceProcess, server: Server, channels: Channels, draw: random.Random) -> None:
        self._service = service
        self._server = server
        self._channels = channels
        self._readers = Readers(service, channels, draw)
        self._storm = Storm(server, channels, draw)
        self._draw = draw

    async def run(self) -> None:
        """The two minutes. Raises AssertionError for what is wrong after a storm."""
        began = time.monotonic()
        async with self._readers.at_work(count=2, pause=0.4):
            await self._storm.rage(WARM_UP_S, pause=0.7)
        await self._recover()
        await self._fill_caches()
        before, memory = await self._quiet(), self._service.memory()
        async with self._readers.at_work(count=2, pause=0.4):
            await self._storm.rage(STORM_S, pause=0.9)
        await self._recover()
        await self._calls_run_side_by_side()
        await self._log_in_anew()
        await self._all_files_are_right()
        print(f"all files read {time.monotonic() - began:.1f} s after the start")
        await self._fill_caches()
        after = await self._settled(before)
        self._report(memory, self._service.memory())
        self._no_leak(before, after)
        assert self._service.memory() <= memory * MEMORY_RATIO + MEMORY_SLACK
        self._folder_is_clean()

    def judge(self) -> None:
        """Look at what was noted in all that time."""
        assert self._readers.wrong == []
        assert self._service.complaints() == []
        pings = sorted(self._readers.pings)
        assert statistics.median(pings) < 0.05
        assert pings[int(len(pings) * 0.99)] < 1

    def _report(self, before: int, after: int) -> None:
        """For whoever reads the output: what happened, and what it cost."""
        pings = sorted(self._readers.pings)
        print(f"memory {before / 2**20:.1f} MiB, then {after / 2**20:.1f} MiB: {after / before:.3f}")
        print(f"faults {dict(self._storm.met)}\nmet {dict(self._storm.hits())}")
        print(f"answers {dict(sorted(self._readers.statuses.items()))}")
        slowest = {kind: round(seconds, 1) for kind, seconds in self._readers.slowest.items()}
        print(f"slowest {slowest}")
        print(f"pings {len(pings)}, median {statistics.median(pings):.4f} s, slowest {pings[-3:]}")

    async def _recover(self) -> None:
        """No more faults: soon the service is connected, and all feeds are fresh and right."""
        await self._storm.end()
        began = time.monotonic()
        await self._service.until_connected(CONNECTED_WITHIN)
        print(f"connected {time.monotonic() - began:.1f} s after the faults")
        async with asyncio.timeout(HEALTHY_WITHIN), self._service.client() as client:
            for name in self._channels.names:
                for kind in FEEDS:
                    while not await self._readers.feed(client, name, kind):
                        await asyncio.sleep(0.2)
        print(f"all feeds fresh {time.monotonic() - began:.1f} s after the faults")

    async def _fill_caches(self) -> None:
        """Have as many documents made as are kept, so that what is kept on purpose is no growth."""
        async with self._service.client() as client:
            for limit in range(30, 34):
                for name in self._channels.names:
                    for kind in FEEDS:
                        await client.get(f"/{kind}/{name}", params={"limit": limit})

    async def _calls_run_side_by_side(self) -> None:
        """No permit of the gate is lost, and no turn of a download."""
        self._server.latency = 0.3
        async with self._service.client() as client:
            most = 0
            reading = [
                asyncio.create_task(self._readers.feed(client, name, "rss")) for name in self._channels.names[:6]
            ]
            while not all(read.done() for read in reading):
                most = max(most, (await client.get("/health")).json()["gate"]["in_flight"])
                await asyncio.sleep(0.02)
            await asyncio.gather(*reading)
        self._server.latency = 0.0
        assert most == CONCURRENCY

    async def _log_in_anew(self) -> None:
        """Telegram ends the login: the service says so, and goes on with the next one, without a restart."""
        account = self._server.account
        self._server.revoke(account)
        async with asyncio.timeout(20), self._service.client() as client:
            while (state := (await client.get("/ping")).json())["status"] == "ok" or "login" not in state["reason"]:
                await self._readers.feed(client, self._channels.names[0], "rss")
                await asyncio.sleep(0.1)
        account.auth_key = AuthKey(os.urandom(256), account=account)
        self._server.main_dc.add_key(account.auth_key)
        await self._server.write_session_file(SessionFile(self._service.data).path)
        await self._service.until_connected(20)

    async def _all_files_are_right(self) -> None:
        """Each file comes whole, and as many at a time as may; one more for each that its data center keeps waiting."""
        most = 0
        self._server.latency = 0.1
        async with asyncio.timeout(120), self._service.client() as client:
            readers = asyncio.Semaphore(4 * TRANSMISSIONS)
            missing = [
                asyncio.create_task(self._until_whole(client, readers, path)) for path in sorted(self._readers.media)
            ]
            while not all(task.done() for task in missing):
                most = max(most, (await client.get("/health")).json()["media"]["running"])
                if most >= TRANSMISSIONS:
                    self._server.latency = 0.0
                await asyncio.sleep(0.05)
            await asyncio.gather(*missing)
        self._server.latency = 0.0
        assert most >= TRANSMISSIONS

    async def _until_whole(self, client: httpx.AsyncClient, readers: asyncio.Semaphore, path: str) -> None:
        async with readers:
            while not await self._readers.file(client, path):
                await asyncio.sleep(1)

    async def _quiet(self) -> Holdings:
        """What the process holds when nobody asks and nothing is under way, one file of each data center read."""
        await self._reach_both_data_centers()
        async with asyncio.timeout(30):
            while True:
                health = await self._service.health()
                gate, media = health["gate"], health["media"]
                if not (gate["in_flight"] or gate["queued_interactive"] or gate["queued_background"]) and not (
                    media["running"] or media["waiting"]
                ):
                    break
                await asyncio.sleep(0.2)
            # Calls that nobody waits for any more end with their own timeouts.
            while (found := await self._service.holdings()).unanswered:
                await asyncio.sleep(0.5)
        return found

    async def _settled(self, before: Holdings) -> Holdings:
        """As `_quiet`; a task that is about to end gets some time for it."""
        after = await self._quiet()
        deadline = time.monotonic() + 40
        while Counter(after.tasks) - Counter(before.tasks) and time.monotonic() < deadline:
            await asyncio.sleep(1)
            after = await self._quiet()
        return after

    async def _reach_both_data_centers(self) -> None:
        """Read a file that is not stored yet of each, so that both have their connection."""
        async with asyncio.timeout(60), self._service.client() as client:
            for dc_id in (HOME_DC, FAR_DC):
                while not any(each.media for each in self._server.connections(dc_id)):
                    name = self._draw.choice(self._channels.names)
                    post_id = self._channels.post(self._server, name)
                    while post_id % 2:
                        post_id = self._channels.post(self._server, name)
                    self._server.move_files(dc_id, [self._channels.file_id(name, post_id)])
                    await self._readers.feed(client, name, "rss")
                    for path in [path for path in self._readers.media if f"/{post_id}/" in path]:
                        await self._readers.file(client, path)

    def _no_leak(self, before: Holdings, after: Holdings) -> None:
        assert Counter(after.tasks) - Counter(before.tasks) == Counter()
        assert Counter(after.threads) - Counter(before.threads) - Counter(_pool(after)) == Counter()
        assert Counter(_no_media(after)) - Counter(_no_media(before)) == Counter()
        assert after.sessions == before.sessions == len(self._server.connections()) == 3
        growth = {kind: count - before.objects.get(kind, 0) for kind, count in after.objects.items()}
        print(f"grown {dict(sorted(growth.items(), key=lambda item: -item[1])[:15])}")

    def _folder_is_clean(self) -> None:
        """No file in the making, and all others are whole."""
        files = list(MediaFolder(self._service.data / "media").files())
        assert files
        assert [path for path in files if is_part(path)] == []
        contents = set(self._readers.media.values())
        assert [path for path in files if path.read_bytes() not in contents] == []


def _pool(holdings: Holdings) -> list[str]:
    """Threads of the pool that does whatever blocks: it grows to its size and stays."""
    return [name for name in holdings.threads if name.startswith("work_")]


def _no_media(holdings: Holdings) -> list[str]:
    """Open descriptors, less files of the media folder, which are kept open up to a number."""
    media = [path for path in holdings.descriptors if "/media/" in path]
    assert len(media) <= 128
    assert [path for path in media if path.endswith("(deleted)") or ".part." in path] == []
    return [path for path in holdings.descriptors if "/media/" not in path]
