"""The formats and codings of feeds and pages, on the wire."""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path

import brotli
import feedparser
import httpx
import pytest
import pytest_asyncio
from pyrogram import raw
from service import serving
from telegram_world import NEWS, NEWS_ID, small_world

from tgserver import Server
from tgserver.crypto.rsa import RsaKey

TYPES = {
    "/rss/news": "application/rss+xml; charset=utf-8",
    "/atom/news": "application/atom+xml; charset=utf-8",
    "/feed.json/news": "application/feed+json",
    "/html/news": "text/html; charset=utf-8",
}
FEEDS = ["/rss/news", "/atom/news", "/feed.json/news"]
PAGES = ["/html/news", "/html/news/149"]
# Of feeds and of pages.
VARY = ("Accept-Encoding, Sec-Fetch-Dest, Sec-Fetch-Mode", "Accept-Encoding")


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
    async with serving(server, tmp_path / "bridge") as http:
        yield http


async def raw_get(client: httpx.AsyncClient, path: str, **headers: str) -> tuple[httpx.Response, bytes]:
    """The answer and its body as it came, in whatever coding; no Accept-Encoding but that of `headers`."""
    request = client.build_request(
        "GET", path, headers={name.replace("_", "-"): each for name, each in headers.items()}
    )
    if "accept_encoding" not in headers:
        del request.headers["accept-encoding"]
    answer = await client.send(request, stream=True)
    body = b"".join([part async for part in answer.aiter_raw()])
    await answer.aclose()
    return answer, body


def public(client: httpx.AsyncClient, path: str) -> str:
    """The address that documents give for a path: with the name as Telegram spells it."""
    return str(client.base_url).rstrip("/") + path.replace("news", "News")


# Formats.


async def test_each_format_has_a_route_and_a_type(client: httpx.AsyncClient) -> None:
    assert {path: (await client.get(path)).headers["content-type"] for path in TYPES} == TYPES
    for path in TYPES:
        assert (await client.get(path)).headers["x-content-type-options"] == "nosniff"


async def test_the_output_type_of_rss_is_the_document_of_the_formats_own_route(client: httpx.AsyncClient) -> None:
    for format, path in zip(("rss", "atom", "json", "html"), TYPES, strict=True):
        chosen, own = await client.get(f"/rss/news?output_type={format}"), await client.get(path)
        assert chosen.content == own.content
        assert [chosen.headers.get(name) for name in ("content-type", "etag", "link")] == [
            own.headers.get(name) for name in ("content-type", "etag", "link")
        ]


async def test_all_formats_have_the_same_posts(client: httpx.AsyncClient) -> None:
    atom = feedparser.parse((await client.get("/atom/news")).content)
    assert not atom.bozo
    rss = feedparser.parse((await client.get("/rss/news")).content)
    json_feed = (await client.get("/feed.json/news")).json()
    posts = [(entry.id, entry.title, entry.link) for entry in rss.entries]
    assert len(posts) == 50
    assert [(entry.id, entry.title, entry.link) for entry in atom.entries] == posts
    assert [(each["id"], each["title"], each["url"]) for each in json_feed["items"]] == posts
    assert {each["_telegram"]["chat_id"] for each in json_feed["items"]} == {NEWS_ID}


async def test_each_feed_names_its_own_address(client: httpx.AsyncClient) -> None:
    for path in ("/rss/news", "/atom/news"):
        links = feedparser.parse((await client.get(path)).content).feed.links
        assert [link.href for link in links if link.rel == "self"] == [public(client, path)]
    assert (await client.get("/feed.json/news")).json()["feed_url"] == public(client, "/feed.json/news")


async def test_a_feed_and_its_304_link_to_itself_and_its_sisters(client: httpx.AsyncClient) -> None:
    for path in FEEDS:
        answer = await client.get(path)
        unchanged = await client.get(path, headers={"If-None-Match": answer.headers["etag"]})
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        for headers in (answer.headers, unchanged.headers):
            links = re.findall(r'<([^>]+)>; rel="(\w+)"', headers["link"])
            assert links[0] == (public(client, path), "self")
            assert set(links[1:]) == {(public(client, other), "alternate") for other in FEEDS if other != path}


async def test_a_page_leads_readers_to_each_feed(client: httpx.AsyncClient) -> None:
    for path in PAGES:
        page = await client.get(path)
        found = re.findall(r'<link rel="alternate" type="([^"]+)" title="([^"]+)" href="([^"]+)">', page.text)
        assert found == [
            ("application/rss+xml", "News (RSS)", public(client, "/rss/news")),
            ("application/atom+xml", "News (Atom)", public(client, "/atom/news")),
            ("application/feed+json", "News (JSON Feed)", public(client, "/feed.json/news")),
        ]
        assert "link" not in page.headers


