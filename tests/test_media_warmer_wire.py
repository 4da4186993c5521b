"""The warmer in the whole service: a feed is polled, and its files are on the disk."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from media_source import on_disk
from pyrogram import raw
from service import serving, until_connected
from telegram_world import FAR_FILE, FILE, NEWS, document, small_world

from tgserver import Action, Server
from tgserver.crypto.rsa import RsaKey

# What the feed of the small world names: FILE in three parts, FAR_FILE in one.
PARTS = 4
LARGE = 3 * 1000 * 1000


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    return RsaKey.generate()


@pytest.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    world = small_world()
    news = world.channel(NEWS)
    assert news is not None
    post = news.messages[145]
    assert isinstance(post, raw.types.Message)
    post.media = document(world, 700, bytes(LARGE))
    async with Server(world, rsa_key=rsa_key) as running:
        yield running


async def warmer(client: httpx.AsyncClient) -> dict[str, Any]:
    health = (await client.get("/health")).json()
    told: dict[str, Any] = health["warmer"]
    return told


async def until_warm(client: httpx.AsyncClient, warmed: int = 2) -> dict[str, Any]:
    async with asyncio.timeout(20):
        while True:
            told = await warmer(client)
            if told["warmed"] >= warmed and not told["queued"]:
                return told
            await asyncio.sleep(0.02)


def contents(folder: Path) -> list[bytes]:
    return sorted((path.read_bytes() for path in on_disk(folder) if ".part." not in path.name), key=len)


async def test_what_a_polled_feed_names_is_on_the_disk_though_nobody_asked_for_it(
    server: Server, tmp_path: Path
) -> None:
    async with serving(server, tmp_path, media_warm=True, media_warm_max_mb=2) as client:
        feed = (await client.get("/rss/news")).text
        assert await until_warm(client) == {"queued": 0, "warmed": 2, "failed": 0, "paused": ""}
        # The larger file is left to those who ask.
        assert contents(tmp_path) == [FAR_FILE, FILE]
        assert server.calls["upload.getFile"] == PARTS
        assert server.calls["channels.getMessages"] == 0

        # Neither more polls nor requests for the files cost another call.
        await client.get("/atom/news")
        await client.get("/rss/news?limit=20")
        for url in re.findall(r'href="(https?://[^"]+/media/[^"]+)"', feed):
            if "/145/" not in url:
                assert (await client.get(url)).status_code == 200
        await until_warm(client)
        assert server.calls["upload.getFile"] == PARTS
        assert server.calls["channels.getMessages"] == 0

    # After a restart it goes on from what is polled, and there is nothing to do.
    server.forget_calls()
    async with serving(server, tmp_path, logged_in=False, media_warm=True, media_warm_max_mb=2) as client:
        await until_connected(client)
        await client.get("/rss/news")
        await until_warm(client, 0)
        assert server.calls["upload.getFile"] == 0


async def test_nothing_is_fetched_for_channels_that_nobody_polls_or_when_switched_off(
    server: Server, tmp_path: Path
) -> None:
    async with serving(server, tmp_path, media_warm=False) as client:
        await client.get("/rss/news")
        assert (await warmer(client))["paused"] == "MEDIA_WARM is off"
        assert server.calls["upload.getFile"] == 0
    async with serving(server, tmp_path, media_warm=True) as client:
        await client.get(f"/rss/{-1000000004004}")
        await asyncio.sleep(0.2)
        assert server.calls["upload.getFile"] == 0


async def test_a_flood_wait_pauses_it_and_it_resumes_by_itself(server: Server, tmp_path: Path) -> None:
    server.fail("upload.getFile", "FLOOD_WAIT_3", 1)
    async with serving(server, tmp_path, media_warm=True, media_warm_max_mb=2) as client:
        await client.get("/rss/news")
        async with asyncio.timeout(10):
            while not (told := await warmer(client))["paused"]:
                await asyncio.sleep(0.02)
        assert "pause" in told["paused"]
        asked = server.calls["upload.getFile"]
        await asyncio.sleep(1)
        assert server.calls["upload.getFile"] == asked
        assert (await until_warm(client))["failed"] == 0
        assert contents(tmp_path) == [FAR_FILE, FILE]


async def test_an_expired_reference_costs_one_look_at_the_post(server: Server, tmp_path: Path) -> None:
    server.fault(Action.ERROR, "upload.getFile", 1, error="FILE_REFERENCE_EXPIRED", code=400)
    async with serving(server, tmp_path, media_warm=True, media_warm_max_mb=2) as client:
        await client.get("/rss/news")
        await until_warm(client)
        assert server.calls["channels.getMessages"] == 1
        assert contents(tmp_path) == [FAR_FILE, FILE]


async def test_a_viewer_is_served_while_the_warmer_is_held_up(server: Server, tmp_path: Path) -> None:
    async with serving(
        server, tmp_path, media_warm=True, media_warm_max_mb=2, tg_max_concurrent_transmissions=2
    ) as client:
        # Data center 4, with the first file that is warmed, answers late.
        server.fault(Action.DELAY, "upload.getFile", 1, dc_id=4, seconds=5)
        feed = (await client.get("/rss/news")).text
        async with asyncio.timeout(10):
            while not server.calls["upload.getFile"]:
                await asyncio.sleep(0.02)
        assert (await warmer(client))["warmed"] == 0
        (url,) = {url for url in re.findall(r'href="(https?://[^"]+/media/[^"]+)"', feed) if "/140/" in url}
        assert (await client.get(url, timeout=4)).content == FILE
        assert (await warmer(client))["warmed"] == 0
