"""From the peers that a client names to what the world holds, and back to users and chats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyrogram import raw
from pyrogram.raw.core import TLObject

from tgserver.accounts import Account
from tgserver.errors import RpcFailure
from tgserver.rpc.context import Call
from tgserver.tl import TL
from tgserver.world import Chat, ChatKey, World

_USER_FIELDS = frozenset(
    {"user_id", "via_bot_id", "via_business_bot_id", "inviter_id", "bot_id", "admin_id", "creator_id", "users"}
)
_GROUP_FIELDS = frozenset({"chat_id"})
_CHANNEL_FIELDS = frozenset({"channel_id", "channels"})
_LEAVES = (str, bytes, bool, float)


def channel(call: Call, named: TL) -> Chat:
    """The channel that an InputChannel or InputPeerChannel names, if it may be read.

    Raises RpcFailure: CHANNEL_INVALID (unknown, or a wrong access hash), CHANNEL_PRIVATE.
    """
    chat = channel_entry(call, named)
    if is_private(chat):
        raise RpcFailure("CHANNEL_PRIVATE", 400)
    return chat


def channel_entry(call: Call, named: TL) -> Chat:
    """As `channel`, for answers that tell of private channels too."""
    if isinstance(named, raw.types.InputChannelFromMessage | raw.types.InputPeerChannelFromMessage):
        source = dialog(call, named.peer)
        if named.msg_id not in source.messages:
            raise RpcFailure("CHANNEL_INVALID", 400)
        access_hash = None
    elif isinstance(named, raw.types.InputChannel | raw.types.InputPeerChannel):
        access_hash = named.access_hash
    else:
        raise RpcFailure("CHANNEL_INVALID", 400)
    chat = call.world.channel(named.channel_id)
    if chat is None or not isinstance(chat.peer, raw.types.Channel):
        raise RpcFailure("CHANNEL_INVALID", 400)
    if access_hash is not None and access_hash != (chat.peer.access_hash or 0):
        raise RpcFailure("CHANNEL_INVALID", 400)
    return chat


def is_private(chat: Chat) -> bool:
    """Whether the accounts of this server may not read the chat."""
    peer = chat.peer
    if isinstance(peer, raw.types.Channel) and peer.left:
        return chat.private or not (peer.username or peer.usernames)
    return chat.private


def is_member(chat: Chat) -> bool:
    """Whether the chat is in the accounts' dialogs, and pushed to them."""
    return not (chat.private or chat.mentioned or getattr(chat.peer, "left", False))


def user(call: Call, named: TL) -> raw.types.User:
    """The user that an InputUser or InputPeerUser names. Raises RpcFailure USER_ID_INVALID."""
    if isinstance(named, raw.types.InputUserSelf | raw.types.InputPeerSelf):
        return call.account.user
    if isinstance(named, raw.types.InputUser | raw.types.InputPeerUser):
        found = find_user(call.world, call.account, named.user_id)
        if found is not None and named.access_hash in (
            found.access_hash or 0,
            0 if found is call.account.user else None,
        ):
            return found
    if isinstance(named, raw.types.InputUserFromMessage | raw.types.InputPeerUserFromMessage):
        found = find_user(call.world, call.account, named.user_id)
        if found is not None and named.msg_id in dialog(call, named.peer).messages:
            return found
    raise RpcFailure("USER_ID_INVALID", 400)


def dialog(call: Call, named: TL) -> Chat:
    """The chat that an InputPeer names. Raises RpcFailure: PEER_ID_INVALID and those of `channel`."""
    if isinstance(named, raw.types.InputPeerChannel | raw.types.InputPeerChannelFromMessage):
        return channel(call, named)
    if isinstance(named, raw.types.InputPeerChat):
        chat = call.world.group(named.chat_id)
        if chat is not None and not chat.private:
            return chat
        raise RpcFailure("PEER_ID_INVALID", 400)
    try:
        peer = user(call, named)
    except RpcFailure:
        raise RpcFailure("PEER_ID_INVALID", 400) from None
    return call.world.private_chat(peer.id) or Chat(peer=peer)


def find_user(world: World, account: Account | None, user_id: int) -> raw.types.User | None:
    """The user with that id, also when only a private chat or the account itself knows them."""
    if account is not None and account.user.id == user_id:
        return account.user
    known = world.users.get(user_id)
    if known is None and (chat := world.private_chat(user_id)) is not None and isinstance(chat.peer, raw.types.User):
        known = chat.peer
    return known


def key_named(call: Call, named: TL) -> ChatKey | None:
    """Which chat an InputPeer of any form names, whether it is there or not; None for InputPeerEmpty."""
    if isinstance(named, raw.types.InputPeerSelf):
        return ChatKey("user", call.account.user.id)
    if isinstance(named, raw.types.InputPeerUser | raw.types.InputPeerUserFromMessage):
        return ChatKey("user", named.user_id)
    if isinstance(named, raw.types.InputPeerChat):
        return ChatKey("chat", named.chat_id)
    if isinstance(named, raw.types.InputPeerChannel | raw.types.InputPeerChannelFromMessage):
        return ChatKey("channel", named.channel_id)
    return None


class Entities:
    """The users and chats that an answer carries along, so that the client can name them."""

    def __init__(self, world: World, account: Account | None) -> None:
        self._world = world
        self._account = account
        self._users: dict[int, raw.types.User] = {}
        self._chats: dict[ChatKey, raw.types.Channel | raw.types.Chat] = {}

    @property
    def users(self) -> list[Any]:
        """The users so far."""
        return list(self._users.values())

    @property
    def chats(self) -> list[Any]:
        """The channels and basic groups so far."""
        return list(self._chats.values())

    def add_user(self, user_id: int) -> None:
        """Carry a user along, if the world knows them."""
        found = find_user(self._world, self._account, user_id)
        if found is not None:
            self._users[user_id] = found

    def add_chat(self, key: ChatKey) -> None:
        """Carry a channel or basic group along, if the world knows it."""
        chat = self._world.chats.get(key)
        if chat is not None and not isinstance(chat.peer, raw.types.User):
            self._chats[key] = chat.peer

    def add_peer(self, chat: Chat) -> None:
        """Carry along the peer of a chat."""
        if isinstance(chat.peer, raw.types.User):
            self._users[chat.id] = chat.peer
            self.add_user(chat.id)
        else:
            self._chats[chat.key] = chat.peer

    def add_references(self, objects: Iterable[TL]) -> Entities:
        """Carry along whom the objects refer to, however deep: senders, forwards, actions."""
        users: set[int] = set()
        groups: set[int] = set()
        channels: set[int] = set()
        named = ((_USER_FIELDS, users), (_GROUP_FIELDS, groups), (_CHANNEL_FIELDS, channels))
        stack: list[Any] = list(objects)
        while stack:
            node = stack.pop()
            for name in node.__slots__:
                value = getattr(node, name)
                if value is None or isinstance(value, _LEAVES):
                    continue
                if isinstance(value, int):
                    for fields, ids in named:
                        if name in fields:
                            ids.add(value)
                elif isinstance(value, list):
                    if len(value) and isinstance(value[0], int):
                        for fields, ids in named:
                            if name in fields:
                                ids.update(value)
                    else:
                        stack.extend(item for item in value if isinstance(item, TLObject) and item.__slots__)
                elif isinstance(value, TLObject):
                    stack.append(value)
        for user_id in users:
            self.add_user(user_id)
        for chat_id in groups:
            self.add_chat(ChatKey("chat", chat_id))
        for channel_id in channels:
            self.add_chat(ChatKey("channel", channel_id))
        return self