@pytest.mark.parametrize("path", FEEDS)
async def test_a_feed_needs_the_token_and_never_shows_it(server: Server, tmp_path: Path, path: str) -> None:
    async with serving(server, tmp_path / "bridge", token="open-sesame") as client:
        assert (await client.get(path)).status_code == 403
        assert (await client.get(f"{path}/wrong")).status_code == 403
        for answer in (await client.get(f"{path}/open-sesame"), await client.get(f"{path}?token=open-sesame")):
            assert answer.status_code == 200
            assert "open-sesame" not in answer.text + str(answer.headers)
            assert answer.headers["cache-control"].startswith("private")


@pytest.mark.parametrize("path", FEEDS)
async def test_new_counters_change_the_document_and_not_its_tag(server: Server, tmp_path: Path, path: str) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        before = await client.get(path)
        newest = server.chat(NEWS).messages[150]
        assert isinstance(newest, raw.types.Message)
        newest.views, newest.forwards = 98765, 3
        after = await client.get(path)
        assert after.content != before.content
        assert after.headers["etag"] == before.headers["etag"]
        server.edit("news", 150, "another text")
        assert (await client.get(path)).headers["etag"] != before.headers["etag"]


async def test_feeds_and_posts_say_their_language_only_if_the_owner_does(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", feed_language="pt-BR") as client:
        assert "<language>pt-BR</language>" in (await client.get("/rss/news")).text
        assert '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="pt-BR">' in (await client.get("/atom/news")).text
        assert (await client.get("/feed.json/news")).json()["language"] == "pt-BR"
        assert ' language="pt-BR" ' in (await client.get("/opml")).text
        for path in PAGES:
            assert ' lang="pt-BR"' in (await client.get(path)).text
    async with serving(server, tmp_path / "bridge") as client:
        for path in ("/rss/news", "/atom/news", "/feed.json/news", "/opml"):
            text = (await client.get(path)).text
            assert "language" not in text
            assert "xml:lang" not in text


# Codings.


async def test_who_accepts_gzip_gets_it_and_reads_the_same(client: httpx.AsyncClient) -> None:
    for path in (*FEEDS, *PAGES, "/"):
        plain, body = await raw_get(client, path)
        packed, compressed = await raw_get(client, path, accept_encoding="br;q=0.7, gzip;q=0.8")
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(compressed) == body
        assert len(compressed) < len(body)
        assert packed.headers["etag"] == plain.headers["etag"]
        assert packed.headers["etag"].startswith('W/"')
        assert packed.headers["content-type"] == plain.headers["content-type"]
        assert packed.headers["vary"] == plain.headers["vary"] == VARY[path not in FEEDS]


async def test_who_likes_brotli_best_gets_it_where_it_is_kept(client: httpx.AsyncClient) -> None:
    for path in (*FEEDS, "/html/news"):
        plain, body = await raw_get(client, path)
        gzipped, _ = await raw_get(client, path, accept_encoding="gzip")
        packed, compressed = await raw_get(client, path, accept_encoding="br, gzip")
        assert packed.headers["content-encoding"] == "br"
        assert brotli.decompress(compressed) == body
        assert int(packed.headers["content-length"]) == len(compressed) < int(gzipped.headers["content-length"])
        for name in ("etag", "content-type", "vary", "cache-control", "last-modified"):
            assert packed.headers[name] == plain.headers[name]
    for path in ("/html/news/149", "/"):
        packed, compressed = await raw_get(client, path, accept_encoding="br, gzip")
        assert packed.headers["content-encoding"] == "gzip"


async def test_who_refuses_gzip_gets_none(client: httpx.AsyncClient) -> None:
    for refusal in ("gzip;q=0", "*;q=0", "br;q=0", "identity", "gzip;q=0.0, *"):
        for path in ("/rss/news", "/html/news"):
            answer, body = await raw_get(client, path, accept_encoding=refusal)
            assert "content-encoding" not in answer.headers
            assert answer.headers["content-length"] == str(len(body))
            assert b"post 150" in body


async def test_a_304_is_the_same_for_each_coding(client: httpx.AsyncClient) -> None:
    for path in (*FEEDS, "/html/news"):
        answer, _ = await raw_get(client, path)
        for coding in ("br", "gzip", "identity"):
            again, body = await raw_get(client, path, accept_encoding=coding, if_none_match=answer.headers["etag"])
            assert (again.status_code, body) == (304, b"")
            assert again.headers["vary"] == VARY[path not in FEEDS]
            assert "content-encoding" not in again.headers
            for name in ("etag", "cache-control", "last-modified"):
                assert again.headers[name] == answer.headers[name]


async def test_head_has_the_length_of_its_get(client: httpx.AsyncClient) -> None:
    for path, coding in product((*FEEDS, *PAGES, "/"), ("br", "gzip", "identity")):
        got, body = await raw_get(client, path, accept_encoding=coding)
        asked = await client.head(path, headers={"Accept-Encoding": coding})
        assert asked.headers["content-length"] == got.headers["content-length"] == str(len(body))
        assert asked.headers.get("content-encoding") == got.headers.get("content-encoding")
        assert asked.content == b""
