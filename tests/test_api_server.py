"""The whole service on the wire: from Telegram's protocol to what a reader gets over HTTP."""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import signal
import socket
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import feedparser
import httpx
import psutil
import pytest
import pytest_asyncio
from lxml import etree
from pyrogram import raw
from service import serving, settings_for, until_connected, until_degraded
from telegram_world import FILE, HIDDEN, MIB, NEWS, NEWS_ID, document, small_world, until

from api_server import serve
from http_server import listen
from routes.auth import GUESSES_PER_WINDOW
from telegram.session_file import SessionFile
from tgserver import Server
from tgserver.crypto.rsa import RsaKey
from tgserver.faults import Action, Fault


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


async def feed(client: httpx.AsyncClient, path: str = "/rss/news") -> list[feedparser.FeedParserDict]:
    """The entries of a feed that must be there and well-formed."""
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    parsed = feedparser.parse(answer.content)
    assert not parsed.bozo
    return list(parsed.entries)


# What readers get.


async def test_a_reader_gets_the_newest_posts_first(client: httpx.AsyncClient) -> None:
    entries = await feed(client)
    assert len(entries) == 50
    assert [entry.title for entry in entries[:9]] == [f"post {number}" for number in range(150, 141, -1)]
    assert entries[0].id == f"urn:uuid:{uuid5(UUID('b5210cba-9658-5693-8640-d121c3255d1b'), f'{NEWS_ID}/150')}"


async def test_the_feed_is_served_as_rss_with_validators(client: httpx.AsyncClient) -> None:
    answer = await client.get("/rss/news")
    assert answer.headers["content-type"] == "application/rss+xml; charset=utf-8"
    assert answer.headers["cache-control"] == "public, max-age=300, stale-if-error=86400"
    assert answer.headers["referrer-policy"] == "no-referrer"
    conditions = {"If-None-Match": answer.headers["etag"], "If-Modified-Since": answer.headers["last-modified"]}
    for name, value in conditions.items():
        again = await client.get("/rss/news", headers={name: value})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == answer.headers["etag"]


async def test_head_tells_what_get_would(client: httpx.AsyncClient) -> None:
    for path in ("/rss/news", "/html/news", "/ping", "/"):
        headers = {"Accept-Encoding": "identity"}
        got, asked = await client.get(path, headers=headers), await client.head(path, headers=headers)
        assert asked.content == b""
        assert asked.headers["content-length"] == got.headers["content-length"] == str(len(got.content))
        assert asked.status_code == got.status_code == 200


async def test_every_spelling_is_the_same_channel_and_one_history(client: httpx.AsyncClient, server: Server) -> None:
    spellings = ["news", "@News", str(NEWS_ID), f"t.me/c/{NEWS}", "t.me/news", "https://t.me/news"]
    bodies = {(await client.get(f"/rss/{spelling}")).content for spelling in spellings}
    assert len(bodies) == 1
    assert server.calls["messages.getHistory"] == 1


async def test_ten_cold_readers_at_once_cost_three_calls(client: httpx.AsyncClient, server: Server) -> None:
    server.forget_calls()
    answers = await asyncio.gather(*(client.get("/rss/news") for _ in range(10)))
    assert {answer.status_code for answer in answers} == {200}
    assert +server.calls == {"contacts.resolveUsername": 1, "channels.getFullChannel": 1, "messages.getHistory": 1}


async def test_a_warm_feed_costs_no_call(client: httpx.AsyncClient, server: Server) -> None:
    await client.get("/rss/news")
    server.forget_calls()
    await client.get("/rss/news")
    assert not +server.calls


async def test_a_limit_beyond_one_page_of_history_is_filled(client: httpx.AsyncClient) -> None:
    assert len(await feed(client, "/rss/news?limit=120")) == 120
    assert len(await feed(client, "/rss/news?limit=200")) == 150


async def test_a_page_shows_the_posts_and_leads_to_single_ones(client: httpx.AsyncClient) -> None:
    page = await client.get("/html/news")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "post 149" in page.text
    for path in ("/html/news/149", "/post/html/news/149", f"/html/t.me/c/{NEWS}/149"):
        single = await client.get(path)
        assert single.status_code == 200
        assert "post 149" in single.text
        assert "post 148" not in single.text


async def test_the_output_type_can_be_a_page(client: httpx.AsyncClient) -> None:
    assert (await client.get("/rss/news?output_type=html")).headers["content-type"].startswith("text/html")


# Identity.


