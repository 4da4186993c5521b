"""What each of Telegram's flood waits holds, on the real wire, and that the documentation says the same."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from service import serving
from telegram_world import NEWS_ID, client_for, logged_in, small_world, until_state
from test_docs import rows

from errors import FloodWait
from model.files import files_of
from telegram.flood_rules import DOWNLOADS, FLOOD_RULES
from telegram_client import State, TelegramClient
from tg_throttle import CONNECTING
from tgserver import Server
from tgserver.crypto.rsa import RsaKey

DAY = 86_400


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    return RsaKey.generate()


@pytest.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    async with Server(small_world(), rsa_key=rsa_key) as running:
        with running.trust():
            yield running


@pytest.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[TelegramClient]:
    client = client_for(server, await logged_in(server, tmp_path))
    await client.start()
    await until_state(client, State.READY)
    yield client
    await client.stop()


def test_the_documentation_says_what_each_flood_holds() -> None:
    documented = {
        call: cells[1].strip("`")
        for cells in rows("docs/operations.md")
        for call in re.findall(r"`(\w+\.\w+)`", cells[0])
        if len(cells) == 3 and cells[1] in {"that call", f"`{DOWNLOADS}`"}
    }
    own = {call for call, holds in documented.items() if holds == "that call"}
    assert own == FLOOD_RULES.own
    assert {holds for call, holds in documented.items() if call not in own} == {DOWNLOADS} == FLOOD_RULES.apart
    assert ["making the main connection", f"`{CONNECTING}`"] in [cells[:2] for cells in rows("docs/operations.md")]


async def test_a_day_without_looking_up_names_leaves_known_channels_and_files_alone(
    client: TelegramClient, server: Server
) -> None:
    channel = await client.resolve("news")
    (message,) = await client.messages(channel, [140])
    server.fail("contacts.resolveUsername", f"FLOOD_WAIT_{DAY}", 1)
    for _ in range(3):
        with pytest.raises(FloodWait) as caught:
            await client.resolve("ada_friend")
        assert (round(caught.value.retry_after), caught.value.scope) == (DAY, "contacts.resolveUsername")
    assert server.calls["contacts.resolveUsername"] == 2
    assert await client.history(channel, limit=1)
    assert await client.full_channel(channel)
    assert (await client.resolve(NEWS_ID)).title == "News"
    assert await client.file_part(next(files_of(message)), 0, 4096)


async def test_looking_up_and_describing_that_are_forbidden_together_close_everything(
    client: TelegramClient, server: Server
) -> None:
    channel = await client.resolve("news")
    server.fail("contacts.resolveUsername", f"FLOOD_WAIT_{DAY}", 1)
    server.fail("channels.getFullChannel", "FLOOD_WAIT_20", 1)
    with pytest.raises(FloodWait):
        await client.resolve("ada_friend")
    with pytest.raises(FloodWait) as caught:
        await client.full_channel(channel)
    assert not caught.value.partial
    with pytest.raises(FloodWait) as caught:
        await client.history(channel)
    assert 18 < caught.value.retry_after <= 20
    assert not server.calls["messages.getHistory"]


@pytest.mark.parametrize(("error", "scope"), [("FLOOD_PREMIUM_WAIT_9", DOWNLOADS), ("FLOOD_WAIT_9", "account")])
async def test_a_flood_on_files_holds_all_calls_unless_a_subscription_would_have_spared_it(
    client: TelegramClient, server: Server, error: str, scope: str
) -> None:
    channel = await client.resolve("news")
    (message,) = await client.messages(channel, [140])
    file = next(files_of(message))
    server.fail("upload.getFile", error, 1)
    for _ in range(2):
        with pytest.raises(FloodWait) as caught:
            await client.file_part(file, 0, 4096)
        assert (round(caught.value.retry_after), caught.value.scope) == (9, scope)
    assert server.calls["upload.getFile"] == 1
    if scope == DOWNLOADS:
        assert await client.history(channel, limit=1)
    else:
        with pytest.raises(FloodWait):
            await client.history(channel, limit=1)


async def test_a_flood_met_by_a_connection_for_files_holds_files(client: TelegramClient, server: Server) -> None:
    channel = await client.resolve("news")
    (message,) = await client.messages(channel, [140])
    file = next(files_of(message))
    server.fail("initConnection", "FLOOD_WAIT_30", 1, media=True)
    for _ in range(2):
        with pytest.raises(FloodWait):
            await client.file_part(file, 0, 4096)
    assert server.calls["initConnection"] == 2
    assert await client.history(channel, limit=1)


async def test_the_service_says_what_is_held_and_serves_the_rest(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        assert (await client.get("/rss/news")).status_code == 200
        server.fail("contacts.resolveUsername", f"FLOOD_WAIT_{DAY}", 1)
        for name in ("somebody", "somebody_else"):
            answer = await client.get(f"/rss/{name}")
            assert (answer.status_code, answer.headers["retry-after"]) == (429, "300")
            assert "contacts.resolveUsername" in answer.json()["detail"]
        assert server.calls["contacts.resolveUsername"] == 2
        gate = (await client.get("/health")).json()["gate"]
        assert gate["flood_remaining"] == 0
        assert set(gate["floods_on"]) == {"contacts.resolveUsername"}
        server.post("news", "written during the flood")
        answer = await client.get("/rss/news")
        assert (answer.status_code, "written during the flood" in answer.text) == (200, True)
        assert "max-age=300" in answer.headers["cache-control"]
