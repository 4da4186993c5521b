"""Feeds and pages of several channels at once, of the whole service."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import feedparser
import httpx
import pytest
import pytest_asyncio
from lxml import etree
from pyrogram import raw
from reader import make_reader
from service import serving
from telegram_world import GROUP_ID, channel, small_world

from history.waiting import Patience
from tgserver import Action, Server
from tgserver.crypto.rsa import RsaKey

ALPHA, BETA = 5005, 6006
ALPHA_ID, BETA_ID = -1000000005005, -1000000006006
FEEDS = ["/rss", "/atom", "/feed.json"]
BEGAN = 1_700_000_000
TOKEN = "open-sesame"
BROWSER = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    """Making one takes a while."""
    return RsaKey.generate()


def text(chat_id: int, number: int, date: int, **fields: Any) -> raw.types.Message:
    return raw.types.Message(
        id=number,
        peer_id=raw.types.PeerChannel(channel_id=chat_id),
        date=date,
        message=fields.pop("message", f"post {number} of {chat_id}"),
        post=True,
        **fields,
    )


@pytest_asyncio.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    """Alpha and Beta write in turns, every tenth time in the same second; Alpha's 120th is a forward."""
    world = small_world()
    alpha, beta = world.add_chat(channel(ALPHA, "Alpha", "alpha")), world.add_chat(channel(BETA, "Beta", "beta"))
    forward = raw.types.MessageFwdHeader(from_id=raw.types.PeerChannel(channel_id=1001), channel_post=7, date=BEGAN)
    for number in range(1, 121):
        at = BEGAN + 60 * number
        alpha.messages[number] = text(ALPHA, number, at, fwd_from=forward if number == 120 else None)
        beta.messages[number] = text(BETA, number, at if number % 10 == 0 else at + 30)
    async with Server(world, rsa_key=rsa_key) as running:
        yield running


@pytest_asyncio.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(server, tmp_path / "bridge") as http:
        yield http


def asked(server: Server) -> int:
    """How often Telegram was asked about channels."""
    return sum(
        count for method, count in server.calls.items() if method.startswith(("channels", "contacts", "messages"))
    )


async def items(client: httpx.AsyncClient, address: str) -> list[dict[str, Any]]:
    answer = await client.get(address)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def places(found: list[dict[str, Any]]) -> list[tuple[int, int]]:
    return [(item["_telegram"]["chat_id"], item["_telegram"]["message_ids"][0]) for item in found]


# What is in them.


async def test_the_newest_posts_of_all_come_first_as_they_are_in_their_own_feeds(client: httpx.AsyncClient) -> None:
    combined = await items(client, "/feed.json/alpha+beta?limit=7")
    assert places(combined) == [
        (BETA_ID, 120), (ALPHA_ID, 120),
        (BETA_ID, 119), (ALPHA_ID, 119), (BETA_ID, 118), (ALPHA_ID, 118), (BETA_ID, 117),
    ]  # fmt: skip
    alone = {each["id"]: each for name in ("alpha", "beta") for each in await items(client, f"/feed.json/{name}")}
    for item in combined:
        assert item["_telegram"].pop("chat_title") in ("Alpha", "Beta")
        assert item == alone[item["id"]]


async def test_all_formats_have_the_same_posts_and_say_where_they_come_from(client: httpx.AsyncClient) -> None:
    posts = await items(client, "/feed.json/alpha+beta")
    assert len(posts) == 50
    authors = [each["authors"][0]["name"] for each in posts]
    assert set(authors) == {"Alpha (@alpha)", "Beta (@beta)"}
    for path in ("/rss", "/atom"):
        parsed = feedparser.parse((await client.get(f"{path}/alpha+beta")).content)
        assert not parsed.bozo
        assert parsed.feed.title == "Alpha + Beta"
        assert parsed.feed.subtitle == "Posts of Alpha and Beta."
        assert [entry.id for entry in parsed.entries] == [each["id"] for each in posts]
        assert [entry.author for entry in parsed.entries] == authors
        sources = [
            (entry.source.title, entry.source.get("href") or entry.source.links[0].href) for entry in parsed.entries
        ]
        assert set(sources[2:]) == {
            ("Alpha", f"{client.base_url}{path}/alpha"), ("Beta", f"{client.base_url}{path}/beta")
        }  # fmt: skip
    # A forward keeps the source that it has in its own channel.
    rss = etree.fromstring((await client.get("/rss/alpha+beta?limit=2")).content)
    assert [(each.text, each.get("url")) for each in rss.iter("source")] == [
        ("Beta", f"{client.base_url}/rss/beta"), ("News", f"{client.base_url}/rss/News")
    ]  # fmt: skip


