"""A forum's topic and a post's comments as feeds and pages, on the wire."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import feedparser
import httpx
import pytest
import pytest_asyncio
from pyrogram import raw
from service import serving
from thread_world import COPY, FILE, FORUM_ID, HARBOUR_ID, OARS, SAILS, TALK_ID, in_topic, thread_world

from model.entity import Text
from model.message import Message
from posts.identity import feed_id, item_id
from tgserver import Server
from tgserver.crypto.rsa import RsaKey

# One service for all tests that change nothing.
pytestmark = pytest.mark.asyncio(loop_scope="module")

TOPIC, COMMENTS = f"boats/topic/{SAILS}", "harbour/1/comments"
FEEDS = ["/rss", "/atom", "/feed.json"]
TOKEN = "open-sesame"
HEADER = {"Authorization": f"Bearer {TOKEN}"}
TITLES = {
    TOPIC: "Sails & <ropes> - Boats",
    f"boats/topic/{OARS}": "Oars - Boats",
    "boats/topic/1": "General - Boats",
    COMMENTS: "Comments on The ferry is late. Again - Harbour",
}


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    """Making one takes a while."""
    return RsaKey.generate()


@pytest_asyncio.fixture(loop_scope="module")
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    async with Server(thread_world(), rsa_key=rsa_key) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(rsa_key: RsaKey) -> AsyncIterator[Server]:
    """For tests that change nothing."""
    async with Server(thread_world(), rsa_key=rsa_key) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(world: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(world, tmp_path_factory.mktemp("bridge")) as http:
        yield http


async def parsed(client: httpx.AsyncClient, path: str) -> feedparser.FeedParserDict:
    """A feed that must be there and well-formed."""
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    feed = feedparser.parse(answer.content)
    assert not feed.bozo
    return feed


def guid(chat_id: int, message_id: int) -> str:
    """The id that a message has as an item of its own chat's feed."""
    return item_id(chat_id, Message(id=message_id, date=None, text=Text()))


@pytest.mark.parametrize("path", TITLES)
async def test_a_thread_has_the_same_posts_and_title_in_every_format(client: httpx.AsyncClient, path: str) -> None:
    rss, atom = await parsed(client, f"/rss/{path}"), await parsed(client, f"/atom/{path}")
    json_feed = (await client.get(f"/feed.json/{path}")).json()
    page = (await client.get(f"/html/{path}")).text
    title = TITLES[path]
    assert (rss.feed.title, atom.feed.title, json_feed["title"]) == (title, title, title)
    assert f'<h1 class="p-name" dir="auto" lang="">{title.replace("&", "&amp;").replace("<", "&lt;")}'[:40] in page
    ids = [entry.id for entry in rss.entries]
    assert ids and [entry.id for entry in atom.entries] == [item["id"] for item in json_feed["items"]] == ids
    assert page.count("<article") == len(ids)


async def test_items_of_a_topic_keep_the_ids_that_they_have_in_their_group(client: httpx.AsyncClient) -> None:
    in_topic = await parsed(client, f"/rss/{TOPIC}?limit=3")
    assert [entry.id for entry in in_topic.entries] == [guid(FORUM_ID, number) for number in (263, 261, 259)]
    in_group = await parsed(client, "/rss/boats?limit=10")
    both = {entry.id: (entry.title, entry.link) for entry in in_group.entries}
    for entry in in_topic.entries:
        assert both[entry.id] == (entry.title, entry.link)
    assert in_topic.entries[0].link == "https://t.me/boats/263"


async def test_items_of_comments_keep_the_ids_that_they_have_in_the_discussion_group(client: httpx.AsyncClient) -> None:
    comments = await parsed(client, f"/rss/{COMMENTS}")
    assert [entry.id for entry in comments.entries] == [guid(TALK_ID, number) for number in (16, 13, 12)]
    in_group = {entry.id for entry in (await parsed(client, "/rss/harbour_talk")).entries}
    assert {entry.id for entry in comments.entries} < in_group
    assert comments.entries[0].link == "https://t.me/harbour_talk/16"
    # All answer the post, which is no news here; an answer to another comment is told.
    assert ["In reply to" in entry.content[0].value for entry in comments.entries] == [False, True, False]
    assert "as ever" in comments.entries[1].content[0].value


async def test_a_thread_is_a_feed_of_its_own_with_its_own_way_to_telegram(client: httpx.AsyncClient) -> None:
    ids = {path: (await parsed(client, f"/atom/{path}")).feed.id for path in (*TITLES, "boats", "harbour")}
    assert len(set(ids.values())) == len(ids)
    assert ids[TOPIC] == feed_id(f"{FORUM_ID}/topic/{SAILS}")
    assert ids[COMMENTS] == feed_id(f"{HARBOUR_ID}/1/comments")
    assert (await parsed(client, f"/rss/{TOPIC}")).feed.link == f"https://t.me/boats/{SAILS}"
    assert (await parsed(client, f"/rss/{COMMENTS}")).feed.link == "https://t.me/harbour/1"


