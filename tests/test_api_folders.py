"""The account's folders as feeds, of the whole service."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import feedparser
import httpx
import pytest
import pytest_asyncio
from lxml import etree
from pyrogram import raw
from service import serving
from telegram_world import GROUP_ID, HIDDEN_ID, channel, small_world

from routes.folders import folder_name, folder_path
from tgserver import Server
from tgserver.crypto.rsa import RsaKey

FEEDS = ["/rss", "/atom", "/feed.json"]
TOKEN = "open-sesame"


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    """Making one takes a while."""
    return RsaKey.generate()


@pytest_asyncio.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    async with Server(small_world(), rsa_key=rsa_key) as running:
        running.add_folder("Daily", "news", GROUP_ID)
        running.add_folder("📰 a / b?", HIDDEN_ID)
        yield running


@pytest_asyncio.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(server, tmp_path / "bridge") as http:
        yield http


@pytest.mark.parametrize(
    ("title", "name", "path"),
    [
        ("Daily", "daily", "folder/Daily"),
        (" News  & more ", "news & more", "folder/News%20%26%20more"),
        ("a / b//c", "a/b/c", "folder/a/b/c"),
        ("📰 È?", "📰 è?", "folder/%F0%9F%93%B0%20%C3%88%3F"),
        ("E\u0300\u202e", "è", "folder/E%CC%80"),
        ("/", "", "folder/"),
    ],
)
def test_folders_are_told_apart_by_what_people_see_of_their_titles(title: str, name: str, path: str) -> None:
    assert (folder_name(title), folder_path(title)) == (name, path)
    assert folder_name(name) == name


async def test_a_folder_is_the_feed_of_its_channels(client: httpx.AsyncClient) -> None:
    together = await client.get(f"/feed.json/news+{GROUP_ID}?limit=5")
    folder = await client.get("/feed.json/folder/Daily?limit=5")
    assert folder.json()["items"] == together.json()["items"]
    assert folder.json()["title"] == "Daily"
    assert folder.json()["description"] == "Posts of Group and News."
    for path in FEEDS:
        answer = await client.get(f"{path}/folder/Daily?limit=5")
        assert f'<{client.base_url}{path}/folder/Daily?limit=5>; rel="self"' in answer.headers["link"]
        unchanged = await client.get(str(answer.url), headers={"If-None-Match": answer.headers["etag"]})
        assert unchanged.status_code == 304
        # Channels come and go in it, whose posts are older than that.
        assert "last-modified" not in answer.headers
    page = await client.get("/html/folder/Daily?limit=5")
    assert "<title>Daily</title>" in page.text and page.text.count("h-entry") == 5


async def test_a_folder_is_found_by_its_title_in_any_case(client: httpx.AsyncClient) -> None:
    answer = await client.get("/rss/folder/%F0%9F%93%B0%20A%20/%20B%3F")
    assert answer.status_code == 200 and "hush" in answer.text
    found = re.match(r'<([^>]+)>; rel="self"', answer.headers["link"])
    assert found is not None
    assert (await client.get(found[1])).content == answer.content


async def test_a_folder_has_an_id_that_does_not_depend_on_what_is_in_it(server: Server, tmp_path: Path) -> None:
    now = [1_800_000_000.0]
    async with serving(server, tmp_path / "bridge", clock=lambda: now[0]) as client:
        before = await client.get("/atom/folder/Daily?limit=200")
        server.world.folders[0].include_peers.append(raw.types.InputPeerChannel(channel_id=4004, access_hash=4011))
        now[0] += 901
        after = await client.get("/atom/folder/Daily?limit=200", headers={"If-None-Match": before.headers["etag"]})
    old, new = feedparser.parse(before.content), feedparser.parse(after.content)
    assert new.feed.id == old.feed.id
    assert len(new.entries) == len(old.entries) + 1


async def test_an_unknown_folder_is_not_found_and_the_others_are_named(client: httpx.AsyncClient) -> None:
    for path in ("/rss/folder/nothing", "/feed.json/folder/%E2%80%AE"):
        answer = await client.get(path)
        assert answer.status_code == 404
        assert answer.json()["detail"].endswith("the folders are: Daily, 📰 a / b?")
        assert answer.json()["detail"].startswith("There is no folder '")
    assert (await client.get("/html/folder/nothing")).status_code == 404


async def test_with_a_token_a_folder_has_a_key_and_its_name_is_told_to_nobody_else(
    server: Server, tmp_path: Path
) -> None:
    async with serving(server, tmp_path / "bridge", token=TOKEN) as client:
        for path in ("/rss/folder/Daily", "/rss/folder/nothing", "/html/folder/Daily", "/rss/folder/Daily/guess"):
            answer = await client.get(path)
            assert answer.status_code == 403 and "Daily" not in answer.text
        answer = await client.get(f"/rss/folder/Daily/{TOKEN}")
        assert answer.status_code == 200 and TOKEN not in answer.text + str(answer.headers)
        found = re.match(r'<([^>]+/rss/folder/Daily\?key=[^>]+)>; rel="self"', answer.headers["link"])
        assert found is not None
        key = httpx.URL(found[1]).params["key"]
        for address in (found[1], f"/atom/folder/DAILY?limit=1&key={key}"):
            assert (await client.get(address)).status_code == 200
        for address in ("/rss/folder/📰 a / b?", "/rss/news", f"/rss/news+{GROUP_ID}", "/html/folder/Daily", "/opml"):
            assert (await client.get(address, params={"key": key})).status_code == 403
        # Who has a key of a folder that is there no more learns nothing of the others.
        server.world.folders.clear()
    async with serving(server, tmp_path / "bridge", token=TOKEN, clock=lambda: 1_900_000_000.0) as client:
        server.add_folder("Secret", HIDDEN_ID)
        answer = await client.get(f"/rss/folder/Daily?key={key}")
        assert (answer.status_code, "Secret" in answer.text) == (404, False)


async def test_of_a_large_folder_the_channels_with_the_newest_posts_are_served(server: Server, tmp_path: Path) -> None:
    ids = []
    for number in range(60):
        chat = server.world.add_chat(channel(8000 + number, f"Many {number}", None))
        chat.messages[1] = raw.types.Message(
            id=1,
            peer_id=raw.types.PeerChannel(channel_id=chat.id),
            date=1_800_000_000 + number,
            message=f"post of {number}",
            post=True,
        )
        ids.append(-1_000_000_000_000 - chat.id)
    server.add_folder("Many", *ids)
    async with serving(server, tmp_path / "bridge") as client:
        answer = await client.get("/feed.json/folder/many?limit=200")
    texts = [item["content_text"] for item in answer.json()["items"]]
    assert texts == [f"post of {number}" for number in range(59, 9, -1)]


async def test_a_pause_that_telegram_asks_for_is_no_unknown_folder(server: Server, tmp_path: Path) -> None:
    server.fail("messages.getDialogFilters", "FLOOD_WAIT_100", 1)
    async with serving(server, tmp_path / "bridge") as client:
        assert (await client.get("/rss/folder/Daily")).status_code == 429


async def test_folders_that_are_known_from_before_are_served_while_telegram_can_not_be_asked(
    server: Server, tmp_path: Path
) -> None:
    now = [1_800_000_000.0]
    async with serving(server, tmp_path / "bridge", clock=lambda: now[0]) as client:
        whole = await client.get("/rss/folder/Daily")
        now[0] += 901
        server.fail("messages.getDialogFilters", "FLOOD_WAIT_100")
        server.fail("messages.getDialogs", "FLOOD_WAIT_100")
        answer = await client.get("/rss/folder/Daily")
    assert (answer.status_code, answer.headers["etag"]) == (200, whole.headers["etag"])
    assert answer.headers["cache-status"].endswith("detail=flood-wait")


async def test_the_list_of_feeds_may_have_folders_instead_of_their_channels(server: Server, tmp_path: Path) -> None:
    server.add_folder("DAILY", HIDDEN_ID)
    async with serving(server, tmp_path / "bridge", token=TOKEN) as client:
        for format, path in (("rss", "/rss"), ("json", "/feed.json")):
            answer = await client.get(f"/opml/{TOKEN}?folders=true&format={format}")
            urls = {
                each.get("text"): each.get("xmlUrl", "") for each in etree.fromstring(answer.content).iter("outline")
            }
            # Hidden is in the second folder, and in the third, which has the first one's name.
            assert list(urls) == ["Daily", "📰 a / b?"]
            for url in urls.values():
                assert httpx.URL(url).path.startswith(f"{path}/folder/")
                assert (await client.get(url)).status_code == 200
        del server.world.folders[1]
    async with serving(server, tmp_path / "other", token=TOKEN) as client:
        answer = await client.get(f"/opml/{TOKEN}?folders=1")
        assert [each.get("text") for each in etree.fromstring(answer.content).iter("outline")] == ["Daily", "Hidden"]
        assert (await client.get(f"/opml/{TOKEN}?folders=some")).status_code == 400


async def test_the_front_page_gives_addresses_of_folders_and_of_several_channels(client: httpx.AsyncClient) -> None:
    for typed, name in (
        ("folder/📰 a / b?", "folder/%F0%9F%93%B0%20a/b%3F"),
        ("@News + t.me/c/4004", f"news+{HIDDEN_ID}"),
        ("t.me/+AbCdEfGh", "t.me/+AbCdEfGh"),
    ):
        page = (await client.get("/", params={"channel": typed})).text
        assert f'value="{client.base_url}/rss/{name}"' in page, typed
    assert (await client.get("/rss/folder/%F0%9F%93%B0%20a/b%3F")).status_code == 200
