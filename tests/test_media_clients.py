"""Players and podcast programs as they really are, on the whole product, with a slow way to Telegram."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
from gpodder import GPodder
from media_source import file_bytes
from playwright.async_api import async_playwright
from video_files import stretched

from demo.processes import http_json
from demo.product import Product, free_port, running

ROOT = Path(__file__).resolve().parent.parent
MIB = 1024 * 1024
VIDEO = stretched((ROOT / "demo/channels/lighthouse/video_files/beam.mp4").read_bytes(), 24 * MIB)
SECONDS = 8
SONG = b"ID3\x03\x00\x00\x00\x00\x00\x00" + b"\xff\xfb\x90\x00" + file_bytes(6 * MIB)
# What a busy machine may take.
PATIENCE_S = 60


@dataclass
class Served:
    """The running product with one channel of a video and a song."""

    product: Product
    client: httpx.AsyncClient
    feed: str
    addresses: dict[int, str]

    async def bandwidth(self, bytes_s: int | None) -> None:
        """Limit the way to Telegram."""
        await http_json("PATCH", self.product.control_port, "/network", {"bandwidth": bytes_s})

    async def downloading(self) -> int:
        """How many files are on their way from Telegram."""
        health: dict[str, Any] = (await self.client.get("/health")).json()
        running: int = health["media"]["running"]
        return running


# What is on its way is on its way for a client, and nobody else.
SETTINGS = {"TG_RPC_MIN_INTERVAL_MS": "0", "MEDIA_WARM": "false"}


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Served]:
    """The product on an export as Telegram Desktop writes it: post 1 is the video, post 2 the song."""
    export = folder / "export"
    (export / "files").mkdir(parents=True)
    (export / "files" / "film.mp4").write_bytes(VIDEO)
    (export / "files" / "song.mp3").write_bytes(SONG)
    common = {"type": "message", "date": "2025-03-04T05:06:07", "from": "Films", "from_id": "channel1555000111"}
    video: dict[str, Any] = {"file": "files/film.mp4", "media_type": "video_file", "mime_type": "video/mp4"}
    song: dict[str, Any] = {"file": "files/song.mp3", "media_type": "audio_file", "mime_type": "audio/mpeg"}
    messages = [
        {**common, "id": number, "date_unixtime": str(1_741_064_767 + number), "text": "", "text_entities": [], **file}
        for number, file in enumerate([video | {"duration_seconds": SECONDS, "width": 640, "height": 360}, song], 1)
    ]
    result = {"name": "Films", "type": "private_channel", "id": 1555000111, "messages": messages}
    (export / "result.json").write_text(json.dumps(result), "utf-8")
    port = free_port()
    async with (
        running([export], folder / "bridge", port, SETTINGS) as product,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S, trust_env=False) as client,
    ):
        feed = f"/rss/{(await product.chats())[0][0]}"
        text = (await client.get(feed)).text
        found = set(re.findall(rf"http://127.0.0.1:{port}(/media/[^\s\"'<>&]+)", text))
        addresses = {int(address.split("/")[3]): address for address in found}
        yield Served(product, client, f"http://127.0.0.1:{port}{feed}", addresses)


async def test_chromium_plays_and_seeks_a_video_that_is_still_on_its_way(tmp_path: Path) -> None:
    async with serving(tmp_path) as served, async_playwright() as playwright:
        await served.bandwidth(MIB)
        path = shutil.which("chromium")
        assert path is not None, "chromium is missing; ./run.sh test installs it"
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        try:
            page = await browser.new_page()
            await page.goto(served.feed.replace("/rss/", "/html/"))
            video = page.locator("video")

            async def until(condition: str) -> None:
                async with asyncio.timeout(PATIENCE_S):
                    while not await video.evaluate(f"element => {condition}"):
                        assert await video.evaluate("element => element.error && element.error.message") is None
                        await asyncio.sleep(0.05)

            assert await served.downloading() == 0, "a page alone loads no video"
            # Not waited for: what it promises comes with the data.
            await video.evaluate("element => { element.muted = true; element.play() }")
            await until("element.currentTime > 0.2")
            assert await served.downloading() == 1
            assert round(await video.evaluate("element => element.duration")) == SECONDS
            await video.evaluate(f"element => {{ element.currentTime = {SECONDS} - 1.5 }}")
            await until(f"!element.seeking && element.currentTime > {SECONDS} - 1.4")
            assert await served.downloading() == 1, "all that lies between was waited for"
        finally:
            await browser.close()
        await served.bandwidth(None)
        assert sha256((await served.client.get(served.addresses[1])).content).digest() == sha256(VIDEO).digest()


async def test_safari_s_probe_and_its_ranges_are_answered_exactly_while_the_video_is_on_its_way(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        await served.bandwidth(4 * MIB)
        size = len(VIDEO)
        headers = {
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "Accept-Language": "en-GB,en;q=0.9",
            "User-Agent": "AppleCoreMedia/1.0.0.21F90 (Macintosh; U; Intel Mac OS X 14_5; en_gb)",
            "X-Playback-Session-Id": "6C8E5A0C-6B0B-4C48-8C1B-0B3B5F0F8A11",
        }
        url = served.addresses[1]

        def check(response: httpx.Response, first: int, last: int) -> None:
            # Safari gives up at any other status, and when one of these is missing or wrong.
            assert response.status_code == 206
            assert response.headers["content-range"] == f"bytes {first}-{last}/{size}"
            assert response.headers["content-length"] == str(last - first + 1)
            assert response.headers["content-type"] == "video/mp4"
            assert response.headers["accept-ranges"] == "bytes"
            assert "content-encoding" not in response.headers
            assert "transfer-encoding" not in response.headers

        probe = await served.client.get(url, headers=headers | {"Range": "bytes=0-1"})
        check(probe, 0, 1)
        assert probe.content == VIDEO[:2]
        assert await served.downloading() == 1
        # The whole as a range, broken off as soon as it knows where the samples are, then from where it is played.
        for first in (0, size - 100_000):
            asked = headers | {"Range": f"bytes={first}-{size - 1}", "If-Range": probe.headers["etag"]}
            async with served.client.stream("GET", url, headers=asked) as response:
                check(response, first, size - 1)
                received = b""
                async for data in response.aiter_bytes():
                    received += data
                    if len(received) >= 65536:
                        break
                assert received == VIDEO[first : first + len(received)]
        await served.bandwidth(None)
        whole = await served.client.get(url, headers=headers | {"Range": f"bytes=0-{size - 1}"})
        check(whole, 0, size - 1)
        assert sha256(whole.content).digest() == sha256(VIDEO).digest()


async def test_gpodder_downloads_enclosures_whole_and_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        podder = GPodder(tmp_path / "gpodder")
        await podder.run("subscribe", served.feed, "Films")
        await served.bandwidth(MIB)
        process = await podder.start("download", served.feed)
        async with asyncio.timeout(PATIENCE_S):
            while not any(path.stat().st_size > MIB for path in podder.files("*.partial")):
                assert process.returncode is None
                await asyncio.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()
        await served.bandwidth(None)
        expected = {VIDEO[:1000]: VIDEO, SONG[:1000]: SONG}
        for partial in podder.files("*.partial"):
            with partial.open("r+b") as begun:
                if whole := expected.get(head := begun.read(1000)):
                    # A mark: it is still there afterwards if only the rest is asked for.
                    begun.write(b"mark")
                    expected[head] = head + b"mark" + whole[1004:]
        assert set(expected.values()) != {VIDEO, SONG}

        await podder.run("download", served.feed)
        downloaded = {sha256(path.read_bytes()).digest() for path in podder.files("*.mp*")}
        assert downloaded == {sha256(content).digest() for content in expected.values()}
