"""A channel's life as readers see it that people really use: what is new, what has changed, what was not sent again."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from pyrogram import raw
from reader import Reader, make_reader
from service import Answers, serving
from soak_world import common_fields
from telegram_world import NEWS, NEWS_ID, channel, document

from demo.product import free_port
from tgserver import ServedFile, Server, World
from tgserver.crypto.rsa import RsaKey

FORMATS = ("rss", "atom", "feed.json")
ALBUM = 77
DAY_S = 86_400
BETWEEN_POLLS_S = 2
FILE = bytes(range(256)) * 40


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    """Making one takes a while."""
    return RsaKey.generate()


@pytest_asyncio.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    """Posts 1 to 8, of which 3 has a file, and an album of two photos, 9 and 10."""
    world = World()
    news = world.add_chat(channel(NEWS, "News", "news"))
    for number in range(1, 9):
        media = document(world, 500, FILE) if number == 3 else None
        news.messages[number] = message(number, f"post {number}", media=media)
    async with Server(world, rsa_key=rsa_key) as running:
        for number in (9, 10):
            news.messages[number] = photo(world, number)
        yield running


def message(number: int, text: str, **fields: Any) -> raw.types.Message:
    peer = raw.types.PeerChannel(channel_id=NEWS)
    return raw.types.Message(
        id=number, peer_id=peer, date=1_700_000_000 + number, message=text, post=True, views=5, forwards=0, **fields
    )


def photo(world: World, number: int) -> raw.types.Message:
    """A photo of the album."""
    file = world.add_file(ServedFile(number, number + 1, b"reference", 3, b"jpg", thumb_size="y", dc_id=2))
    sizes: list[Any] = [raw.types.PhotoSize(type="y", w=800, h=600, size=file.size)]
    media = raw.types.MessageMediaPhoto(photo=raw.types.Photo(sizes=sizes, **common_fields(file)))
    return message(number, "two of us" if number == 9 else "", media=media, grouped_id=ALBUM)


class Lemon24:
    """lemon24's reader, subscribed to the channel in every format."""

    def __init__(self, reader: Reader, urls: Iterable[str], answers: Answers) -> None:
        self._reader = reader
        self._answers = answers
        self.urls = {httpx.URL(url).path: url for url in urls}
        for url in self.urls.values():
            reader.add_feed(url)

    async def update(self) -> dict[str, tuple[int, int, int]]:
        """By path: how many entries are new, how many have changed, and the status that the bridge answered with."""
        seen = {}
        for path, url in self.urls.items():
            before = self._answers.copy()
            updated = await asyncio.to_thread(self._reader.update_feed, url)
            ((_, status),) = self._answers - before
            seen[path] = (updated.new, updated.modified, status) if updated is not None else (0, 0, status)
        return seen

    def entries(self) -> dict[str, dict[str, str]]:
        """By path: the titles by their ids, of all that has ever been seen."""
        return {
            path: {entry.id: entry.title or "" for entry in self._reader.get_entries(feed=url)}
            for path, url in self.urls.items()
        }


async def newsboat(folder: Path, url: str) -> tuple[str, dict[str, tuple[str, int]]]:
    """What newsboat calls the feed, and by id each item's title and whether it is unread; kept in the folder."""
    folder.mkdir(exist_ok=True)
    (folder / "urls").write_text(f"{url}\n", "utf-8")
    (folder / "config").write_text("", "utf-8")
    process = await asyncio.create_subprocess_exec(
        "newsboat",
        *("-u", "urls", "-c", "cache.db", "-C", "config", "-x", "reload"),
        cwd=folder,
        env=os.environ | {"HOME": str(folder)},
        stdin=asyncio.subprocess.DEVNULL,
    )
    assert await process.wait() == 0
    with closing(sqlite3.connect(folder / "cache.db")) as database:
        ((name,),) = database.execute("SELECT title FROM rss_feed")
        rows = database.execute("SELECT guid, title, unread FROM rss_item").fetchall()
        database.execute("UPDATE rss_item SET unread = 0")
        database.commit()
    assert len({guid for guid, *_ in rows}) == len(rows)
    return name, {guid: (title, unread) for guid, title, unread in rows}


