"""Which chat is meant: from usernames and ids to channels with the access hash that calls need."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

from pyrogram import raw, utils

from errors import ChannelNotFound, ChannelPrivate
from model.channel import Channel, ChannelKind
from telegram.adapter import marked_id, to_channel
from telegram.connection import Connection
from tg_throttle import Priority

# Dialogs are read in pages of this size, and no more of them than this.
DIALOGS_PAGE = 100
DIALOGS_LIMIT = 2000
# Seconds until an unknown id makes the dialogs be read again.
DIALOGS_TTL = 300.0

NOT_A_MEMBER = "No such chat is known here: the account is not a member, or the id is wrong"

TLPeer = raw.types.Channel | raw.types.Chat | raw.types.User


def input_peer_of(peer_id: int, access_hash: int) -> raw.base.InputPeer:
    """The TL peer for a marked id."""
    if peer_id > 0:
        return raw.types.InputPeerUser(user_id=peer_id, access_hash=access_hash)
    if is_channel(peer_id):
        return raw.types.InputPeerChannel(channel_id=utils.get_channel_id(peer_id), access_hash=access_hash)
    return raw.types.InputPeerChat(chat_id=-peer_id)


def input_channel_of(channel: Channel) -> raw.types.InputChannel:
    """The TL channel for a channel or supergroup."""
    return raw.types.InputChannel(channel_id=utils.get_channel_id(channel.id), access_hash=channel.access_hash)


def is_channel(peer_id: int) -> bool:
    """Whether a marked id is that of a channel or supergroup (-100...)."""
    return peer_id < utils.ZERO_CHANNEL_ID


class Peers:
    """Finds chats for one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._dialogs: dict[int, TLPeer] = {}
        self._dialogs_read_at = float("-inf")
        self._reading = asyncio.Lock()

    async def resolve(self, key: str | int, priority: Priority) -> Channel:
        """The chat with that username (without `@`), marked id, or invitation (`+` and its hash).

        Raises `ChannelNotFound`, `ChannelPrivate` and what calls raise.
        """
        if isinstance(key, int):
            peer = await self._by_id(key, priority)
        elif key.startswith("+"):
            peer = await self._by_invitation(key[1:], priority)
        else:
            peer = await self._by_name(key, priority)
        return to_channel(peer)

    async def full(self, channel: Channel, priority: Priority) -> Channel:
        """The chat again, with what only its full info tells."""
        call = self._connection.call
        full: raw.base.messages.ChatFull | raw.base.users.UserFull
        if channel.kind is ChannelKind.USER:
            user = raw.types.InputUser(user_id=channel.id, access_hash=channel.access_hash)
            full = await call(raw.functions.users.GetFullUser(id=user), priority=priority)
            return to_channel(_pick(channel.id, full.users), full.full_user)
        if is_channel(channel.id):
            full = await call(
                raw.functions.channels.GetFullChannel(channel=input_channel_of(channel)), priority=priority
            )
        else:
            full = await call(raw.functions.messages.GetFullChat(chat_id=-channel.id), priority=priority)
        return to_channel(_pick(channel.id, full.chats), full.full_chat)

    async def _by_name(self, username: str, priority: Priority) -> TLPeer:
        try:
            found = await self._connection.call(
                raw.functions.contacts.ResolveUsername(username=username), priority=priority
            )
        except ChannelNotFound:
            raise ChannelNotFound(f"There is no channel or user named @{username}") from None
        await self._connection.remember(*found.users, *found.chats)
        return _pick(marked_id(found.peer), (*found.chats, *found.users))

    async def _by_invitation(self, invite_hash: str, priority: Priority) -> TLPeer:
        try:
            found = await self._connection.call(
                raw.functions.messages.CheckChatInvite(hash=invite_hash), priority=priority
            )
        except ChannelNotFound:
            raise ChannelNotFound("This invitation does not exist, or is not valid any more") from None
        if not isinstance(found, raw.types.ChatInviteAlready) or not isinstance(found.chat, TLPeer):
            raise ChannelPrivate("The account has not joined the chat of this invitation: join it first")
        await self._connection.remember(found.chat)
        return found.chat

    async def _by_id(self, peer_id: int, priority: Priority) -> TLPeer:
        try:
            utils.get_peer_type(peer_id)
        except ValueError:
            raise ChannelNotFound(f"{peer_id} is no chat's id") from None
        try:
            known = await self._connection.client.storage.get_peer_by_id(peer_id)
        except KeyError:
            access_hash = 0
        else:
            access_hash = getattr(known, "access_hash", 0)
        try:
            return await self._ask(peer_id, access_hash, priority)
        except ChannelNotFound:
            await self._read_dialogs(priority)
        try:
            return self._dialogs[peer_id]
        except KeyError:
            raise ChannelNotFound(NOT_A_MEMBER) from None

    async def _ask(self, peer_id: int, access_hash: int, priority: Priority) -> TLPeer:
        """The chat as Telegram gives it for an id and hash. Raises `ChannelNotFound` for a wrong hash."""
        call = self._connection.call
        found: Any
        if peer_id > 0:
            user = raw.types.InputUser(user_id=peer_id, access_hash=access_hash)
            found = await call(raw.functions.users.GetUsers(id=[user]), priority=priority)
        elif is_channel(peer_id):
            channel = raw.types.InputChannel(channel_id=utils.get_channel_id(peer_id), access_hash=access_hash)
            found = (await call(raw.functions.channels.GetChannels(id=[channel]), priority=priority)).chats
        else:
            found = (await call(raw.functions.messages.GetChats(id=[-peer_id]), priority=priority)).chats
        await self._connection.remember(*found)
        return _pick(peer_id, found)

    async def _read_dialogs(self, priority: Priority) -> None:
        """Learn all chats of the account, unless that was done a moment ago."""
        async with self._reading:
            if time.monotonic() - self._dialogs_read_at < DIALOGS_TTL:
                return
            dialogs: dict[int, TLPeer] = {}
            offset: tuple[int, int, raw.base.InputPeer] = (0, 0, raw.types.InputPeerEmpty())
            for _ in range(0, DIALOGS_LIMIT, DIALOGS_PAGE):
                page = await self._connection.call(
                    raw.functions.messages.GetDialogs(
                        offset_date=offset[0], offset_id=offset[1], offset_peer=offset[2], limit=DIALOGS_PAGE, hash=0
                    ),
                    priority=priority,
                )
                if isinstance(page, raw.types.messages.DialogsNotModified):
                    break
                await self._connection.remember(*page.users, *page.chats)
                before = len(dialogs)
                dialogs.update(
                    (marked_id(peer), peer) for peer in (*page.users, *page.chats) if isinstance(peer, TLPeer)
                )
                # A page that brings nothing new is the last one, whatever else it claims.
                if len(page.dialogs) < DIALOGS_PAGE or len(dialogs) == before:
                    break
                offset = _after(page, dialogs)
            self._dialogs = dialogs
            self._dialogs_read_at = time.monotonic()