async def test_feed_and_sources_have_ids_of_their_own_in_whatever_order(client: httpx.AsyncClient) -> None:
    namespace = {"a": "http://www.w3.org/2005/Atom"}
    own = etree.fromstring((await client.get("/atom/alpha")).content).findtext("a:id", namespaces=namespace)
    tree = etree.fromstring((await client.get("/atom/alpha+beta")).content)
    ids = {source.findtext("a:id", namespaces=namespace) for source in tree.iterfind("a:entry/a:source", namespace)}
    assert own in ids and len(ids) == 2
    assert tree.findtext("a:id", namespaces=namespace) not in ids
    turned = etree.fromstring((await client.get("/atom/beta+alpha")).content)
    for path in ("a:id", "a:entry/a:id"):
        assert [each.text for each in turned.iterfind(path, namespace)] == [
            each.text for each in tree.iterfind(path, namespace)
        ]


async def test_however_the_channels_are_written_it_is_one_feed(client: httpx.AsyncClient) -> None:
    plain = await client.get("/rss/alpha+beta?limit=5")
    for path in (
        f"{ALPHA_ID}+{BETA_ID}",
        "@Alpha+BETA",
        "alpha+beta+alpha",
        f"alpha+beta+{ALPHA_ID}",
        "t.me/alpha+t.me/c/6006",
        "https://t.me/alpha+https://t.me/beta",
        "alpha%2Bbeta",
        "t.me/s/alpha+beta",
    ):
        spelled = await client.get(f"/rss/{path}?limit=5")
        assert (spelled.content, spelled.headers["etag"]) == (plain.content, plain.headers["etag"]), path
        assert f'<{client.base_url}/rss/alpha+beta?limit=5>; rel="self"' in spelled.headers["link"]
    # One channel named twice is that channel's feed.
    assert (await client.get("/rss/alpha+ALPHA")).content == (await client.get("/rss/alpha")).content


async def test_filters_merging_and_limits_are_those_of_single_feeds(client: httpx.AsyncClient) -> None:
    found = await items(client, "/feed.json/alpha+beta?include_text=post%20\\d%2B5%20&limit=3")
    assert places(found) == [(BETA_ID, 115), (ALPHA_ID, 115), (BETA_ID, 105)]
    assert places(await items(client, "/feed.json/alpha+beta?include_flags=fwd")) == [(ALPHA_ID, 120)]
    nothing = await client.get("/rss/alpha+beta?include_text=nowhere")
    assert nothing.status_code == 200 and "<title>Alpha + Beta</title>" in nothing.text
    assert not feedparser.parse(nothing.content).entries and "cache-status" not in nothing.headers
    for wrong in ("limit=0", "include_flags=none", "before=12", "before=1,2", "before=x,1,1"):
        assert (await client.get(f"/rss/alpha+beta?{wrong}")).status_code == 400


async def test_messages_near_in_time_become_one_post_only_with_those_of_their_own_channel(
    server: Server, tmp_path: Path
) -> None:
    async with serving(server, tmp_path / "bridge", time_based_merge=True) as client:
        # Alpha and Beta write in the same second, each of them half a minute after its last post at the soonest.
        apart = await items(client, "/feed.json/alpha+beta?merge_seconds=29&limit=4")
        assert [each["_telegram"]["message_ids"] for each in apart] == [[120], [120], [119], [119]]
        merged = await items(client, "/feed.json/alpha+beta?merge_seconds=90&limit=4")
        assert [each["_telegram"]["chat_id"] for each in merged] == [BETA_ID, ALPHA_ID]
        assert all(each["_telegram"]["message_ids"] == list(range(1, 121)) for each in merged)