@pytest.mark.parametrize("path", [TOPIC, COMMENTS])
async def test_every_spelling_leads_to_the_same_feed_and_costs_no_further_call(
    client: httpx.AsyncClient, world: Server, path: str
) -> None:
    chat, rest = path.split("/", 1)
    chat_id = FORUM_ID if chat == "boats" else HARBOUR_ID
    first = await client.get(f"/rss/{path}")
    world.forget_calls()
    for spelling in (f"@{chat}", chat.upper(), str(chat_id), f"t.me/{chat}", f"https://t.me/c/{-(10**12) - chat_id}"):
        answer = await client.get(f"/rss/{spelling}/{rest}")
        assert answer.content == first.content, spelling
    for format in ("atom", "json", "html"):
        assert (await client.get(f"/rss/{path}?output_type={format}")).status_code == 200
    assert not world.calls.keys() - {"ping", "ping_delay_disconnect", "users.getUsers", "invokeWithLayer"}


@pytest.mark.parametrize("format", FEEDS)
async def test_a_thread_names_its_own_addresses(client: httpx.AsyncClient, format: str) -> None:
    base = str(client.base_url).rstrip("/")
    for path in (TOPIC, COMMENTS):
        answer = await client.get(f"{format}/{path}?limit=2&include_text=e")
        links = re.findall(r'<([^>]+)>; rel="(\w+)"', answer.headers["link"])
        assert links[0] == (f"{base}{format}/{path}?include_text=e&limit=2", "self")
        assert {url for url, _ in links} == {f"{base}{each}/{path}?include_text=e&limit=2" for each in FEEDS}


async def test_limits_filters_and_pages_work_inside_a_thread(client: httpx.AsyncClient) -> None:
    page = await parsed(client, f"/rss/{TOPIC}?limit=2&before=261")
    assert [entry.id for entry in page.entries] == [guid(FORUM_ID, number) for number in (259, 257)]
    # 13 messages, further back than one page of Telegram's goes.
    found = await parsed(client, f"/rss/{TOPIC}?include_text=words \\d?3$&limit=200")
    assert [entry.id for entry in found.entries] == [guid(FORUM_ID, number) for number in (*range(93, 12, -10),)]
    assert [entry.id for entry in (await parsed(client, f"/rss/{COMMENTS}?exclude_text=not")).entries] == [
        guid(TALK_ID, 16),
        guid(TALK_ID, 12),
    ]
    empty = await parsed(client, f"/rss/{COMMENTS}?include_text=nothing")
    assert (empty.entries, empty.feed.title) == ([], TITLES[COMMENTS])


async def test_following_next_through_a_topic_ends_at_its_first_message(client: httpx.AsyncClient) -> None:
    await client.get(f"/rss/{TOPIC}?limit=200")
    seen: list[str] = []
    url = f"/atom/{TOPIC}?limit=40"
    for _ in range(10):
        feed = await parsed(client, url)
        seen += [entry.id for entry in feed.entries]
        url = next((link.href for link in feed.feed.links if link.rel == "next"), "")
        if not url:
            break
    assert seen == [guid(FORUM_ID, number) for number in range(263, 4, -2)]


@pytest.mark.parametrize("path", [TOPIC, COMMENTS])
async def test_a_feed_is_not_sent_again_until_it_has_changed(server: Server, tmp_path: Path, path: str) -> None:
    public: dict[str, Any] = {"pyrogram_bridge_url": "https://bridge.example"}
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0, **public) as client:
        answer = await client.get(f"/rss/{path}")
        headers = {"If-None-Match": answer.headers["etag"]}
        assert (await client.get(f"/rss/{path}", headers=headers)).status_code == 304
        head = await client.head(f"/rss/{path}", headers={"Accept-Encoding": "identity"})
        assert (head.status_code, head.headers["etag"]) == (200, answer.headers["etag"])
        chat, top = ("boats", in_topic(SAILS))
        if path == COMMENTS:
            chat, top = ("harbour_talk", raw.types.MessageReplyHeader(reply_to_msg_id=COPY))
        peer = server.chat(chat).tl_peer
        server.post(chat, raw.types.Message(id=300, peer_id=peer, date=1_700_009_000, message="new", reply_to=top))
        fresh = await client.get(f"/rss/{path}", headers=headers)
        assert fresh.status_code == 200
        assert feedparser.parse(fresh.content).entries[0].title == "new"
    async with serving(server, tmp_path / "bridge", **public) as client:
        again = await client.get(f"/rss/{path}")
        assert again.headers["etag"] == fresh.headers["etag"]


