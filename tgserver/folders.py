"""The folders that an account's owner sorts chats into (dialog filters, in Telegram's words)."""

from __future__ import annotations

from collections.abc import Iterable

from pyrogram import raw

from tgserver.lines import one_line
from tgserver.world import Chat, World

Folder = raw.types.DialogFilter | raw.types.DialogFilterChatlist

# Telegram's own limit, in characters.
LONGEST_TITLE = 12
# Lower ids are Telegram's: 0 is all chats, 1 the archive.
_FIRST_ID = 2


def input_peer(chat: Chat) -> raw.base.InputPeer:
    """The chat as folders name it."""
    if isinstance(chat.peer, raw.types.User):
        return raw.types.InputPeerUser(user_id=chat.id, access_hash=chat.peer.access_hash or 0)
    if isinstance(chat.peer, raw.types.Chat):
        return raw.types.InputPeerChat(chat_id=chat.id)
    return raw.types.InputPeerChannel(channel_id=chat.id, access_hash=chat.peer.access_hash or 0)


def add(world: World, title: str, chats: Iterable[Chat]) -> raw.types.DialogFilter:
    """A new folder of these chats, the last of all.

    What else a folder can say (rules for whole kinds of chats, pinned and excluded ones) may be set on it. Raises
    ValueError for a title that Telegram does not take.
    """
    if not title or len(title) > LONGEST_TITLE or one_line(title) != title:
        raise ValueError(f"a folder's title is a line of 1 to {LONGEST_TITLE} characters, not {title!r:.60}")
    folder = raw.types.DialogFilter(
        id=max((known.id for known in world.folders), default=_FIRST_ID - 1) + 1,
        title=raw.types.TextWithEntities(text=title, entities=[]),
        pinned_peers=[],
        include_peers=[input_peer(chat) for chat in chats],
        exclude_peers=[],
    )
    world.folders.append(folder)
    return folder
