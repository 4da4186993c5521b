"""Connections for files on a real wire: there ahead of need, replaced when dead, no harm to anything else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from telegram_world import FAR_FILE, FILE, client_for, logged_in, small_world, until, until_state

from errors import BridgeError, PassingFault, ShuttingDown, TelegramTimeout, TelegramUnavailable
from model.files import files_of
from model.media import FileRef
from telegram_client import State, TelegramClient
from tgserver import Action, Server
from tgserver.connection import Connection
from tgserver.crypto.rsa import RsaKey

NEAR_POST, FAR_POST = 140, 141


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
    """A client that has its connection for files, and little patience."""
    client = client_for(
        server, await logged_in(server, tmp_path / "session"), files_ahead=True, call_timeout=0.6, connect_timeout=1
    )
    await client.start()
    await until_state(client, State.READY)
    await until(lambda: media_of(server, 2))
    yield client
    await client.stop()
    await until(lambda: not server.connections())


def media_of(server: Server, dc_id: int) -> list[Connection]:
    return [connection for connection in server.connections(dc_id) if connection.media]


async def the_file(client: TelegramClient, post_id: int) -> FileRef:
    (message,) = await client.messages(await client.resolve("news"), [post_id])
    return next(files_of(message))


async def until_it_comes(client: TelegramClient, file: FileRef, content: bytes) -> None:
    """Ask until the file's beginning is there."""
    async with asyncio.timeout(10):
        while True:
            try:
                assert await client.file_part(file, 0, 4096) == content[:4096]
            except PassingFault:
                await asyncio.sleep(0.05)
            else:
                return


# Ahead of need.


async def test_the_first_part_after_a_login_finds_its_connection_there(client: TelegramClient, server: Server) -> None:
    file = await the_file(client, NEAR_POST)
    # Its first answer is not waited for here.
    await until_it_comes(client, file, FILE)
    server.forget_calls()
    await client.file_part(file, 4096, 4096)
    assert +server.calls == {"upload.getFile": 1}
    assert len(media_of(server, 2)) == 1
    assert not media_of(server, 4)


async def test_a_connection_that_ended_is_made_again_without_a_request(client: TelegramClient, server: Server) -> None:
    file = await the_file(client, NEAR_POST)
    server.fault(Action.TRANSPORT_ERROR, "upload.getFile", 2, code=-404)
    with pytest.raises(BridgeError):
        await client.file_part(file, 0, 4096)
    server.forget_calls()
    await until(lambda: media_of(server, 2))
    assert not server.calls["upload.getFile"]
    await until_it_comes(client, file, FILE)


async def test_a_data_center_that_refuses_is_not_hammered_and_heals_by_itself(
    client: TelegramClient, server: Server
) -> None:
    file = await the_file(client, NEAR_POST)
    await until_it_comes(client, file, FILE)
    attempts = 0
    accept = server.dcs[2]._connect

    def refuse_media(dc: object, media: bool) -> Connection:
        nonlocal attempts
        attempts += media
        connection = accept(server.dcs[2], media)
        if media:
            asyncio.get_running_loop().call_soon(connection.abort)
        return connection

    server.dcs[2]._connect = refuse_media
    for connection in media_of(server, 2):
        connection.abort()
    await until(lambda: attempts)
    await asyncio.sleep(2)
    assert attempts <= 15
    # The main connection is another matter.
    assert client.status.state is State.READY
    assert len(await client.history(await client.resolve("news"), limit=3)) == 3
    assert client.watchdog.restarts == 0
    server.dcs[2]._connect = accept
    await until_it_comes(client, file, FILE)


