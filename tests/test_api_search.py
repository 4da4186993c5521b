"""A search in what is stored of channels, of the whole service."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import feedparser
import httpx
import pytest
import pytest_asyncio
from bs4 import BeautifulSoup
from pyrogram import raw
from service import serving
from telegram_world import channel, small_world

from tgserver import Server
from tgserver.crypto.rsa import RsaKey

LONG = 5005
FEEDS = ["/rss", "/atom", "/feed.json"]


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    """Making one takes a while."""
    return RsaKey.generate()


@pytest_asyncio.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    """A channel of 250 messages, of which every tenth speaks of night trains."""
    world = small_world()
    long = world.add_chat(channel(LONG, "Long", "long"))
    for number in range(1, 251):
        long.messages[number] = raw.types.Message(
            id=number,
            peer_id=raw.types.PeerChannel(channel_id=LONG),
            date=1_700_000_000 + 60 * number,
            message=f"Trains, by NÍGHT: {number}" if number % 10 == 0 else f"training {number}",
            post=True,
        )
    async with Server(world, rsa_key=rsa_key) as running:
        yield running


@pytest_asyncio.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(server, tmp_path / "bridge") as http:
        yield http


def asked(server: Server) -> int:
    """How often Telegram was asked about channels."""
    about = ("channels", "contacts", "messages")
    return sum(count for method, count in server.calls.items() if method.startswith(about))


async def found(client: httpx.AsyncClient, address: str) -> list[int]:
    answer = await client.get(address)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return [item["_telegram"]["message_ids"][0] for item in items]


async def test_all_words_are_searched_for_in_what_is_stored_and_no_further(
    client: httpx.AsyncClient, server: Server
) -> None:
    server.forget_calls()
    # As for any feed: the name, the channel, its newest hundred messages.
    assert await found(client, "/feed.json/long?q=night%20train") == list(range(250, 150, -10))
    assert asked(server) == 3
    assert await found(client, "/feed.json/long?q=TRAIN+n%C3%ADght&limit=2") == [250, 240]
    assert await found(client, "/feed.json/long?q=train&exclude_text=by&limit=2") == [249, 248]
    assert asked(server) == 3
    # What a longer feed has stored is searched as well.
    assert len(await found(client, "/feed.json/long?limit=200")) == 200
    calls = asked(server)
    assert len(await found(client, "/feed.json/long?q=night")) == 20
    assert asked(server) == calls


async def test_every_format_says_in_its_title_what_was_searched_for(client: httpx.AsyncClient) -> None:
    ids = [item["id"] for item in (await client.get("/feed.json/long?q=night&limit=3")).json()["items"]]
    assert len(ids) == 3
    for path in ("/rss", "/atom"):
        parsed = feedparser.parse((await client.get(f"{path}/long?q=night&limit=3")).content)
        assert parsed.feed.title == "Long: night"
        assert [entry.id for entry in parsed.entries] == ids
        assert {entry.author for entry in parsed.entries} == {"Long (@long)"}
    page = BeautifulSoup((await client.get("/html/long?q=night&limit=3")).text, "html.parser")
    assert page.h1 is not None and page.h1.text == "Long: night"
    assert len(page.select("article.h-entry")) == 3
    plain, searched = [
        feedparser.parse((await client.get(f"/atom/long{query}")).content).feed for query in ("", "?q=night")
    ]
    assert plain.id != searched.id
    assert plain.author == searched.author == "Long"
    # Whatever is typed is text.
    odd = (await client.get("/rss/long", params={"q": "<b> & ]]>\n\u202e x"})).content
    assert feedparser.parse(odd).feed.title == "Long: <b> & ]]> x"
    assert not feedparser.parse(odd).bozo


async def test_what_is_found_nowhere_is_a_feed_without_items(client: httpx.AsyncClient) -> None:
    for path in (*FEEDS, "/html"):
        answer = await client.get(f"{path}/long?q=submarine")
        assert answer.status_code == 200 and "Long: submarine" in answer.text
        assert "training" not in answer.text and "cache-status" not in answer.headers
    tag = (await client.get("/rss/long?q=submarine")).headers["etag"]
    assert (await client.get("/rss/long?q=submarine", headers={"If-None-Match": tag})).status_code == 304


async def test_a_fault_is_never_an_empty_search(client: httpx.AsyncClient, server: Server) -> None:
    server.fail("messages.getHistory", "FLOOD_WAIT_30")
    for path in ("/feed.json/long", "/feed.json/long+news"):
        assert (await client.get(f"{path}?q=night")).status_code == 429


async def test_a_search_is_one_of_reasonable_length_with_a_word_in_it(client: httpx.AsyncClient) -> None:
    for words, why in (("x" * 201, "must have at most 200 characters, has 201"), (" ", "has no word to look for")):
        for path in (*FEEDS, "/html"):
            answer = await client.get(f"{path}/long", params={"q": words})
            assert answer.status_code == 400 and f"q: {why}" in answer.text
    # A form sends a field that nobody has filled in.
    assert (await client.get("/rss/long?q=")).content == (await client.get("/rss/long")).content


async def test_pages_of_what_was_found_follow_each_other_without_a_call(
    client: httpx.AsyncClient, server: Server
) -> None:
    feed = (await client.get("/feed.json/long?q=night&limit=4")).json()
    server.forget_calls()
    ids = [item["_telegram"]["message_ids"][0] for item in feed["items"]]
    while "next_url" in feed:
        feed = (await client.get(feed["next_url"])).json()
        ids += [item["_telegram"]["message_ids"][0] for item in feed["items"]]
    assert ids == list(range(250, 150, -10))
    last = (await client.get("/html/long?q=night&limit=10")).text
    assert 'class="older"' not in last
    assert asked(server) == 0


async def test_several_channels_are_searched_together(client: httpx.AsyncClient, server: Server) -> None:
    server.forget_calls()
    answer = (await client.get("/feed.json/long+news?q=150")).json()
    assert answer["title"] == "Long + News: 150"
    # Of the long channel only the newest hundred messages are stored.
    assert [item["content_text"] for item in answer["items"]] == ["post 150"]
    assert asked(server) == 6
    assert len(await found(client, "/feed.json/long+news?q=post")) == 50


async def test_the_box_on_the_page_searches(client: httpx.AsyncClient) -> None:
    page = BeautifulSoup((await client.get("/html/long?q=night")).text, "html.parser")
    field = page.select_one("form input[name=q]")
    assert field is not None and field["value"] == "night" and field["maxlength"] == "200"
    assert page.select_one("details.choice[open]") is not None
    assert page.select("#feed-address")[0]["value"] == f"{client.base_url}/rss/long?q=night"
    front = (await client.get("/", params={"channel": "long", "q": "night"})).text
    assert f'value="{client.base_url}/rss/long?q=night"' in front
    front = (await client.get("/", params={"channel": "long", "q": "y" * 201})).text
    assert "q: must have at most 200 characters" in front
    assert re.search(r'name="q"[^>]* value="y{201}"', front)
