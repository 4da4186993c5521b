"""Whole documents of a demo channel in which every kind of message is, as the running service serves them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from golden_files import changes_to_golden, without_static_parts
from service import serving

from tgserver import Server
from tgserver.export import load_export
from tgserver.world import World

NOTICEBOARD = Path(__file__).resolve().parent.parent / "demo" / "channels" / "noticeboard"
# Tue, 1 Dec 2026 12:00:00 +0000
NOON = 1_796_126_400.0
DOCUMENTS = {
    "noticeboard.xml": "/rss/demo_noticeboard?limit=200&raw=1",
    "noticeboard.atom": "/atom/demo_noticeboard?limit=200&raw=1",
    "noticeboard.json": "/feed.json/demo_noticeboard?limit=200",
    "noticeboard.html": "/html/demo_noticeboard?limit=200",
}


async def test_the_documents_of_the_noticeboard_are_as_reviewed(tmp_path: Path) -> None:
    world = World()
    load_export(NOTICEBOARD, world)
    settings: dict[str, Any] = {
        "pyrogram_bridge_url": "https://bridge.example",
        # Without it, each process signs media addresses in a way of its own.
        "media_signing_secret": "golden files" * 4,
        "tz": "Europe/London",
        "show_bridge_link": True,
        "show_post_flags": True,
    }
    async with (
        Server(world) as server,
        serving(server, tmp_path / "bridge", clock=lambda: NOON, **settings) as client,
    ):
        served = {name: (await client.get(path)).raise_for_status().content for name, path in DOCUMENTS.items()}
    served["noticeboard.json"] = msgspec.json.format(served["noticeboard.json"], indent=1) + b"\n"
    served["noticeboard.html"] = without_static_parts(served["noticeboard.html"])
    changes = [changed for name, body in served.items() if (changed := changes_to_golden(name, body))]
    assert not changes, "\n".join(["Documents differ; tests/golden/README.md says what to do.", *changes])
