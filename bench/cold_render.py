"""How long stored messages take to become a feed, without any cache in between."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import post_parser
import rss_generator
from feeds.feed import FeedFormat
from file_io import Database
from history import records
from history.window import Held
from media_cache.signing import MediaSigner
from model.channel import Channel
from posts.post import RenderOptions
from storage.schema import MIGRATIONS

MESSAGES = 100
ROUNDS = 15
BASE_URL = "http://127.0.0.1"


async def median_render_ms(database_path: Path, channel_id: int) -> float:
    """Milliseconds from the channel's history, as it lies on disk, to an RSS feed of its 100 newest messages."""
    database = await Database.open(database_path, MIGRATIONS)
    try:
        times = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            held = await database.read(lambda connection: records.load(connection, channel_id))
            found = await database.read(lambda connection: records.load_channel(connection, channel_id))
            assert held is not None
            assert found is not None
            _render(held, found[0])
            times.append((time.perf_counter() - began) * 1e3)
    finally:
        await database.close()
    return statistics.median(times)


def _render(held: Held, channel: Channel) -> bytes:
    options = RenderOptions(base_url=BASE_URL, media=MediaSigner(bytes(32), BASE_URL))
    posts = post_parser.build_posts(held.messages[:MESSAGES], channel, options)
    feed = rss_generator.build_feed(
        posts,
        channel,
        base_url=BASE_URL,
        self_url=f"{BASE_URL}/rss/x",
        page_url=f"{BASE_URL}/html/x",
        updated=held.changed_at,
    )
    return rss_generator.render(FeedFormat.RSS, feed).body
