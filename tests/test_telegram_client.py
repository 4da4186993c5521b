"""The client on a real wire: starting, calling, losing the connection, losing the login."""

from __future__ import annotations

import asyncio
import logging
import re
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from pyrogram import raw
from telegram_world import (
    FAR_FILE,
    FILE,
    FRIEND,
    GROUP_ID,
    HIDDEN,
    HIDDEN_ID,
    MIB,
    NEWS,
    NEWS_ID,
    client_for,
    logged_in,
    small_world,
    until,
    until_state,
)

from errors import (
    BridgeError,
    ChannelNotFound,
    ChannelPrivate,
    FileReferenceExpired,
    FloodWait,
    MediaGone,
    NotLoggedIn,
    TelegramRefused,
    TelegramTimeout,
    TelegramUnavailable,
)
from model.channel import ChannelKind
from model.files import files_of
from model.media import FileLocation, FileRef
from telegram.session_file import SessionFile
from telegram_client import State, TelegramClient
from tgserver import Action, Server
from tgserver.crypto.rsa import RsaKey


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
    """A client that is logged in and connected."""
    client = client_for(server, await logged_in(server, tmp_path / "session"))
    await client.start()
    await until_state(client, State.READY)
    yield client
    await client.stop()


async def the_file(client: TelegramClient, post_id: int) -> FileRef:
    channel = await client.resolve("news")
    (message,) = await client.messages(channel, [post_id])
    return next(files_of(message))


# Starting and stopping.


async def test_start_returns_at_once_and_the_client_becomes_ready(server: Server, tmp_path: Path) -> None:
    server.latency = 0.05
    client = client_for(server, await logged_in(server, tmp_path))
    began = time.monotonic()
    await client.start()
    assert time.monotonic() - began < 0.02
    assert client.status.state is State.CONNECTING
    with pytest.raises(TelegramUnavailable, match="Connecting"):
        await client.resolve("news")

    await until_state(client, State.READY)
    assert client.status.account == "Local Tester"
    assert client.status.reason == ""
    assert client.status.probed_at is not None
    began = time.monotonic()
    await client.stop()
    assert time.monotonic() - began < 1
    await until_state(client, State.CLOSED, within=0.1)
    await until(lambda: not server.connections())


async def test_a_start_costs_no_hidden_calls(client: TelegramClient, server: Server) -> None:
    await client.history(await client.resolve("news"))
    assert server.calls == {
        "ping": 1,
        "invokeWithLayer": 1,
        "initConnection": 1,
        "help.getConfig": 1,
        "updates.getState": 1,
        "users.getUsers": 1,
        "contacts.resolveUsername": 1,
        "messages.getHistory": 1,
    }


async def test_pushes_cause_no_calls(client: TelegramClient, server: Server) -> None:
    chat = server.chat("news")
    assert isinstance(chat.peer, raw.types.Channel)
    # Kurigram by itself asks for the difference when a channel comes in its minimal form, and for short messages.
    chat.peer.min = True
    server.forget_calls()
    server.post("news", "pushed")
    server.push(
        raw.types.UpdateNewMessage(
            message=raw.types.Message(
                id=5, peer_id=raw.types.PeerUser(user_id=FRIEND), date=1_700_000_000, message="hello"
            ),
            pts=5,
            pts_count=1,
        )
    )
    await asyncio.sleep(0.3)
    assert not server.calls
    chat.peer.min = None
    channel = await client.resolve("news")
    assert (await client.history(channel, limit=1))[0].text.text == "pushed"


