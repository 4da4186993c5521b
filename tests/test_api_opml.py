"""The list of feeds, from a Telegram account to a feed reader."""

from __future__ import annotations

import asyncio
import io
import os
import shlex
import sqlite3
import subprocess
from collections.abc import AsyncIterator
from contextlib import closing
from email.utils import parsedate_to_datetime
from pathlib import Path

import httpx
import node_scripts
import pytest
import pytest_asyncio
from gpodder import GPodder
from lxml import etree
from reader import make_reader
from service import serving
from telegram_world import GROUP_ID, HIDDEN, HIDDEN_ID, channel, small_world

from tgserver import Server
from tgserver.crypto.rsa import RsaKey

TOKEN = "open-sesame"


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    """Making one takes a while."""
    return RsaKey.generate()


@pytest_asyncio.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    """News and Group in a folder, Hidden in none, a channel that can be read but is not joined, and a friend."""
    world = small_world()
    world.add_chat(channel(5005, "Elsewhere <int> & more", "elsewhere")).peer.left = True  # type: ignore[union-attr]
    async with Server(world, rsa_key=rsa_key) as running:
        running.add_folder("Daily", "news", GROUP_ID)
        yield running


@pytest_asyncio.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(server, tmp_path / "bridge") as http:
        yield http


def tree(body: bytes) -> dict[str, dict[str, str]]:
    """Addresses by title, in their folders ("" for none)."""
    found: dict[str, dict[str, str]] = {"": {}}
    for outline in etree.fromstring(body).iterfind("body/outline"):
        if outline.get("type") is None:
            found[outline.get("text", "")] = {entry.get("text", ""): entry.get("xmlUrl", "") for entry in outline}
        else:
            found[""][outline.get("text", "")] = outline.get("xmlUrl", "")
    return found


async def test_all_that_is_joined_is_listed_by_folder(client: httpx.AsyncClient, server: Server) -> None:
    answer = await client.get("/opml")
    base = str(client.base_url).rstrip("/")
    assert tree(answer.content) == {
        "": {"Hidden": f"{base}/rss/{HIDDEN_ID}"},
        "Daily": {"Group": f"{base}/rss/{GROUP_ID}", "News": f"{base}/rss/News"},
    }
    outlines = {each.get("text"): each.get("htmlUrl") for each in etree.fromstring(answer.content).iter("outline")}
    assert outlines == {
        "Daily": None,
        "News": "https://t.me/News",
        "Hidden": f"https://t.me/c/{HIDDEN}/1",
        # It has no address at Telegram.
        "Group": f"{base}/html/{GROUP_ID}",
    }
    parsedate_to_datetime(etree.fromstring(answer.content).findtext("head/dateCreated", ""))
    assert {name: answer.headers.get(name) for name in ("content-type", "cache-control", "content-disposition")} == {
        "content-type": "text/x-opml; charset=utf-8",
        "cache-control": "no-store",
        "content-disposition": 'attachment; filename="telegram.opml"',
    }
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert not {"etag", "age", "cache-status"} & set(answer.headers)
    assert (server.calls["messages.getDialogs"], server.calls["messages.getDialogFilters"]) == (1, 1)
    head = await client.head("/opml")
    assert head.content == b""
    assert {**head.headers, "date": ""} == {**answer.headers, "date": ""}
    assert server.calls["messages.getDialogFilters"] == 1


async def test_no_folder_turns_the_names_around_it(client: httpx.AsyncClient, server: Server) -> None:
    server.add_folder("x", "news").title.text = "\u202eold\nnews"
    assert list(tree((await client.get("/opml")).content)) == ["", "Daily", "old news"]


async def test_what_is_polled_is_listed_as_well(client: httpx.AsyncClient) -> None:
    assert (await client.get("/rss/elsewhere")).status_code == 200
    # Who looks at one post does not follow the chat.
    assert (await client.get("/html/ada_friend/1")).status_code == 200
    assert set(tree((await client.get("/opml")).content)[""]) == {"Hidden", "Elsewhere <int> & more"}


@pytest.mark.parametrize(("format", "path"), [("rss", "/rss/"), ("atom", "/atom/"), ("json", "/feed.json/")])
async def test_the_addresses_are_those_of_the_format_that_is_asked_for(
    client: httpx.AsyncClient, format: str, path: str
) -> None:
    urls = tree((await client.get("/opml", params={"format": format})).content)["Daily"]
    assert all(path in url for url in urls.values())
    for url in urls.values():
        assert (await client.get(url)).status_code == 200


@pytest.mark.parametrize("format", ["html", "", "opml", "RSS"])
async def test_another_format_is_refused(client: httpx.AsyncClient, format: str) -> None:
    answer = await client.get("/opml", params={"format": format})
    assert answer.status_code == 400
    assert answer.json() == {"detail": f"format: must be one of rss, atom, json, got {format!r}"}


