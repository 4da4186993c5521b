"""Filters and pages of the whole service: over HTTP, against a Telegram that counts what it is asked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from email.utils import formatdate
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import feedparser
import httpx
import pytest
import pytest_asyncio
from pyrogram import raw
from service import serving
from telegram_world import channel, small_world

from tgserver import Server
from tgserver.crypto.rsa import RsaKey

LONG = 5005
FEEDS = ["/rss/long", "/atom/long", "/feed.json/long"]
# Texts of every 40th message.
RARE = "rare find"


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    """Making one takes a while."""
    return RsaKey.generate()


@pytest_asyncio.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    """A channel of 450 messages: albums of three at the ids from 203, forwards at every tenth, rare words."""
    world = small_world()
    long = world.add_chat(channel(LONG, "Long", "long"))
    for number in range(1, 451):
        forward = raw.types.MessageFwdHeader(from_name="Somebody", date=1_600_000_000) if number % 10 == 0 else None
        long.messages[number] = raw.types.Message(
            id=number,
            peer_id=raw.types.PeerChannel(channel_id=LONG),
            date=1_700_000_000 + 60 * number,
            message=f"{RARE} {number}" if number % 40 == 0 else f"post {number}",
            post=True,
            fwd_from=forward,
            grouped_id=777 + number // 10 if 200 <= number <= 260 and number % 10 in (3, 4, 5) else None,
        )
    async with Server(world, rsa_key=rsa_key) as running:
        yield running


@pytest_asyncio.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(server, tmp_path / "bridge") as http:
        yield http


def shown(answer: httpx.Response) -> list[list[int]]:
    """The message ids of each post of a JSON feed."""
    assert answer.status_code == 200, answer.text
    return [item["_telegram"]["message_ids"] for item in answer.json()["items"]]


async def ids(client: httpx.AsyncClient, query: str) -> list[list[int]]:
    return shown(await client.get(f"/feed.json/long?{query}"))


def asked(server: Server) -> int:
    """How often Telegram was asked for something; pings are no questions."""
    return sum(count for method, count in server.calls.items() if "." in method)


# Filters.


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("exclude_flags=fwd&limit=3", [[449], [448], [447]]),
        ("exclude_flags=fwd&limit=3&before=442", [[441], [439], [438]]),
        ("include_flags=fwd&limit=3", [[450], [440], [430]]),
        ("include_flags=FWD,poll&exclude_text=430&limit=3", [[450], [440], [420]]),
        ("include_text=RARE&limit=3", [[440], [400], [360]]),
        (r"include_text=^post%20\d%2B$&exclude_text=44\d&limit=2", [[450], [439]]),
        ("exclude_flags=all&limit=2", []),
        ("include_flags=fwd&include_text=^post&limit=2", [[450], [430]]),
    ],
)
async def test_filters_choose_before_the_limit(
    client: httpx.AsyncClient, query: str, expected: list[list[int]]
) -> None:
    assert await ids(client, query) == expected


async def test_a_filter_looks_back_until_the_limit_is_reached_and_no_further(
    client: httpx.AsyncClient, server: Server
) -> None:
    server.forget_calls()
    assert len(await ids(client, "include_text=rare&limit=5")) == 5
    # The fifth is among the newest two hundred messages.
    assert server.calls["messages.getHistory"] == 2
    assert len(await ids(client, "include_text=rare&limit=5&exclude_flags=poll")) == 5
    assert server.calls["messages.getHistory"] == 2
    assert len(await ids(client, "include_text=rare&limit=200")) == 11
    assert server.calls["messages.getHistory"] == 5


async def test_filters_and_formats_agree(client: httpx.AsyncClient) -> None:
    query = "include_text=rare&limit=4"
    titles = [item["title"] for item in (await client.get(f"/feed.json/long?{query}")).json()["items"]]
    assert len(titles) == 4
    for path in ("/rss/long", "/atom/long"):
        parsed = feedparser.parse((await client.get(f"{path}?{query}")).content)
        assert [entry.title for entry in parsed.entries] == titles
    page = (await client.get(f"/html/long?{query}")).text
    assert re.findall(r'class="p-name unseen"[^>]*>([^<]+)<', page) == titles


@pytest.mark.parametrize("path", FEEDS)
async def test_what_nothing_passes_is_a_feed_without_items(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(f"{path}?include_text=nowhere")
    assert answer.status_code == 200
    assert "Long" in answer.text and "post" not in answer.text.lower().replace("nowhere", "")
    assert "cache-status" not in answer.headers


async def test_a_page_that_nothing_passes_says_so(client: httpx.AsyncClient) -> None:
    page = await client.get("/html/long?include_text=nowhere")
    assert page.status_code == 200 and "No posts here" in page.text


@pytest.mark.parametrize("path", [*FEEDS, "/html/long"])
async def test_a_fault_on_the_way_back_is_never_an_empty_feed(
    client: httpx.AsyncClient, server: Server, path: str
) -> None:
    assert len(await ids(client, "limit=5")) == 5
    server.fail("messages.getHistory", "FLOOD_WAIT_30")
    answer = await client.get(f"{path}?include_text=nowhere")
    assert (answer.status_code, int(answer.headers["retry-after"]) >= 30) == (429, True)
    # What is there is served, and says that it is not all.
    answer = await client.get(f"{path}?include_text=rare")
    assert answer.status_code == 200 and "rare find 440" in answer.text and "rare find 320" not in answer.text
    if path != "/html/long":
        assert answer.headers["cache-status"].endswith("detail=flood-wait")
        assert "max-age=60" in answer.headers["cache-control"]


async def test_a_feed_that_lacked_posts_has_them_when_telegram_answers(
    client: httpx.AsyncClient, server: Server
) -> None:
    assert len(await ids(client, "limit=5")) == 5
    server.fail("messages.getHistory", "INTERNAL", times=1)
    assert len(await ids(client, "include_text=rare")) == 3
    # Telegram is not asked again in the same moment.
    async with asyncio.timeout(15):
        while len(await ids(client, "include_text=rare")) != 11:
            await asyncio.sleep(0.2)


async def test_filters_make_a_feed_of_its_own_with_the_items_of_the_whole(client: httpx.AsyncClient) -> None:
    async def feed(query: str) -> Any:
        return feedparser.parse((await client.get(f"/atom/long?{query}")).content)

    whole, fewer, older = await feed("limit=50"), await feed("limit=5"), await feed("limit=5&before=440")
    assert whole.feed.id == fewer.feed.id == older.feed.id
    filtered = [await feed("exclude_flags=fwd,poll"), await feed("limit=9&exclude_flags=poll,FWD")]
    assert filtered[0].feed.id == filtered[1].feed.id != whole.feed.id
    assert (await feed("include_flags=fwd,poll")).feed.id not in {whole.feed.id, filtered[0].feed.id}
    known = {entry.link: entry.id for entry in whole.entries}
    again = {entry.link: entry.id for entry in filtered[1].entries}
    assert len(again) == 9 and again.items() <= known.items()


@pytest.mark.parametrize("path", FEEDS)
async def test_a_feed_names_itself_with_its_query_and_never_with_a_token(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(f"{path}?token=secret&utm=1&limit=3&include_text=a%20%26%3Cb&exclude_flags=video,fwd")
    own = f"{str(client.base_url).rstrip('/')}{path}?exclude_flags=fwd,video&include_text=a%20%26%3Cb&limit=3"
    assert answer.headers["link"].startswith(f'<{own}>; rel="self"')
    assert own in answer.text.replace("&#x26;", "&").replace("&amp;", "&")
    assert "secret" not in answer.text + str(answer.headers) and "utm" not in answer.text
    assert (await client.get(own)).content == answer.content


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("exclude_flags=nice", "exclude_flags: there is no flag 'nice'; the flags are all, advert, "),
        ("include_flags=nice", "include_flags: there is no flag 'nice'; the flags are advert, "),
        ("include_text=(", "include_text: is no regular expression"),
        ("exclude_text=" + "a" * 501, "exclude_text: must have at most 500 characters"),
        ("before=0", "before: must be a number from 1 to 2147483647"),
        ("before=x", "before: must be a number from 1 to 2147483647"),
        ("limit=0", "limit: must be a number from 1 to 200"),
    ],
)
async def test_a_wrong_parameter_is_a_400_that_names_it(client: httpx.AsyncClient, query: str, fault: str) -> None:
    for path in FEEDS:
        answer = await client.get(f"{path}?{query}")
        assert answer.status_code == 400
        assert answer.json()["detail"].startswith(fault)
    page = await client.get(f"/html/long?{query}")
    assert page.status_code == 400 and fault.partition(":")[0] in page.text


# Pages.


async def walked(client: httpx.AsyncClient, url: str) -> list[list[list[int]]]:
    """The posts on each page, as a reader that follows `next_url` sees them."""
    pages = []
    while url:
        answer = await client.get(url)
        pages.append(shown(answer))
        url = answer.json().get("next_url", "")
    return pages


async def test_a_reader_walks_through_all_that_is_stored_without_a_call(
    client: httpx.AsyncClient, server: Server
) -> None:
    # All of it, once: nothing matches, so nothing ends the search.
    assert await ids(client, "include_text=nowhere") == []
    server.forget_calls()
    for limit in (7, 50):
        pages = await walked(client, f"/feed.json/long?limit={limit}")
        posts = [post for page in pages for post in page]
        assert [id_ for post in posts for id_ in sorted(post, reverse=True)] == list(range(450, 0, -1))
        assert [post for post in posts if len(post) > 1] == [[n + 3, n + 4, n + 5] for n in range(250, 190, -10)]
        assert all(len(page) == limit for page in pages[:-1])
    filtered = await walked(client, "/feed.json/long?limit=4&include_text=rare")
    assert filtered == [[[440], [400], [360], [320]], [[280], [240], [200], [160]], [[120], [80], [40]]]
    assert asked(server) == 0


@pytest.mark.parametrize("path", FEEDS)
async def test_a_feed_names_its_next_page_only_if_that_is_stored_whole(
    client: httpx.AsyncClient, server: Server, path: str
) -> None:
    def names_next(answer: httpx.Response) -> bool:
        text = answer.text
        return 'rel="next"' in text or "next_url" in text

    # A hundred messages are stored.
    assert names_next(await client.get(f"{path}?limit=50"))
    assert not names_next(await client.get(f"{path}?limit=51"))
    server.forget_calls()
    second = await client.get(f"{path}?limit=50&before=401")
    assert second.status_code == 200 and not names_next(second)
    assert asked(server) == 0


async def test_following_a_feed_asks_telegram_nothing_even_after_its_time_is_over(
    server: Server, tmp_path: Path
) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        first = await client.get("/feed.json/long?limit=20")
        server.forget_calls()
        second = await client.get(first.json()["next_url"])
        assert shown(second)[0] == [430]
        assert asked(server) == 0


async def test_a_page_further_back_is_fetched_when_somebody_asks_for_it(
    client: httpx.AsyncClient, server: Server
) -> None:
    assert await ids(client, "before=247&limit=3") == [[246], [243, 244, 245], [242]]
    assert await ids(client, "before=244&limit=2") == [[242], [241]]
    server.forget_calls()
    assert await ids(client, "before=21&limit=20") == [[n] for n in range(20, 0, -1)]
    assert server.calls["messages.getHistory"] == 1
    assert await ids(client, "before=1") == []


async def test_a_page_beyond_what_is_kept_is_a_404(client: httpx.AsyncClient, server: Server) -> None:
    chat = server.chat("long")
    for number in range(2501, 4701):
        chat.messages[number] = raw.types.Message(
            id=number,
            peer_id=raw.types.PeerChannel(channel_id=LONG),
            date=1_710_000_000 + number,
            message="filler",
            post=True,
        )
    server.forget_calls()
    answer = await client.get("/feed.json/long?before=100")
    assert answer.status_code == 404
    assert answer.json()["detail"] == "Posts before 100 are further back than the 2000 messages kept of a chat"
    assert server.calls["messages.getHistory"] == 20
    assert (await client.get("/html/long?before=100")).status_code == 404
    assert server.calls["messages.getHistory"] == 20


async def page_links(client: httpx.AsyncClient, url: str) -> tuple[list[str], str, str]:
    """The posts' links on a page, and the addresses of the newer and the older page."""
    answer = await client.get(url)
    assert answer.status_code == 200
    posts = re.findall(r'class="u-url" href="[^"]+/html/long/(\d+)"', answer.text)
    links = {}
    for relation in ("prev", "next"):
        heads = re.findall(rf'<link rel="{relation}" href="([^"]+)">', answer.text)
        bodies = re.findall(rf'href="([^"]+)" rel="{relation}"', answer.text)
        assert heads == bodies and len(heads) <= 1
        links[relation] = heads[0].replace("&amp;", "&") if heads else ""
    return posts, links["prev"], links["next"]


