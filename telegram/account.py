"""A connected account: its connection, and all that is asked through it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from pyrogram import raw
from pyrogram.connection import Connection as TCPConnection

from errors import BridgeError, FloodWait
from model.channel import Channel
from model.folder import JoinedChats
from model.message import Message
from telegram.adapter import to_messages
from telegram.connection import KURIGRAM_VERSION, LAYER, Connection, open_connection
from telegram.dialogs import Dialogs
from telegram.files import Files
from telegram.folders import joined_chats
from telegram.input_peers import input_channel_of, input_peer_of, is_channel
from telegram.options import TelegramOptions
from telegram.peers import Peers
from telegram.raw_json import to_plain
from telegram.threads import Threads
from tg_throttle import Priority, RpcGate


class Account:
    """What `TelegramClient` holds while it is connected."""

    kurigram_version = KURIGRAM_VERSION
    layer = LAYER

    def __init__(self, connection: Connection, gate: RpcGate, options: TelegramOptions) -> None:
        self._connection = connection
        self.ended: asyncio.Event = connection.ended
        self._dialogs = Dialogs(connection)
        self.peers = Peers(connection, self._dialogs)
        self.threads = Threads(connection)
        self.files = Files(connection, gate, options)

    @property
    def name(self) -> str:
        """The account's name, without its phone number."""
        return self._connection.name

    @property
    def answered_at(self) -> float:
        """The `time.monotonic()` of Telegram's latest answer."""
        return self._connection.answered_at

    @property
    def up(self) -> bool:
        """Whether the line to Telegram stands at this moment."""
        return self._connection.up

    @property
    def fault(self) -> BridgeError | None:
        """Why the connection ended."""
        return self._connection.fault

    def on_lost(self, notify: Callable[[], None]) -> None:
        """Have `notify` called whenever the line to Telegram, not one for files, is lost without our doing."""
        self._connection.session.on_lost = notify

    async def history(self, channel: Channel, *, offset_id: int, limit: int, priority: Priority) -> list[Message]:
        """One messages.getHistory."""
        query = raw.functions.messages.GetHistory(
            peer=input_peer_of(channel.id, channel.access_hash),
            offset_id=offset_id,
            offset_date=0,
            add_offset=0,
            limit=limit,
            max_id=0,
            min_id=0,
            hash=0,
        )
        return to_messages(await self._connection.call(query, priority=priority), peer=channel)

    async def messages(self, channel: Channel, ids: Sequence[int], *, priority: Priority) -> list[Message]:
        """One channels.getMessages or messages.getMessages."""
        return to_messages(await self._get_messages(channel, ids, priority), peer=channel)

    async def raw_messages(self, channel: Channel, ids: Sequence[int], *, priority: Priority) -> list[Any]:
        """The same call, with those that exist as plain data."""
        answer = await self._get_messages(channel, ids, priority)
        found = getattr(answer, "messages", [])
        return [to_plain(message) for message in found if not isinstance(message, raw.types.MessageEmpty)]

    async def _get_messages(
        self, channel: Channel, ids: Sequence[int], priority: Priority
    ) -> raw.base.messages.Messages:
        wanted: list[raw.base.InputMessage] = [raw.types.InputMessageID(id=message_id) for message_id in ids]
        if is_channel(channel.id):
            in_channel = raw.functions.channels.GetMessages(channel=input_channel_of(channel), id=wanted)
            return await self._connection.call(in_channel, priority=priority)
        return await self._connection.call(raw.functions.messages.GetMessages(id=wanted), priority=priority)

    async def joined(self, *, priority: Priority) -> JoinedChats:
        """All channels and groups that the account has joined, and its folders."""
        return await joined_chats(self._connection, self._dialogs, priority)

    async def probe(self, time_limit: float) -> None:
        """See that Telegram answers and the login holds. Raises the bridge's errors."""
        myself = raw.functions.users.GetUsers(id=[raw.types.InputUserSelf()])
        try:
            await self._connection.call(myself, priority=Priority.BACKGROUND, time_limit=time_limit)
        except FloodWait:
            # The gate is shut for a while, the line is not: pings never flood.
            await self._connection.ping(time_limit)

    async def close(self) -> None:
        """Close file connections and the main one."""
        await self.files.close()
        await self._connection.close()


async def open_account(
    options: TelegramOptions, gate: RpcGate, connection_factory: type[TCPConnection] | None = None
) -> Account:
    """Connect with the session file. Raises as `open_connection` does."""
    return Account(await open_connection(options, gate, connection_factory), gate, options)
