"""A session that ends while it is busy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from telegram_world import client_for, logged_in, small_world, until, until_state

from telegram_client import State, TelegramClient
from tgserver import Action, Server


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server(small_world()) as running:
        yield running


@pytest.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[TelegramClient]:
    client = client_for(server, await logged_in(server, tmp_path / "session"))
    await client.start()
    await until_state(client, State.READY)
    yield client
    await client.stop()


@pytest.mark.parametrize("method", ["ping", "initConnection"])
async def test_a_session_that_is_shut_while_it_reconnects_leaves_nothing_that_goes_on(
    client: TelegramClient, server: Server, method: str
) -> None:
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, complaint: complaints.append(complaint))
    server.forget_calls()
    server.fault(Action.DELAY, method, seconds=0.5)
    server.drop_connections()
    await until(lambda: server.calls[method])
    await client.stop()
    assert [task for task in asyncio.all_tasks() if "Session" in str(task.get_coro())] == []
    # Time for an answer that nobody should be there to take.
    await asyncio.sleep(0.7)
    assert complaints == []
    assert server.connections() == []
