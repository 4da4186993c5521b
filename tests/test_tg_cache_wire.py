"""The history over a real connection to a Telegram server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from telegram_world import NEWS_ID, client_for, logged_in, small_world, until_state

from errors import ChannelNotFound, PostNotFound
from history.window import StaleReason
from model.media import Document
from storage.database import Database
from storage.schema import MIGRATIONS
from telegram_client import State
from tg_cache import History
from tgserver import Server

HISTORY_CALLS = {"contacts.resolveUsername", "channels.getFullChannel", "messages.getHistory", "channels.getMessages"}


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server(small_world()) as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def history(server: Server, clock: Clock, tmp_path: Path) -> AsyncIterator[History]:
    client = client_for(server, await logged_in(server, tmp_path / "session"))
    await client.start()
    await until_state(client, State.READY)
    database = await Database.open(tmp_path / "bridge.db", MIGRATIONS)
    yield History(database, client, history_ttl=3600, channel_ttl=36000, clock=clock)
    await client.stop()
    await database.close()


def asked(server: Server) -> dict[str, int]:
    """The history's calls since this was last asked."""
    calls = {method: count for method, count in server.calls.items() if method in HISTORY_CALLS}
    server.calls.clear()
    return calls


async def test_ten_parallel_cold_readers_cost_three_calls(history: History, server: Server) -> None:
    asked(server)
    windows = await asyncio.gather(*(history.window("news", 50) for _ in range(10)))
    assert asked(server) == {"contacts.resolveUsername": 1, "channels.getFullChannel": 1, "messages.getHistory": 1}
    assert windows == [windows[0]] * 10
    window = windows[0]
    assert [message.id for message in window.messages] == list(range(150, 100, -1))
    assert (window.channel.id, window.channel.about) == (NEWS_ID, "All about News")
    document = window.messages[10].media
    assert isinstance(document, Document)
    assert document.file.file_name == "500.zip"
    await history.window(NEWS_ID, 100)
    assert asked(server) == {}


async def test_edits_deletions_and_new_posts_are_seen_by_one_call(
    history: History, server: Server, clock: Clock
) -> None:
    before = await history.window("news", 150)
    server.post("news", "fresh")
    server.edit("news", 120, "edited")
    server.delete("news", 130)
    asked(server)
    clock.now += 3600
    after = await history.window("news", 150)
    assert asked(server) == {"messages.getHistory": 1}
    assert [message.id for message in after.messages] == [number for number in range(151, 0, -1) if number != 130]
    assert after.messages[0].text.text == "fresh"
    assert next(message for message in after.messages if message.id == 120).text.text == "edited"
    assert after.version > before.version


async def test_a_flood_wait_leaves_the_stored_window(history: History, server: Server, clock: Clock) -> None:
    before = await history.window("news", 20)
    clock.now += 3600
    server.fail("messages.getHistory", "FLOOD_WAIT_30")
    after = await history.window("news", 20)
    assert (after.messages, after.stale) == (before.messages, StaleReason.FLOOD)


async def test_single_posts_and_what_is_not_there(history: History, server: Server) -> None:
    assert (await history.message("news", 7)).text.text == "post 7"
    assert (await history.refetch("news", 140)).media is not None
    with pytest.raises(PostNotFound):
        await history.message("news", 999)
    asked(server)
    for _ in range(3):
        with pytest.raises(ChannelNotFound):
            await history.channel("nobody_here")
    assert asked(server) == {"contacts.resolveUsername": 1}