async def test_a_person_pages_to_the_first_post_and_back(client: httpx.AsyncClient) -> None:
    seen: list[str] = []
    down: list[list[str]] = []
    url = "/html/long?limit=60"
    while url:
        posts, newer, url = await page_links(client, url)
        assert bool(newer) == bool(seen)
        seen += posts
        down.append(posts)
    assert seen == [str(n) for n in range(450, 0, -1) if not (200 <= n <= 260 and n % 10 in (4, 5))]
    up, url = [down[-1]], newer
    while url:
        posts, url, _ = await page_links(client, url)
        up.append(posts)
    assert up == down[::-1]


async def test_a_pages_links_keep_its_filters_and_its_feed_is_the_newest(client: httpx.AsyncClient) -> None:
    _, newer, older = await page_links(client, "/html/long?limit=2&include_text=rare&before=400")
    assert urlsplit(older).query == "before=320&include_text=rare&limit=2"
    assert urlsplit(newer).query == "include_text=rare&limit=2"
    page = (await client.get("/html/long?limit=2&include_text=rare&before=400")).text
    feeds = re.findall(r'<link rel="alternate" type="[^"]+" title="[^"]+" href="([^"]+)">', page)
    assert len(feeds) == 3
    assert {urlsplit(feed.replace("&amp;", "&")).query for feed in feeds} == {"include_text=rare&limit=2"}