def _after(page: Any, dialogs: dict[int, TLPeer]) -> tuple[int, int, raw.base.InputPeer]:
    """Where the page of dialogs behind this one begins: date, message id and peer of its last dialog."""
    last = page.dialogs[-1]
    last_id = marked_id(last.peer)
    peer = dialogs.get(last_id)
    date = next(
        (
            message.date
            for message in page.messages
            if message.id == last.top_message and message.peer_id is not None and marked_id(message.peer_id) == last_id
        ),
        0,
    )
    return date, last.top_message, input_peer_of(last_id, getattr(peer, "access_hash", 0) or 0)


def _pick(peer_id: int, peers: Iterable[raw.base.User | raw.base.Chat]) -> TLPeer:
    """The peer with that id. Raises `ChannelPrivate` if it is barred, `ChannelNotFound` if it is not there."""
    for peer in peers:
        if isinstance(peer, TLPeer) and marked_id(peer) == peer_id:
            return peer
        if isinstance(peer, raw.types.ChannelForbidden) and utils.get_channel_id(peer.id) == peer_id:
            raise ChannelPrivate(f"The account may not read {peer.title!r}: it left, or was banned")
        if isinstance(peer, raw.types.ChatForbidden) and -peer.id == peer_id:
            raise ChannelPrivate(f"The account may not read {peer.title!r}: it left, or was banned")
    raise ChannelNotFound(NOT_A_MEMBER)