async def test_more_channels_than_a_feed_may_have_are_refused(client: httpx.AsyncClient) -> None:
    answer = await client.get("/rss/" + "+".join(f"name{number}" for number in range(51)))
    assert answer.status_code == 400
    assert answer.json()["detail"] == "channel: at most 50 channels make one feed, got 51"
    for path in ("alpha+", "+alpha", "alpha++beta", "alpha+!!", "alpha+t.me"):
        answer = await client.get(f"/rss/{path}")
        assert (answer.status_code, answer.json()["detail"].startswith("channel: ")) == (400, True), path


async def test_a_post_is_of_one_channel(client: httpx.AsyncClient) -> None:
    for path in ("/html/alpha+beta/7", "/json/alpha+beta/7", "/raw_json/alpha+beta/7"):
        assert (await client.get(path)).status_code == 400


# Pages.


async def test_pages_follow_each_other_without_a_gap_and_without_a_call(
    client: httpx.AsyncClient, server: Server
) -> None:
    first = (await client.get("/feed.json/alpha+beta?limit=45")).json()
    server.forget_calls()
    feed, seen = first, places(first["items"])
    while "next_url" in feed:
        feed = (await client.get(feed["next_url"])).json()
        seen += places(feed["items"])
    assert asked(server) == 0
    assert len(seen) == len(set(seen)) >= 180
    whole = await items(client, "/feed.json/alpha+beta?limit=200")
    assert seen[:200] == places(whole)[: len(seen)]


async def test_a_page_in_the_browser_leads_to_older_and_newer_posts(client: httpx.AsyncClient) -> None:
    address, shown = "/html/alpha+beta?limit=60", []
    while True:
        page = (await client.get(address)).text
        shown.append(re.findall(r'class="p-name unseen"[^>]*>([^<]+)<', page))
        found = re.search(r'class="older" href="([^"]+)"', page)
        if found is None:
            break
        address = found[1].replace("&amp;", "&")
    assert [len(titles) for titles in shown] == [60, 60, 60, 60]
    for titles in reversed(shown[:-1]):
        found = re.search(r'class="newer" href="([^"]+)"', page)
        assert found is not None
        page = (await client.get(found[1].replace("&amp;", "&"))).text
        assert re.findall(r'class="p-name unseen"[^>]*>([^<]+)<', page) == titles
    assert 'class="newer"' not in page