class Clock:
    """Goes on by itself, and further when it is told to."""

    def __init__(self) -> None:
        self.ahead = 0

    def __call__(self) -> float:
        return time.time() + self.ahead


async def test_readers_see_each_post_once_and_each_change_of_it_whatever_happens_to_a_channel(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    port, answers, clock = free_port(), Answers(), Clock()
    urls = [f"http://127.0.0.1:{port}/{format}/{NEWS_ID}" for format in FORMATS]
    settings: dict[str, Any] = {"port": port, "answers": answers, "clock": clock, "history_cache_ttl_minutes": 0}
    known: set[str] = set()
    boats_answers: list[int] = []

    async def expect(new: int, changed: int, status: int, title: str = "News") -> None:
        """Let both readers poll: in each format so many entries are new and have changed, and none goes by two ids."""
        clock.ahead += BETWEEN_POLLS_S
        assert await lemon.update() == dict.fromkeys(lemon.urls, (new, changed, status))
        entries = lemon.entries()
        assert entries == dict.fromkeys(lemon.urls, next(iter(entries.values())))
        before = answers.copy()
        name, boat = await newsboat(tmp_path / "newsboat", urls[0])
        (polled,) = answers - before
        boats_answers.append(polled[1])
        (titles, *_) = entries.values()
        assert {name, *(reader.get_feed(url).title for url in urls)} == {title}
        assert {guid: title for guid, (title, _) in boat.items()} == titles
        assert {guid for guid, (_, unread) in boat.items() if unread} == titles.keys() - known
        assert len(titles.keys() - known) == new
        known.update(titles)

    with closing(make_reader(str(tmp_path / "reader.db"))) as reader:
        lemon = Lemon24(reader, urls, answers)
        async with serving(server, tmp_path / "bridge", **settings):
            await expect(9, 0, 200)
            await expect(0, 0, 304)
            server.edit("news", 5, "post 5, mended")
            await expect(0, 1, 200)
            # Again within the same second: newsboat goes by dates as well.
            clock.ahead -= BETWEEN_POLLS_S
            server.edit("news", 6, "post 6, mended")
            await expect(0, 1, 200)
            # An album grows, and loses the photo that it began with.
            server.post("news", photo(server.world, 11))
            await expect(0, 1, 200)
            server.delete("news", 9)
            await expect(0, 1, 200)
            newest = server.chat("news").messages[8]
            assert isinstance(newest, raw.types.Message)
            newest.views = 99
            await expect(0, 0, 304)
            # What is gone stays with readers; the views come along.
            server.delete("news", 4)
            await expect(0, 1, 200)
            server.post("news", message(12, "the newest"))
            await expect(1, 0, 200)
        async with serving(server, tmp_path / "bridge", **settings):
            await expect(0, 0, 304)
            # Authors and links have the channel's name.
            server.rename("news", title="Olds", username="olds")
            clock.ahead += DAY_S
            await expect(0, 9, 200, "Olds")
            await expect(0, 0, 304, "Olds")
    # Unlike the other, newsboat has no validators yet at its second poll.
    assert boats_answers == [200, 200, 200, 200, 200, 200, 304, 200, 200, 304, 200, 304]


async def test_readers_find_the_files_of_posts_in_every_format_and_get_them_whole(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    async with serving(server, tmp_path / "bridge") as client:
        for format in FORMATS:
            with closing(make_reader(str(tmp_path / f"{format}.db"))) as reader:
                url = str(client.base_url.join(f"/{format}/news"))
                reader.add_feed(url)
                await asyncio.to_thread(reader.update_feed, url)
                # No photo is one: pictures stand in the text.
                (found,) = [each for entry in reader.get_entries() for each in entry.enclosures]
                answer = await client.get(found.href)
                assert answer.content == FILE
                assert (found.length, found.type) == (len(FILE), "application/zip")
