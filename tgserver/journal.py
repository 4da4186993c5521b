"""Changes to a world: new, edited and deleted messages, each with the update that tells of it.

A channel counts its changes in `Chat.pts`; private chats and basic groups share `World.pts`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from pyrogram import raw

from tgserver import files
from tgserver.world import Change, ChannelUpdate, Chat, CommonUpdate, TLMessage, World

Update = ChannelUpdate | CommonUpdate

LAST_MESSAGE_ID = 2**31 - 1


def next_message_id(chat: Chat) -> int:
    """The id that the chat's next message gets. Raises ValueError if the last possible one is taken."""
    last = max([*chat.ids[-1:], *chat.deleted, 0])
    if last >= LAST_MESSAGE_ID:
        raise ValueError(f"chat {chat.id} has a message with the last possible id, {last}; delete does not free it")
    return last + 1


def text_message(chat: Chat, message_id: int, text: str, entities: Sequence[Any] | None) -> raw.types.Message:
    """A new message of now with nothing but a text."""
    broadcast = getattr(chat.peer, "broadcast", None)
    return raw.types.Message(
        id=message_id,
        peer_id=chat.tl_peer,
        date=int(time.time()),
        message=text,
        entities=list(entities) if entities else None,
        post=broadcast,
        views=1 if broadcast else None,
        forwards=0 if broadcast else None,
    )


def edited(chat: Chat, message_id: int, text: str | None, entities: Sequence[Any] | None) -> raw.types.Message:
    """The message with that id, with another text (None: the same) and these entities. Raises KeyError."""
    message = files.copied(chat.messages[message_id])
    if not isinstance(message, raw.types.Message):
        raise KeyError(message_id)
    message.message = message.message if text is None else text
    message.entities = list(entities or [])
    message.edit_date = int(time.time())
    return message


def post(world: World, chat: Chat, message: TLMessage) -> Update:
    """Add a message to a chat."""
    chat.messages[message.id] = message
    chat.deleted.discard(message.id)
    if isinstance(chat.peer, raw.types.Channel):
        pts = _next(chat)
        return _told(chat, raw.types.UpdateNewChannelMessage(message=message, pts=pts, pts_count=1))
    return _told_common(world, raw.types.UpdateNewMessage(message=message, pts=_next(world), pts_count=1))


def edit(world: World, chat: Chat, message: TLMessage) -> Update:
    """Replace a message of a chat. Raises KeyError if it has none with that id."""
    if message.id not in chat.messages:
        raise KeyError(message.id)
    chat.messages[message.id] = message
    if isinstance(chat.peer, raw.types.Channel):
        pts = _next(chat)
        return _told(chat, raw.types.UpdateEditChannelMessage(message=message, pts=pts, pts_count=1))
    return _told_common(world, raw.types.UpdateEditMessage(message=message, pts=_next(world), pts_count=1))


def delete(world: World, chat: Chat, message_ids: Sequence[int]) -> Update:
    """Take messages out of a chat. Raises KeyError if one of them is not there."""
    for message_id in message_ids:
        if message_id not in chat.messages:
            raise KeyError(message_id)
    for message_id in message_ids:
        del chat.messages[message_id]
        chat.deleted.add(message_id)
    count = len(message_ids)
    if isinstance(chat.peer, raw.types.Channel):
        pts = _next(chat, count)
        return _told(
            chat,
            raw.types.UpdateDeleteChannelMessages(
                channel_id=chat.id, messages=list(message_ids), pts=pts, pts_count=count
            ),
        )
    pts = _next(world, count)
    return _told_common(world, raw.types.UpdateDeleteMessages(messages=list(message_ids), pts=pts, pts_count=count))


def _next(box: Chat | World, count: int = 1) -> int:
    box.pts += count
    return box.pts


def _told(chat: Chat, update: ChannelUpdate) -> ChannelUpdate:
    chat.changes.append(Change(update, update.pts, update.pts_count, int(time.time())))
    return update


def _told_common(world: World, update: CommonUpdate) -> CommonUpdate:
    world.changes.append(Change(update, update.pts, update.pts_count, int(time.time())))
    return update
