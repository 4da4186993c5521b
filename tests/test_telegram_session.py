"""A session that ends while it is busy."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from telegram_world import client_for, logged_in, small_world, until, until_state

import telegram_client
from errors import TelegramRefused, TelegramUnavailable
from model.files import files_of
from telegram_client import State, TelegramClient
from tgserver import Action, Server

DAY = 24 * 3600


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


@pytest.mark.parametrize("off", [10 * DAY, 600, -600, -10 * DAY])
async def test_a_clock_that_is_wrong_does_not_keep_the_bridge_from_telegram(
    server: Server, tmp_path: Path, off: float
) -> None:
    """Seen from here it is Telegram's that is off."""
    server.clock_offset = off
    client = client_for(server, await logged_in(server, tmp_path / "session"))
    with server.trust():
        await client.start()
        await until_state(client, State.READY)
        news = await client.resolve("news")
        assert len(await client.history(news)) == 100
        for file_id in (140, 141):
            (post,) = await client.messages(news, [file_id])
            (file,) = files_of(post)
            assert await client.file_part(file, 0, 4096)
        await client.stop()


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="no clock here that nobody sets")
@pytest.mark.parametrize("step", [-3600, 3600])
async def test_a_clock_that_is_set_in_between_does_no_harm(
    client: TelegramClient, server: Server, monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    news = await client.resolve("news")
    true_time = time.time
    # The server lives in the same process, and its clock stays as it is.
    monkeypatch.setattr(time, "time", lambda: true_time() + step)
    server.clock_offset = -step
    for _ in range(3):
        assert len(await client.history(news)) == 100
    server.drop_connections()
    assert len(await client.history(news)) == 100


@pytest.mark.parametrize("method", ["messages.getHistory", "contacts.resolveUsername", "upload.getFile"])
async def test_a_message_whose_number_telegram_refuses_is_sent_again(
    client: TelegramClient, server: Server, method: str
) -> None:
    server.fault(Action.BAD_MESSAGE, method, times=1)
    news = await client.resolve("news")
    assert len(await client.history(news)) == 100
    (post,) = await client.messages(news, [140])
    (file,) = files_of(post)
    assert await client.file_part(file, 0, 4096)


async def test_when_telegram_refuses_every_number_that_is_its_trouble(client: TelegramClient, server: Server) -> None:
    news = await client.resolve("news")
    server.fault(Action.BAD_MESSAGE, "messages.getHistory")
    with pytest.raises(TelegramUnavailable):
        await client.history(news)
    server.faults.clear()
    assert len(await client.history(news)) == 100


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Action.WRONG_TYPE, "bool"),
        (Action.UNKNOWN_TYPE, "unknown constructor 0xdeadbeef"),
        (Action.DAMAGED, "damaged"),
    ],
)
async def test_an_answer_that_is_none_is_told_at_once_and_costs_no_connection(
    client: TelegramClient, server: Server, fault: Action, words: str
) -> None:
    news = await client.resolve("news")
    server.forget_calls()
    server.fault(fault, "messages.getHistory")
    for _ in range(3):
        with pytest.raises(TelegramRefused, match=f"messages.getHistory can't be understood .*{words}"):
            await client.history(news)
    server.faults.clear()
    assert len(await client.history(news)) == 100
    assert server.calls["messages.getHistory"] == 4
    assert (server.calls["initConnection"], client.watchdog.disconnects) == (0, 0)


async def test_a_push_of_an_unknown_kind_and_packets_for_others_change_nothing(
    client: TelegramClient, server: Server
) -> None:
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, complaint: complaints.append(complaint))
    news = await client.resolve("news")
    server.forget_calls()
    for session in server.main_dc.sessions.values():
        if session.connection is not None:
            session.connection.send(session, [bytes.fromhex("efbeadde") + bytes(8)])
            session.connection.write(session.key.id + bytes(16 + 64))
    assert len(await client.history(news)) == 100
    gc.collect()
    assert complaints == []
    assert (server.calls["initConnection"], client.watchdog.disconnects) == (0, 0)


@pytest.mark.parametrize("method", ["ping", "initConnection", "updates.getState", "users.getUsers"])
async def test_answers_that_are_none_do_not_end_the_attempts_to_connect(
    server: Server, tmp_path: Path, method: str
) -> None:
    fault = server.fault(Action.WRONG_TYPE, method)
    client = client_for(server, await logged_in(server, tmp_path / "session"))
    await client.start()
    try:
        await until(lambda: fault.hits >= 2)
        assert client.status.state is State.UNAVAILABLE
        assert "can't be understood" in client.status.reason
        assert [task.deaths for task in client.background().values()] == [0, 0, 0]
        server.faults.clear()
        await until_state(client, State.READY)
    finally:
        await client.stop()


async def test_a_key_that_is_refused_soon_after_each_connection_costs_ever_fewer_of_them(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A trouble of Telegram's own, which comes out of some calls only."""
    monkeypatch.setattr(telegram_client, "KEY_DOUBT_PAUSE", 0.01)
    client = client_for(server, await logged_in(server, tmp_path / "session"), first_pause=0.1, longest_pause=60)
    await client.start()
    try:
        await until_state(client, State.READY)
        news = await client.resolve("news")
        server.fault(Action.TRANSPORT_ERROR, "messages.getHistory", code=-404)
        began = time.monotonic()
        for _ in range(5):
            with pytest.raises(TelegramUnavailable):
                await client.history(news)
            await until_state(client, State.CONNECTING)
            await until_state(client, State.READY)
        assert time.monotonic() - began > 0.1 + 0.2 + 0.4 + 0.8 + 1.6
        assert "Telegram does not know the session: asking again" in caplog.messages
        # One that stood has nothing to do with those before.
        monkeypatch.setattr(telegram_client, "CALM_AFTER", 0.0)
        with pytest.raises(TelegramUnavailable):
            await client.history(news)
        began = time.monotonic()
        await until_state(client, State.CONNECTING)
        await until_state(client, State.READY)
        assert time.monotonic() - began < 3.2
    finally:
        await client.stop()