async def test_idle_connections_are_closed_but_the_one_at_home(
    client: TelegramClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = await the_file(client, FAR_POST)
    await until_it_comes(client, file, FAR_FILE)
    assert media_of(server, 4)
    monkeypatch.setattr("telegram.media_sessions.IDLE_LIMIT", 0.1)
    await until(lambda: not media_of(server, 4))
    assert media_of(server, 2)
    server.forget_calls()
    await until_it_comes(client, file, FAR_FILE)
    # The key and its login are kept.
    assert not server.calls["req_pq_multi"] and not server.calls["auth.exportAuthorization"]


# One data center dead, the others alive.


def silent(server: Server) -> None:
    server.silence(4)


def silent_for_ever(server: Server) -> None:
    server.silence(4)
    server.fault(Action.SILENCE, "*", dc_id=4)


def refusing(server: Server) -> None:
    server.refuse(4)
    server.drop_connections(4)


def hanging(server: Server) -> None:
    server.fault(Action.HANG, "upload.getFile", dc_id=4)


def without_pongs(server: Server) -> None:
    server.fault(Action.HANG, "ping_delay_disconnect", dc_id=4)
    server.fault(Action.HANG, "ping", dc_id=4)
    server.drop_connections(4)


@pytest.mark.parametrize("kill", [silent, silent_for_ever, refusing, hanging, without_pongs])
async def test_a_dead_data_center_harms_nothing_else_and_heals_by_itself(
    client: TelegramClient, server: Server, monkeypatch: pytest.MonkeyPatch, kill: Callable[[Server], None]
) -> None:
    monkeypatch.setattr("telegram.session.RECONNECT_GRACE", 0.3)
    near, far = await the_file(client, NEAR_POST), await the_file(client, FAR_POST)
    await until_it_comes(client, far, FAR_FILE)
    kill(server)
    faults = []
    for _ in range(4):
        began = time.monotonic()
        try:
            await client.file_part(far, 0, 4096)
        except PassingFault as fault:
            faults.append(fault)
            assert fault.retry_after > 0
        assert time.monotonic() - began < 5
        assert await client.file_part(near, 0, 4096) == FILE[:4096]
        assert len(await client.history(await client.resolve("news"), limit=3)) == 3
    assert faults
    assert all(isinstance(fault, TelegramTimeout | TelegramUnavailable) for fault in faults)
    assert client.status.state is State.READY
    assert client.watchdog.restarts == 0
    server.faults.clear()
    await server.accept(4)
    await until_it_comes(client, far, FAR_FILE)
    assert len(media_of(server, 4)) == 1


async def test_while_a_dead_data_center_is_left_alone_its_requests_fail_at_once(server: Server, tmp_path: Path) -> None:
    folder = await logged_in(server, tmp_path / "session")
    client = client_for(server, folder, connect_timeout=0.5, first_pause=5, longest_pause=9)
    await client.start()
    await until_state(client, State.READY)
    far = await the_file(client, FAR_POST)
    server.refuse(4)
    with pytest.raises(TelegramTimeout):
        await client.file_part(far, 0, 4096)
    began = time.monotonic()
    for _ in range(20):
        with pytest.raises(TelegramTimeout) as caught:
            await client.file_part(far, 0, 4096)
        assert 0 < caught.value.retry_after <= 5
    assert time.monotonic() - began < 0.2
    await client.stop()


async def test_many_who_wait_for_a_dead_data_center_cost_one_attempt(client: TelegramClient, server: Server) -> None:
    far = await the_file(client, FAR_POST)
    server.fault(Action.HANG, "ping", dc_id=4)
    parts = [client.file_part(far, 0, 4096) for _ in range(30)]
    faults = await asyncio.gather(*parts, return_exceptions=True)
    assert {type(fault) for fault in faults} == {TelegramTimeout}
    assert server.calls["req_pq_multi"] == 1


# The end.


async def test_a_stop_does_not_wait_for_a_connection_that_is_being_made(server: Server, tmp_path: Path) -> None:
    client = client_for(server, await logged_in(server, tmp_path / "session"), connect_timeout=30)
    await client.start()
    await until_state(client, State.READY)
    far = await the_file(client, FAR_POST)
    server.fault(Action.HANG, "ping", dc_id=4)
    part = asyncio.create_task(client.file_part(far, 0, 4096))
    await until(lambda: server.calls["set_client_DH_params"])
    began = time.monotonic()
    await client.stop()
    with pytest.raises(TelegramUnavailable):
        await part
    assert time.monotonic() - began < 4
    await until(lambda: not server.connections())


async def test_who_waits_for_a_connection_learns_that_the_bridge_shuts_down(
    client: TelegramClient, server: Server
) -> None:
    far = await the_file(client, FAR_POST)
    server.fault(Action.HANG, "ping", dc_id=4)
    part = asyncio.create_task(client.file_part(far, 0, 4096))
    await until(lambda: server.calls["set_client_DH_params"])
    began = time.monotonic()
    client.turn_away()
    with pytest.raises(ShuttingDown):
        await part
    assert time.monotonic() - began < 0.6


async def test_a_silent_connection_is_told_once_however_many_parts_wait_for_it(
    client: TelegramClient, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    file = await the_file(client, NEAR_POST)
    assert await client.file_part(file, 0, 4096)
    hung = server.fault(Action.HANG, "upload.getFile", 8)
    parts = await asyncio.gather(
        *(client.file_part(file, 4096 * number, 4096) for number in range(8)), return_exceptions=True
    )
    # Some may come over the new connection.
    assert TelegramTimeout in {type(part) for part in parts}
    assert hung.hits == 8
    assert [line for line in caplog.messages if "does not answer: replaced" in line] == [
        "The file connection to data center 2 does not answer: replaced"
    ]
    await until_it_comes(client, file, FILE)


async def test_a_part_that_cannot_be_understood_does_not_make_a_connection_look_dead(
    client: TelegramClient, server: Server
) -> None:
    file = await the_file(client, NEAR_POST)
    before = media_of(server, 2)
    server.fault(Action.HANG, "upload.getFile", 1)
    waiting = asyncio.create_task(client.file_part(file, 0, 4096))
    await asyncio.sleep(0.2)
    server.fault(Action.UNKNOWN_TYPE, "upload.getFile", 1)
    with pytest.raises(TelegramUnavailable, match="can't be understood"):
        await client.file_part(file, 4096, 4096)
    with pytest.raises(TelegramTimeout):
        await waiting
    assert media_of(server, 2) == before
