"""channels.*: channels and supergroups, and their single messages."""

from __future__ import annotations

from pyrogram import raw

from tgserver.errors import RpcFailure
from tgserver.rpc.context import Call
from tgserver.rpc.messages import page_of, pick
from tgserver.rpc.peers import Entities, channel, channel_entry
from tgserver.tl import TL, elements
from tgserver.world import Chat, ChatKey


def get_messages(call: Call, query: raw.functions.channels.GetMessages) -> TL:
    """Messages of a channel by id; MessageEmpty for those that are not there."""
    chat = channel(call, query.channel)
    return page_of(call, chat, [pick(chat, wanted) for wanted in elements(query.id)])


def get_channels(call: Call, query: raw.functions.channels.GetChannels) -> TL:
    """Channels by id. Raises RpcFailure CHANNEL_INVALID."""
    return raw.types.messages.Chats(chats=[_described(channel_entry(call, named)) for named in elements(query.id)])


def _described(chat: Chat) -> raw.types.Channel | raw.types.ChannelForbidden:
    if not isinstance(chat.peer, raw.types.Channel):
        raise RpcFailure("CHANNEL_INVALID", 400)
    if not chat.private:
        return chat.peer
    return raw.types.ChannelForbidden(
        id=chat.id,
        access_hash=chat.peer.access_hash or 0,
        title=chat.peer.title,
        broadcast=chat.peer.broadcast,
        megagroup=chat.peer.megagroup,
    )


def get_full_channel(call: Call, query: raw.functions.channels.GetFullChannel) -> TL:
    """All about a channel. Raises RpcFailure CHANNEL_INVALID or CHANNEL_PRIVATE."""
    chat = channel(call, query.channel)
    entities = Entities(call.world, call.account)
    entities.add_peer(chat)
    if chat.linked_chat_id:
        entities.add_chat(ChatKey("channel", chat.linked_chat_id))
    newest = chat.ids[-1] if chat.ids else 0
    return raw.types.messages.ChatFull(
        full_chat=raw.types.ChannelFull(
            id=chat.id,
            about=chat.about,
            read_inbox_max_id=newest,
            read_outbox_max_id=newest,
            unread_count=0,
            chat_photo=chat.full_photo or raw.types.PhotoEmpty(id=0),
            notify_settings=raw.types.PeerNotifySettings(),
            bot_info=[],
            pts=chat.pts,
            participants_count=getattr(chat.peer, "participants_count", None),
            pinned_msg_id=chat.pinned_id(),
            linked_chat_id=chat.linked_chat_id,
        ),
        chats=entities.chats,
        users=entities.users,
    )
