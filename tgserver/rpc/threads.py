"""messages.*: topics of forums, and what was said below a message."""

from __future__ import annotations

from pyrogram import raw

from tgserver.errors import RpcFailure
from tgserver.rpc.context import Call
from tgserver.rpc.messages import check, page_within
from tgserver.rpc.peers import Entities, dialog
from tgserver.threads import discussion_of, is_forum, thread_ids, topic_title
from tgserver.tl import TL
from tgserver.world import Chat

_BLUE = 0x6FB9F0


def get_replies(call: Call, query: raw.functions.messages.GetReplies) -> TL:
    """A page of what is below a message, newest first: of a forum's topic, a group's thread, a post's comments.

    The comments are those of the discussion group, whoever may read that. Raises RpcFailure TOPIC_ID_INVALID or
    MSG_ID_INVALID.
    """
    chat = dialog(call, query.peer)
    if is_forum(chat):
        if topic_title(chat, query.msg_id) is None:
            raise RpcFailure("TOPIC_ID_INVALID", 400)
        return page_within(call, chat, thread_ids(chat, query.msg_id), query)
    if isinstance(chat.peer, raw.types.Channel) and chat.peer.megagroup:
        if query.msg_id not in chat.messages:
            raise RpcFailure("MSG_ID_INVALID", 400)
        return page_within(call, chat, thread_ids(chat, query.msg_id), query)
    group, copies = _discussion(call, chat, query.msg_id)
    ids = sorted({key for copy in copies for key in thread_ids(group, copy)} - set(copies))
    return page_within(call, group, ids, query)


def get_discussion_message(call: Call, query: raw.functions.messages.GetDiscussionMessage) -> TL:
    """A channel's post as it stands in the discussion group, with both chats. Raises RpcFailure MSG_ID_INVALID."""
    channel = dialog(call, query.peer)
    group, copies = _discussion(call, channel, query.msg_id)
    messages: list[raw.base.Message] = [group.messages[key] for key in copies]
    for message in messages:
        check(group, message)
    below = [key for copy in copies for key in thread_ids(group, copy)]
    entities = Entities(call.world, call.account).add_references(messages)
    entities.add_peer(group)
    entities.add_peer(channel)
    return raw.types.messages.DiscussionMessage(
        messages=messages,
        unread_count=0,
        chats=entities.chats,
        users=entities.users,
        max_id=max(below, default=None),
    )


def _discussion(call: Call, channel: Chat, post_id: int) -> tuple[Chat, list[int]]:
    found = discussion_of(call.world, channel, post_id)
    if found is None:
        raise RpcFailure("MSG_ID_INVALID", 400)
    return found


def get_forum_topics_by_id(call: Call, query: raw.functions.messages.GetForumTopicsByID) -> TL:
    """Topics of a forum by id; those that do not exist are told as deleted.

    Raises RpcFailure CHANNEL_FORUM_MISSING or TOPICS_EMPTY.
    """
    chat = dialog(call, query.peer)
    if not is_forum(chat):
        raise RpcFailure("CHANNEL_FORUM_MISSING", 400)
    if not query.topics:
        raise RpcFailure("TOPICS_EMPTY", 400)
    topics: list[raw.base.ForumTopic] = []
    tops: list[raw.base.Message] = []
    for topic_id in query.topics:
        title = topic_title(chat, topic_id)
        if title is None:
            topics.append(raw.types.ForumTopicDeleted(id=topic_id))
            continue
        top = max([topic_id, *thread_ids(chat, topic_id)[-1:]])
        if top in chat.messages:
            tops.append(chat.messages[top])
        topics.append(_topic(chat, topic_id, title, top))
    entities = Entities(call.world, call.account).add_references(tops)
    entities.add_peer(chat)
    return raw.types.messages.ForumTopics(
        count=len(topics), topics=topics, messages=tops, chats=entities.chats, users=entities.users, pts=chat.pts
    )


def _topic(chat: Chat, topic_id: int, title: str, top: int) -> raw.types.ForumTopic:
    opening = chat.messages.get(topic_id)
    action = opening.action if isinstance(opening, raw.types.MessageService) else None
    created = action if isinstance(action, raw.types.MessageActionTopicCreate) else None
    return raw.types.ForumTopic(
        id=topic_id,
        date=opening.date if opening is not None else getattr(chat.peer, "date", 0),
        peer=chat.tl_peer,
        title=title,
        icon_color=created.icon_color if created is not None else _BLUE,
        icon_emoji_id=created.icon_emoji_id if created is not None else None,
        top_message=top,
        read_inbox_max_id=top,
        read_outbox_max_id=0,
        unread_count=0,
        unread_mentions_count=0,
        unread_reactions_count=0,
        unread_poll_votes_count=0,
        from_id=(opening.from_id if opening is not None else None) or chat.tl_peer,
        notify_settings=raw.types.PeerNotifySettings(),
    )
