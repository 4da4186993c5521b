"""The control port, over HTTP, with a client that watches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pyrogram import Client, raw
from pyrogram.handlers import RawUpdateHandler

from tgserver import Server
from tgserver.control import ControlPort
from tgserver.tests.conftest import FRIEND, NEWS
from tgserver.world import Chat, ChatKey


@pytest.fixture
async def http(server: Server, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    (tmp_path / "notes.txt").write_bytes(b"the notes")
    control = ControlPort(server, folders={ChatKey("channel", NEWS): tmp_path})
    await control.start()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{control.port}", trust_env=False) as client:
        yield client
    await control.stop()


async def test_chats_are_listed(http: httpx.AsyncClient) -> None:
    news, group = (await http.get("/chats")).json()
    assert news == {
        "id": NEWS,
        "username": "News",
        "title": "News",
        "kind": "channel",
        "messages": 250,
        "newest": 250,
        "pts": 100,
    }
    assert (group["kind"], group["username"]) == ("basic group", None)


async def test_chats_that_messages_only_mention_are_not_listed(http: httpx.AsyncClient, server: Server) -> None:
    peer = raw.types.Channel(id=5, title="Elsewhere", photo=raw.types.ChatPhotoEmpty(), date=1)
    server.add_chat(Chat(peer, mentioned=True))
    assert [chat["id"] for chat in (await http.get("/chats")).json()] == [NEWS, 2002]


async def test_chats_of_one_title_can_be_told_apart(http: httpx.AsyncClient, server: Server) -> None:
    group = server.chat(2002).peer
    assert isinstance(group, raw.types.Chat)
    group.title, group.migrated_to = "News", raw.types.InputChannel(channel_id=NEWS, access_hash=77)
    server.add_chat(Chat(raw.types.User(id=9, deleted=True)))
    titles = [chat["title"] for chat in (await http.get("/chats")).json()]
    assert titles == ["News", "News (before the upgrade)", "Deleted account"]


async def test_a_posted_text_is_pushed_edited_and_deleted(
    http: httpx.AsyncClient, server: Server, client: Client
) -> None:
    pushed: asyncio.Queue[Any] = asyncio.Queue()
    client.dispatcher.update_parsers = {}

    async def note(_: Client, update: Any, users: Any, chats: Any) -> None:
        pushed.put_nowait(update)

    client.add_handler(RawUpdateHandler(note))
    bold = {"type": "bold", "offset": 0, "length": 5}
    link = {"type": "text_url", "offset": 6, "length": 5, "url": "https://example.org/"}
    answer = await http.post("/chats/news/messages", json={"text": "hello there", "entities": [bold, link]})
    assert (answer.status_code, answer.json()["id"]) == (201, 251)
    message = (await asyncio.wait_for(pushed.get(), 2)).message
    assert message.message == "hello there"
    assert message.entities == [
        raw.types.MessageEntityBold(offset=0, length=5),
        raw.types.MessageEntityTextUrl(offset=6, length=5, url="https://example.org/"),
    ]
    answer = await http.patch(f"/chats/{NEWS}/messages/251", json={"text": "good bye"})
    assert answer.status_code == 200
    assert (await asyncio.wait_for(pushed.get(), 2)).message.message == "good bye"
    assert (await http.delete("/chats/news/messages/251")).status_code == 204
    assert (await asyncio.wait_for(pushed.get(), 2)).messages == [251]


async def test_a_message_in_the_form_of_an_export_is_posted_with_its_file(
    http: httpx.AsyncClient, server: Server, client: Client
) -> None:
    told = {"type": "message", "text": ["see ", {"type": "bold", "text": "this"}], "file": "notes.txt"}
    answer = await http.post("/chats/news/messages", json={"message": told})
    assert answer.status_code == 201
    assert answer.json()["date"] > 1_700_000_000
    message = await client.get_messages("news", answer.json()["id"])
    received: Any = await client.download_media(message, in_memory=True)
    assert received.getvalue() == b"the notes"
    assert message.caption == "see this"
    answer = await http.patch("/chats/news/messages/3", json={"message": {"type": "message", "text": "anew"}})
    assert answer.json()["id"] == 3
    edited = server.chat("news").messages[3]
    assert isinstance(edited, raw.types.Message)
    assert edited.message == "anew"


async def test_a_chat_is_renamed(http: httpx.AsyncClient, server: Server) -> None:
    answer = await http.patch("/chats/news", json={"title": "Late news", "username": "late"})
    assert (answer.json()["title"], answer.json()["username"]) == ("Late news", "late")
    assert (await http.get("/chats/news")).status_code == 405
    assert (await http.patch("/chats/news", json={"title": "x"})).status_code == 404


async def test_calls_are_counted_and_forgotten(http: httpx.AsyncClient, client: Client) -> None:
    assert (await http.get("/calls")).json()["users.getFullUser"] == 1
    await http.delete("/calls")
    assert (await http.get("/calls")).json() == {}


async def test_faults_come_and_go(http: httpx.AsyncClient, client: Client) -> None:
    fault = {"action": "error", "method": "users.getUsers", "error": "FLOOD_WAIT_3", "times": 5}
    answer = await http.post("/faults", json=fault)
    assert answer.status_code == 201
    with pytest.raises(Exception, match="FLOOD_WAIT"):
        await client.get_users([FRIEND + 1])
    (in_force,) = (await http.get("/faults")).json()
    assert (in_force["error"], in_force["times"], in_force["hits"]) == ("FLOOD_WAIT_3", 5, 1)
    await http.delete("/faults")
    assert (await http.get("/faults")).json() == []


async def test_the_network_is_slowed_down(http: httpx.AsyncClient, server: Server) -> None:
    answer = await http.patch("/network", json={"latency": 0.05, "bandwidth": 1000})
    assert answer.json() == {"latency": 0.05, "bandwidth": 1000}
    assert (server.latency, server.bandwidth) == (0.05, 1000)
    assert (await http.patch("/network", json={"bandwidth": None})).json()["bandwidth"] is None


NEWS_MESSAGES = "/chats/news/messages"
BOLD = {"type": "bold", "offset": 0, "length": 1}


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "why"),
    [
        ("POST", "/chats/nobody/messages", {"text": "x"}, 404, "no chat nobody"),
        ("POST", "/chats/99/messages", {"text": "x"}, 404, "no chat 99"),
        ("POST", "/chats/news/messages", {}, 400, '"text" (not empty) or "message"'),
        ("POST", "/chats/news/messages", {"text": ""}, 400, "not empty"),
        ("POST", "/chats/news/messages", {"text": 5}, 400, "is needed"),
        ("POST", "/chats/news/messages", {"texts": "x"}, 400, "some of entities, message, text"),
        ("POST", "/chats/news/messages", [], 400, "an object"),
        ("POST", "/chats/news/messages", {"message": "x"}, 400, "must be an object"),
        ("POST", "/chats/news/messages", {"message": {"id": -5}}, 400, "id must be"),
        ("POST", "/chats/news/messages", {"text": "x", "entities": "bold"}, 400, "list of objects"),
        ("POST", "/chats/news/messages", {"text": "x", "entities": [{"type": "loud"}]}, 400, "'loud'"),
        ("POST", "/chats/news/messages", {"text": "x", "entities": [{"type": "bold"}]}, 400, "whole numbers"),
        (
            "POST",
            "/chats/news/messages",
            {"text": "x", "entities": [{"type": "text_url", "offset": 0, "length": 1}]},
            400,
            "missing ['url']",
        ),
        ("PATCH", "/chats/news/messages/999", {"text": "x"}, 404, "no message 999"),
        ("POST", "/faults", {"action": "explode"}, 400, "actions are error, hang"),
        ("POST", "/faults", {}, 400, "action"),
        ("POST", "/faults", {"action": "error", "method": "*"}, 400, "error's name"),
        ("PATCH", "/network", {"latency": "slow"}, 400, "latency must be a number"),
        ("PATCH", "/network", {"latency": True}, 400, "latency must be a number"),
        ("PATCH", "/network", {"latency": 10**400}, 400, "latency must be a number"),
        ("PATCH", "/network", {"latency": None}, 400, "latency must be a number"),
        ("PATCH", "/network", {"bandwidth": 0}, 400, "bandwidth must be a number"),
        ("PATCH", "/network", {"latency": 1, "bandwidth": False}, 400, "bandwidth must be a number"),
        ("POST", "/chats/" + "9" * 5000 + "/messages", {"text": "x"}, 404, "no chat 999"),
        ("PATCH", "/chats/news", {"title": 5}, 400, "title must be a text"),
        ("PATCH", "/chats/news", {"title": {"a": 1}}, 400, "title must be a text"),
        ("PATCH", "/chats/news", {"title": None}, 400, "title must be a text"),
        ("PATCH", "/chats/news", {"title": ""}, 400, "a line of 1 to 255"),
        ("PATCH", "/chats/news", {"title": "a\x1b[2J\n"}, 400, "a line of 1 to 255"),
        ("PATCH", "/chats/news", {"title": "x" * 256}, 400, "a line of 1 to 255"),
        ("PATCH", "/chats/news", {"title": "Fine", "username": "bad name!"}, 400, "a username is"),
        ("PATCH", "/chats/news", {"title": "Fine", "username": ["x"]}, 400, "username must be a text"),
        ("PATCH", "/chats/news", {"title": "Fine", "username": "ada_friend"}, 400, "belongs to 3003"),
        ("PATCH", "/chats/2002", {"username": "group"}, 400, "a basic group has no username"),
        ("POST", NEWS_MESSAGES, {"text": "x", "entities": [BOLD | {"offset": -1}]}, 400, "within the text"),
        ("POST", NEWS_MESSAGES, {"text": "x", "entities": [BOLD | {"length": 2}]}, 400, "within the text"),
        ("POST", NEWS_MESSAGES, {"text": "x", "entities": [BOLD | {"length": 0}]}, 400, "within the text"),
        ("POST", NEWS_MESSAGES, {"text": "x", "entities": [BOLD | {"length": 2**70}]}, 400, "within the text"),
        ("POST", NEWS_MESSAGES, {"text": "x", "entities": [BOLD | {"length": True}]}, 400, "whole numbers"),
        ("POST", NEWS_MESSAGES, {"text": "x", "entities": [BOLD | {"type": {}}]}, 400, "unknown entity type {}"),
        (
            "POST",
            NEWS_MESSAGES,
            {"text": "x", "entities": [BOLD | {"type": "text_url", "url": 5}]},
            400,
            "can't be written as TL",
        ),
        ("POST", NEWS_MESSAGES, {"message": {"id": 250, "text": "x"}}, 400, "a message 250 already"),
        ("PATCH", NEWS_MESSAGES + "/3", {"message": 5}, 400, "must be an object"),
        ("PATCH", NEWS_MESSAGES + "/3", {"text": "x", "entities": [BOLD | {"length": 9}]}, 400, "within the text"),
        ("POST", "/faults", {"action": "hang", "method": "messages.getHistroy"}, 400, "no method"),
        ("POST", "/faults", {"action": "hang", "method": ""}, 400, "no method"),
        ("POST", "/faults", {"action": "delay", "seconds": True}, 400, "seconds must be"),
        ("POST", "/faults", {"action": "delay", "seconds": 10**400}, 400, "seconds must be"),
        ("POST", "/faults", {"action": "transport_error", "code": 2**31}, 400, "code must be"),
        ("POST", "/faults", {"action": "hang", "media": 1}, 400, "media must be"),
        ("POST", "/faults", {"action": "hang", "dc_id": 9}, 400, "no data center 9"),
    ],
)
async def test_a_wrong_request_is_told_what_is_wrong(
    http: httpx.AsyncClient, server: Server, method: str, path: str, body: Any, status: int, why: str
) -> None:
    answer = await http.request(method, path, json=body)
    assert answer.status_code == status
    assert why in answer.json()["error"]
    assert len(answer.json()["error"].splitlines()) == 1
    assert (server.chat("news").pts, server.chat("news").peer.title) == (100, "News")  # type: ignore[union-attr]
    assert (list(server.faults), server.latency, server.bandwidth) == ([], 0.0, None)


@pytest.mark.parametrize(
    ("method", "path", "body", "why"),
    [
        ("PATCH", "/chats/news", '{"title": "\\ud800"}', "surrogate"),
        ("POST", NEWS_MESSAGES, '{"text": "\\ud800"}', "surrogate"),
        ("POST", NEWS_MESSAGES, '{"message": {"\\udfff": 1}}', "surrogate"),
        ("POST", "/faults", '{"action": "delay", "seconds": NaN}', "not JSON"),
        ("POST", "/faults", '{"action": "delay", "seconds": 1e999}', "not JSON"),
        ("PATCH", "/network", '{"latency": Infinity}', "not JSON"),
        ("PATCH", "/network", '{"latency": ' + "9" * 5000 + "}", "not JSON"),
        ("POST", NEWS_MESSAGES, "[" * 100_000, "nested too deep"),
        ("POST", NEWS_MESSAGES, '{"message": {"text": ' + "[" * 100_000 + "]" * 100_000 + "}}", "nested too deep"),
        ("POST", NEWS_MESSAGES, b'{"text": "\xff"}', "not JSON"),
    ],
)
async def test_a_body_that_is_no_json_is_told_so(
    http: httpx.AsyncClient, server: Server, method: str, path: str, body: str | bytes, why: str
) -> None:
    answer = await http.request(method, path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert why in answer.json()["error"]
    assert (server.chat("news").pts, list(server.faults), server.latency) == (100, [], 0.0)


@pytest.mark.parametrize("body", [{"text": "x"}, {"message": {"text": "x"}}])
async def test_behind_the_last_possible_id_there_is_no_next_message(
    http: httpx.AsyncClient, server: Server, body: dict[str, Any]
) -> None:
    last = await http.post(NEWS_MESSAGES, json={"message": {"id": 2**31 - 1, "text": "the last"}})
    assert last.status_code == 201
    answer = await http.post(NEWS_MESSAGES, json=body)
    assert (answer.status_code, "the last possible id" in answer.json()["error"]) == (400, True)
    assert server.chat("news").ids[-1] == 2**31 - 1


async def test_a_chat_is_found_by_its_marked_id(http: httpx.AsyncClient, server: Server) -> None:
    answer = await http.patch(f"/chats/{-(10**12) - NEWS}", json={"title": "Found"})
    assert answer.json()["title"] == "Found"


async def test_a_web_page_can_not_pull_the_levers(http: httpx.AsyncClient) -> None:
    form = await http.post("/faults", content=json.dumps({"action": "hang"}), headers={"content-type": "text/plain"})
    assert form.status_code == 415
    rebound = await http.get("/chats", headers={"host": "evil.example"})
    assert rebound.status_code == 400
    assert (await http.post("/faults", content=b"{", headers={"content-type": "application/json"})).status_code == 400
