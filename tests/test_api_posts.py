"""Single posts for programs, and the list of flags, on the wire."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from pyrogram import raw
from service import serving
from telegram_world import NEWS, NEWS_ID, small_world

from feeds.post_json import PostJson
from posts.flags import FLAGS
from tgserver import Server
from tgserver.crypto.rsa import RsaKey

ROUTES = ["/json/news/149", "/post/json/news/149", "/raw_json/news/149", "/flags"]


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


def put(server: Server, id_: int, text: str = "", **fields: Any) -> None:
    """A message in the channel, in place of the one with its id."""
    server.chat(NEWS).messages[id_] = raw.types.Message(
        id=id_,
        peer_id=raw.types.PeerChannel(channel_id=NEWS),
        date=1_700_000_000 + id_,
        message=text,
        post=True,
        **fields,
    )


async def test_a_post_has_the_identity_and_content_that_it_has_in_feeds(client: httpx.AsyncClient) -> None:
    post = (await client.get("/json/news/149")).json()
    (item,) = (await client.get("/feed.json/news?limit=1&before=150")).json()["items"]
    assert list(post) == list(PostJson.__struct_fields__)
    assert (post["id"], post["url"], post["title"], post["text"]) == (
        item["id"], item["url"], item["title"], item["content_text"],
    )  # fmt: skip
    assert post["html"] in item["content_html"]
    assert post["message_ids"] == [149] == item["_telegram"]["message_ids"]
    assert post["chat"] == {"id": NEWS_ID, "title": "News", "username": "News", "kind": "channel"}
    assert post["date"] == item["date_published"] == "2023-11-14T22:15:49+00:00"
    assert post["page_url"] == f"{str(client.base_url).rstrip('/')}/html/News/149"
    assert (await client.get(post["page_url"])).status_code == 200
    assert post["edited"] is post["poll"] is post["reply"] is post["forward"] is None
    assert post["media"] == post["reactions"] == post["buttons"] == []


async def test_a_file_has_its_kind_and_an_address_that_serves_it(client: httpx.AsyncClient) -> None:
    (media,) = (await client.get("/json/news/140")).json()["media"]
    assert (media["message_id"], media["kind"], media["description"]) == (140, "document", "500.zip")
    (file,) = media["files"]
    assert (file["role"], file["file_name"], file["mime_type"]) == ("file", "500.zip", "application/zip")
    answer = await client.get(file["url"])
    assert len(answer.content) == file["size"]


async def test_any_message_of_an_album_gives_the_album(client: httpx.AsyncClient, server: Server) -> None:
    for id_ in (101, 102, 103):
        put(server, id_, f"part {id_}" if id_ == 102 else "", grouped_id=5)
    answers = [(await client.get(f"/json/news/{id_}")).json() for id_ in (101, 102, 103)]
    assert [answer["message_ids"] for answer in answers] == [[101, 102, 103]] * 3
    assert len({answer["id"] for answer in answers}) == 1
    page = (await client.get("/html/news/103?debug=true")).text
    shown = re.findall(r'"id": ?(10[123])', page.replace("&#34;", '"').replace("&quot;", '"'))
    assert shown == ["101", "102", "103"]


async def test_forwards_replies_counters_and_polls_are_data(client: httpx.AsyncClient, server: Server) -> None:
    put(
        server,
        110,
        "an answer",
        fwd_from=raw.types.MessageFwdHeader(from_name="Hidden Heidi", date=1_600_000_000),
        reply_to=raw.types.MessageReplyHeader(reply_to_msg_id=109, quote=True, quote_text="post", quote_offset=0),
        views=1234,
        forwards=5,
        edit_date=1_700_009_000,
        reactions=raw.types.MessageReactions(
            results=[raw.types.ReactionCount(reaction=raw.types.ReactionEmoji(emoticon="👍"), count=7)]
        ),
        reply_markup=raw.types.ReplyInlineMarkup(
            rows=[
                raw.types.KeyboardInlineButtonRow(
                    buttons=[
                        raw.types.KeyboardInlineButton(
                            text="Go", type=raw.types.InlineButtonTypeUrl(url="https://example.org/")
                        )
                    ]
                )
            ]
        ),
    )
    post = (await client.get("/json/news/110")).json()
    assert (
        post["forward"]["origin"]["title"] == "Hidden Heidi" and post["forward"]["date"] == "2020-09-13T12:26:40+00:00"
    )
    assert (post["reply"]["message_id"], post["reply"]["quote"], post["reply"]["chosen"]) == (109, "post", True)
    assert (post["views"], post["forwards"]) == (1234, 5)
    assert post["reactions"] == [{"emoji": "👍", "custom_emoji_id": None, "paid": False, "count": 7}]
    assert post["buttons"] == [{"text": "Go", "url": "https://example.org/"}]
    assert post["edited"] == "2023-11-15T00:43:20+00:00"
    assert "fwd" in post["flags"]


async def test_counters_are_no_part_of_a_posts_tag(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        before = await client.get("/json/news/149")
        message = server.chat(NEWS).messages[149]
        assert isinstance(message, raw.types.Message)
        message.views, message.forwards = 777, 1
        await client.get("/rss/news")
        after = await client.get("/json/news/149")
        assert after.json()["views"] == 777
        assert after.headers["etag"] == before.headers["etag"]


async def test_raw_json_is_what_telegram_sent(client: httpx.AsyncClient, server: Server) -> None:
    answer = await client.get("/raw_json/news/140")
    message = json.loads(answer.content)
    assert (message["_"], message["id"], message["message"]) == ("Message", 140, "post 140")
    assert message["peer_id"] == {"_": "PeerChannel", "channel_id": NEWS}
    document = message["media"]["document"]
    assert base64.b64decode(document["file_reference"]) and document["id"] == 500
    server.edit("news", 140, "edited")
    assert (await client.get("/raw_json/news/140")).json()["message"] == "edited"
    assert answer.headers["etag"] != (await client.get("/raw_json/news/140")).headers["etag"]


async def test_raw_json_shows_events_that_are_no_posts(client: httpx.AsyncClient, server: Server) -> None:
    server.chat(NEWS).messages[130] = raw.types.MessageService(
        id=130,
        peer_id=raw.types.PeerChannel(channel_id=NEWS),
        date=1_700_000_130,
        action=raw.types.MessageActionPinMessage(),
    )
    assert (await client.get("/raw_json/news/130")).json()["action"]["_"] == "MessageActionPinMessage"
    assert (await client.get("/json/news/130")).status_code == 404


async def test_raw_json_asks_one_call_through_the_gate(client: httpx.AsyncClient, server: Server) -> None:
    await client.get("/rss/news")
    server.forget_calls()
    await client.get("/raw_json/news/140")
    assert +server.calls == {"channels.getMessages": 1}
    server.fail("channels.getMessages", "FLOOD_WAIT_20")
    for _ in range(2):
        answer = await client.get("/raw_json/news/140")
        assert (answer.status_code, int(answer.headers["retry-after"]) > 0) == (429, True)
    assert server.calls["channels.getMessages"] == 2


@pytest.mark.parametrize("chat", ["2002", "-2002"])
async def test_raw_json_of_a_group(client: httpx.AsyncClient, chat: str) -> None:
    answer = await client.get(f"/raw_json/{chat}/1")
    assert answer.status_code in ({200} if chat == "-2002" else {404})


async def test_debug_shows_the_message_escaped_below_the_post(client: httpx.AsyncClient, server: Server) -> None:
    put(server, 120, "<script>alert(1)</script>")
    plain = (await client.get("/html/news/120")).text
    assert "The message as Telegram sent it" not in plain
    page = (await client.get("/html/news/120?debug=true")).text
    assert "The message as Telegram sent it" in page and "PeerChannel" in page
    assert "alert(1)" in page and "<script>alert" not in page
    assert (await client.get("/html/news/120?debug=maybe")).status_code == 400


@pytest.mark.parametrize("path", ROUTES)
async def test_answers_for_programs(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-cache"
    asked = await client.head(path)
    assert (asked.status_code, asked.content) == (200, b"")
    assert asked.headers["content-length"] == answer.headers["content-length"]
    unchanged = await client.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    other = await client.get(
        path, headers={"If-None-Match": '"x"', "If-Modified-Since": "Sat, 01 Jan 2039 00:00:00 GMT"}
    )
    assert other.status_code == 200


async def test_what_telegram_sends_now_has_no_time_of_change(client: httpx.AsyncClient) -> None:
    answer = await client.get("/raw_json/news/140", headers={"If-Modified-Since": "Sat, 01 Jan 2039 00:00:00 GMT"})
    assert answer.status_code == 200 and "last-modified" not in answer.headers


@pytest.mark.parametrize("route", ["/json", "/post/json", "/raw_json"])
async def test_faults_are_json(client: httpx.AsyncClient, route: str) -> None:
    for path, status in (
        ("news/999", 404), ("nobody/1", 404), ("news", 400), ("news/0", 400), ("news/x", 400), ("a!/1", 400),
        ("news/99999999999", 400), ("news/1/2/3", 400),
    ):  # fmt: skip
        answer = await client.get(f"{route}/{path}")
        assert answer.status_code == status, path
        assert answer.json()["detail"] and "\n" not in answer.json()["detail"]
    assert (await client.get(f"{route}/news")).json()["detail"] == (
        f"post_id: is missing: the address is {route}/{{channel}}/{{post_id}}"
    )


async def test_a_missing_post_is_a_page_where_people_look(client: httpx.AsyncClient) -> None:
    for path in ("/html/news/999", "/html/news/999?debug=true", "/post/html/news/999", "/post/html/news"):
        answer = await client.get(path)
        assert answer.status_code in {404, 400}
        assert answer.headers["content-type"].startswith("text/html")


async def test_programs_need_the_token(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", token="open-sesame") as client:
        for path in ROUTES:
            assert (await client.get(path)).status_code == 403
            for url in (f"{path}/open-sesame", f"{path}?token=open-sesame"):
                answer = await client.get(url)
                assert answer.status_code == 200
                assert "open-sesame" not in answer.text + str(answer.headers)


async def test_flags_are_the_sorted_names(client: httpx.AsyncClient) -> None:
    assert (await client.get("/flags")).json() == sorted(flag.name for flag in FLAGS)


async def test_the_domain_of_a_feeds_categories_is_the_list_of_flags(client: httpx.AsyncClient) -> None:
    feed = (await client.get("/rss/news?limit=1")).text
    (domain,) = set(re.findall(r'<category domain="([^"]+)">', feed))
    assert "no_image" in (await client.get(domain)).json()
