"""Each fault, as the real client feels it."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import pytest
from pyrogram import Client, raw
from pyrogram.errors import AuthKeyUnregistered, FileMigrate, FileReferenceExpired, FloodWait, SessionRevoked

from tgserver import Action, Fault, Server
from tgserver.tests.conftest import BIG_FILE, MIB, NEWS, MakeClient

CHANNEL = raw.types.InputChannel(channel_id=NEWS, access_hash=77)
GET_STATE = raw.functions.updates.GetState()


async def ask(client: Client, query: Any = GET_STATE, timeout: float = 1) -> Any:
    """One call, sent once."""
    assert client.session is not None
    return await client.session.send(query, timeout=timeout)


async def reconnected(client: Client, server: Server, connections: int, timeout: float = 5) -> None:
    """Wait until the client's session has started anew."""
    async with asyncio.timeout(timeout):
        while server.calls["initConnection"] < connections or not client.session.is_started.is_set():  # type: ignore[union-attr]
            await asyncio.sleep(0.01)


def file_part(server: Server, offset: int = 0, limit: int = MIB) -> raw.functions.upload.GetFile:
    """A part of the big file, by its reference of now."""
    file = server.world.files[500, ""]
    location = raw.types.InputDocumentFileLocation(
        id=500, access_hash=501, file_reference=file.file_reference, thumb_size=""
    )
    return raw.functions.upload.GetFile(location=location, offset=offset, limit=limit)


async def test_a_flood_wait_hits_as_many_calls_as_it_was_made_for(server: Server, client: Client) -> None:
    fault = server.fail("updates.getState", "FLOOD_WAIT_7", times=2)
    for _ in range(2):
        with pytest.raises(FloodWait) as caught:
            await ask(client)
        assert caught.value.value == 7
    await ask(client)
    assert (fault.hits, list(server.faults)) == (2, [])


async def test_a_fault_for_all_calls_lasts_until_it_is_cleared(server: Server, client: Client) -> None:
    server.fail("*", "FLOOD_WAIT_1")
    for query in (GET_STATE, raw.functions.help.GetConfig()):
        with pytest.raises(FloodWait):
            await ask(client, query)
    server.faults.clear()
    await ask(client)


