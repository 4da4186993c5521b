"""What Telegram tells of topics and comments."""

from __future__ import annotations

from collections.abc import Iterable

from pyrogram import raw

from errors import ThreadNotFound
from model.channel import Channel
from model.message import Message
from model.thread import Thread, ThreadKind
from telegram.adapter import marked_id, to_channel, to_messages
from telegram.connection import Connection
from telegram.input_peers import input_peer_of
from tg_throttle import Priority


class Threads:
    """Reads threads through one connection. All methods raise ThreadNotFound and what calls raise."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def describe(self, chat: Channel, kind: ThreadKind, root_id: int, priority: Priority) -> Thread:
        """The topic, or the comments on the post, with that id: one call."""
        if kind is ThreadKind.TOPIC:
            return await self._topic(chat, root_id, priority)
        return await self._comments(chat, root_id, priority)

    async def replies(self, thread: Thread, *, offset_id: int, limit: int, priority: Priority) -> list[Message]:
        """One messages.getReplies. Comments are told though the account may not be in the group that they are in."""
        query = raw.functions.messages.GetReplies(
            peer=input_peer_of(thread.chat.id, thread.chat.access_hash),
            msg_id=thread.root_id,
            offset_id=offset_id,
            offset_date=0,
            add_offset=0,
            limit=limit,
            max_id=0,
            min_id=0,
            hash=0,
        )
        return to_messages(await self._connection.call(query, priority=priority), peer=thread.home)

    async def _topic(self, group: Channel, topic_id: int, priority: Priority) -> Thread:
        peer = input_peer_of(group.id, group.access_hash)
        query = raw.functions.messages.GetForumTopicsByID(peer=peer, topics=[topic_id])
        for topic in (await self._connection.call(query, priority=priority)).topics:
            # A topic that is not there is told as a deleted one.
            if isinstance(topic, raw.types.ForumTopic) and topic.id == topic_id:
                return Thread(kind=ThreadKind.TOPIC, root_id=topic_id, chat=group, home=group, title=topic.title)
        raise ThreadNotFound(f"{group.title} has no topic {topic_id}")

    async def _comments(self, channel: Channel, post_id: int, priority: Priority) -> Thread:
        peer = input_peer_of(channel.id, channel.access_hash)
        query = raw.functions.messages.GetDiscussionMessage(peer=peer, msg_id=post_id)
        none = ThreadNotFound(f"{channel.title} has no post {post_id}, or the post has no comments")
        try:
            found = await self._connection.call(query, priority=priority)
        except ThreadNotFound:
            raise none from None
        home = _home_of(found.messages, found.chats)
        if home is None:
            raise none
        # Files of comments are fetched from the group itself.
        await self._connection.remember(*found.chats)
        messages = raw.types.messages.Messages(messages=found.messages, topics=[], chats=found.chats, users=found.users)
        return Thread(
            kind=ThreadKind.COMMENTS,
            root_id=post_id,
            chat=channel,
            home=to_channel(home),
            roots=tuple(to_messages(messages, peer=to_channel(home))),
        )


def _home_of(messages: Iterable[raw.base.Message], chats: Iterable[raw.base.Chat]) -> raw.types.Channel | None:
    """The group that the messages are in; None if nothing tells."""
    for message in messages:
        if message.peer_id is None:
            continue
        for chat in chats:
            if isinstance(chat, raw.types.Channel) and marked_id(chat) == marked_id(message.peer_id):
                return chat
    return None
