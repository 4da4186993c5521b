"""A small world, a server for it, and clients that reach it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyrogram import Client, raw

from tgserver import Chat, ServedFile, Server, World
from tgserver.crypto.rsa import RsaKey

NEWS, GROUP, FRIEND = 1001, 2002, 3003
MIB = 1024 * 1024
BIG_FILE = os.urandom(3 * MIB + 12_345)


@pytest.fixture(scope="session")
def rsa_key() -> RsaKey:
    """One key for all servers of the run."""
    return RsaKey.generate()


def channel_message(message_id: int, text: str, **fields: Any) -> raw.types.Message:
    """A post of the channel."""
    return raw.types.Message(
        id=message_id,
        peer_id=raw.types.PeerChannel(channel_id=NEWS),
        date=1_700_000_000 + message_id,
        message=text,
        post=True,
        **fields,
    )


def document(world: World, file_id: int, content: bytes, dc_id: int = 2) -> raw.types.MessageMediaDocument:
    """A document whose bytes the world serves."""
    file = world.add_file(ServedFile(file_id, file_id + 1, b"first reference", len(content), content, dc_id=dc_id))
    return raw.types.MessageMediaDocument(
        document=raw.types.Document(
            id=file.id,
            access_hash=file.access_hash,
            file_reference=file.file_reference,
            date=1_700_000_000,
            mime_type="application/zip",
            size=file.size,
            dc_id=dc_id,
            attributes=[raw.types.DocumentAttributeFilename(file_name=f"{file_id}.zip")],
        )
    )


@pytest.fixture
def world() -> World:
    """A channel of 250 posts (two with files), a basic group and a friend."""
    world = World()
    friend = world.add_user(raw.types.User(id=FRIEND, access_hash=33, first_name="Ada", username="ada_friend"))
    news = world.add_chat(
        Chat(
            peer=raw.types.Channel(
                id=NEWS,
                access_hash=77,
                title="News",
                photo=raw.types.ChatPhotoEmpty(),
                date=1_600_000_000,
                broadcast=True,
                username="News",
                participants_count=5,
            ),
            about="All the news",
            pts=100,
        )
    )
    for number in range(1, 251):
        news.messages[number] = channel_message(number, f"post {number}")
    news.messages[240] = channel_message(240, "a file", media=document(world, 500, BIG_FILE))
    news.messages[241] = channel_message(241, "far away", media=document(world, 600, b"far" * 1000, dc_id=4))
    group = world.add_chat(
        Chat(
            peer=raw.types.Chat(
                id=GROUP,
                title="Group",
                photo=raw.types.ChatPhotoEmpty(),
                participants_count=2,
                date=1_600_000_000,
                version=1,
            )
        )
    )
    for number in range(1, 6):
        group.messages[number] = raw.types.Message(
            id=number,
            peer_id=raw.types.PeerChat(chat_id=GROUP),
            from_id=raw.types.PeerUser(user_id=friend.id),
            date=1_700_001_000 + number,
            message=f"group {number}",
        )
    return world


@pytest.fixture
async def server(world: World, rsa_key: RsaKey) -> AsyncIterator[Server]:
    """A server for the world, whose key the clients trust."""
    async with Server(world, rsa_key=rsa_key) as running:
        with running.trust():
            yield running


async def ask(client: Client, query: Any) -> Any:
    """One call, whose answer the test knows the type of."""
    return await client.invoke(query)


def kind(value: object) -> str:
    """The name of a TL object's type."""
    return type(value).__name__


MakeClient = Callable[..., Awaitable[Client]]


@pytest.fixture
async def make_client(server: Server, tmp_path: Path) -> AsyncIterator[MakeClient]:
    """Makes clients with a ready session (or, given `session_string=None`, without), all stopped at the end."""
    clients: list[Client] = []

    async def make(*, start: bool = True, **options: Any) -> Client:
        settings: dict[str, Any] = {
            "name": f"client{len(clients)}",
            "api_id": 1,
            "api_hash": "0" * 32,
            "session_string": server.session_string(),
            "in_memory": True,
            "workdir": tmp_path,
            "workers": 1,
            "sleep_threshold": 0,
            "connection_factory": server.connection_factory,
        } | options
        client = Client(**settings)
        # By default a call that gets no answer would try for three minutes.
        client.invoke = partial(client.invoke, retries=1, timeout=5, retry_delay=0)  # type: ignore[method-assign]
        clients.append(client)
        if start:
            await client.start()
        return client

    yield make
    for client in clients:
        if client.is_initialized:
            await client.stop()
        elif client.is_connected:
            await client.disconnect()
        for session in list(client.sessions.values()):
            await session.stop()


@pytest.fixture
async def client(make_client: MakeClient) -> Client:
    """A started client with a ready session."""
    return await make_client()
