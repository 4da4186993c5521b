"""Which messages belong together: topics of a forum, and what was said below a message."""

from __future__ import annotations

from collections.abc import Iterator

from pyrogram import raw

from tgserver.world import Chat, TLMessage, World

GENERAL = 1
"""The topic that every forum has, of all messages that are in no other. No message need have this id."""


def is_forum(chat: Chat) -> bool:
    """Whether the chat is a supergroup with topics."""
    return isinstance(chat.peer, raw.types.Channel) and bool(chat.peer.forum)


def reply_header(message: TLMessage) -> raw.types.MessageReplyHeader | None:
    """What the message says of the one that it answers in its own chat; None if it answers none there."""
    header = message.reply_to
    if not isinstance(header, raw.types.MessageReplyHeader) or header.reply_to_peer_id is not None:
        return None
    return header


def topic_of(message: TLMessage) -> int:
    """The id of the topic that a forum's message is in; that of a message which opens a topic is its own."""
    if isinstance(message, raw.types.MessageService) and isinstance(message.action, raw.types.MessageActionTopicCreate):
        return message.id
    header = reply_header(message)
    if header is None or not header.forum_topic:
        return GENERAL
    return header.reply_to_top_id or header.reply_to_msg_id or GENERAL


def topic_title(chat: Chat, topic_id: int) -> str | None:
    """What a forum's topic is called now; None if there is no such topic."""
    opening = chat.messages.get(topic_id)
    title = "General" if topic_id == GENERAL else None
    if isinstance(opening, raw.types.MessageService) and isinstance(opening.action, raw.types.MessageActionTopicCreate):
        title = opening.action.title
    if title is None:
        return None
    for message in map(chat.messages.__getitem__, chat.ids):
        action = message.action if isinstance(message, raw.types.MessageService) else None
        if isinstance(action, raw.types.MessageActionTopicEdit) and action.title and topic_of(message) == topic_id:
            title = action.title
    return title


def put_in_topic(chat: Chat, message: TLMessage) -> None:
    """Let a message that answers one in a topic be in that topic, too.

    Exports say which message is answered, but not in which topic that is.
    """
    header = reply_header(message)
    if header is None or header.forum_topic or not header.reply_to_msg_id:
        return
    answered = chat.messages.get(header.reply_to_msg_id)
    topic = GENERAL if answered is None else topic_of(answered)
    if topic != GENERAL:
        header.forum_topic = True
        header.reply_to_top_id = None if topic == header.reply_to_msg_id else topic


def thread_ids(chat: Chat, root_id: int) -> list[int]:
    """The ids, rising, of all messages below the one with id `root_id`: in its topic in a forum, else its answers.

    Those that answer an answer belong to it as well. The root itself does not.
    """
    if is_forum(chat):
        return [key for key in chat.ids if key != root_id and topic_of(chat.messages[key]) == root_id]
    return list(_answers(chat, root_id))


def _answers(chat: Chat, root_id: int) -> Iterator[int]:
    within = {root_id}
    for key in chat.ids:
        header = reply_header(chat.messages[key])
        if header is not None and not within.isdisjoint((header.reply_to_top_id, header.reply_to_msg_id)):
            within.add(key)
            yield key


def discussion_of(world: World, channel: Chat, post_id: int) -> tuple[Chat, list[int]] | None:
    """The group in which a channel's post is discussed, and the post's copies there (several for an album).

    None if the post has no discussion. A copy is what the group has of the channel, forwarded by the channel itself.
    """
    post = channel.messages.get(post_id)
    replies = post.replies if isinstance(post, raw.types.Message) else None
    if not isinstance(post, raw.types.Message) or replies is None or not (replies.comments and replies.channel_id):
        return None
    group = world.channel(replies.channel_id)
    if group is None:
        return None
    wanted = {post_id}
    if post.grouped_id is not None:
        wanted |= {key for key in channel.ids if getattr(channel.messages[key], "grouped_id", None) == post.grouped_id}
    copies = [key for key in group.ids if _copied_from(group.messages[key], channel) in wanted]
    return (group, copies) if copies else None


def _copied_from(message: TLMessage, channel: Chat) -> int | None:
    """The id of the channel's post that the message is the copy of."""
    forward = message.fwd_from if isinstance(message, raw.types.Message) else None
    if forward is None or message.from_id != channel.tl_peer or forward.from_id != channel.tl_peer:
        return None
    return forward.channel_post
