"""Threads as exports hold them: which message answers which, and no more. The rest is worked out here."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from pyrogram import raw

from tgserver.threads import put_in_topic, thread_ids
from tgserver.world import Chat, TLMessage, World

# Telegram copies a post into the discussion group within seconds.
_COPIED_WITHIN_S = 120


def sort_into_topics(chat: Chat) -> None:
    """Make a supergroup in which topics were opened a forum, and put its messages into them."""
    peer = chat.peer
    if not isinstance(peer, raw.types.Channel) or not peer.megagroup:
        return
    if any(_opens_topic(message) for message in chat.messages.values()):
        peer.forum = True
    if peer.forum:
        for key in chat.ids:
            put_in_topic(chat, chat.messages[key])


def _opens_topic(message: TLMessage) -> bool:
    return isinstance(message, raw.types.MessageService) and isinstance(
        message.action, raw.types.MessageActionTopicCreate
    )


def link_discussions(world: World, groups: Iterable[Chat]) -> None:
    """Let posts of channels know their comments, where a group has what the channel itself forwarded to it.

    An export does not say which post such a copy is of: it is the one with the same text of the same moment.
    """
    for group in groups:
        if isinstance(group.peer, raw.types.Channel) and group.peer.megagroup:
            for message in group.messages.values():
                if isinstance(message, raw.types.Message):
                    _link(world, group, message)


def _link(world: World, group: Chat, copy: raw.types.Message) -> None:
    forward, sender = copy.fwd_from, copy.from_id
    if forward is None or not isinstance(sender, raw.types.PeerChannel) or forward.from_id != sender:
        return
    channel = world.channel(sender.channel_id)
    if channel is None or not getattr(channel.peer, "broadcast", None):
        return
    post_id = forward.channel_post or _original(channel, copy)
    post = channel.messages.get(post_id) if post_id else None
    if not isinstance(post, raw.types.Message):
        return
    forward.channel_post = post.id
    if post.replies is None:
        count = len(thread_ids(group, copy.id))
        post.replies = raw.types.MessageReplies(replies=count, replies_pts=0, comments=True, channel_id=group.id)
        link_group(channel, group.id)


def link_group(channel: Chat, group_id: int) -> None:
    """Make a group the one in which a channel's posts are discussed, unless it has one."""
    if channel.linked_chat_id is None and isinstance(channel.peer, raw.types.Channel):
        channel.linked_chat_id = group_id
        channel.peer.has_link = True


def _original(channel: Chat, copy: raw.types.Message) -> int | None:
    """The id of the newest post that the copy can be of."""

    def date_of(key: int) -> int:
        date: int = channel.messages[key].date
        return date

    # Dates rise with ids, save for a few imported messages.
    first = bisect_left(channel.ids, copy.date - _COPIED_WITHIN_S, key=date_of)
    last = bisect_right(channel.ids, copy.date, key=date_of)
    for key in reversed(channel.ids[first:last]):
        post = channel.messages[key]
        if (
            isinstance(post, raw.types.Message)
            and post.message == copy.message
            and type(post.media) is type(copy.media)
        ):
            return key
    return None
