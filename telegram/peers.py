"""Which chat is meant: from usernames and ids to channels with the access hash that calls need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyrogram import raw, utils

from errors import ChannelNotFound, ChannelPrivate
from model.channel import Channel, ChannelKind
from telegram.adapter import marked_id, to_channel
from telegram.connection import Connection
from telegram.dialogs import Dialogs, TLPeer
from telegram.input_peers import input_channel_of, is_channel
from tg_throttle import Priority

NOT_A_MEMBER = "No such chat is known here: the account is not a member, or the id is wrong"


class Peers:
    """Finds chats for one connection."""

    def __init__(self, connection: Connection, dialogs: Dialogs) -> None:
        self._connection = connection
        self._dialogs = dialogs

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
            known_peers = (await self._dialogs.read(priority)).peers
        try:
            return known_peers[peer_id]
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
