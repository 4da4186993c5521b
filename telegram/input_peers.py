"""How calls name chats: from marked ids and access hashes to TL."""

from __future__ import annotations

from pyrogram import raw, utils

from model.channel import Channel


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