@pytest.mark.parametrize(("path", "method"), [(TOPIC, "messages.getReplies"), (COMMENTS, "messages.getReplies")])
async def test_a_stored_thread_is_served_with_its_age_while_telegram_can_not_be_asked(
    server: Server, tmp_path: Path, path: str, method: str
) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        fresh = await client.get(f"/rss/{path}")
        server.fail(method, "FLOOD_WAIT_30")
        stale = await client.get(f"/rss/{path}")
        assert (stale.status_code, stale.content) == (200, fresh.content)
        assert "age" in stale.headers and "detail=flood-wait" in stale.headers["cache-status"]
        cold = await client.get("/rss/boats/topic/1")
        assert cold.status_code == 429 and int(cold.headers["retry-after"]) >= 1


@pytest.mark.parametrize(
    ("path", "status", "detail"),
    [
        ("boats/topic/99", 404, "Boats has no topic 99"),
        ("harbour_talk/topic/1", 404, "The chat is no group with topics"),
        ("harbour/topic/1", 404, "Harbour is no group with topics"),
        ("harbour/2/comments", 404, "Harbour has no post 2, or the post has no comments"),
        ("boats/5/comments", 404, "Boats is no channel, so its posts have no comments"),
        ("nobody/topic/1", 404, "There is no channel or user named @nobody"),
        ("boats/topic/0", 400, "topic: must be a number from 1 to 2147483647, got '0'"),
        ("boats/topic/all", 400, "topic: must be a number from 1 to 2147483647, got 'all'"),
        ("harbour/9999999999/comments", 400, "post_id: must be a number from 1 to 2147483647, got '9999999999'"),
    ],
)
async def test_what_is_no_thread_is_told_in_one_line(
    client: httpx.AsyncClient, path: str, status: int, detail: str
) -> None:
    for format in FEEDS:
        answer = await client.get(f"{format}/{path}")
        assert (answer.status_code, answer.json()) == (status, {"detail": detail})
    page = await client.get(f"/html/{path}")
    assert page.status_code == status and page.headers["content-type"].startswith("text/html")


async def test_a_browser_that_opens_a_threads_feed_gets_the_page_with_its_address(client: httpx.AsyncClient) -> None:
    navigation = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    answer = await client.get(f"/rss/{COMMENTS}", headers=navigation)
    assert answer.headers["content-type"].startswith("text/html")
    assert f'value="{str(client.base_url).rstrip("/")}/rss/{COMMENTS}"' in answer.text


async def test_the_page_of_a_post_with_comments_leads_to_them(client: httpx.AsyncClient) -> None:
    page = (await client.get("/html/harbour/1")).text
    base = str(client.base_url).rstrip("/")
    assert f'<a href="{base}/html/{COMMENTS}">' in page
    assert f'type="application/rss+xml" title="{TITLES[COMMENTS]} (RSS)" href="{base}/rss/{COMMENTS}"' in page
    assert "comments" not in (await client.get("/html/harbour/2")).text.partition("<body>")[2]
    comments = (await client.get(f"/html/{COMMENTS}")).text
    assert f'href="{base}/html/harbour_talk/16"' in comments
    assert (await client.get("/html/harbour_talk/16")).status_code == 200


async def test_files_of_comments_are_served(client: httpx.AsyncClient) -> None:
    comments = await parsed(client, f"/rss/{COMMENTS}")
    (enclosure,) = comments.entries[1].enclosures
    answer = await client.get(enclosure.href)
    assert (answer.status_code, answer.content) == (200, FILE)


async def test_files_of_comments_are_fetched_ahead_though_the_group_can_not_be_read(
    server: Server, tmp_path: Path
) -> None:
    server.chat("harbour_talk").private = True
    async with serving(server, tmp_path / "bridge", media_warm=True) as client:
        (enclosure,) = (await parsed(client, f"/rss/{COMMENTS}")).entries[1].enclosures
        async with asyncio.timeout(10):
            while (await client.get("/health")).json()["warmer"]["warmed"] < 1:
                await asyncio.sleep(0.05)
        answer = await client.get(enclosure.href)
        assert (answer.status_code, answer.content) == (200, FILE)


async def test_threads_of_one_group_that_are_read_in_one_moment_are_told_apart(server: Server, tmp_path: Path) -> None:
    discuss(server, post_id=2, copy_id=20, comments=3)
    async with serving(server, tmp_path / "bridge", clock=lambda: 1_800_000_000.0) as client:
        for path in FEEDS:
            first, second = [(await client.get(f"{path}/harbour/{post}/comments")).text for post in (1, 2)]
            assert "ever and a day" in first and "more words 23" in second
            assert "ever and a day" not in second and "more words 23" not in first


