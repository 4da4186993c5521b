"""A ready session, its histories and its files, by the real client."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pyrogram import Client, raw
from pyrogram.errors import (
    ChannelInvalid,
    ChannelPrivate,
    LimitInvalid,
    OffsetInvalid,
    UsernameInvalid,
    UsernameNotOccupied,
)

from tgserver import Chat, Server, World
from tgserver.tests.conftest import BIG_FILE, NEWS, MakeClient, channel_message


def news(hash_: int = 77) -> raw.types.InputChannel:
    return raw.types.InputChannel(channel_id=NEWS, access_hash=hash_)


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
    async with Client("ready", workdir=tmp_path) as plain:
        assert plain.me is not None and plain.me.id == server.account.user.id
        message = await plain.get_messages("news", 240)
        assert (await plain.download_media(message, in_memory=True)).getvalue() == BIG_FILE


async def test_history_is_paged_and_counted(server: Server, client: Client) -> None:
    ids = [message.id async for message in client.get_chat_history("news", limit=150)]
    assert ids == list(range(250, 100, -1))
    assert server.calls["messages.getHistory"] == 2
    assert server.calls["contacts.resolveUsername"] == 1


async def test_a_file_of_several_parts_arrives_whole(client: Client, server: Server, tmp_path: Path) -> None:
    message = await client.get_messages("news", 240)
    path = await client.download_media(message, file_name=str(tmp_path / "big.zip"))
    assert Path(path).read_bytes() == BIG_FILE
    assert server.calls["upload.getFile"] == 4
    assert {record.is_media for record in server.log if record.method == "upload.getFile"} == {True}


async def test_a_file_of_the_second_data_center_is_fetched_there(client: Client, server: Server) -> None:
    message = await client.get_messages("news", 241)
    assert (await client.download_media(message, in_memory=True)).getvalue() == b"far" * 1000
    assert {record.dc_id for record in server.log if record.method == "upload.getFile"} == {4}
    assert server.calls["set_client_DH_params"] == 1
    assert server.calls["auth.importAuthorization"] == 2


async def test_a_post_is_pushed(client: Client, server: Server) -> None:
    seen: asyncio.Queue[raw.types.Message] = asyncio.Queue()

    @client.on_raw_update()
    async def note(_: Client, update: object, users: dict, chats: dict) -> None:
        if isinstance(update, raw.types.UpdateNewChannelMessage):
            assert chats[NEWS].title == "News"
            seen.put_nowait(update)

    server.post("news", "hot off the press")
    update = await asyncio.wait_for(seen.get(), 2)
    assert (update.message.id, update.message.message, update.pts, update.pts_count) == (
        251,
        "hot off the press",
        101,
        1,
    )