async def test_a_fault_can_let_calls_pass_and_look_at_the_data_center(server: Server, client: Client) -> None:
    server.fail("updates.getState", "FLOOD_WAIT_1", times=1, after=2)
    server.fail("updates.getState", "FLOOD_WAIT_1", dc_id=4)
    server.fail("updates.getState", "FLOOD_WAIT_1", media=True)
    await ask(client)
    await ask(client)
    with pytest.raises(FloodWait):
        await ask(client)
    await ask(client)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"action": "error"}, "needs the error's name"),
        ({"action": "transport_error"}, "needs a code"),
        ({"action": "nonsense"}, "nonsense"),
        ({"action": "hang", "times": 0}, "at least 1"),
        ({"action": "hang", "times": "many"}, "whole number"),
        ({"action": "delay", "seconds": -1}, "at least 0"),
        ({"action": "hang", "method": None}, "must be names"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Fault(**fields)


async def test_a_hanging_method_leaves_the_others_alone(server: Server, client: Client) -> None:
    server.fault(Action.HANG, "updates.getState")
    with pytest.raises(TimeoutError):
        await ask(client, timeout=0.2)
    await ask(client, raw.functions.help.GetConfig())


async def test_delays_and_latency_add_up(server: Server, client: Client) -> None:
    server.latency = 0.1
    server.fault(Action.DELAY, "updates.getState", times=1, seconds=0.2)
    begin = time.monotonic()
    await ask(client)
    delayed = time.monotonic()
    await asyncio.gather(*(ask(client) for _ in range(5)))
    end = time.monotonic()
    assert 0.3 <= delayed - begin < 0.6
    assert 0.1 <= end - delayed < 0.3


async def test_bandwidth_is_shared_by_all_parts(server: Server, client: Client) -> None:
    server.bandwidth = 4 * MIB
    begin = time.monotonic()
    parts = await asyncio.gather(*(ask(client, file_part(server, MIB * number), 5) for number in range(2)))
    assert 0.5 <= time.monotonic() - begin < 1
    assert b"".join(part.bytes for part in parts) == BIG_FILE[: 2 * MIB]


async def test_a_dropped_connection_is_made_again(server: Server, client: Client) -> None:
    server.fault(Action.DROP, "updates.getState", times=1)
    with pytest.raises(TimeoutError):
        await ask(client, timeout=0.5)
    await reconnected(client, server, 2)
    await ask(client)
    server.drop_connections(abort=True)
    await reconnected(client, server, 3)
    await ask(client)


async def test_a_half_open_connection_swallows_everything(server: Server, client: Client) -> None:
    server.fault(Action.SILENCE, "updates.getState", times=1)
    for query in (GET_STATE, raw.functions.help.GetConfig(), raw.functions.Ping(ping_id=1)):
        with pytest.raises(TimeoutError):
            await ask(client, query, timeout=0.2)
    assert [connection.silent for connection in server.connections()] == [True]
    server.drop_connections()
    await reconnected(client, server, 2)
    await ask(client)
    server.silence()
    with pytest.raises(TimeoutError):
        await ask(client, timeout=0.2)


async def test_no_pongs(server: Server, client: Client) -> None:
    server.fault(Action.HANG, "ping")
    with pytest.raises(TimeoutError):
        await ask(client, raw.functions.Ping(ping_id=1), timeout=0.2)
    await ask(client)


@pytest.mark.parametrize(("action", "size"), [("short_part", MIB // 2), ("empty_part", 0), ("long_part", MIB + 1024)])
async def test_parts_of_a_wrong_size(server: Server, client: Client, action: str, size: int) -> None:
    server.fault(action, "upload.getFile", times=1)
    spoiled = (await ask(client, file_part(server))).bytes
    assert len(spoiled) == size
    assert spoiled[:MIB] == BIG_FILE[: min(size, MIB)]
    assert (await ask(client, file_part(server))).bytes == BIG_FILE[:MIB]


async def test_a_part_past_the_end_can_be_made_too_long(server: Server, client: Client) -> None:
    server.fault("long_part", "upload.getFile", times=1)
    spoiled = (await ask(client, file_part(server, 3 * MIB))).bytes
    assert spoiled == BIG_FILE[3 * MIB :] + bytes(1024)


async def test_moved_files_are_found_at_their_new_data_center(server: Server, client: Client) -> None:
    server.move_files(4, [500])
    with pytest.raises(FileMigrate) as caught:
        await ask(client, file_part(server))
    assert caught.value.value == 4
    there = await client.get_session(4, is_media=True)
    assert (await there.send(file_part(server))).bytes == BIG_FILE[:MIB]


async def test_expired_references_are_renewed_in_the_messages(server: Server, client: Client) -> None:
    query = raw.functions.channels.GetMessages(channel=CHANNEL, id=[raw.types.InputMessageID(id=240)])
    old = file_part(server)
    server.expire_file_references()
    with pytest.raises(FileReferenceExpired):
        await ask(client, old)
    document = (await ask(client, query)).messages[0].media.document
    assert document.file_reference != b"first reference"
    old.location.file_reference = document.file_reference  # type: ignore[union-attr]
    assert (await ask(client, old)).bytes == BIG_FILE[:MIB]


async def test_a_revoked_account_is_told_so_by_each_method(server: Server, client: Client) -> None:
    server.revoke()
    with pytest.raises(AuthKeyUnregistered):
        await ask(client)
    await ask(client, raw.functions.help.GetConfig())


async def test_a_session_revoked_at_its_start(server: Server, make_client: MakeClient) -> None:
    server.fail("initConnection", "SESSION_REVOKED")
    client = await make_client(start=False)
    with pytest.raises(SessionRevoked):
        await client.start()


async def test_a_forgotten_key_is_a_transport_error(server: Server, client: Client) -> None:
    assert client.session is not None and client.session.recv_task is not None
    reader = client.session.recv_task
    server.revoke(forget_key=True)
    with pytest.raises(TimeoutError):
        await ask(client, timeout=0.2)
    assert "Auth key not found" in str(reader.exception())
    # Or stopping the client would raise that again.
    client.session.recv_task = None


async def test_a_transport_flood_makes_the_client_connect_again(
    server: Server, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    # Whoever else uses Kurigram in this process may have silenced it.
    caplog.set_level(logging.WARNING, "pyrogram.session.session")
    server.fault(Action.TRANSPORT_ERROR, "updates.getState", times=1, code=-429)
    with pytest.raises(TimeoutError):
        await ask(client, timeout=0.3)
    await reconnected(client, server, 2)
    assert "transport error: 429" in caplog.text
    await ask(client)


async def test_a_bad_salt_makes_the_client_repeat_with_the_new_one(server: Server, client: Client) -> None:
    before = server.calls["updates.getState"]
    server.fault(Action.BAD_SALT, "updates.getState", times=1)
    await ask(client)
    assert server.calls["updates.getState"] == before + 2
    assert client.session is not None
    (session,) = server.main_dc.sessions.values()
    assert client.session.salt == session.salt


async def test_a_server_that_refuses_connections_comes_back_on_its_port(server: Server, client: Client) -> None:
    port = server.port()
    server.refuse()
    await ask(client)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
    server.drop_connections()
    await asyncio.sleep(0.1)
    assert server.connections() == []
    await server.accept()
    assert server.port() == port
    await reconnected(client, server, 2)
    await ask(client)


async def test_the_servers_clock_can_be_off(server: Server, make_client: MakeClient) -> None:
    server.clock_offset = 3600.0
    client = await make_client()
    assert 3590 < client.server_time - time.time() < 3610


async def test_a_client_that_stops_pinging_is_disconnected(server: Server, client: Client) -> None:
    await ask(client, raw.functions.PingDelayDisconnect(ping_id=1, disconnect_delay=1))
    (connection,) = server.connections()
    await asyncio.sleep(1.2)
    assert connection not in server.connections()


async def test_a_handler_that_fails_is_an_error_for_its_caller_only(
    server: Server, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    # A world that no reader makes: the channel's messages are not there at all.
    server.chat("news").messages = None  # type: ignore[assignment]
    query = raw.functions.channels.GetMessages(channel=CHANNEL, id=[raw.types.InputMessageID(id=240)])
    with pytest.raises(Exception, match="RPC_CALL_FAIL"):
        await ask(client, query)
    assert "channels.getMessages failed" in caplog.text
    await ask(client)
