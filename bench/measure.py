"""Each row of the performance table, measured on the running product."""

from __future__ import annotations

import asyncio
import re
import statistics
import sys
import time
from functools import partial
from pathlib import Path

import psutil

from bench import exports
from bench.load import ask, probe, wrk
from bench.rendering import median_render_ms, median_update_ms
from bench.table import Row
from bench.transfer import download
from demo.processes import DIRECT, Child, http_json, poll_until
from demo.product import ROOT, Product, bridge_environment, free_port

LATENCY_S = 0.05
MIB = 2**20
COLD_CHANNELS = 50


class Measurement:
    """Measures one running product; `rows` fills as `run` goes on. Each load lasts `seconds`."""

    def __init__(self, product: Product, data_path: Path, seconds: int) -> None:
        self._product = product
        self._data_path = data_path
        self._seconds = seconds
        self._base = f"http://127.0.0.1:{product.port}"
        self.rows: list[Row] = []

    async def run(self) -> None:
        """Measure everything, cold paths before warm ones."""
        self._add("memory, idle", "MB", self._memory_mb(), 80)
        await self._start()
        await self._parallel_cold_readers()
        await self._many_channels()
        await self._feeds()
        await self._render()
        await self._media()
        self._add("new post in a joined channel, visible", "s", None, 2, note="live updates are not built yet")

    def _add(
        self, name: str, unit: str, value: float | None, target: float, *, at_least: bool = False, note: str = ""
    ) -> None:
        self.rows.append(Row(name, unit, value, target, at_least, note))
        print(f"{name} ...", file=sys.stderr, flush=True)

    def _memory_mb(self) -> float:
        resident: int = psutil.Process(self._product.bridge.pid).memory_info().rss
        return resident / 1e6

    async def _get(self, path: str) -> tuple[dict[str, str], bytes]:
        def ask() -> tuple[dict[str, str], bytes]:
            with DIRECT.open(f"{self._base}{path}", timeout=60) as answer:
                return {name.lower(): value for name, value in answer.headers.items()}, answer.read()

        return await asyncio.to_thread(ask)

    async def _start(self) -> None:
        """How long a second bridge, without a session, takes to answer its first /ping."""
        times = []
        for attempt in range(3):
            port, folder = free_port(), self._data_path / f"start-{attempt}"
            environment = bridge_environment(folder, port, {"LOG_LEVEL": "CRITICAL"})
            began = time.perf_counter()
            command = [sys.executable, str(ROOT / "api_server.py"), "--no-env-file"]
            async with Child("the second bridge", command, ROOT, environment) as second:
                await second.guard(poll_until(partial(ask, port, "/ping"), 30, pause_s=0.005))
                times.append(time.perf_counter() - began)
        self._add("start to first /ping", "s", statistics.median(times), 0.6)

    async def _parallel_cold_readers(self) -> None:
        await http_json("DELETE", self._product.control_port, "/calls")
        await asyncio.gather(*(self._get("/rss/bench_1?limit=50") for _ in range(10)))
        calls = await http_json("GET", self._product.control_port, "/calls")
        asked = {name: count for name, count in calls.items() if not name.startswith("ping")}
        self._add("10 parallel cold readers of one channel", "calls", sum(asked.values()), 3)

    async def _many_channels(self) -> None:
        for index in range(COLD_CHANNELS):
            await self._get(f"/rss/bench_{index}?limit=100")
        self._add("memory, 50 channels of 100 posts", "MB", self._memory_mb(), 100)

    async def _feeds(self) -> None:
        path = f"/rss/{exports.MIXED_CHANNEL}?limit=100"
        headers, _ = await self._get(path)
        warm = await wrk(self._base + path, seconds=self._seconds)
        self._add("warm /rss, 100 posts, 4 connections", "req/s", warm.requests_s, 1000, at_least=True)
        self._add("warm /rss, p50", "ms", warm.p50_ms, 5)
        unchanged = {"If-None-Match": headers["etag"]}
        conditional = await wrk(self._base + path, seconds=self._seconds, headers=unchanged, status=304)
        self._add("conditional GET, unchanged", "req/s", conditional.requests_s, 2000, at_least=True)
        load = asyncio.create_task(wrk(self._base + path, seconds=self._seconds))
        await asyncio.sleep(0.5)
        ping = await probe(self._product.port, "/ping", seconds=self._seconds - 1)
        await load
        self._add("/ping under 4 feed clients, p99", "ms", ping.p99_ms, 10)
        self._add("/ping under 4 feed clients, max", "ms", ping.max_ms, 30)

    async def _render(self) -> None:
        database = self._data_path / "bridge.db"
        took = await median_render_ms(database, exports.MIXED_CHANNEL_ID)
        self._add("cold render, 100 messages in the cache", "ms", took, 15)
        took = await median_update_ms(database, exports.MIXED_CHANNEL_ID)
        self._add("render after one new message", "ms", took, 3)

    async def _ping_under_everything(self, file_url: str) -> None:
        """/ping while four clients get feeds that have to be rendered, and a large file goes out again and again."""
        rendering = asyncio.create_task(
            wrk(f"{self._base}/rss/bench_CHANNEL?limit=LIMIT", seconds=self._seconds, channels=COLD_CHANNELS)
        )
        sending = asyncio.create_task(wrk(file_url, connections=1, seconds=self._seconds))
        await asyncio.sleep(0.5)
        ping = await probe(self._product.port, "/ping", seconds=self._seconds - 1)
        load, _ = await asyncio.gather(rendering, sending)
        note = f"{load.requests_s:.0f} renders/s beside it"
        self._add("/ping under 4 cold feed clients and a 100 MB file, p99", "ms", ping.p99_ms, 10, note=note)
        self._add("/ping under 4 cold feed clients and a 100 MB file, max", "ms", ping.max_ms, 30)

    async def _media(self) -> None:
        _, feed = await self._get(f"/rss/{exports.FILES_CHANNEL}")
        addresses = set(re.findall(rf"{re.escape(self._base)}/media/[^\s\"'<>&]+", feed.decode()))
        by_post = {int(address.split("/")[5]): address for address in sorted(addresses)}
        photo, cached, uncached = (
            by_post[number] for number in (exports.SMALL_PHOTO, exports.CACHED_VIDEO, exports.UNCACHED_VIDEO)
        )
        await http_json("PATCH", self._product.control_port, "/network", {"latency": LATENCY_S})
        video = await download(uncached)
        self._add("uncached 64 MiB video at 50 ms", "s", video.total_s, 1.4)
        self._add("uncached 64 MiB video, first byte", "ms", video.first_byte_s * 1e3, 200)
        await http_json("PATCH", self._product.control_port, "/network", {"latency": 0})
        await download(photo)
        await download(cached)
        await self._ping_under_everything(cached)
        small = await wrk(photo, seconds=self._seconds)
        self._add("cached media, 50 KB", "req/s", small.requests_s, 3000, at_least=True)
        part = await wrk(cached, seconds=self._seconds, headers={"Range": "bytes=1000000-1065535"}, status=206)
        self._add("cached media, 64 KB ranges", "req/s", part.requests_s, 3000, at_least=True)
        whole = await wrk(cached, seconds=self._seconds)
        self._add("cached media, 100 MB, 4 connections", "MB/s", whole.bytes_s / 1e6, 1000, at_least=True)
        best = max([await download(cached) for _ in range(5)], key=lambda transfer: transfer.size / transfer.total_s)
        self._add("cached media, 100 MB", "MB/s", best.size / best.total_s / 1e6, 1500, at_least=True)
