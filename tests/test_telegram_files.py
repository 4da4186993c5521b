"""Files from data centers whose opinion of our login changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from telegram_world import FAR_FILE, FILE, client_for, logged_in, small_world, until, until_state

from errors import TelegramUnavailable
from model.files import files_of
from model.media import FileRef
from telegram_client import State, TelegramClient
from tgserver import Action, Server
from tgserver.crypto.rsa import RsaKey

FAR, HOME = 4, 2


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
    client = client_for(server, await logged_in(server, tmp_path / "session"))
    await client.start()
    await until_state(client, State.READY)
    yield client
    await client.stop()


async def file_of(client: TelegramClient, post_id: int) -> FileRef:
    (message,) = await client.messages(await client.resolve("news"), [post_id])
    return next(files_of(message))


async def read(client: TelegramClient, file: FileRef) -> bytes:
    return await client.file_part(file, 0, 4096)


def log_out(server: Server, *, forget_keys: bool) -> None:
    """The far data center forgets to whom its keys belong, or the keys themselves."""
    keys = server.dcs[FAR].keys
    for key in keys.values():
        key.account = None
    if forget_keys:
        keys.clear()


@pytest.mark.parametrize("forget_keys", [False, True])
@pytest.mark.parametrize("connected", [True, False])
async def test_a_login_that_another_data_center_forgot_is_made_again_for_all_who_read_there(
    client: TelegramClient, server: Server, forget_keys: bool, connected: bool
) -> None:
    file = await file_of(client, 141)
    assert await read(client, file) == FAR_FILE
    server.forget_calls()
    log_out(server, forget_keys=forget_keys)
    if not connected:
        server.drop_connections(FAR)
    assert await asyncio.gather(*[read(client, file) for _ in range(8)]) == [FAR_FILE] * 8
    assert server.calls["auth.importAuthorization"] == 1
    assert client.status.state is State.READY


async def test_a_file_connection_refused_at_home_is_made_again_and_does_not_end_the_login(
    client: TelegramClient, server: Server
) -> None:
    file = await file_of(client, 140)
    assert await read(client, file) == FILE[:4096]
    server.fault(Action.TRANSPORT_ERROR, "upload.getFile", 1, code=-404, media=True)
    assert await read(client, file) == FILE[:4096]
    server.fault(Action.TRANSPORT_ERROR, "ping", 1, code=-404, media=True)
    server.drop_connections(HOME)
    await asyncio.sleep(0)
    assert await read(client, file) == FILE[:4096]
    assert client.status.state is State.READY


async def test_who_waits_for_a_file_connection_that_is_closed_meanwhile_gets_a_fault_and_is_not_cancelled(
    client: TelegramClient, server: Server
) -> None:
    file = await file_of(client, 141)
    hanging = server.fault(Action.HANG, "initConnection", media=True)
    reading = asyncio.create_task(read(client, file))
    await until(lambda: hanging.hits)
    await client.stop()
    with pytest.raises(TelegramUnavailable):
        await reading
