"""`python -m demo.make [NAME...]`: build the demo's channels anew (needs ffmpeg and the Noto fonts).

Without names, all channels and the live posts. What it writes is part of the repository.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from demo.make import live_posts
from demo.make.channels import harbour_talk, lantern, lighthouse, noticeboard, observatory, station, workshop

DEMO = Path(__file__).resolve().parent.parent

CHANNELS: dict[str, Callable[[Path], None]] = {
    "lighthouse": lighthouse.build,
    "station": station.build,
    "lantern": lantern.build,
    "observatory": observatory.build,
    "harbour_talk": harbour_talk.build,
    "noticeboard": noticeboard.build,
    "workshop": workshop.build,
}


def main(names: list[str]) -> None:
    """Build the named channels, all if none are named."""
    unknown = [name for name in names if name not in CHANNELS]
    if unknown:
        sys.exit(f"no such channel: {', '.join(unknown)}; there are {', '.join(CHANNELS)}")
    for name in names or CHANNELS:
        folder = DEMO / "channels" / name
        CHANNELS[name](folder)
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        print(f"{name}: {size / 1000:.0f} kB")
    if not names:
        live_posts.write(DEMO / "live_posts.json")


main(sys.argv[1:])
