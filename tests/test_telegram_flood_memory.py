"""A flood wait outlives the process that met it, and no clock makes it longer."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from service import serving
from telegram_world import small_world, until

from errors import FloodWait
from storage.database import Database
from storage.flood_store import FLOODS_BY_SCOPE, FloodStore
from storage.schema import MIGRATIONS
from telegram.flood_memory import FloodMemory
from telegram.flood_rules import DOWNLOADS, FLOOD_RULES
from telegram.session_file import SessionFile
from tg_throttle import CONNECTING, RpcGate
from tgserver import Action, Server

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
    await store.save({"account": 300})
    clock.now += later
    assert await FloodStore(database, clock).remaining() == ({"account": remaining} if remaining else {})


async def test_the_latest_floods_are_the_ones_that_count(database: Database) -> None:
    store = FloodStore(database, Clock())
    assert await store.remaining() == {}
    for floods in ({"account": 300.0, "downloads": 5.0}, {"account": 20.0}):
        await store.save(floods)
    assert await store.remaining() == {"account": 20}


async def test_a_clock_that_stays_wrong_does_not_start_the_wait_anew(database: Database) -> None:
    clock = Clock()
    await FloodStore(database, clock).save({"account": 300})
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


async def test_each_kind_of_flood_is_recalled_as_what_it_was(database: Database) -> None:
    store = FloodStore(database, Clock())
    gate = RpcGate(rules=FLOOD_RULES)
    memory = FloodMemory(gate, store)
    floods = {"contacts.resolveUsername": 5000, DOWNLOADS: 40, CONNECTING: 30, "messages.getHistory": 20}
    for name, seconds in floods.items():
        gate.flood(seconds, name)
    await memory.flush()
    successor = RpcGate(rules=FLOOD_RULES)
    await FloodMemory(successor, store).recall()
    expected = {"contacts.resolveUsername": 5000, DOWNLOADS: 40, CONNECTING: 30, "account": 20}
    assert successor.floods() == pytest.approx(expected, abs=1)
    # What this version has no rule for is taken to be the account's.
    stranger = RpcGate()
    await FloodMemory(stranger, store).recall()
    assert stranger.floods() == pytest.approx({"account": 5000, CONNECTING: 30}, abs=1)


async def test_a_flood_noted_by_a_version_without_kinds_is_the_whole_accounts(tmp_path: Path) -> None:
    older = await Database.open(tmp_path / "bridge.db", MIGRATIONS[: MIGRATIONS.index(FLOODS_BY_SCOPE)])
    await older.run(lambda connection: connection.execute("INSERT INTO flood VALUES (1, ?, ?)", (NOON + 300, NOON)))
    await older.close()
    newer = await Database.open(tmp_path / "bridge.db", MIGRATIONS)
    assert await FloodStore(newer, Clock()).remaining() == {"account": 300}
    await newer.close()


async def test_a_flood_that_comes_just_before_the_end_is_written_at_the_end(database: Database) -> None:
    store = FloodStore(database, Clock())
    gate = RpcGate()
    memory = FloodMemory(gate, store)
    await memory.flush()
    assert await store.remaining() == {}
    gate.flood(50)
    await memory.flush()
    assert await store.remaining() == {"account": pytest.approx(50, abs=1)}


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
            server.fail("messages.getHistory", "FLOOD_WAIT_60", 1)
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


async def test_a_flood_met_while_connecting_keeps_also_the_next_process_from_connecting(tmp_path: Path) -> None:
    async with Server(small_world()) as server:
        await server.write_session_file(SessionFile(tmp_path).path)
        server.fail("initConnection", "FLOOD_WAIT_60", 1)
        async with serving(server, tmp_path, logged_in=False) as client:
            await until_flooded(client)
            answer = await client.get("/rss/news")
            assert (answer.status_code, int(answer.headers["retry-after"]) > 50) == (429, True)
        assert server.calls["initConnection"] == 1
        server.forget_calls()
        async with serving(server, tmp_path, logged_in=False) as client:
            await until_flooded(client)
            await asyncio.sleep(1)
            said = (await client.get("/health")).json()
            assert said["connection"]["state"] == "unavailable"
            assert "from connecting" in said["connection"]["reason"]
            assert (await client.get("/rss/news")).status_code == 429
        assert not server.calls
        assert not server.connections()


async def test_a_flood_met_while_a_lost_connection_comes_back_is_kept_too(tmp_path: Path) -> None:
    async with Server(small_world()) as server:
        async with serving(server, tmp_path) as client:
            # The connection for files comes back as well, and its floods hold files alone.
            server.fault(Action.ERROR, "initConnection", 1, error="FLOOD_WAIT_60", media=False)
            server.drop_connections()
            async with asyncio.timeout(5):
                while CONNECTING not in (await client.get("/health")).json()["gate"]["floods_on"]:
                    await asyncio.sleep(0.02)
        server.forget_calls()
        async with serving(server, tmp_path, logged_in=False) as client:
            await until_flooded(client)
            await asyncio.sleep(0.5)
        assert not server.calls


async def until_flooded(client: httpx.AsyncClient) -> None:
    async with asyncio.timeout(5):
        while "from connecting" not in (await client.get("/health")).json()["connection"]["reason"]:
            await asyncio.sleep(0.02)
