"""TL answers as the model's messages: pure, and never raising for what a message holds.

What it does not know becomes `Unsupported` or a bare `Service`, and the text stays.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyrogram import raw

from model.attachment import Attachment
from model.channel import Channel, ChannelKind, PeerName
from model.entity import Text
from model.media import Media, Unsupported
from model.message import Forward, Message, Reaction, Reply
from telegram.adapter_media import to_media
from telegram.adapter_peers import Peers, marked_id, restriction, to_channel
from telegram.adapter_rich import to_rich
from telegram.adapter_service import to_service
from telegram.adapter_text import to_buttons, to_text

__all__ = ["Peers", "marked_id", "to_channel", "to_message", "to_messages"]


def to_messages(result: raw.base.messages.Messages, *, peer: Channel) -> list[Message]:
    """The messages of an answer, in its order; ids without a message are left out.

    `peer` is the chat they are from.
    """
    if isinstance(result, raw.types.messages.MessagesNotModified):
        return []
    peers = Peers(result.users, result.chats)
    messages: Iterable[Message | None] = (to_message(message, peers, peer=peer) for message in result.messages)
    return [message for message in messages if message is not None]


def to_message(message: raw.base.Message, peers: Peers, *, peer: Channel) -> Message | None:
    """One message of the chat `peer`; None for an id without a message. `peers` are those of the same answer."""
    if isinstance(message, raw.types.MessageEmpty):
        return None
    try:
        return (
            _service(message, peers, peer)
            if isinstance(message, raw.types.MessageService)
            else _post(message, peers, peer)
        )
    except (AttributeError, TypeError, ValueError):
        # A constructor whose shape differs from what this module was written for, as after an upgrade of the
        # library: this message is shown as its text, and all others are unharmed.
        return _remains(message)


def _remains(message: raw.types.Message | raw.types.MessageService) -> Message:
    text = getattr(message, "message", "")
    date = getattr(message, "date", None)
    return Message(
        id=message.id,
        date=date if isinstance(date, int) else None,
        text=Text(text if isinstance(text, str) else ""),
        media=Unsupported(kind="message"),
    )


def _post(message: raw.types.Message, peers: Peers, peer: Channel) -> Message:
    media: Media | None = to_media(message.media, peers)
    if message.rich_message is not None:
        media = _article(message.rich_message, media)
    replies = message.replies
    return Message(
        id=message.id,
        date=message.date or None,
        text=to_text(message.message, message.entities),
        media=media,
        media_group_id=message.grouped_id or None,
        sender=_sender(message, peers, peer),
        signature=message.post_author or "",
        forward=_forward(message.fwd_from, peers),
        reply=_reply(message.reply_to, peers, peer),
        via_bot=(peers.named(message.via_bot_id).username or "") if message.via_bot_id else "",
        edit_date=None if message.edit_hide else message.edit_date or None,
        caption_above=bool(message.invert_media),
        buttons=to_buttons(message.reply_markup),
        comments=replies.replies if replies is not None and replies.comments else None,
        topic_id=_topic(message.reply_to),
        restriction=restriction(message.restriction_reason),
        views=message.views,
        forwards=message.forwards,
        reactions=_reactions(message.reactions),
    )


def _article(message: raw.base.RichMessage, beside: Media | None) -> Media:
    """A rich message, with a file that the message has besides in it; a preview of one of its links gives way."""
    try:
        return to_rich(message, beside if isinstance(beside, Attachment) else None)
    except (AttributeError, TypeError, ValueError):
        return beside or Unsupported(kind="rich message")


def _service(message: raw.types.MessageService, peers: Peers, peer: Channel) -> Message:
    return Message(
        id=message.id,
        date=message.date or None,
        service=to_service(message.action, peers),
        sender=_sender(message, peers, peer),
        reply=_reply(message.reply_to, peers, peer),
        topic_id=_topic(message.reply_to),
        reactions=_reactions(message.reactions),
    )


def _sender(message: raw.types.Message | raw.types.MessageService, peers: Peers, peer: Channel) -> PeerName | None:
    if message.from_id is not None:
        return peers.name(message.from_id)
    if peer.kind is ChannelKind.USER and not message.out:
        # In a private chat Telegram leaves out who writes, since it can only be the other side.
        return PeerName(title=peer.title, id=peer.id, username=peer.username, kind=peer.kind)
    return None


def _forward(header: raw.base.MessageFwdHeader | None, peers: Peers) -> Forward | None:
    if header is None:
        return None
    return Forward(
        origin=peers.name(header.from_id) or PeerName(title=header.from_name or "Hidden user"),
        date=header.date or None,
        post_id=header.channel_post,
        signature=header.post_author or "",
    )


def _reply(header: raw.base.MessageReplyHeader | None, peers: Peers, peer: Channel) -> Reply | None:
    if isinstance(header, raw.types.MessageReplyStoryHeader):
        return Reply(chat=_other_chat(header.peer, peers, peer), story_id=header.story_id)
    if not isinstance(header, raw.types.MessageReplyHeader):
        return None
    if header.forum_topic and header.reply_to_top_id is None and not header.quote:
        # Each message of a topic points at the topic's first one; that is no answer to anybody.
        return None
    origin = header.reply_from
    author = None
    if origin is not None:
        author = peers.name(origin.from_id) or (PeerName(title=origin.from_name) if origin.from_name else None)
    return Reply(
        message_id=header.reply_to_msg_id,
        chat=_other_chat(header.reply_to_peer_id, peers, peer),
        author=author,
        quote=to_text(header.quote_text, header.quote_entities),
        manual=bool(header.quote),
    )


def _other_chat(tl_peer: raw.base.Peer | None, peers: Peers, peer: Channel) -> PeerName | None:
    """The chat, unless it is the message's own."""
    if tl_peer is None or marked_id(tl_peer) == peer.id:
        return None
    return peers.name(tl_peer)


def _topic(header: raw.base.MessageReplyHeader | None) -> int | None:
    if isinstance(header, raw.types.MessageReplyHeader) and header.forum_topic:
        return header.reply_to_top_id or header.reply_to_msg_id
    return None


def _reactions(reactions: raw.base.MessageReactions | None) -> tuple[Reaction, ...]:
    found = []
    for entry in reactions.results if reactions is not None else ():
        kind = entry.reaction
        if isinstance(kind, raw.types.ReactionEmoji):
            found.append(Reaction(count=entry.count, emoji=kind.emoticon))
        elif isinstance(kind, raw.types.ReactionCustomEmoji):
            found.append(Reaction(count=entry.count, custom_emoji_id=kind.document_id))
        elif isinstance(kind, raw.types.ReactionPaid):
            found.append(Reaction(count=entry.count, paid=True))
    return tuple(found)