async def test_merged_posts_are_whole_on_every_page(server: Server, tmp_path: Path) -> None:
    """A minute lies between two messages, and nothing between the ten of which the last ends with a 0."""
    for number, message in server.chat("long").messages.items():
        assert isinstance(message, raw.types.Message)
        message.date = 1_700_000_000 + 600 * ((number - 1) // 10)
    async with serving(server, tmp_path / "bridge", time_based_merge=True) as client:
        assert await ids(client, "include_text=nowhere") == []
        pages = await walked(client, "/feed.json/long?limit=4")
        assert [post for page in pages for post in page] == [
            list(range(last - 9, last + 1)) for last in range(450, 0, -10)
        ]
        answer = await client.get("/feed.json/long?limit=4&merge_seconds=600")
        assert answer.json()["feed_url"].endswith("?limit=4&merge_seconds=600")


# Conditions.


@pytest.mark.parametrize("path", [*FEEDS, "/html/long", "/html/long/5", "/json/long/5", "/flags", "/"])
async def test_a_document_that_is_not_the_one_meant_is_a_412(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)
    for condition in ('"other"', answer.headers["etag"], answer.headers["etag"].removeprefix("W/")):
        for method in ("GET", "HEAD"):
            failed = await client.request(method, path, headers={"If-Match": condition})
            assert failed.status_code == 412
            assert failed.headers["cache-control"] == "no-store"
    assert (await client.get(path, headers={"If-Match": "*"})).content == answer.content
    unchanged = await client.get(path, headers={"If-Match": "*", "If-None-Match": answer.headers["etag"]})
    assert unchanged.status_code == 304


@pytest.mark.parametrize("path", [*FEEDS, "/html/long"])
async def test_a_document_changed_since_is_a_412(client: httpx.AsyncClient, path: str) -> None:
    headers = {"If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"}
    assert (await client.get(path, headers=headers)).status_code == 412


@pytest.mark.parametrize("path", FEEDS)
async def test_a_document_that_is_another_but_no_newer_has_no_date_that_makes_clients_drop_it(
    client: httpx.AsyncClient, path: str
) -> None:
    dated = await client.get(path)
    for etag, since, told in [
        ('W/"another"', dated.headers["last-modified"], None),
        ('W/"another"', formatdate(0, usegmt=True), dated.headers["last-modified"]),
        (dated.headers["etag"], dated.headers["last-modified"], dated.headers["last-modified"]),
    ]:
        answer = await client.get(path, headers={"If-None-Match": etag, "If-Modified-Since": since})
        assert answer.headers.get("last-modified") == told
        known = etag == dated.headers["etag"]
        assert (answer.status_code, answer.content) == ((304, b"") if known else (200, dated.content))


async def test_filtered_feeds_have_tags_of_their_own(client: httpx.AsyncClient) -> None:
    queries = ("", "?include_flags=fwd", "?exclude_flags=fwd", "?limit=49", "?before=300")
    tags = {(await client.get(f"/rss/long{query}")).headers["etag"] for query in queries}
    assert len(tags) == len(queries)


async def test_new_posts_reach_a_filtered_feed(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0, tg_rpc_timeout=10) as client:
        before = await client.get("/feed.json/long?include_text=rare&limit=2")
        server.post("long", "another post")
        unchanged = await client.get("/feed.json/long?include_text=rare&limit=2")
        assert shown(unchanged) == shown(before)
        server.post("long", "Rare again")
        assert shown(await client.get("/feed.json/long?include_text=rare&limit=2")) == [[452], [440]]