def discuss(server: Server, *, post_id: int, copy_id: int, comments: int) -> None:
    """Open the discussion of a post of Harbour, with so many comments behind its copy."""
    harbour, talk = server.chat("harbour"), server.chat("harbour_talk")
    post = harbour.messages[post_id]
    assert isinstance(post, raw.types.Message)
    post.replies = raw.types.MessageReplies(replies=comments, replies_pts=0, comments=True, channel_id=talk.id)
    forward = raw.types.MessageFwdHeader(date=post.date, from_id=harbour.tl_peer, channel_post=post_id)
    talk.messages[copy_id] = raw.types.Message(
        id=copy_id,
        peer_id=talk.tl_peer,
        from_id=harbour.tl_peer,
        date=post.date,
        message=post.message,
        fwd_from=forward,
    )
    for number in range(copy_id + 1, copy_id + comments + 1):
        header = raw.types.MessageReplyHeader(reply_to_msg_id=copy_id)
        talk.messages[number] = raw.types.Message(
            id=number, peer_id=talk.tl_peer, date=post.date, message=f"more words {number}", reply_to=header
        )


# With a token.


@pytest_asyncio.fixture(loop_scope="module")
async def guarded(server: Server, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(server, tmp_path / "bridge", token=TOKEN) as http:
        yield http


async def own_address(client: httpx.AsyncClient, path: str) -> str:
    """How the feed names itself."""
    answer = await client.get(path, headers=HEADER)
    assert answer.status_code == 200 and TOKEN not in answer.text + str(answer.headers)
    found = re.match(r'<([^>]+)>; rel="self"', answer.headers["link"])
    assert found is not None
    return found[1]


async def test_a_threads_key_opens_its_feeds_and_nothing_else(guarded: httpx.AsyncClient) -> None:
    urls = {
        path: httpx.URL(await own_address(guarded, f"/rss/{path}")) for path in (TOPIC, COMMENTS, "boats", "harbour")
    }
    assert urls[TOPIC].path == f"/rss/{FORUM_ID}/topic/{SAILS}"
    assert urls[COMMENTS].path == f"/rss/{HARBOUR_ID}/1/comments"
    keys = {path: url.params["key"] for path, url in urls.items()}
    assert len(set(keys.values())) == 4
    for format in FEEDS:
        for path in (TOPIC, COMMENTS):
            assert (await guarded.get(f"{format}/{path}", params={"key": keys[path], "limit": 3})).status_code == 200
    # Ten wrong guesses are answered.
    for owner, path in (
        (TOPIC, "boats"),
        (TOPIC, f"boats/topic/{OARS}"),
        (TOPIC, COMMENTS),
        ("boats", TOPIC),
        (COMMENTS, "harbour"),
        (COMMENTS, "harbour_talk"),
        (COMMENTS, "harbour/2/comments"),
        ("harbour", COMMENTS),
    ):
        answer = await guarded.get(f"/rss/{path}", params={"key": keys[owner]})
        assert answer.status_code == 403, (owner, path)
    assert (await guarded.get(f"/html/{TOPIC}", params={"key": keys[TOPIC]})).status_code == 403


@pytest.mark.parametrize("path", [TOPIC, COMMENTS])
async def test_the_token_may_stand_behind_a_thread(guarded: httpx.AsyncClient, path: str) -> None:
    for route in (*FEEDS, "/html"):
        assert (await guarded.get(f"{route}/{path}")).status_code == 403
        assert (await guarded.get(f"{route}/{path}/wrong")).status_code == 403
        assert (await guarded.get(f"{route}/{path}/{TOKEN}")).status_code == 200


async def test_with_a_token_a_posts_page_names_the_feed_of_its_comments_by_key_and_no_page(
    guarded: httpx.AsyncClient,
) -> None:
    page = (await guarded.get("/html/harbour/1", headers=HEADER)).text
    assert "/html/harbour/1/comments" not in page and TOKEN not in page
    found = re.search(rf'href="([^"]+/rss/{HARBOUR_ID}/1/comments\?key=[^"]+)"', page)
    assert found is not None
    assert (await guarded.get(found[1])).status_code == 200


async def test_threads_and_their_chats_are_read_at_once(client: httpx.AsyncClient) -> None:
    paths = [*TITLES, "boats", "harbour", "harbour_talk"]
    answers = await asyncio.gather(*(client.get(f"/rss/{path}") for path in paths))
    assert [answer.status_code for answer in answers] == [200] * len(paths)