async def test_ids_survive_edit_new_username_and_restart(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        before = {entry.title: entry.id for entry in await feed(client)}
        server.edit("news", 149, "another text")
        edited = {entry.title: entry.id for entry in await feed(client)}
        assert edited["another text"] == before["post 149"]
    server.rename(NEWS, username="fresh_news")
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        assert {entry.id for entry in await feed(client, "/rss/fresh_news")} == set(before.values())


async def test_the_etag_is_equal_after_a_restart_and_after_the_loss_of_all_data(server: Server, tmp_path: Path) -> None:
    etags = set()
    for folder in ("one", "one", "two"):
        settings: dict[str, Any] = {"pyrogram_bridge_url": "https://b.example", "media_signing_secret": "s"}
        async with serving(server, tmp_path / folder, **settings) as client:
            etags.add((await client.get("/rss/news")).headers["etag"])
    assert len(etags) == 1


# Media.


async def media_path(client: httpx.AsyncClient, post_id: int) -> str:
    """The path of the file of a post, as its feed has it."""
    urls = [link.href for entry in await feed(client) for link in entry.get("enclosures", [])]
    return next(httpx.URL(url).raw_path.decode() for url in urls if f"/{post_id}/" in url)


async def test_a_file_comes_whole_and_in_ranges_and_from_the_disk_the_second_time(
    client: httpx.AsyncClient, server: Server
) -> None:
    path = await media_path(client, 140)
    assert (await client.get(path)).content == FILE
    server.forget_calls()
    part = await client.get(path, headers={"Range": "bytes=1000-1999"})
    assert (part.status_code, part.content) == (206, FILE[1000:2000])
    assert part.headers["content-range"] == f"bytes 1000-1999/{len(FILE)}"
    assert server.calls["upload.getFile"] == 0


async def test_a_file_of_another_data_center_is_fetched_there(client: httpx.AsyncClient) -> None:
    assert (await client.get(await media_path(client, 141))).content == b"far" * 1000


async def test_a_media_address_that_the_bridge_did_not_make_is_refused(client: httpx.AsyncClient) -> None:
    path = await media_path(client, 140)
    for wrong in (path[:-1], path.replace("/140/", "/141/"), path + "x"):
        assert (await client.get(wrong)).status_code == 403


async def test_an_expired_reference_is_renewed_without_the_viewer_noticing(
    client: httpx.AsyncClient, server: Server
) -> None:
    path = await media_path(client, 140)
    server.fail("upload.getFile", "FILE_REFERENCE_EXPIRED", times=1)
    assert (await client.get(path)).content == FILE


async def test_a_file_that_failed_in_an_outage_is_there_as_soon_as_telegram_is(
    client: httpx.AsyncClient, server: Server
) -> None:
    path = await media_path(client, 140)
    server.refuse()
    server.drop_connections()
    await until_degraded(client)
    assert (await client.get(path)).status_code == 503
    await server.accept()
    await until_connected(client, within=30)
    assert (await client.get(path)).content == FILE


# What is wrong with the request.


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/rss/nobody_here", 404, "nobody_here"),
        ("/html/news/9999", 404, "no post 9999"),
        ("/html/news/2147483647", 404, "no post 2147483647"),
        ("/rss/t.me/+abcdefghijkl", 404, "invitation"),
        ("/nowhere", 404, "Not Found"),
        ("/rss/news?limit=0", 400, "limit: must be a number from 1 to 200"),
        ("/rss/news?output_type=pdf", 400, "output_type: must be one of"),
        ("/rss/no!name", 400, "channel: "),
        ("/html/news/abc", 400, "post_id: must be a number from 1 to 2147483647"),
        ("/html/news/99999999999", 400, "post_id: must be a number from 1 to 2147483647"),
    ],
)
async def test_a_wrong_request_is_told_what_is_wrong(
    client: httpx.AsyncClient, path: str, status: int, words: str
) -> None:
    answer = await client.get(path)
    assert answer.status_code == status, answer.text
    assert words in (answer.text if path.startswith("/html") else answer.json()["detail"])
    assert answer.headers["cache-control"] == "no-store"


async def test_other_methods_are_not_allowed(client: httpx.AsyncClient) -> None:
    assert (await client.post("/rss/news")).status_code == 405


async def test_errors_are_a_page_for_people_and_json_for_programs(client: httpx.AsyncClient) -> None:
    assert (await client.get("/html/nobody_here")).headers["content-type"].startswith("text/html")
    assert (await client.get("/rss/nobody_here")).headers["content-type"] == "application/json"