async def test_with_a_token_the_list_holds_each_feeds_own_key(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", token=TOKEN) as client:
        assert (await client.get("/opml")).status_code == 403
        assert (await client.get("/opml/guess")).status_code == 403
        answer = await client.get(f"/opml/{TOKEN}")
        assert answer.status_code == 200
        assert TOKEN not in answer.text + str(answer.headers)
        feeds = {title: url for folder in tree(answer.content).values() for title, url in folder.items()}
        assert len({httpx.URL(url).params["key"] for url in feeds.values()}) == len(feeds) == 3
        for url in feeds.values():
            assert (await client.get(url, headers={"Authorization": f"Bearer {TOKEN}"})).status_code == 200
            assert (await client.get(url)).status_code == 200
        news, hidden = httpx.URL(feeds["News"]), httpx.URL(feeds["Hidden"])
        assert (await client.get(news.copy_with(query=hidden.query))).status_code == 403


async def test_a_key_opens_a_feed_that_nobody_has_polled_before(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", token=TOKEN) as client:
        feeds = tree((await client.get(f"/opml/{TOKEN}")).content)
        answer = await client.get(feeds[""]["Hidden"])
        assert answer.status_code == 200
        assert "hush" in answer.text


async def test_a_pause_that_telegram_asks_for_is_no_empty_list_and_then_an_older_one(
    server: Server, tmp_path: Path
) -> None:
    server.fail("messages.getDialogFilters", "FLOOD_WAIT_100", 1)
    async with serving(server, tmp_path / "bridge") as client:
        answer = await client.get("/opml")
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) >= 95
        # Feeds go on.
        assert (await client.get("/rss/news")).status_code == 200


async def test_a_list_that_is_older_than_it_should_be_says_so(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge") as client:
        before = await client.get("/opml")
    with closing(sqlite3.connect(tmp_path / "bridge" / "bridge.db")) as database:
        database.execute("UPDATE joined_chats SET fetched_at = fetched_at - 2000")
        database.commit()
    server.fail("messages.getDialogs", "FLOOD_WAIT_100", 1)
    async with serving(server, tmp_path / "bridge") as client:
        answer = await client.get("/opml")
    assert answer.status_code == 200
    assert list(tree(answer.content)) == list(tree(before.content))
    age = int(answer.headers["age"])
    assert 2000 <= age < 2100
    assert answer.headers["cache-status"] == f"bridge; hit; ttl={900 - age}; detail=flood-wait"


async def test_newsboat_imports_the_list_and_reads_its_feeds(
    client: httpx.AsyncClient, server: Server, tmp_path: Path
) -> None:
    # Twice in the list, once in the reader.
    server.add_folder("Also", "news")
    server.rename("news", title='The "News" & <more>')
    answer = await client.get("/opml")
    (tmp_path / "list.opml").write_bytes(answer.content)
    for name in ("urls", "config"):
        (tmp_path / name).touch()
    files = ["-u", "urls", "-c", "cache.db", "-C", "config"]
    environment = os.environ | {"HOME": str(tmp_path), "no_proxy": "127.0.0.1"}
    for command in (["newsboat", *files, "-i", "list.opml"], ["newsboat", *files, "-x", "reload"]):
        done = await asyncio.to_thread(
            subprocess.run, command, cwd=tmp_path, env=environment, timeout=60, capture_output=True, check=False
        )
        assert done.returncode == 0, done
    subscribed = {url: set(tags) for url, *tags in map(shlex.split, (tmp_path / "urls").read_text().splitlines())}
    listed: dict[str, set[str]] = {}
    for folder, feeds in tree(answer.content).items():
        for url in feeds.values():
            listed.setdefault(url, set()).update({folder} - {""})
    assert subscribed.keys() == listed.keys()
    assert all(tags <= listed[url] and bool(tags) == bool(listed[url]) for url, tags in subscribed.items())
    with closing(sqlite3.connect(tmp_path / "cache.db")) as database:
        titles = {title for (title,) in database.execute("SELECT title FROM rss_feed")}
    assert titles == {"Hidden", "Group", 'The "News" & <more>'}


@pytest.mark.parametrize("format", ["rss", "atom", "json"])
async def test_readers_import_the_list_of_a_guarded_bridge_and_read_its_feeds(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    async with serving(server, tmp_path / "bridge", token=TOKEN) as client:
        url = str(client.base_url.join(f"/opml/{TOKEN}?format={format}"))
        content = (await client.get(url)).content
        listed = tree(content)
        assert await asyncio.to_thread(node_scripts.run, "outlines.mjs", given=content.decode()) == listed
        titles = {each: title for feeds in listed.values() for title, each in feeds.items()}
        with closing(make_reader(str(tmp_path / "reader.db"))) as reader:
            reader.import_feeds(io.BytesIO(content))
            assert {feed.url for feed in reader.get_feeds()} == titles.keys()
            await asyncio.to_thread(reader.update_feeds)
            assert {feed.url: feed.title for feed in reader.get_feeds()} == titles
            assert not [feed for feed in reader.get_feeds() if feed.last_exception]
        if format != "json":
            podder = GPodder(tmp_path / "gpodder")
            await podder.run("import", url)
            assert titles.keys() <= set((await podder.run("list")).split())
