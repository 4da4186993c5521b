"""A Telegram with a forum, and a channel whose posts are discussed in a group."""

from __future__ import annotations

from typing import Any

from pyrogram import raw
from telegram_world import channel, document

from tgserver import Chat, World

FORUM, HARBOUR, TALK = 5005, 6006, 7007
FORUM_ID, HARBOUR_ID, TALK_ID = (-(10**12) - bare for bare in (FORUM, HARBOUR, TALK))
SAILS, OARS = 2, 3
"""Topics of the forum, beside the general one."""
COPY = 11
"""The channel's post 1 as the group has it."""
FILE = b"a chart of the bay " * 50


def group(group_id: int, title: str, username: str | None, *, forum: bool = False) -> Chat:
    """A supergroup without messages."""
    made = channel(group_id, title, username)
    assert isinstance(made.peer, raw.types.Channel)
    made.peer.broadcast, made.peer.megagroup, made.peer.forum = False, True, forum
    return made


def thread_world() -> World:
    """Boats, a forum; Harbour, a channel of two posts of which the first has comments; Harbour Talk, its group.

    In Boats the odd ids from 5 to 263 are in Sails (130 messages), the even ones in General; 4 is all of Oars.
    """
    world = World()
    ada = world.add_user(raw.types.User(id=3003, access_hash=33, first_name="Ada", username="ada_friend"))
    forum = world.add_chat(group(FORUM, "Boats", "boats", forum=True))

    def say(
        chat: Chat, number: int, text: str, header: raw.types.MessageReplyHeader | None = None, **fields: Any
    ) -> None:
        chat.messages[number] = raw.types.Message(
            id=number,
            peer_id=chat.tl_peer,
            date=1_700_000_000 + number,
            message=text,
            **{"from_id": raw.types.PeerUser(user_id=ada.id), "reply_to": header} | fields,
        )

    for topic, title in ((SAILS, "Sails & <ropes>"), (OARS, "Oars")):
        forum.messages[topic] = raw.types.MessageService(
            id=topic,
            peer_id=forum.tl_peer,
            date=1_700_000_000 + topic,
            action=raw.types.MessageActionTopicCreate(title=title, icon_color=1),
        )
    say(forum, 4, "ash wood", in_topic(OARS))
    for number in range(5, 265):
        say(forum, number, f"words {number}", in_topic(SAILS) if number % 2 else None)
    harbour = world.add_chat(channel(HARBOUR, "Harbour", "harbour"))
    talk = world.add_chat(group(TALK, "Harbour Talk", "harbour_talk"))
    harbour.linked_chat_id = TALK
    discussed = raw.types.MessageReplies(replies=3, replies_pts=0, comments=True, channel_id=TALK)
    say(harbour, 1, "The ferry is late. Again.", from_id=None, post=True, replies=discussed)
    say(harbour, 2, "Nobody talks of this", from_id=None, post=True)
    forward = raw.types.MessageFwdHeader(
        date=1_700_000_001,
        from_id=harbour.tl_peer,
        channel_post=1,
        saved_from_peer=harbour.tl_peer,
        saved_from_msg_id=1,
    )
    say(talk, 10, "who has my keys")
    say(talk, COPY, "The ferry is late. Again.", from_id=harbour.tl_peer, fwd_from=forward)
    say(talk, 12, "as ever", answer(COPY))
    say(talk, 13, "not ever", answer(12, COPY), media=document(world, 700, FILE))
    say(talk, 14, "by the way, it rains")
    say(talk, 15, "it does", answer(14))
    say(talk, 16, "ever and a day", answer(COPY))
    return world


def in_topic(topic: int) -> raw.types.MessageReplyHeader:
    """How a message says in which topic it is."""
    return raw.types.MessageReplyHeader(reply_to_msg_id=topic, forum_topic=True)


def answer(message_id: int, top: int | None = None) -> raw.types.MessageReplyHeader:
    """How a message says which one it answers."""
    return raw.types.MessageReplyHeader(reply_to_msg_id=message_id, reply_to_top_id=top)
