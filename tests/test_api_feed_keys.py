"""With a token, feeds name themselves by a key of their own; it opens them and nothing else."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator
from pathlib import Path

import feedparser
import httpx
import pytest
import pytest_asyncio
from service import serving
from telegram_world import HIDDEN_ID, NEWS_ID, small_world

from tgserver import Server
from tgserver.crypto.rsa import RsaKey

TOKEN = "open-sesame"
FEEDS = ["/rss", "/atom", "/feed.json"]
EVERYTHING_ELSE = [
    "/html/{chat}",
    "/html/{chat}/149",
    "/post/html/{chat}/149",
    "/json/{chat}/149",
    "/post/json/{chat}/149",
    "/raw_json/{chat}/149",
    "/rss/{chat}?output_type=html",
    "/flags",
    "/opml",
    "/health",
    "/rss/-1000000004004",
    "/rss/2002",
]


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    """Making one takes a while."""
    return RsaKey.generate()


@pytest_asyncio.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    async with Server(small_world(), rsa_key=rsa_key) as running:
        yield running


@pytest_asyncio.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(server, tmp_path / "bridge", token=TOKEN) as http:
        yield http


async def own_address(client: httpx.AsyncClient, path: str) -> str:
    """How the feed names itself."""
    answer = await client.get(path, headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert TOKEN not in answer.text + str(answer.headers)
    found = re.match(r'<([^>]+)>; rel="self"', answer.headers["link"])
    assert found is not None
    assert found[1].replace("&", "&#x26;") in answer.text or found[1] in answer.text
    return found[1]


async def key_of(client: httpx.AsyncClient) -> str:
    return httpx.URL(await own_address(client, "/rss/news")).params["key"]


@pytest.mark.parametrize("path", FEEDS)
@pytest.mark.parametrize("query", ["", "?limit=2&include_text=post", "?before=120&limit=5"])
async def test_a_feeds_own_address_opens_it_without_the_token(client: httpx.AsyncClient, path: str, query: str) -> None:
    url = await own_address(client, f"{path}/news{query}")
    assert httpx.URL(url).path == f"{path}/{NEWS_ID}"
    with_token = await client.get(f"{path}/news{query}", headers={"Authorization": f"Bearer {TOKEN}"})
    with_key = await client.get(url)
    assert with_key.status_code == 200
    assert with_key.content == with_token.content
    assert with_key.headers["cache-control"].startswith("private")
    unchanged = await client.get(url, headers={"If-None-Match": with_key.headers["etag"]})
    assert unchanged.status_code == 304
    assert (await client.head(url)).status_code == 200


async def test_a_reader_with_the_key_follows_sisters_and_pages(client: httpx.AsyncClient) -> None:
    answer = await client.get(await own_address(client, "/rss/news?limit=30"))
    for url in re.findall(r'<([^>]+)>; rel="alternate"', answer.headers["link"]):
        assert (await client.get(url)).status_code == 200
    (following,) = [link.href for link in feedparser.parse(answer.content).feed.links if link.rel == "next"]
    assert (await client.get(following)).status_code == 200


async def test_one_key_opens_all_formats_filters_and_spellings_of_its_chat(client: httpx.AsyncClient) -> None:
    key = await key_of(client)
    for path in (f"/atom/{NEWS_ID}", "/feed.json/news", "/rss/@NEWS", "/rss/t.me/news", "/rss/t.me/c/1001"):
        assert (await client.get(f"{path}?key={key}&exclude_flags=fwd&limit=1")).status_code == 200, path


@pytest.mark.parametrize("path", EVERYTHING_ELSE)
async def test_a_key_opens_nothing_else(client: httpx.AsyncClient, path: str) -> None:
    key = await key_of(client)
    for chat in ("news", str(NEWS_ID)):
        url = path.format(chat=chat)
        answer = await client.get(f"{url}{'&' if '?' in url else '?'}key={key}")
        assert answer.status_code == 403
        assert key not in answer.text


async def test_a_key_is_no_token(client: httpx.AsyncClient) -> None:
    key = await key_of(client)
    assert (await client.get(f"/rss/news/{key}")).status_code == 403
    assert (await client.get(f"/rss/news?token={key}")).status_code == 403
    assert (await client.get("/rss/news", headers={"Authorization": f"Bearer {key}"})).status_code == 403
    assert (await client.get(f"/rss/news?key={TOKEN}")).status_code == 403


async def test_with_a_key_nobody_makes_the_bridge_ask_for_other_chats(
    client: httpx.AsyncClient, server: Server
) -> None:
    key = await key_of(client)
    server.forget_calls()
    for path in ("/rss/nobody", "/rss/ada_friend", f"/rss/{HIDDEN_ID}", "/rss/t.me/+abcdefgh1234", "/rss/!!"):
        assert (await client.get(f"{path}?key={key}")).status_code == 403
    assert not [method for method in +server.calls if "." in method]


async def test_wrong_keys_are_throttled_like_wrong_tokens(client: httpx.AsyncClient) -> None:
    answers = [(await client.get(f"/rss/{NEWS_ID}?key=wrong{n}")).status_code for n in range(12)]
    assert answers == [403] * 10 + [429] * 2


async def test_the_token_opens_whatever_the_key_is(client: httpx.AsyncClient) -> None:
    assert (await client.get(f"/rss/news/{TOKEN}?key=wrong")).status_code == 200


async def test_a_page_offers_readers_the_feeds_with_their_key_and_never_the_token(client: httpx.AsyncClient) -> None:
    for path in ("/html/news", "/html/news/149"):
        page = await client.get(f"{path}/{TOKEN}?limit=3")
        assert TOKEN not in page.text
        feeds = re.findall(r'<link rel="alternate" type="[^"]+" title="[^"]+" href="([^"]+)">', page.text)
        assert len(feeds) == 3
        for url in feeds:
            assert (await client.get(url.replace("&amp;", "&"))).status_code == 200
        own = re.findall(r'<link rel="canonical" href="([^"]+)">', page.text)
        assert own and "key=" not in own[0]


async def test_a_key_outlasts_a_new_name_a_new_token_and_a_restart(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", token=TOKEN) as client:
        url = httpx.URL(await own_address(client, "/rss/news"))
    server.rename("news", username="olds")
    async with serving(server, tmp_path / "bridge", token="another") as client:
        assert (await client.get(url.raw_path.decode())).status_code == 200


async def test_without_a_token_addresses_have_no_key(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge") as client:
        answer = await client.get("/rss/news?key=whatever")
        assert answer.status_code == 200
        assert "key=" not in answer.text + answer.headers["link"]


async def test_no_log_line_holds_a_key_or_the_token(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    # What httpx itself says is the reader's log, not the bridge's.
    for library in ("httpx", "httpcore"):
        logging.getLogger(library).setLevel(logging.WARNING)
    key = await key_of(client)
    for path in (f"/rss/news?key={key}", f"/rss/nobody?key={key}", f"/html/news?key={key}", f"/rss/news/{TOKEN}"):
        await client.get(path)
    assert "wrong or missing token" in caplog.text
    assert key not in caplog.text and TOKEN not in caplog.text
