"""A flood wait outlives the process that met it, and no clock makes it longer."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from service import serving
from telegram_world import small_world, until

from errors import FloodWait
from file_io import Database
from storage.flood_store import FloodStore
from storage.schema import MIGRATIONS
from telegram.flood_memory import FloodMemory
from tg_throttle import RpcGate
from tgserver import Server

NOON = 1_800_000_000.0


class Clock:
    """A wall clock that tests can set."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await Database.open(tmp_path / "bridge.db", MIGRATIONS)
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    ("later", "remaining"),
    [
        (0, 300),
        (100, 200),
        (299, 1),
        (300, 0),
        (86_400, 0),
        (-10, 300),
        (-86_400, 300),
    ],
)
async def test_what_is_left_of_a_flood_by_the_clock(database: Database, later: float, remaining: float) -> None:
    clock = Clock()
    store = FloodStore(database, clock)
    await store.save(300)
    clock.now += later
    assert await FloodStore(database, clock).remaining() == remaining


async def test_the_latest_flood_is_the_one_that_counts(database: Database) -> None:
    store = FloodStore(database, Clock())
    assert await store.remaining() == 0
    for seconds in (300, 20):
        await store.save(seconds)
    assert await store.remaining() == 20


async def test_a_clock_that_stays_wrong_does_not_start_the_wait_anew(database: Database) -> None:
    clock = Clock()
    await FloodStore(database, clock).save(300)
    clock.now -= 86_400
    for gone in (0, 100, 200):
        gate = RpcGate()
        clock.now = NOON - 86_400 + gone
        await FloodMemory(gate, FloodStore(database, clock)).recall()
        assert gate.flood_remaining == pytest.approx(300 - gone, abs=1)


async def test_a_flood_is_written_as_it_comes_and_recalled_by_the_next_gate(database: Database) -> None:
    store = FloodStore(database, Clock())
    gate = RpcGate()
    memory = FloodMemory(gate, store)
    keeping = asyncio.create_task(memory.keep_forever())
    gate.flood(50)
    async with asyncio.timeout(5):
        while not await store.remaining():
            await asyncio.sleep(0.01)
    keeping.cancel()

    successor = RpcGate()
    await FloodMemory(successor, store).recall()
    with pytest.raises(FloodWait) as caught:
        successor.check()
    assert caught.value.retry_after == pytest.approx(50, abs=1)
    # Nobody has asked Telegram since.
    assert successor.stats().floods == 0


async def test_a_flood_that_comes_just_before_the_end_is_written_at_the_end(database: Database) -> None:
    store = FloodStore(database, Clock())
    gate = RpcGate()
    memory = FloodMemory(gate, store)
    await memory.flush()
    assert await store.remaining() == 0
    gate.flood(50)
    await memory.flush()
    assert await store.remaining() == pytest.approx(50, abs=1)


async def test_a_disk_that_refuses_costs_the_memory_and_nothing_else(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    def read_only(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA query_only = ON")

    await database.read(read_only)
    gate = RpcGate()
    memory = FloodMemory(gate, FloodStore(database, Clock()))
    gate.flood(50)
    with caplog.at_level(logging.WARNING):
        await memory.flush()
    assert "will be forgotten at a restart" in caplog.text
    assert gate.flood_remaining > 49


async def test_the_service_asks_nothing_of_telegram_until_a_flood_of_its_predecessor_is_over(tmp_path: Path) -> None:
    async with Server(small_world()) as server:
        async with serving(server, tmp_path / "bridge") as client:
            server.fail("contacts.resolveUsername", "FLOOD_WAIT_60", 1)
            assert (await client.get("/rss/news")).status_code == 429
        server.forget_calls()
        async with serving(server, tmp_path / "bridge", logged_in=False) as client:
            await until(lambda: server.calls["users.getUsers"])
            async with asyncio.timeout(5):
                while not (await client.get("/ping")).json()["connected"]:
                    await asyncio.sleep(0.02)
            answer = await client.get("/rss/news")
            assert answer.status_code == 429
            assert int(answer.headers["retry-after"]) > 50
            assert not server.calls["contacts.resolveUsername"]
            assert 50 < (await client.get("/health")).json()["gate"]["flood_remaining"] <= 60