async def test_without_a_session_nothing_is_asked_and_no_network_is_used(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = client_for(server, tmp_path / "new" / "folder")
    await client.start()
    await until_state(client, State.NOT_LOGGED_IN)
    with pytest.raises(NotLoggedIn, match=r"run\.sh login"):
        await client.resolve("news")
    assert not server.calls
    assert not server.connections()
    assert capsys.readouterr().out == ""
    assert stat.S_IMODE((tmp_path / "new" / "folder").stat().st_mode) == 0o700
    await client.stop()


async def test_a_login_that_appears_is_picked_up(server: Server, tmp_path: Path) -> None:
    client = client_for(server, tmp_path)
    await client.start()
    await until_state(client, State.NOT_LOGGED_IN)
    await logged_in(server, tmp_path)
    await until_state(client, State.READY)
    await client.stop()


async def test_a_session_file_that_others_may_read_is_closed_to_them(server: Server, tmp_path: Path) -> None:
    folder = await logged_in(server, tmp_path)
    SessionFile(folder).path.chmod(0o644)
    client = client_for(server, folder)
    await client.start()
    await until_state(client, State.READY)
    assert stat.S_IMODE(SessionFile(folder).path.stat().st_mode) == 0o600
    await client.stop()


async def test_a_start_against_a_closed_port_is_bounded_and_tried_again(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.refuse()
    client = client_for(server, await logged_in(server, tmp_path), connect_timeout=0.3)
    await client.start()
    await until_state(client, State.UNAVAILABLE, within=2)
    with pytest.raises(TelegramUnavailable, match="network or proxy"):
        await client.resolve("news")
    await asyncio.sleep(0.5)
    # Said once, however often it is tried.
    assert len([record for record in caplog.records if "network or proxy" in record.message]) == 1
    await server.accept()
    await until_state(client, State.READY)
    await client.stop()


async def test_a_server_that_accepts_but_never_answers_does_not_hold_up_stop(server: Server, tmp_path: Path) -> None:
    server.fault(Action.HANG, "initConnection")
    client = client_for(server, await logged_in(server, tmp_path), connect_timeout=30)
    await client.start()
    await until(server.connections)
    began = time.monotonic()
    await client.stop()
    assert time.monotonic() - began < 4
    await until(lambda: not server.connections())


async def test_a_flood_wait_on_connecting_is_obeyed(server: Server, tmp_path: Path) -> None:
    server.fail("initConnection", "FLOOD_WAIT_2", 1)
    client = client_for(server, await logged_in(server, tmp_path), connect_timeout=10)
    await client.start()
    await until_state(client, State.UNAVAILABLE)
    connections = server.calls["ping"]
    await asyncio.sleep(1)
    assert server.calls["ping"] == connections
    await until_state(client, State.READY)
    await client.stop()


# The login is refused.


@pytest.mark.parametrize("forget_key", [False, True])
async def test_a_revoked_session_is_a_state_of_its_own_without_a_spin(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture, forget_key: bool
) -> None:
    folder = await logged_in(server, tmp_path)
    server.revoke(forget_key=forget_key)
    client = client_for(server, folder)
    await client.start()
    await until_state(client, State.REVOKED)
    calls = sum(server.calls.values())
    with pytest.raises(NotLoggedIn, match="log in again"):
        await client.resolve("news")
    await asyncio.sleep(0.5)
    assert sum(server.calls.values()) == calls
    assert len([record for record in caplog.records if record.levelno >= logging.ERROR]) == 1
    await client.stop()


@pytest.mark.parametrize("error", ["SESSION_REVOKED", "AUTH_KEY_UNREGISTERED"])
async def test_a_session_revoked_while_in_use_is_noticed_by_the_next_call(
    client: TelegramClient, server: Server, error: str
) -> None:
    channel = await client.resolve("news")
    server.fail("*", error)
    with pytest.raises(NotLoggedIn):
        await client.history(channel)
    await until_state(client, State.REVOKED)
    with pytest.raises(NotLoggedIn):
        await client.history(channel)


async def test_a_key_that_the_server_forgets_while_in_use_is_noticed(client: TelegramClient, server: Server) -> None:
    server.revoke(forget_key=True)
    server.drop_connections()
    await until_state(client, State.REVOKED)


async def test_a_new_login_heals_a_revoked_session_without_a_restart(
    client: TelegramClient, server: Server, tmp_path: Path
) -> None:
    server.revoke()
    await until_state_after_a_call(client, State.REVOKED)
    path = SessionFile(tmp_path / "session").path
    # The lock is free meanwhile, so that somebody can log in.
    with SessionFile(tmp_path / "session").lock():
        path.unlink()
        await server.write_session_file(path, server.add_account())
    await until_state(client, State.READY)


async def until_state_after_a_call(client: TelegramClient, state: State) -> None:
    with pytest.raises(BridgeError):
        await client.resolve("news")
    await until_state(client, state)


@pytest.mark.parametrize(
    ("method", "error", "state", "says"),
    [
        ("users.getUsers", "USER_DEACTIVATED_BAN", State.BANNED, "banned"),
        ("initConnection", "API_ID_INVALID", State.BAD_API, "my.telegram.org"),
    ],
)
async def test_a_ban_and_a_wrong_application_are_told_apart(
    server: Server, tmp_path: Path, method: str, error: str, state: State, says: str
) -> None:
    server.fail(method, error, code=401 if "USER" in error else 400)
    client = client_for(server, await logged_in(server, tmp_path))
    await client.start()
    await until_state(client, state)
    assert says in client.status.reason
    await client.stop()


# The session file.


async def test_a_second_process_with_the_same_session_is_told_who_has_it(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = await logged_in(server, tmp_path)
    script = (
        "import sys, time, pathlib; from telegram.session_file import SessionFile; "
        "lock = SessionFile(pathlib.Path(sys.argv[1])).lock(); print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(folder)],
        cwd=Path(__file__).parent.parent,
        env={"PYTHONPATH": "."},
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert await asyncio.to_thread(holder.stdout.readline) == "held\n"
        client = client_for(server, folder)
        await client.start()
        await until_state(client, State.UNAVAILABLE)
        assert str(SessionFile(folder).path) in client.status.reason
        assert f"pid {holder.pid}" in client.status.reason
        # It is tried again and again, and said once.
        await asyncio.sleep(0.5)
        (line,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
        assert str(SessionFile(folder).path) in line
        assert not server.connections()
        holder.kill()
    await until_state(client, State.READY)
    await client.stop()


# Calls.


async def test_a_channel_is_found_by_name_in_any_case_and_by_id(client: TelegramClient) -> None:
    by_name = await client.resolve("nEwS")
    assert (by_name.id, by_name.kind, by_name.title) == (NEWS_ID, ChannelKind.CHANNEL, "News")
    assert await client.resolve(NEWS_ID) == by_name


async def test_an_id_that_was_never_seen_is_looked_for_in_the_dialogs_once(
    client: TelegramClient, server: Server
) -> None:
    found = await client.resolve(HIDDEN_ID)
    assert (found.title, found.access_hash) == ("Hidden", HIDDEN + 7)
    assert server.calls["messages.getDialogs"] == 1
    for _ in range(2):
        with pytest.raises(ChannelNotFound, match="not a member"):
            await client.resolve(-1000000009999)
    assert server.calls["messages.getDialogs"] == 1
    # The hash is remembered.
    assert (await client.resolve(HIDDEN_ID)).title == "Hidden"
    assert server.calls["messages.getDialogs"] == 1


async def test_groups_and_users_are_channels_too(client: TelegramClient) -> None:
    group = await client.resolve(GROUP_ID)
    assert (group.kind, group.title) == (ChannelKind.GROUP, "Group")
    assert [message.text.text for message in await client.history(group)] == ["hello group"]
    assert [message.id for message in await client.messages(group, [1])] == [1]
    friend = await client.resolve("ada_friend")
    assert (friend.kind, friend.id) == (ChannelKind.USER, FRIEND)
    assert (await client.full_channel(friend)).title == "Ada"
    assert (await client.full_channel(group)).members == 2


@pytest.mark.parametrize("key", ["nobody_here", 0, -1, 99, -1000000009999, 2**70, -(2**70)])
async def test_what_does_not_exist_is_not_found(client: TelegramClient, key: str | int) -> None:
    with pytest.raises(ChannelNotFound):
        await client.resolve(key)


async def test_a_channel_that_the_account_may_not_read_is_private(client: TelegramClient, server: Server) -> None:
    channel = await client.resolve("news")
    server.chat(NEWS).private = True
    with pytest.raises(ChannelPrivate):
        await client.resolve(NEWS_ID)
    with pytest.raises(ChannelPrivate):
        await client.history(channel)


async def test_the_full_channel_has_its_description(client: TelegramClient) -> None:
    full = await client.full_channel(await client.resolve("news"))
    assert (full.about, full.members) == ("All about News", 5)


async def test_history_pages_backwards(client: TelegramClient) -> None:
    channel = await client.resolve("news")
    page = await client.history(channel, limit=30)
    assert [message.id for message in page] == list(range(150, 120, -1))
    page = await client.history(channel, offset_id=121, limit=30)
    assert [message.id for message in page] == list(range(120, 90, -1))


async def test_messages_that_do_not_exist_are_left_out(client: TelegramClient) -> None:
    channel = await client.resolve("news")
    assert [message.id for message in await client.messages(channel, [7, 9999, 8])] == [7, 8]


async def test_a_flood_wait_is_never_slept_and_turns_the_next_calls_away(
    client: TelegramClient, server: Server
) -> None:
    channel = await client.resolve("news")
    server.fail("messages.getHistory", "FLOOD_WAIT_20", 1)
    began = time.monotonic()
    with pytest.raises(FloodWait) as caught:
        await client.history(channel)
    assert caught.value.retry_after == 20
    with pytest.raises(FloodWait):
        await client.history(channel)
    with pytest.raises(FloodWait):
        await client.file_part(PLAIN_FILE, 0, 4096)
    assert time.monotonic() - began < 0.5
    assert server.calls["messages.getHistory"] == 1
    assert client.status.state is State.READY


async def test_a_call_is_tried_once_and_times_out(server: Server, tmp_path: Path) -> None:
    client = client_for(server, await logged_in(server, tmp_path), call_timeout=0.3)
    await client.start()
    await until_state(client, State.READY)
    channel = await client.resolve("news")
    server.fault(Action.HANG, "messages.getHistory")
    began = time.monotonic()
    with pytest.raises(TelegramTimeout, match=r"messages\.getHistory"):
        await client.history(channel)
    assert 0.25 < time.monotonic() - began < 0.6
    assert server.calls["messages.getHistory"] == 1
    await client.stop()


@pytest.mark.parametrize(
    ("error", "code", "expected"),
    [
        ("INTERNAL", 500, TelegramRefused),
        ("Timedout", -503, TelegramRefused),
        ("CHANNEL_INVALID", 400, ChannelNotFound),
        ("CHANNEL_PRIVATE", 400, ChannelPrivate),
        ("CHANNEL_PRIVATE", 406, ChannelPrivate),
        ("FLOOD_PREMIUM_WAIT_3", 420, FloodWait),
        ("A_NAME_NOBODY_KNOWS", 400, TelegramRefused),
        ("A_NAME_NOBODY_KNOWS", 444, TelegramRefused),
    ],
)
async def test_telegrams_errors_become_the_bridges(
    client: TelegramClient,
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: str,
    code: int,
    expected: type[BridgeError],
) -> None:
    monkeypatch.chdir(tmp_path)
    channel = await client.resolve("news")
    server.fail("messages.getHistory", error, code=code)
    with pytest.raises(BridgeError) as caught:
        await client.history(channel)
    assert type(caught.value) is expected
    assert "\n" not in str(caught.value)
    assert server.calls["messages.getHistory"] == 1
    assert not (tmp_path / "unknown_errors.txt").exists()


# Losing the line.


async def test_a_call_in_flight_when_the_connection_is_lost_is_asked_again_at_once(
    client: TelegramClient, server: Server
) -> None:
    channel = await client.resolve("news")
    server.fault(Action.HANG, "messages.getHistory", 1)
    call = asyncio.create_task(client.history(channel))
    await until(lambda: server.calls["messages.getHistory"])
    began = time.monotonic()
    server.drop_connections()
    assert len(await call) == 100
    assert time.monotonic() - began < 1
    assert server.calls["messages.getHistory"] == 2


async def test_a_call_in_flight_when_the_connection_is_lost_for_longer_fails(
    client: TelegramClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("telegram.session.RECONNECT_GRACE", 0.2)
    channel = await client.resolve("news")
    server.fault(Action.HANG, "messages.getHistory", 1)
    call = asyncio.create_task(client.history(channel))
    await until(lambda: server.calls["messages.getHistory"])
    server.refuse()
    server.drop_connections()
    with pytest.raises(TelegramUnavailable, match="lost"):
        await call


async def test_a_call_waits_for_a_reconnect_that_is_under_way(client: TelegramClient, server: Server) -> None:
    channel = await client.resolve("news")
    server.drop_connections()
    await asyncio.sleep(0.02)
    assert len(await client.history(channel)) == 100
    assert client.status.state is State.READY


async def test_who_gives_up_a_call_is_let_go_at_once_also_while_the_connection_is_away(
    client: TelegramClient, server: Server
) -> None:
    channel = await client.resolve("news")
    server.fault(Action.HANG, "messages.getHistory")
    calls = [asyncio.create_task(client.history(channel)) for _ in range(2)]
    await until(lambda: server.calls["messages.getHistory"] == 2)
    calls[0].cancel()
    await asyncio.wait({calls[0]}, timeout=0.5)
    assert calls[0].cancelled()
    server.refuse()
    server.drop_connections()
    await asyncio.sleep(0.2)
    # This one waits for the connection to come back.
    calls[1].cancel()
    await asyncio.wait({calls[1]}, timeout=0.5)
    assert calls[1].cancelled()
    server.faults.clear()
    await server.accept()
    assert len(await client.history(channel)) == 100


async def test_a_long_outage_turns_calls_away_and_ends_by_itself(
    client: TelegramClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("telegram_client.DOWN_GRACE", 0.1)
    channel = await client.resolve("news")
    server.refuse()
    server.drop_connections()
    await until_state(client, State.UNAVAILABLE)
    began = time.monotonic()
    with pytest.raises(TelegramUnavailable, match="down"):
        await client.history(channel)
    assert time.monotonic() - began < 0.1
    await server.accept()
    await until_state(client, State.READY, within=10)
    assert len(await client.history(channel)) == 100


async def test_a_pause_from_connecting_that_keeps_a_line_down_is_told_as_such_and_once(
    client: TelegramClient, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    server.fail("initConnection", "FLOOD_WAIT_60")
    server.drop_connections()
    await until_state(client, State.UNAVAILABLE, within=15)
    assert "asks for a pause of" in client.status.reason
    with pytest.raises(FloodWait) as caught:
        await client.resolve("news")
    assert 30 < caught.value.retry_after <= 60
    (line,) = (record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING)
    assert re.fullmatch(r"Telegram asks for a pause of \d+ s, from connecting", line)


async def test_a_client_that_is_told_to_stop_says_no_more_of_its_line(
    client: TelegramClient, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    client.turn_away()
    # It looks at the line once a second.
    await asyncio.sleep(1.5)
    assert [record.getMessage() for record in caplog.records] == ["The bridge is shutting down"]


async def test_stop_wakes_calls_in_flight(client: TelegramClient, server: Server) -> None:
    channel = await client.resolve("news")
    server.fault(Action.HANG, "messages.getHistory")
    call = asyncio.create_task(client.history(channel))
    await until(lambda: server.calls["messages.getHistory"])
    began = time.monotonic()
    await client.stop()
    with pytest.raises(TelegramUnavailable, match="shutting down"):
        await call
    assert time.monotonic() - began < 1


async def test_reconnects_that_are_refused_have_pauses_between_them(client: TelegramClient, server: Server) -> None:
    server.fail("initConnection", "FLOOD_WAIT_1")
    before = server.calls["ping"]
    server.drop_connections()
    await asyncio.sleep(1.5)
    assert 1 <= server.calls["ping"] - before <= 3
    server.faults.clear()
    await until_state(client, State.READY)


# Files.


PLAIN_FILE = FileRef(
    location=FileLocation.DOCUMENT, id=500, access_hash=501, file_reference=b"reference", dc_id=2, unique_id="u"
)


async def test_the_first_part_of_a_file_costs_one_call_on_a_new_connection(
    client: TelegramClient, server: Server
) -> None:
    file = await the_file(client, 140)
    server.forget_calls()
    await client.file_part(file, 0, 4096)
    opening = {"ping": 1, "invokeWithLayer": 1, "initConnection": 1, "help.getConfig": 1}
    assert server.calls == opening | {"upload.getFile": 1}
    server.forget_calls()
    await client.file_part(file, 4096, 4096)
    assert server.calls == {"upload.getFile": 1}


async def test_a_file_comes_in_parts_that_end_where_it_ends(client: TelegramClient) -> None:
    file = await the_file(client, 140)
    assert file.size == len(FILE)
    parts = [await client.file_part(file, offset, MIB // 2) for offset in range(0, len(FILE), MIB // 2)]
    assert b"".join(parts) == FILE
    assert await client.file_part(file, 2 * MIB, MIB) == b""


async def test_first_parts_asked_for_at_once_share_one_media_session(client: TelegramClient, server: Server) -> None:
    file = await the_file(client, 140)
    parts = await asyncio.gather(*(client.file_part(file, offset * 4096, 4096) for offset in range(8)))
    assert b"".join(parts) == FILE[: 8 * 4096]
    assert len([connection for connection in server.connections() if connection.media]) == 1


async def test_a_file_at_another_data_center_is_fetched_there(client: TelegramClient, server: Server) -> None:
    file = await the_file(client, 141)
    assert file.dc_id == 4
    parts = await asyncio.gather(*(client.file_part(file, 0, MIB) for _ in range(3)))
    assert parts == [FAR_FILE] * 3
    assert server.calls["auth.exportAuthorization"] == 1
    assert len(server.connections(4)) == 1
    await client.stop()
    await until(lambda: not server.connections())


async def test_a_file_that_has_moved_is_followed_and_remembered(client: TelegramClient, server: Server) -> None:
    file = await the_file(client, 140)
    server.move_files(4, [500])
    assert await client.file_part(file, 0, 4096) == FILE[:4096]
    assert await client.file_part(file, 4096, 4096) == FILE[4096:8192]
    assert [call.dc_id for call in server.log if call.method == "upload.getFile"] == [2, 4, 4]


async def test_a_media_session_that_was_lost_is_replaced(client: TelegramClient, server: Server) -> None:
    file = await the_file(client, 140)
    await client.file_part(file, 0, 4096)
    for connection in server.connections():
        if connection.media:
            connection.abort()
    assert await client.file_part(file, 0, 4096) == FILE[:4096]


async def test_an_unreachable_media_address_fails_in_bounded_time_and_heals(server: Server, tmp_path: Path) -> None:
    client = client_for(server, await logged_in(server, tmp_path), connect_timeout=1)
    await client.start()
    await until_state(client, State.READY)
    file = await the_file(client, 141)
    server.refuse(4)
    began = time.monotonic()
    with pytest.raises(TelegramTimeout, match="data center 4"):
        await client.file_part(file, 0, 4096)
    assert time.monotonic() - began < 1.5
    await server.accept(4)
    # For a moment it is left alone.
    with suppress(TelegramTimeout):
        await client.file_part(file, 0, 4096)
    await asyncio.sleep(0.1)
    assert await client.file_part(file, 0, 4096) == FAR_FILE
    await client.stop()
    await until(lambda: not server.connections())


async def test_an_expired_file_reference_says_so(client: TelegramClient, server: Server) -> None:
    file = await the_file(client, 140)
    server.expire_file_references()
    with pytest.raises(FileReferenceExpired):
        await client.file_part(file, 0, 4096)
    assert await client.file_part(await the_file(client, 140), 0, 4096) == FILE[:4096]


@pytest.mark.parametrize("error", ["FILE_ID_INVALID", "LOCATION_INVALID"])
async def test_a_file_that_is_gone_says_so(client: TelegramClient, server: Server, error: str) -> None:
    file = await the_file(client, 140)
    server.fail("upload.getFile", error, code=400)
    with pytest.raises(MediaGone):
        await client.file_part(file, 0, 4096)


async def test_a_login_lost_at_another_data_center_only_is_made_again(client: TelegramClient, server: Server) -> None:
    file = await the_file(client, 141)
    await client.file_part(file, 0, 4096)
    refusing = server.fail("upload.getFile", "AUTH_KEY_UNREGISTERED", dc_id=4)
    with pytest.raises(TelegramUnavailable):
        await client.file_part(file, 0, 4096)
    assert refusing.hits == 2
    server.faults.clear()
    assert await client.file_part(file, 0, 4096) == FAR_FILE
    assert client.status.state is State.READY


def test_the_service_can_answer_before_the_wire_library_is_loaded() -> None:
    script = "import sys, telegram_client, telegram.options; sys.exit('pyrogram' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parent.parent, check=True, timeout=30)