async def test_an_error_page_leads_home_from_wherever_it_is_and_names_no_host(client: httpx.AsyncClient) -> None:
    for path in ("/html/!!", "/html/t.me/nobody_here", "/html/news/9999", "/html/news/9999/", "/html/a%2Fb/x/y/z/z"):
        answer = await client.get(path, headers={"Host": "elsewhere.example"})
        assert 400 <= answer.status_code < 500
        (home,) = re.findall(r'<a href="([^"]+)">To the front page', answer.text)
        assert "elsewhere" not in answer.text
        # As behind a proxy that gives the bridge a prefix.
        assert httpx.URL(f"https://proxy.example/bridge{path}").join(home).path == "/bridge/"


async def test_a_channel_that_the_account_may_not_read_is_forbidden(client: httpx.AsyncClient, server: Server) -> None:
    server.fail("messages.getHistory", "CHANNEL_PRIVATE")
    answer = await client.get("/rss/news")
    assert answer.status_code == 403
    assert "may not read" in answer.json()["detail"]


async def test_an_id_that_the_account_has_never_met_says_that_it_is_no_member(client: httpx.AsyncClient) -> None:
    answer = await client.get("/rss/-1009999999999")
    assert answer.status_code == 404
    assert "member" in answer.json()["detail"]


async def test_a_channel_without_username_is_found_by_id(client: httpx.AsyncClient, server: Server) -> None:
    server.post(HIDDEN, "a secret")
    entries = await feed(client, f"/rss/t.me/c/{HIDDEN}")
    assert entries[0].title == "a secret"


async def test_an_invitation_leads_to_the_chat_once_the_account_has_joined(
    client: httpx.AsyncClient, server: Server
) -> None:
    server.post(HIDDEN, "a secret")
    server.chat(HIDDEN).invite_hash = "AbCdEfGhIjKl"
    for link in ("t.me/+AbCdEfGhIjKl", "https://t.me/joinchat/AbCdEfGhIjKl"):
        assert (await feed(client, f"/rss/{link}"))[0].title == "a secret"


async def test_an_invitation_to_a_chat_that_is_not_joined_says_to_join(
    client: httpx.AsyncClient, server: Server
) -> None:
    chat = server.chat(HIDDEN)
    chat.invite_hash = "AbCdEfGhIjKl"
    assert isinstance(chat.peer, raw.types.Channel)
    chat.peer.left = True
    answer = await client.get("/rss/t.me/+AbCdEfGhIjKl")
    assert answer.status_code == 403
    assert "join it first" in answer.json()["detail"]


# Passing faults.


async def test_a_flood_wait_is_429_and_remembered(client: httpx.AsyncClient, server: Server) -> None:
    server.fail("contacts.resolveUsername", "FLOOD_WAIT_30")
    for _ in range(3):
        answer = await client.get("/rss/news")
        assert answer.status_code == 429
        assert 1 <= int(answer.headers["retry-after"]) <= 40
    assert server.calls["contacts.resolveUsername"] == 1


async def test_a_call_that_hangs_is_504_within_its_timeout(client: httpx.AsyncClient, server: Server) -> None:
    server.faults.add(Fault(Action.HANG, "messages.getHistory"))
    began = asyncio.get_running_loop().time()
    answer = await client.get("/rss/news")
    assert answer.status_code == 504
    assert int(answer.headers["retry-after"]) >= 1
    assert asyncio.get_running_loop().time() - began < 3


async def test_a_fault_of_telegrams_own_is_503(client: httpx.AsyncClient, server: Server) -> None:
    server.faults.add(Fault(Action.ERROR, "messages.getHistory", error="RPC_CALL_FAIL", code=500))
    answer = await client.get("/rss/news")
    assert answer.status_code == 503
    assert "retry-after" in answer.headers


async def test_a_connection_that_breaks_in_a_call_heals(client: httpx.AsyncClient, server: Server) -> None:
    server.faults.add(Fault(Action.DROP, "messages.getHistory", times=1))
    answers = [await client.get("/rss/news")]
    async with asyncio.timeout(10):
        while answers[-1].status_code != 200:
            await asyncio.sleep(0.1)
            answers.append(await client.get("/rss/news"))
    assert {answer.status_code for answer in answers} <= {200, 503, 504}
    assert len(feedparser.parse(answers[-1].content).entries) == 50