async def test_a_new_post_moves_no_page(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        second = (await client.get("/feed.json/alpha+beta?limit=20")).json()["next_url"]
        before = places(await items(client, second))
        server.post("alpha", text(ALPHA, 121, BEGAN + 99_999))
        # The last one of the first page.
        server.delete("alpha", 111)
        first = places(await items(client, "/feed.json/alpha+beta?limit=20"))
        assert first[0] == (ALPHA_ID, 121) and (ALPHA_ID, 111) not in first
        assert places(await items(client, second)) == before


async def test_a_long_feed_reads_further_back_only_where_it_has_to(client: httpx.AsyncClient, server: Server) -> None:
    # News is older than the newest hundred of the others.
    found = await items(client, "/feed.json/alpha+beta+news?limit=190")
    assert len(found) == 190
    assert {chat for chat, _ in places(found)} == {ALPHA_ID, BETA_ID}
    assert server.calls["messages.getHistory"] == 3
    # Two hundred posts of one channel are in two pages; nobody looks at the second page of the others.
    server.forget_calls()
    found = await items(client, f"/feed.json/{GROUP_ID}+news?limit=150")
    assert len(found) == 150
    assert server.calls["messages.getHistory"] == 2


async def test_a_page_has_the_channels_and_posts_with_their_own_pages(client: httpx.AsyncClient) -> None:
    page = (await client.get("/html/alpha+beta?limit=2")).text
    assert re.findall(r'<li><a href="([^"]+)"><bdi>(\w+)</bdi>', page) == [
        (f"{client.base_url}/html/alpha", "Alpha"), (f"{client.base_url}/html/beta", "Beta")
    ]  # fmt: skip
    permalinks = re.findall(r'<a class="u-url" href="([^"]+)"><time', page)
    assert permalinks == [f"{client.base_url}/html/beta/120", f"{client.base_url}/html/alpha/120"]
    assert f'value="{client.base_url}/rss/alpha+beta?limit=2"' in page


async def test_a_browser_gets_a_page_with_the_combined_feeds_address(client: httpx.AsyncClient) -> None:
    for path in FEEDS:
        page = await client.get(f"{path}/alpha+beta?limit=2", headers=BROWSER)
        assert "This is a feed." in page.text
        assert f'value="{client.base_url}{path}/alpha+beta?limit=2"' in page.text


# Conditional requests, and the documents that are kept.


async def test_an_unchanged_feed_is_answered_with_304_and_no_call(client: httpx.AsyncClient, server: Server) -> None:
    first = await client.get("/rss/alpha+beta")
    server.forget_calls()
    for headers in ({"If-None-Match": first.headers["etag"]}, {"If-Modified-Since": first.headers["last-modified"]}):
        assert (await client.get("/rss/alpha+beta", headers=headers)).status_code == 304
    assert (await client.head("/rss/alpha+beta")).headers["content-length"] == first.headers["content-length"]
    assert asked(server) == 0


async def test_the_tag_outlasts_a_restart_and_changes_with_any_channel(server: Server, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"pyrogram_bridge_url": "https://bridge.example", "history_cache_ttl_minutes": 0}
    async with serving(server, tmp_path / "bridge", **settings) as client:
        tag = (await client.get("/rss/alpha+beta")).headers["etag"]
    async with serving(server, tmp_path / "bridge", **settings) as client:
        assert (await client.get("/rss/alpha+beta")).headers["etag"] == tag
        server.edit("beta", 110, "another text")
        answer = await client.get("/rss/alpha+beta")
        assert answer.headers["etag"] != tag and "another text" in answer.text
        # What is kept of other combinations and of single channels is not mixed up with it.
        assert places(await items(client, "/feed.json/beta+news?limit=1")) == [(BETA_ID, 120)]
        assert places(await items(client, "/feed.json/alpha?limit=1")) == [(ALPHA_ID, 120)]


async def test_a_new_title_shows_though_no_post_is_new(server: Server, tmp_path: Path) -> None:
    now = [1_800_000_000.0]
    settings: dict[str, Any] = {"tg_chat_cache_ttl_hours": 1, "history_cache_ttl_minutes": 999_999}
    async with serving(server, tmp_path / "bridge", clock=lambda: now[0], **settings) as client:
        assert "<title>Alpha + Beta</title>" in (await client.get("/rss/alpha+beta")).text
        server.rename("beta", title="Gamma")
        now[0] += 3601
        assert "<title>Alpha + Gamma</title>" in (await client.get("/rss/alpha+beta")).text


# What can't be read.


async def test_a_channel_that_is_not_there_is_left_out_and_named(client: httpx.AsyncClient) -> None:
    whole = await items(client, "/feed.json/alpha+beta?limit=3")
    for path in FEEDS:
        answer = await client.get(f"{path}/alpha+nobody+beta?limit=3")
        assert answer.status_code == 200
        assert answer.headers["cache-status"] == 'bridge; fwd=miss; fwd-status=404; key="nobody"; detail=left-out'
        assert "max-age=300" in answer.headers["cache-control"]
        assert "age" not in answer.headers
        assert "Left out: nobody (there is no such channel)." in answer.text
        assert f'<{client.base_url}{path}/alpha+nobody+beta?limit=3>; rel="self"' in answer.headers["link"]
        again = await client.get(str(answer.url), headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.headers["cache-status"]) == (304, answer.headers["cache-status"])
    assert answer.json()["items"] == whole
    assert "Left out: nobody (there is no such channel)." in (await client.get("/html/alpha+nobody")).text
    # Proxies refuse long headers; the description names all.
    many = await client.get("/rss/alpha+" + "+".join(f"nobody_{number}" for number in range(12)))
    assert many.headers["cache-status"].count("left-out") == 10
    assert many.text.count("there is no such channel") == 12


async def test_a_channel_that_joins_later_brings_its_old_posts(server: Server, tmp_path: Path) -> None:
    now = [1_800_000_000.0]
    async with serving(server, tmp_path / "bridge", clock=lambda: now[0]) as client:
        partial = await client.get("/rss/alpha+later?limit=200")
        # Who asks by date alone would not see what is older than all that was there.
        assert "last-modified" not in partial.headers
        server.world.add_chat(channel(7007, "Later", "later")).messages[1] = text(7007, 1, BEGAN - 9)
        now[0] += 61
        whole = await client.get("/rss/alpha+later?limit=200", headers={"If-None-Match": partial.headers["etag"]})
        assert "post 1 of 7007" in whole.text and "Left out" not in whole.text
        assert "last-modified" in whole.headers and "cache-status" not in whole.headers


async def test_a_channel_that_may_not_be_read_any_more_is_left_out_and_keeps_its_title(
    server: Server, tmp_path: Path
) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        whole = feedparser.parse((await client.get("/atom/alpha+beta")).content)
        server.fail("messages.getHistory", "CHANNEL_PRIVATE", 1, after=1)
        answer = await client.get("/atom/alpha+beta")
        assert answer.headers["cache-status"] == 'bridge; fwd=miss; fwd-status=403; key="beta"; detail=left-out'
        parsed = feedparser.parse(answer.content)
        assert (parsed.feed.title, parsed.feed.id) == (whole.feed.title, whole.feed.id)
        assert parsed.feed.subtitle.endswith("Left out: Beta (this account may not read it).")
        assert {entry.author for entry in parsed.entries} == {"Alpha (@alpha)"}
        # It alone is refused, and with one that is not there the owner is told what can be done.
        assert (await client.get("/atom/beta+nobody")).status_code == 403


async def test_if_none_can_be_read_the_answer_is_that_of_the_worst_that_the_owner_can_mend(
    client: httpx.AsyncClient, server: Server
) -> None:
    assert (await client.get("/rss/nobody+noone")).status_code == 404
    server.fail("contacts.resolveUsername", "FLOOD_WAIT_30")
    answer = await client.get("/rss/nobody+unheard")
    assert answer.status_code == 429
    assert 30 <= int(answer.headers["retry-after"]) <= 36


async def test_a_passing_fault_of_one_channel_is_a_shorter_feed_for_a_minute_and_never_an_empty_one(
    client: httpx.AsyncClient, server: Server
) -> None:
    assert (await client.get("/feed.json/alpha")).status_code == 200
    server.fail("contacts.resolveUsername", "FLOOD_WAIT_30", 1)
    for path in FEEDS:
        partial = await client.get(f"{path}/alpha+beta")
        assert partial.status_code == 200
        assert "post 119 of 5005" in partial.text and "of 6006" not in partial.text
        assert "max-age=60" in partial.headers["cache-control"]
        assert partial.headers["cache-status"] == (
            'bridge; hit; ttl=300; detail=flood-wait, bridge; fwd=miss; fwd-status=429; key="beta"; detail=left-out'
        )
        assert "last-modified" not in partial.headers
        assert "Left out: beta (not at hand now)." in partial.text
    assert (await client.get("/rss/beta")).status_code == 429


async def test_the_posts_that_were_missing_come_when_the_fault_is_over(server: Server, tmp_path: Path) -> None:
    now = [1_800_000_000.0]
    async with serving(server, tmp_path / "bridge", clock=lambda: now[0]) as client:
        server.fail("messages.getHistory", "TIMEOUT", 1, after=1)
        partial = await client.get("/rss/alpha+beta")
        assert (partial.status_code, "left-out" in partial.headers["cache-status"]) == (200, True)
        now[0] += 400
        whole = await client.get("/rss/alpha+beta", headers={"If-None-Match": partial.headers["etag"]})
        assert whole.status_code == 200
        assert "cache-status" not in whole.headers and "last-modified" in whole.headers
        assert all(f"post 119 of {chat}" in whole.text for chat in (ALPHA, BETA))


async def test_what_is_stored_of_a_channel_is_served_with_its_age_beside_the_others(
    server: Server, tmp_path: Path
) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        whole = await client.get("/rss/alpha+beta")
        server.fail("messages.getHistory", "FLOOD_WAIT_30")
        stale = await client.get("/rss/alpha+beta")
        assert stale.status_code == 200
        assert stale.headers["etag"] == whole.headers["etag"]
        assert stale.headers["cache-status"].endswith("detail=flood-wait")
        assert "max-age=60" in stale.headers["cache-control"] and "age" in stale.headers


async def test_a_channel_that_takes_too_long_does_not_keep_the_others_waiting(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api_server.PATIENCE", Patience(with_stored=0.3, without=20))
    async with serving(server, tmp_path / "bridge", tg_rpc_concurrency=4, tg_rpc_timeout=10) as client:
        assert (await client.get("/rss/alpha")).status_code == 200
        server.fault(Action.DELAY, "contacts.resolveUsername", 1, seconds=4)
        answer = await client.get("/rss/alpha+beta", timeout=3.5)
        assert answer.status_code == 200
        assert answer.headers["cache-status"] == (
            'bridge; hit; ttl=300; detail=busy, bridge; fwd=miss; fwd-status=503; key="beta"; detail=left-out'
        )
        # The fetch has gone on.
        async with asyncio.timeout(15):
            while "cache-status" in (await client.get("/rss/alpha+beta")).headers:
                await asyncio.sleep(0.1)


async def test_of_more_channels_than_can_be_fetched_in_time_some_are_there_and_the_others_follow(
    rsa_key: RsaKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api_server.PATIENCE", Patience(with_stored=0.3, without=20))
    world = small_world()
    for number in range(30):
        chat = world.add_chat(channel(8000 + number, f"Many {number}", f"many_{number}"))
        chat.messages[1] = text(chat.id, 1, BEGAN + number)
    path = "/feed.json/" + "+".join(f"many_{number}" for number in range(30))
    async with Server(world, rsa_key=rsa_key) as server, serving(server, tmp_path, tg_rpc_min_interval_ms=40) as client:
        server.forget_calls()
        first = await client.get(path)
        assert first.status_code == 200
        # Ninety calls take 3.6 s.
        assert 1 <= len(first.json()["items"]) < 30
        assert "detail=busy" in first.headers["cache-status"]
        async with asyncio.timeout(20):
            while (await client.get("/health")).json()["history"]["waiting"]["fetches"]:
                await asyncio.sleep(0.05)
        # All have gone on without a reader, and none was asked for twice.
        assert asked(server) == 90
        whole = await client.get(path)
        assert len(whole.json()["items"]) == 30 and "cache-status" not in whole.headers
        assert asked(server) == 90


async def test_what_is_stored_of_channels_is_served_when_their_turn_does_not_come(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/rss/alpha+beta+news+{GROUP_ID}+ada_friend+-1000000004004"
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        whole = await client.get(path)
    monkeypatch.setattr("api_server.PATIENCE", Patience(with_stored=0.3, without=20))
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0, tg_rpc_timeout=10) as client:
        server.fault(Action.DELAY, "messages.getHistory", seconds=2)
        late = await client.get(path)
    assert late.status_code == whole.status_code == 200
    assert [entry.id for entry in feedparser.parse(late.content).entries] == [
        entry.id for entry in feedparser.parse(whole.content).entries
    ]
    assert late.headers["cache-status"].endswith("detail=busy") and "left-out" not in late.headers["cache-status"]


async def test_channels_are_asked_for_once_however_many_readers_there_are(
    client: httpx.AsyncClient, server: Server
) -> None:
    server.forget_calls()
    answers = await asyncio.gather(*(client.get(f"{path}/alpha+beta+news") for path in FEEDS for _ in range(3)))
    assert {answer.status_code for answer in answers} == {200}
    assert asked(server) == 9


# Keys.


async def own_address(client: httpx.AsyncClient, path: str) -> httpx.URL:
    answer = await client.get(path, headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200 and TOKEN not in answer.text + str(answer.headers)
    found = re.match(r'<([^>]+)>; rel="self"', answer.headers["link"])
    assert found is not None
    return httpx.URL(found[1])


async def test_a_combined_feed_has_a_key_that_opens_it_and_nothing_else(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", token=TOKEN) as client:
        assert (await client.get("/rss/alpha+beta")).status_code == 403
        assert (await client.get(f"/rss/alpha+beta/{TOKEN}")).status_code == 200
        url = await own_address(client, "/rss/alpha+beta?limit=3")
        assert url.path == f"/rss/{ALPHA_ID}+{BETA_ID}"
        key = url.params["key"]
        for address in (str(url), f"/atom/beta+alpha?key={key}", f"/feed.json/@alpha+t.me/c/6006?limit=1&key={key}"):
            answer = await client.get(address)
            assert answer.status_code == 200, address
            assert "/rss/alpha?key=" not in answer.text
        alone = (await own_address(client, "/rss/alpha")).params["key"]
        for address in (
            f"/rss/alpha?key={key}",
            f"/rss/alpha+beta+news?key={key}",
            f"/html/alpha+beta?key={key}",
            f"/rss/alpha+nobody?key={key}",
            f"/rss/alpha+beta?key={alone}",
            f"/rss/folder/alpha+beta?key={key}",
        ):
            assert (await client.get(address)).status_code == 403, address


async def test_a_key_stays_good_when_a_channel_that_was_unknown_is_found(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", token=TOKEN) as client:
        url = await own_address(client, "/rss/alpha+later")
        assert url.path == f"/rss/{ALPHA_ID}+later"
        server.world.add_chat(channel(7007, "Later", "later"))
    async with serving(server, tmp_path / "bridge", token=TOKEN) as client:
        assert (await client.get(url.raw_path.decode())).status_code == 200
        assert (await own_address(client, "/rss/alpha+later")).path == f"/rss/{ALPHA_ID}+-1000000007007"
        assert (await client.get(url.raw_path.decode())).status_code == 200


async def test_what_turns_out_to_be_one_channel_is_walked_through_with_its_key(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", token=TOKEN) as client:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        feed = (await client.get(f"/feed.json/alpha+{ALPHA_ID}?limit=40", headers=headers)).json()
        seen = places(feed["items"])
        while "next_url" in feed:
            feed = (await client.get(feed["next_url"])).json()
            seen += places(feed["items"])
        assert len(seen) == len(set(seen)) >= 80


async def test_lemon24s_reader_sees_one_new_post_as_one_whatever_the_format(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        with closing(make_reader(str(tmp_path / "reader.db"))) as reader:
            urls = [f"{client.base_url}{path}/alpha+beta?limit=20" for path in FEEDS]
            for url in urls:
                reader.add_feed(url)

            async def update() -> list[tuple[int, int] | None]:
                seen = [await asyncio.to_thread(reader.update_feed, url) for url in urls]
                return [None if each is None else (each.new, each.modified) for each in seen]

            assert await update() == [(20, 0)] * 3
            assert await update() == [None] * 3
            server.post("alpha", text(ALPHA, 121, BEGAN + 99_999))
            assert await update() == [(1, 0)] * 3
            server.edit("beta", 119, "another text")
            assert await update() == [(0, 1)] * 3
            feed = reader.get_feed(urls[1])
            assert feed.title == "Alpha + Beta"
            sources = {entry.source.title for entry in reader.get_entries(feed=urls[1]) if entry.source is not None}
            assert sources == {"Alpha", "Beta"}
