"""A small Telegram for the tests of the floor that talks to it: one channel, a group, a friend, files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyrogram import raw
from pyrogram.storage import SQLiteStorage

from telegram.flood_rules import FLOOD_RULES
from telegram.options import TelegramOptions
from telegram.session_file import SessionFile
from telegram.watchdog import WatchdogOptions
from telegram_client import State, TelegramClient
from tg_throttle import RpcGate
from tgserver import Chat, ServedFile, Server, World

NEWS, GROUP, FRIEND, HIDDEN = 1001, 2002, 3003, 4004
NEWS_ID, GROUP_ID, HIDDEN_ID = -1000000001001, -2002, -1000000004004
MIB = 1024 * 1024
FILE = bytes(range(256)) * 4096 + b"the end"
FAR_FILE = b"far" * 1000


def channel(channel_id: int, title: str, username: str | None) -> Chat:
    """A broadcast channel without messages."""
    return Chat(
        peer=raw.types.Channel(
            id=channel_id,
            access_hash=channel_id + 7,
            title=title,
            photo=raw.types.ChatPhotoEmpty(),
            date=1_600_000_000,
            broadcast=True,
            username=username,
            participants_count=5,
        ),
        about=f"All about {title}",
    )


def document(world: World, file_id: int, content: bytes, dc_id: int = 2) -> raw.types.MessageMediaDocument:
    """A document whose bytes the world serves."""
    file = world.add_file(ServedFile(file_id, file_id + 1, b"reference", len(content), content, dc_id=dc_id))
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


def small_world() -> World:
    """News (150 posts, of which 140 and 141 are files, the latter at DC 4), a group, a friend, a nameless channel."""
    world = World()
    friend = world.add_user(raw.types.User(id=FRIEND, access_hash=33, first_name="Ada", username="ada_friend"))
    news = world.add_chat(channel(NEWS, "News", "News"))
    for number in range(1, 151):
        media: Any = None
        if number == 140:
            media = document(world, 500, FILE)
        if number == 141:
            media = document(world, 600, FAR_FILE, dc_id=4)
        news.messages[number] = raw.types.Message(
            id=number,
            peer_id=raw.types.PeerChannel(channel_id=NEWS),
            date=1_700_000_000 + number,
            message=f"post {number}",
            post=True,
            media=media,
        )
    hidden = world.add_chat(channel(HIDDEN, "Hidden", None))
    hidden.messages[1] = raw.types.Message(
        id=1, peer_id=raw.types.PeerChannel(channel_id=HIDDEN), date=1_700_000_500, message="hush", post=True
    )
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
    group.messages[1] = raw.types.Message(
        id=1,
        peer_id=raw.types.PeerChat(chat_id=GROUP),
        from_id=raw.types.PeerUser(user_id=friend.id),
        date=1_700_001_000,
        message="hello group",
    )
    return world


def options_for(folder: Path, **changes: Any) -> TelegramOptions:
    """Options with little patience, for a session in `folder`."""
    impatient: dict[str, Any] = {
        "call_timeout": 2,
        "connect_timeout": 2,
        "first_pause": 0.05,
        "longest_pause": 0.2,
        "files_ahead": False,
        "watchdog": WatchdogOptions(timeout=0.3),
    }
    return TelegramOptions(api_id=1, api_hash="0" * 32, session_path=folder, **impatient | changes)


async def logged_in(server: Server, folder: Path) -> Path:
    """A folder with a session that is logged in at the server; made in memory, as the disk takes its time."""
    folder.mkdir(exist_ok=True)
    account = server.account
    storage = SQLiteStorage("session", folder, in_memory=True)
    await storage.open()
    await storage.dc_id(account.dc_id)
    await storage.server_address("127.0.0.1")
    await storage.port(server.port(account.dc_id))
    await storage.api_id(1)
    await storage.test_mode(False)
    await storage.auth_key(account.auth_key.key)
    await storage.user_id(account.user.id)
    await storage.is_bot(False)
    await storage.save()
    SessionFile(folder).path.write_bytes(storage.conn.serialize())
    await storage.close()
    return folder


def client_for(server: Server, folder: Path, **changes: Any) -> TelegramClient:
    """A client that has not been started, with a gate of its own."""
    gate = RpcGate(concurrency=4, min_interval=0, timeout=2, rules=FLOOD_RULES)
    return TelegramClient(options_for(folder, **changes), gate, connection_factory=server.connection_factory)


async def until(condition: Callable[[], object], within: float = 5.0) -> None:
    """Wait until a condition holds. Raises TimeoutError."""
    async with asyncio.timeout(within):
        while not condition():
            await asyncio.sleep(0.01)


async def until_state(client: TelegramClient, state: State, within: float = 5.0) -> None:
    """Wait until the client is in a state. Raises TimeoutError."""
    try:
        await until(lambda: client.status.state is state, within)
    except TimeoutError:
        raise AssertionError(f"still {client.status}") from None
