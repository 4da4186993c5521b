"""Pages say which files Telegram does not have any more, once that is known: the service on the wire."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx
from demo_process import write_export
from service import serving

from media_cache.failures import GONE_TTL
from tgserver import Server
from tgserver.export import load_export
from tgserver.world import ServedFile, World

NAME = "-1001555000111"
NOTE = "Photo: no longer at Telegram"
NOW = 1_796_126_400.0


def photo(number: int, **fields: object) -> dict[str, object]:
    """A message of an export that was made without its photo."""
    left_out = "(File not included. Change data exporting settings to download.)"
    at = {"id": number, "type": "message", "date_unixtime": str(1_741_064_767 + number)}
    return at | {"photo": left_out, "photo_file_size": 9, "width": 90, "height": 60, "text": "", **fields}


async def pictures(client: httpx.AsyncClient, path: str) -> list[str]:
    """The addresses of the pictures on the page, as paths."""
    page = (await client.get(path)).raise_for_status().text
    return [httpx.URL(url).path for url in re.findall(r'<img src="([^"]*/media/[^"]*)"', page)]


async def test_a_page_shows_a_note_where_a_file_was_found_to_be_gone_and_the_file_when_it_is_back(
    tmp_path: Path,
) -> None:
    world = World()
    (chat,) = load_export(write_export(tmp_path / "export", "Notes", [photo(1), photo(2)]), world)
    time = [NOW]
    async with (
        Server(world) as server,
        serving(server, tmp_path / "bridge", clock=lambda: time[0]) as client,
    ):
        # Nothing is known yet: the words for the picture are there for as long as it is not.
        shown = await pictures(client, f"/html/{NAME}")
        assert len(shown) == 2
        assert (await client.get(shown[0])).status_code == 404

        async with asyncio.timeout(10):
            # Who asked for the file is told before that is noted.
            while (await client.get(f"/html/{NAME}")).text.count(NOTE) != 1:
                await asyncio.sleep(0.02)
        assert await pictures(client, f"/html/{NAME}") == shown[1:]
        assert NOTE in (await client.get(f"/html/{NAME}/2")).text
        # Readers keep posts for years, by which time the file may be back.
        assert NOTE not in (await client.get(f"/rss/{NAME}?raw=1")).text

        message: Any = chat.messages[2]
        lost = message.media.photo
        for size in lost.sizes:
            world.add_file(
                ServedFile(
                    lost.id, lost.access_hash, lost.file_reference, 9, b"\xff\xd8\xff image", thumb_size=size.type
                )
            )
        time[0] += GONE_TTL
        assert await pictures(client, f"/html/{NAME}") == shown
        assert (await client.get(shown[0])).status_code == 200
        assert NOTE not in (await client.get(f"/html/{NAME}/2")).text
