"""A ready session, its histories and its files, by the real client."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pyrogram import Client, raw
from pyrogram.errors import AuthKeyUnregistered

from tgserver import Server, World
from tgserver.tests.conftest import BIG_FILE, NEWS, MakeClient


async def test_a_session_string_starts_with_four_calls_and_no_key_exchange(server: Server, client: Client) -> None:
    assert client.me is not None and client.me.id == server.account.user.id
    assert dict(server.calls) == {
        "ping": 1,
        "invokeWithLayer": 1,
        "initConnection": 1,
        "help.getConfig": 1,
        "updates.getState": 1,
        "users.getFullUser": 1,
    }


async def test_a_session_file_opens_in_a_plain_client(server: Server, tmp_path: Path) -> None:
    path = await server.write_session_file(tmp_path / "ready")
    assert path == tmp_path / "ready.session"
    async with Client("ready", workdir=str(tmp_path)) as plain:
        assert plain.me is not None and plain.me.id == server.account.user.id
        message = await plain.get_messages("news", 240)
        assert await download(plain, message) == BIG_FILE


async def test_a_session_file_replaces_only_sessions_of_a_local_server(server: Server, tmp_path: Path) -> None:
    path = await server.write_session_file(tmp_path / "ready")
    assert await server.write_session_file(path) == path
    foreign = tmp_path / "real.session"
    foreign.write_bytes(b"somebody's login")
    with pytest.raises(FileExistsError, match="not a session of a local server"):
        await server.write_session_file(foreign)
    assert foreign.read_bytes() == b"somebody's login"


async def test_the_session_file_works_again_after_a_restart_on_its_port(world: World, tmp_path: Path) -> None:
    async with Server(world) as first:
        path = await first.write_session_file(tmp_path / "ready")
        account, port = first.account, first.port()
    async with Server(world, port=port) as second:
        second.add_account(account.user, account.auth_key.key)
        async with Client(path.stem, workdir=str(tmp_path)) as plain:
            assert plain.me is not None and plain.me.id == account.user.id


async def test_every_listener_is_on_loopback_and_nothing_else_is_accepted(server: Server) -> None:
    for dc in server.dcs.values():
        for media in (False, True):
            _, writer = await asyncio.open_connection("127.0.0.1", dc.port(media))
            assert writer.get_extra_info("peername")[0] == "127.0.0.1"
            writer.close()
    for host in ("0.0.0.0", "", "::", "192.0.2.1"):
        with pytest.raises(ValueError, match=r"listens on 127\.0\.0\.1 only"):
            Server(host=host)


async def test_a_file_of_several_parts_arrives_whole(client: Client, server: Server, tmp_path: Path) -> None:
    message = await client.get_messages("news", 240)
    assert message is not None
    path = await client.download_media(message, file_name=str(tmp_path / "big.zip"))
    assert isinstance(path, str)
    assert Path(path).read_bytes() == BIG_FILE
    assert server.calls["upload.getFile"] == 4
    assert {record.is_media for record in server.log if record.method == "upload.getFile"} == {True}


async def test_a_file_of_the_second_data_center_is_fetched_there(client: Client, server: Server) -> None:
    message = await client.get_messages("news", 241)
    assert await download(client, message) == b"far" * 1000
    assert {record.dc_id for record in server.log if record.method == "upload.getFile"} == {4}
    assert server.calls["set_client_DH_params"] == 1
    assert server.calls["auth.importAuthorization"] == 2


async def test_the_second_data_center_knows_no_session_without_an_import(server: Server, client: Client) -> None:
    session = await client.get_session(4, export_authorization=False)
    with pytest.raises(AuthKeyUnregistered):
        await session.send(raw.functions.updates.GetState())


async def test_data_centers_are_configurable(world: World) -> None:
    async with Server(world, dc_ids=[1, 5, 3]) as server, server_client(server) as client:
        assert await client.storage.dc_id() == 1
        config = await client.invoke(raw.functions.help.GetConfig())
        assert {option.id for option in config.dc_options} == {1, 3, 5}
        assert {option.ip_address for option in config.dc_options} == {"127.0.0.1"}


async def test_a_second_server_on_a_taken_port_says_so_and_leaves_nothing_open(server: Server) -> None:
    rival = Server(port=server.port())
    with pytest.raises(OSError, match="address already in use"):
        await rival.start()
    assert server.connections() == []


async def test_an_unknown_method_and_nonsense_are_answered_and_counted(server: Server, client: Client) -> None:
    assert client.session is not None
    with pytest.raises(Exception, match="METHOD_INVALID"):
        await client.session.send(raw.functions.account.GetAuthorizations())
    assert server.calls["account.getAuthorizations"] == 1

    class Nonsense(raw.functions.Ping):
        def write(self, *_: Any) -> bytes:
            return b"\xde\xad\xbe\xef\x01\x00\x00\x00"

    with pytest.raises(Exception, match="INPUT_METHOD_INVALID"):
        await client.session.send(Nonsense(ping_id=0))
    assert server.calls["unparsable"] == 1
    assert await client.get_chat("news") is not None


async def test_garbage_on_the_port_only_closes_its_own_connection(server: Server, client: Client) -> None:
    for garbage in (
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xef\x02" + bytes(8),
        b"\xef\x0a" + b"\x01" * 40,
        b"\xef\x7f\xff\xff\xff",
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port())
        writer.write(garbage)
        answer = await asyncio.wait_for(reader.read(), 2)
        assert answer in (b"", b"\x01" + (-404).to_bytes(4, "little", signed=True))
        writer.close()
    assert await client.get_chat("news") is not None


async def test_an_account_can_be_given_a_user_and_a_key(server: Server, make_client: MakeClient) -> None:
    account = server.add_account(raw.types.User(id=42, access_hash=1, first_name="Zoe"), b"k" * 256)
    client = await make_client(session_string=server.session_string(account))
    assert client.me is not None and (client.me.id, client.me.first_name) == (42, "Zoe")
    with pytest.raises(ValueError, match="is there already"):
        server.add_account(raw.types.User(id=42))


async def test_calls_are_logged_with_their_place(server: Server, client: Client) -> None:
    server.forget_calls()
    assert (server.calls, list(server.log)) == ({}, [])
    await client.get_chat("news")
    assert [(record.method, record.dc_id, record.is_media) for record in server.log] == [
        ("contacts.resolveUsername", 2, False),
        ("channels.getFullChannel", 2, False),
    ]
    assert server.log[0].time <= server.log[1].time
    assert ("channel", NEWS) in server.world.chats


async def download(client: Client, message: Any) -> bytes:
    """The bytes of a message's file."""
    received: Any = await client.download_media(message, in_memory=True)
    content: bytes = received.getvalue()
    return content


def server_client(server: Server) -> Client:
    """A client without the fixtures' server."""
    return Client(
        "other", session_string=server.session_string(), in_memory=True, connection_factory=server.connection_factory
    )
