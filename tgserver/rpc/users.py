"""users.* and contacts.*: who is who."""

from __future__ import annotations

import re

from pyrogram import raw

from tgserver.errors import RpcFailure
from tgserver.rpc.context import Call
from tgserver.rpc.peers import Entities, is_private, user
from tgserver.tl import TL, elements, vector_of
from tgserver.world import Chat, key_of

_USERNAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,31}")


def get_users(call: Call, query: raw.functions.users.GetUsers) -> bytes:
    """Users by id; those that are not known are left out."""
    found = []
    for named in elements(query.id):
        try:
            found.append(user(call, named))
        except RpcFailure:
            continue
    return vector_of(found)


def get_full_user(call: Call, query: raw.functions.users.GetFullUser) -> TL:
    """All about a user. Raises RpcFailure USER_ID_INVALID."""
    found = user(call, query.id)
    chat = call.world.private_chat(found.id) or Chat(peer=found)
    return raw.types.users.UserFull(
        full_user=raw.types.UserFull(
            id=found.id,
            about=chat.about or None,
            profile_photo=chat.full_photo,
            settings=raw.types.PeerSettings(),
            notify_settings=raw.types.PeerNotifySettings(),
            common_chats_count=0,
            pinned_msg_id=chat.pinned_id(),
        ),
        chats=[],
        users=[found],
    )


def resolve_username(call: Call, query: raw.functions.contacts.ResolveUsername) -> TL:
    """Whom a username belongs to. Raises RpcFailure USERNAME_INVALID or USERNAME_NOT_OCCUPIED."""
    name = query.username.removeprefix("@")
    if not _USERNAME.fullmatch(name):
        raise RpcFailure("USERNAME_INVALID", 400)
    peer = call.world.chat_named(name)
    own = call.account.user
    if peer is None and name.lower() == (own.username or "").lower():
        peer = own
    if peer is None:
        raise RpcFailure("USERNAME_NOT_OCCUPIED", 400)
    chat = call.world.chats.get(key_of(peer))
    if chat is not None and is_private(chat):
        raise RpcFailure("USERNAME_NOT_OCCUPIED", 400)
    named = Chat(peer=peer)
    entities = Entities(call.world, call.account)
    entities.add_peer(named)
    return raw.types.contacts.ResolvedPeer(peer=named.tl_peer, chats=entities.chats, users=entities.users)