@pytest.mark.parametrize("kind", ["flood", "hang", "error 500", "unknown error", "no connection"])
async def test_a_stored_history_is_served_with_its_age_while_telegram_can_not_be_asked(
    server: Server, tmp_path: Path, kind: str
) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        fresh = await client.get("/rss/news")
        assert "age" not in fresh.headers
        match kind:
            case "flood":
                server.fail("messages.getHistory", "FLOOD_WAIT_30")
            case "hang":
                server.faults.add(Fault(Action.HANG, "messages.getHistory"))
            case "unknown error":
                server.fail("messages.getHistory", "SOMETHING_OF_THE_YEAR_2031")
            case "error 500":
                server.faults.add(Fault(Action.ERROR, "messages.getHistory", error="RPC_CALL_FAIL", code=500))
            case _:
                server.refuse()
                server.drop_connections()
        stale = await client.get("/rss/news")
        assert stale.status_code == 200
        assert stale.content == fresh.content
        assert int(stale.headers["age"]) >= 0
        assert stale.headers["cache-status"].startswith("bridge; hit; ttl=")
        assert "max-age=60" in stale.headers["cache-control"]


async def test_new_posts_are_seen_once_the_stored_history_is_old(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        await feed(client)
        server.post("news", "brand new")
        server.forget_calls()
        assert (await feed(client))[0].title == "brand new"
        assert +server.calls == {"messages.getHistory": 1}


async def test_ping_needs_neither_telegram_nor_the_disk(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "bridge"
    async with serving(server, folder) as client:
        server.forget_calls()
        shutil.rmtree(folder)
        server.silence()
        for _ in range(20):
            answer = await client.get("/ping")
            assert answer.status_code == 200
            assert answer.elapsed.total_seconds() < 1
        assert not +server.calls


# Without a login.


async def test_without_a_session_the_service_runs_and_says_how_to_log_in(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", logged_in=False) as client:
        async with asyncio.timeout(5):
            while (ping := await client.get("/ping")).status_code == 200:
                await asyncio.sleep(0.02)
        assert ping.status_code == 503
        assert ping.json()["status"] == "degraded"
        assert ping.json()["connected"] is False
        answer = await client.get("/rss/news")
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) > 0
        for text in (ping.json()["reason"], answer.json()["detail"], (await client.get("/")).text):
            assert "./run.sh login" in text
    assert not server.calls


async def test_the_front_page_makes_addresses_from_any_spelling(client: httpx.AsyncClient) -> None:
    page = await client.get("/", params={"channel": "https://t.me/News"})
    assert f"{client.base_url}/rss/news".replace("//rss", "/rss") in page.text
    wrong = await client.get("/", params={"channel": "<script>"})
    assert wrong.status_code == 200
    assert "&#39;&lt;script&gt;&#39;" in wrong.text


async def test_the_front_page_leads_to_the_list_of_all_feeds_where_that_is_open(
    server: Server, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    (address,) = re.findall(r'href="([^"]+/opml)"', (await client.get("/")).text)
    assert (await client.get(address)).headers["content-type"].startswith("text/x-opml")
    async with serving(server, tmp_path / "guarded", token="open-sesame") as guarded:
        assert "opml" not in (await guarded.get("/")).text.lower()


async def test_browsers_find_the_bridges_sign_where_they_look_for_it(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", token="open-sesame") as client:
        sign = await client.get("/favicon.ico")
        assert sign.status_code == 200
        assert etree.fromstring(sign.content).tag == "{http://www.w3.org/2000/svg}svg"
        assert len(sign.content) < 1000
        assert sign.headers["content-type"] == "image/svg+xml"
        assert sign.headers["cache-control"] == "public, max-age=604800"
        again = await client.get("/favicon.ico", headers={"If-None-Match": sign.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        # Behind a proxy's prefix they look where the page says.
        for path in ("/", "/html/news/open-sesame", "/html/news/149/open-sesame"):
            (address,) = re.findall(r'<link rel="icon" [^>]*href="([^"]+)"', (await client.get(path)).text)
            assert (await client.get(address)).content == sign.content


# Viewers that take nothing.


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system has no such limit")
async def test_a_viewer_that_stalls_loses_its_connection_and_a_slow_one_keeps_it(
    server: Server, tmp_path: Path
) -> None:
    film = bytes(16 * MIB)
    media = document(server.world, 700, film)
    server.chat("news").messages[149] = raw.types.Message(
        id=149, peer_id=raw.types.PeerChannel(channel_id=NEWS), date=1_700_000_149, message="film", media=media
    )
    folder = tmp_path / "bridge"
    folder.mkdir()
    await server.write_session_file(SessionFile(folder).path)
    listener = listen("127.0.0.1", 0, most_stall=1)
    address = listener.getsockname()
    running = asyncio.create_task(serve(settings_for(folder), listener, connection_factory=server.connection_factory))
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{address[1]}", timeout=20) as client:
        await until_connected(client)
        url = (await feed(client))[1].enclosures[0].href
        assert (await client.get(url)).content == film

    def served(viewer: socket.socket) -> bool:
        """Whether the service has a connection to the viewer."""
        ends = {(end.laddr, end.raddr) for end in psutil.Process().net_connections("tcp")}
        return (address, viewer.getsockname()) in ends

    request = f"GET {httpx.URL(url).path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    with socket.create_connection(address) as stalled, socket.create_connection(address) as slow:
        stalled.sendall(request)
        slow.sendall(request)
        await until(lambda: served(stalled) and served(slow))
        async with asyncio.timeout(15):
            while served(stalled):
                with suppress(BlockingIOError):
                    slow.recv(MIB // 8, socket.MSG_DONTWAIT)
                await asyncio.sleep(0.1)
        assert served(slow)
    signal.raise_signal(signal.SIGTERM)
    await running


# The token.


async def test_with_a_token_private_routes_need_it_and_it_never_appears(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    token = "open-sesame"
    with caplog.at_level(logging.DEBUG):
        async with serving(server, tmp_path / "bridge", token=token) as client:
            for path in ("/rss/news", "/html/news", "/html/news/149", "/rss/news/wrong", "/rss/news?token=wrong"):
                answer = await client.get(path)
                assert answer.status_code == 403
                assert token not in answer.text
            for path in (f"/rss/news/{token}", f"/html/news/149/{token}", f"/rss/news?token={token}"):
                answer = await client.get(path)
                assert answer.status_code == 200
                assert token not in answer.text
                assert "public" not in answer.headers["cache-control"]
            assert (await client.get("/rss/news", headers={"Authorization": f"Bearer {token}"})).status_code == 200
            assert (await client.get("/ping")).status_code == 200
    assert not [record for record in caplog.records if token in record.getMessage() and record.name != "httpx"]


async def test_guesses_are_counted_however_wrong_the_path_is(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", token="12345678901") as client:
        for guess in range(GUESSES_PER_WINDOW):
            assert (await client.get(f"/html/news/9999999999{guess}")).status_code == 403
        assert (await client.get("/html/news/12345678901")).status_code == 429


async def test_no_answer_leads_to_a_host_that_the_client_made_up(client: httpx.AsyncClient) -> None:
    for path in ("/ping/?token=abc", "/html?token=abc", "/rss?token=abc"):
        answer = await client.get(path, headers={"Host": "evil.example"})
        assert answer.status_code == 404
        assert "evil" not in answer.text


# The end.


@pytest.mark.parametrize("path", ["/rss/news", "/html/news"])
async def test_who_waits_for_telegram_at_the_stop_is_told_to_come_back(
    server: Server, tmp_path: Path, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "bridge"
    folder.mkdir()
    await server.write_session_file(SessionFile(folder).path)
    listener = listen("127.0.0.1", 0)
    server.faults.add(Fault(Action.HANG, "contacts.resolveUsername"))
    settings = settings_for(folder, tg_rpc_timeout=60)
    base_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    running = asyncio.create_task(serve(settings, listener, connection_factory=server.connection_factory))
    async with httpx.AsyncClient(base_url=base_url, timeout=20) as client:
        await until_connected(client)
        asking = asyncio.create_task(client.get(path))
        await asyncio.sleep(0.3)
        signal.raise_signal(signal.SIGTERM)
        answer = await asking
    await running
    assert answer.status_code == 503
    assert "retry-after" in answer.headers
    assert "Traceback" not in caplog.text


# Pace.


async def test_nothing_holds_the_event_loop_while_large_feeds_are_rendered(
    client: httpx.AsyncClient, server: Server
) -> None:
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            # The thread's own time: what other processes take from it is none of the service's doing.
            began = time.thread_time()
            await asyncio.sleep(0.001)
            longest = max(longest, time.thread_time() - began)

    await client.get("/rss/news?limit=200")
    watching = asyncio.create_task(watch())
    await asyncio.gather(*(client.get(f"/rss/news?limit={limit}") for limit in range(150, 160)))
    watching.cancel()
    assert longest < 0.05
