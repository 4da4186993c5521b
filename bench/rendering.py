"""How long stored messages take to become a feed: all of them, and when one is new."""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC
from pathlib import Path

import msgspec

import post_parser
import rss_generator
from errors import TelegramUnavailable
from feeds.feed import FeedFormat
from feeds.subjects import channel_subject
from history import records
from history.window import Held
from media_cache.signing import MediaSigner
from model.channel import Channel
from model.message import Message
from model.thread import Thread, ThreadKind
from posts.post import RenderOptions
from routes.channels import ChannelDocuments
from routes.document_cache import DocumentCache
from routes.query import FeedQuery
from routes.rendering import Renderer, RenderSettings
from storage.database import Database
from storage.schema import MIGRATIONS
from tg_cache import History
from tg_throttle import Priority

MESSAGES = 100
ROUNDS = 15
BASE_URL = "http://127.0.0.1"
DAY_S = 86_400


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
    options = RenderOptions(base_url=BASE_URL, media=MediaSigner(bytes(32), BASE_URL).at(BASE_URL))
    posts = post_parser.build_posts(held.messages[:MESSAGES], channel, options)
    feed = rss_generator.build_feed(
        posts,
        channel_subject(channel, "https://t.me"),
        base_url=BASE_URL,
        self_url=f"{BASE_URL}/rss/x",
        page_url=f"{BASE_URL}/html/x",
        updated=held.changed_at,
    )
    return rss_generator.render(FeedFormat.RSS, feed).body


async def median_update_ms(database_path: Path, channel_id: int) -> float:
    """Milliseconds from a new message in the history to an RSS feed of the channel's 100 newest posts.

    The feed before was made of the same posts but one. Works on a copy of the database.
    """
    with tempfile.TemporaryDirectory(prefix="bridge-bench-") as folder, ThreadPoolExecutor(1) as thread:
        copy = Path(folder) / "bridge.db"
        with closing(sqlite3.connect(database_path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        database = await Database.open(copy, MIGRATIONS)
        try:
            history = History(database, _NoTelegram(), history_ttl=DAY_S, channel_ttl=DAY_S)
            return await _median_update_ms(history, channel_id, thread)
        finally:
            await database.close()


async def _median_update_ms(history: History, channel_id: int, thread: ThreadPoolExecutor) -> float:
    settings = RenderSettings(
        link_host="t.me",
        zone=UTC,
        show_flags=False,
        show_bridge_link=False,
        reply_quote_chars=200,
        reply_quote_distance=2,
    )
    documents = ChannelDocuments(
        history, DocumentCache(2**20), Renderer(MediaSigner(bytes(32), "").at, settings, thread)
    )
    query = FeedQuery(limit=MESSAGES)
    messages = (await history.window(channel_id, MESSAGES)).messages
    await documents.feed(channel_id, query, FeedFormat.RSS, BASE_URL)
    times = []
    for number, message in enumerate(messages[:ROUNDS], start=messages[0].id + 1):
        new = msgspec.structs.replace(message, id=number, date=messages[0].date, media_group_id=None)
        await history.apply(channel_id, [new])
        began = time.perf_counter()
        await documents.feed(channel_id, query, FeedFormat.RSS, BASE_URL)
        times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times)


class _NoTelegram:
    """All that is asked for is stored."""

    async def resolve(self, key: str | int, *, priority: Priority) -> Channel:
        raise TelegramUnavailable("The benchmark asks Telegram for nothing")

    async def full_channel(self, channel: Channel, *, priority: Priority) -> Channel:
        raise TelegramUnavailable("The benchmark asks Telegram for nothing")

    async def history(
        self, channel: Channel, *, offset_id: int = 0, limit: int = 100, priority: Priority
    ) -> Sequence[Message]:
        raise TelegramUnavailable("The benchmark asks Telegram for nothing")

    async def messages(self, channel: Channel, ids: Sequence[int], *, priority: Priority) -> Sequence[Message]:
        raise TelegramUnavailable("The benchmark asks Telegram for nothing")

    async def thread(self, chat: Channel, kind: ThreadKind, root_id: int, *, priority: Priority) -> Thread:
        raise TelegramUnavailable("The benchmark asks Telegram for nothing")

    async def replies(
        self, thread: Thread, *, offset_id: int = 0, limit: int = 100, priority: Priority
    ) -> Sequence[Message]:
        raise TelegramUnavailable("The benchmark asks Telegram for nothing")
