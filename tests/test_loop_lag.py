"""Nothing on the event loop takes long, whatever the service does at the same time."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
from pyrogram import raw
from service import until_connected
from telegram_world import channel, document
from test_process import ACCOUNT, ROOT, environment

from telegram.session_file import SessionFile
from tgserver import Server, World
from tgserver.crypto.rsa import RsaKey

CHANNELS, POSTS = 4, 100
FILE_BYTES = 40 * 2**20
LIMIT_S = 0.05


def busy_world() -> World:
    """Channels of long posts with entities, and one with a large file."""
    world = World()
    text = "A line with a *link*, and words enough to make a paragraph of them. " * 20
    entities: list[Any] = [raw.types.MessageEntityBold(offset=offset, length=6) for offset in range(0, 1200, 12)]
    for number in range(CHANNELS):
        chat = world.add_chat(channel(5000 + number, f"Busy {number}", f"busy_{number}"))
        for post in range(1, POSTS + 1):
            chat.messages[post] = raw.types.Message(
                id=post,
                peer_id=raw.types.PeerChannel(channel_id=5000 + number),
                date=1_700_000_000 + post,
                message=f"{post} {text}",
                entities=entities,
                post=True,
                media=document(world, 700, bytes(FILE_BYTES)) if number == 0 and post == POSTS else None,
            )
    return world


async def test_no_turn_of_the_event_loop_is_long_under_cold_renders_a_download_and_the_database(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    rsa_key = RsaKey.generate()
    async with Server(busy_world(), rsa_key=rsa_key) as server:
        await server.write_session_file(SessionFile(data).path)
        settings = ACCOUNT | {"TG_RPC_MIN_INTERVAL_MS": "0", "HISTORY_CACHE_TTL_MINUTES": "0", "LOG_LEVEL": "ERROR"}
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("lag_process.py")), f"{rsa_key.public.n:x}"],
            cwd=ROOT,
            env=environment(tmp_path, **settings) | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        try:
            port = int(await asyncio.to_thread(process.stdout.readline))
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                await until_connected(client, within=30)
                feed = await client.get("/rss/busy_0")
                (file_url,) = set(re.findall(r"http://[^\"<]*/media/[^\"<]*", feed.text))
                process.send_signal(signal.SIGUSR1)

                async def read(number: int) -> None:
                    for limit, route in enumerate(("rss", "atom", "html", "feed.json"), start=60):
                        # Each is a document of its own, and no history has a time to live.
                        answer = await client.get(f"/{route}/busy_{number}?limit={limit}")
                        assert answer.status_code == 200

                async def view() -> int:
                    async with client.stream("GET", file_url) as answer:
                        return sum([len(piece) async for piece in answer.aiter_bytes()])

                size, *_ = await asyncio.gather(view(), *(read(number) for number in range(CHANNELS)))
            process.terminate()
            output, _ = await asyncio.to_thread(process.communicate, timeout=30)
        finally:
            process.kill()
            process.wait()
    assert (process.returncode, size) == (0, FILE_BYTES)
    assert float(output) < LIMIT_S
