"""A real browser plays what is media and runs nothing of what is not."""

from __future__ import annotations

import asyncio
import io
import math
import struct
import wave
from pathlib import Path

import pytest
from media_source import MemorySource
from PIL import Image
from playwright.async_api import Error, Locator, async_playwright
from test_routes_media import serving


def picture() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (40, 30), "teal").save(stream, "JPEG")
    return stream.getvalue()


def tone(seconds: int) -> bytes:
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(n / 3))) for n in range(8000 * seconds)))
    return stream.getvalue()


async def seeks(player: Locator) -> tuple[float, float]:
    """Let a player seek; gives its duration and where it stands then, in seconds.

    Asked again and again, since a locked document's event handlers do not run.
    """
    async with asyncio.timeout(10):
        while not await player.evaluate("element => element.readyState"):
            assert await player.evaluate("element => element.error && element.error.message") is None
            await asyncio.sleep(0.02)
        await player.evaluate("element => { element.currentTime = 20 }")
        while await player.evaluate("element => element.seeking || element.readyState < 2"):
            await asyncio.sleep(0.02)
    duration, position = await player.evaluate("element => [element.duration, element.currentTime]")
    return round(duration), int(position)


async def test_a_browser_shows_media_opened_by_itself_or_in_a_page_seeks_in_it_and_runs_nothing_else(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, MemorySource()) as bridge, async_playwright() as playwright:
        base = str(bridge.client.base_url).rstrip("/")
        sound = base + bridge.put(tone(30), "sound", mime_type="audio/wav")
        image = base + bridge.put(picture(), "image", mime_type="image/jpeg")
        script = b"<!DOCTYPE html><script>document.title = 'it ran'</script>"
        trap = base + bridge.put(script, "trap", mime_type="image/png")
        browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        try:
            page = await browser.new_page()
            # By itself.
            await page.goto(sound)
            assert await seeks(page.locator("video, audio")) == (30, 20)
            await page.goto(image)
            assert await page.locator("img").evaluate("element => element.naturalWidth") == 40
            # In a page of another origin, as readers show it.
            await page.goto(f"http://localhost:{bridge.client.base_url.port}/page/reader")
            await page.set_content(f"<img src='{image}'><audio preload='metadata' src='{sound}'></audio>")
            assert await seeks(page.locator("audio")) == (30, 20)
            assert await page.locator("img").evaluate("element => element.naturalWidth") == 40
            # What is no media is saved.
            with pytest.raises(Error, match="Download is starting"):
                await page.goto(trap)
            await page.set_content(f"<iframe src='{trap}'></iframe>")
            await page.wait_for_timeout(200)
            assert await page.title() != "it ran"
            assert [await frame.title() for frame in page.frames[1:]] in ([], [""])
        finally:
            await browser.close()
