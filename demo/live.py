"""The demo's channels go on: a new message from time to time, so that feeds have something to bring."""

from __future__ import annotations

import asyncio
import itertools
import json
import urllib.error
from pathlib import Path

from demo.processes import http_json


async def keep_posting(posts_file: Path, control_port: int, interval_s: float) -> None:
    """Post the file's messages one after the other, each `interval_s` seconds, from the start again at the end.

    The file is a list of `{"channel": username, "message": {...}}`, the message in the form of an export.
    Raises HTTPError when the server refuses one. A server that can't be reached is no affair of this one.
    """
    posts = await asyncio.to_thread(lambda: json.loads(posts_file.read_text("utf-8")))
    for post in itertools.cycle(posts):
        await asyncio.sleep(interval_s)
        try:
            await http_json("POST", control_port, f"/chats/{post['channel']}/messages", {"message": post["message"]})
        except urllib.error.HTTPError:
            raise
        except OSError:
            continue
