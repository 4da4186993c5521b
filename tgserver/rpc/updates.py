"""updates.*: where the account stands, and what it missed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from pyrogram import raw

from tgserver.errors import RpcFailure
from tgserver.rpc.context import Call
from tgserver.rpc.messages import dialog_of
from tgserver.rpc.peers import Entities, channel, is_member
from tgserver.tl import TL
from tgserver.world import Change, TLMessage, World

_NEW = (raw.types.UpdateNewChannelMessage, raw.types.UpdateNewMessage)
_EDIT = (raw.types.UpdateEditChannelMessage, raw.types.UpdateEditMessage)
# Seconds after which a client may poll a channel again.
_POLL_AFTER = 30
_TOP_MESSAGES = 20


def state(world: World) -> raw.types.updates.State:
    """The common state: that of private chats and basic groups."""
    return raw.types.updates.State(pts=world.pts, qts=0, date=int(time.time()), seq=1, unread_count=0)


def get_state(call: Call, _: raw.functions.updates.GetState) -> TL:
    """The common state of the account."""
    return state(call.world)


def get_difference(call: Call, query: raw.functions.updates.GetDifference) -> TL:
    """What changed in private chats and basic groups since `pts`; of channels only which changed."""
    world, account = call.world, call.account
    if query.pts < 1:
        raise RpcFailure("PERSISTENT_TIMESTAMP_EMPTY", 400)
    if call.too_long:
        return raw.types.updates.DifferenceTooLong(pts=world.pts)
    new, other = _difference(
        [change for change in world.changes if change.pts > query.pts],
        _common_messages(world) if world.changes else {},
    )
    for chat in world.chats.values():
        if is_member(chat) and chat.changes and chat.changes[-1].date >= query.date:
            other.append(raw.types.UpdateChannelTooLong(channel_id=chat.id, pts=chat.pts))
    if not new and not other:
        return raw.types.updates.DifferenceEmpty(date=int(time.time()), seq=1)
    entities = Entities(world, account).add_references([*new, *other])
    return raw.types.updates.Difference(
        new_messages=new,
        new_encrypted_messages=[],
        other_updates=other,
        chats=entities.chats,
        users=entities.users,
        state=state(world),
    )


def get_channel_difference(call: Call, query: raw.functions.updates.GetChannelDifference) -> TL:
    """What changed in a channel since `pts`, at most `limit` steps of it.

    Raises RpcFailure: PERSISTENT_TIMESTAMP_EMPTY, PERSISTENT_TIMESTAMP_INVALID, and those of the
    channel.
    """
    chat = channel(call, query.channel)
    if query.pts < 1:
        raise RpcFailure("PERSISTENT_TIMESTAMP_EMPTY", 400)
    if query.pts > chat.pts:
        raise RpcFailure("PERSISTENT_TIMESTAMP_INVALID", 400)
    entities = Entities(call.world, call.account)
    entities.add_peer(chat)
    known_since = chat.changes[0].pts - chat.changes[0].pts_count if chat.changes else chat.pts
    if call.too_long or query.pts < known_since:
        top: list[raw.base.Message] = [chat.messages[key] for key in reversed(chat.ids[-_TOP_MESSAGES:])]
        entities.add_references(top)
        return raw.types.updates.ChannelDifferenceTooLong(
            final=True,
            timeout=_POLL_AFTER,
            dialog=dialog_of(chat),
            messages=top,
            chats=entities.chats,
            users=entities.users,
        )
    missed = [change for change in chat.changes if change.pts > query.pts]
    if not missed:
        return raw.types.updates.ChannelDifferenceEmpty(final=True, timeout=_POLL_AFTER, pts=chat.pts)
    told = missed[: max(query.limit, 1)]
    final = len(told) == len(missed)
    new, other = _difference(told, chat.messages)
    entities.add_references([*new, *other])
    return raw.types.updates.ChannelDifference(
        final=final,
        timeout=_POLL_AFTER,
        pts=chat.pts if final else told[-1].pts,
        new_messages=new,
        other_updates=other,
        chats=entities.chats,
        users=entities.users,
    )


def _common_messages(world: World) -> dict[int, TLMessage]:
    """The messages of private chats and basic groups."""
    return {
        key: message
        for chat in world.chats.values()
        if not isinstance(chat.peer, raw.types.Channel)
        for key, message in chat.messages.items()
    }


def _difference(
    changes: Sequence[Change[Any]], messages: Mapping[int, TLMessage]
) -> tuple[list[raw.base.Message], list[Any]]:
    """New messages as they are now, and the other updates, each message's last edit only."""
    new: dict[int, raw.base.Message] = {}
    edits: dict[int, Any] = {}
    deletions: list[Any] = []
    for change in changes:
        update = change.update
        if isinstance(update, _NEW):
            if update.message.id in messages:
                new[update.message.id] = messages[update.message.id]
        elif isinstance(update, _EDIT):
            edits.pop(update.message.id, None)
            edits[update.message.id] = update
        else:
            deletions.append(update)
    kept = [edit for key, edit in edits.items() if key not in new and key in messages]
    return list(new.values()), [*kept, *deletions]
