"""Topics of forums and comments of posts, as exports hold them and as clients ask for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyrogram import Client, raw
from pyrogram.errors import ChannelForumMissing, MsgIdInvalid, RPCError, TopicIdInvalid

from tgserver import Server
from tgserver.export import build_message
from tgserver.tests.conftest import MakeClient, ask
from tgserver.tests.export_builders import CHANNEL, WHEN, chat_data, load, message, service
from tgserver.world import World

FORUM, TALK = 1_500_000_002, 1_500_000_003
call = raw.functions


def said(number: int, text: str = "", reply_to: int | None = None, **fields: Any) -> dict[str, Any]:
    """A message of a group, by one of its members."""
    told = message(number, text=text, date_unixtime=str(WHEN + number), **fields)
    told |= {"from": "Ada Lovelace", "from_id": "user10"} if "from_id" not in fields else {}
    return told | ({} if reply_to is None else {"reply_to_message_id": reply_to})


def forum() -> dict[str, Any]:
    """A group with the topics Sails (2) and Oars (3, once Ores), and what Telegram Desktop writes of their messages."""
    return chat_data(
        service(1, action="create_group", title="Boats"),
        service(2, action="topic_created", title="Sails"),
        service(3, action="topic_created", title="Ores"),
        said(4, "red sails", reply_to=2),
        said(5, "what are they made of", reply_to=4),
        said(6, "ash, always ash", reply_to=3),
        said(7, "hello all"),
        said(8, "hello yourself", reply_to=7),
        service(9, action="topic_edit", new_title="Oars", reply_to_message_id=3),
        said(10, "canvas", reply_to=5),
        name="Boats",
        type="public_supergroup",
        id=FORUM,
        bridge={"username": "boats"},
    )


def channel() -> dict[str, Any]:
    """A channel of three posts, the last one an album of two."""
    return chat_data(
        message(1, text="The ferry is late", date_unixtime=str(WHEN)),
        message(2, text="The ferry is here", date_unixtime=str(WHEN + 600), bridge={"views": 3}),
        message(3, text="Two views", date_unixtime=str(WHEN + 900), bridge={"grouped_id": 7}),
        message(4, date_unixtime=str(WHEN + 900), bridge={"grouped_id": 7}),
        message(5, text="Nobody talks of this", date_unixtime=str(WHEN + 1200)),
        bridge={"username": "harbour"},
    )


def copied(number: int, text: str, seconds: int, **bridge: Any) -> dict[str, Any]:
    """A post of the channel as its group has it, forwarded by the channel itself."""
    beside = {"bridge": bridge} if bridge else {}
    return message(
        number,
        text=text,
        date_unixtime=str(WHEN + seconds),
        forwarded_from="Harbour",
        forwarded_from_id=f"channel{CHANNEL}",
        **beside,
    )


def talk() -> dict[str, Any]:
    """The channel's discussion group."""
    return chat_data(
        copied(11, "The ferry is late", 2),
        said(12, "as ever", reply_to=11),
        copied(13, "The ferry is here", 602),
        said(14, "no it is not", reply_to=13),
        said(15, "by the way, who has my keys"),
        said(16, "it is now", reply_to=14),
        # A member's own forward opens no discussion.
        copied(17, "The ferry is here", 700, forward={"channel_id": CHANNEL, "channel_post": 2})
        | {"from": "Ada Lovelace", "from_id": "user10"},
        copied(18, "Two views", 901, grouped_id=8),
        copied(19, "", 901, grouped_id=8, forward={"channel_id": CHANNEL, "channel_post": 4}),
        said(20, "I see only one", reply_to=18),
        name="Harbour Talk",
        type="private_supergroup",
        id=TALK,
    )


@pytest.fixture
def world(tmp_path: Path) -> World:
    """The forum, and the discussion group before its channel."""
    world = World()
    for name, data in {"forum": forum(), "talk": talk(), "channel": channel()}.items():
        load(tmp_path / name, data, world)
    return world


def peer_of(server: Server, chat_id: int) -> Any:
    """How a client names a channel."""
    chat = server.world.channel(chat_id)
    assert chat is not None and isinstance(chat.peer, raw.types.Channel)
    return raw.types.InputPeerChannel(channel_id=chat_id, access_hash=chat.peer.access_hash or 0)


async def replies(client: Client, peer: Any, message_id: int, **page: int) -> Any:
    """A page of what is below a message."""
    arguments = {"offset_id": 0, "offset_date": 0, "add_offset": 0, "limit": 100, "max_id": 0, "min_id": 0, "hash": 0}
    return await ask(client, call.messages.GetReplies(peer=peer, msg_id=message_id, **(arguments | page)))


@pytest.mark.parametrize(
    ("topic", "page", "ids"),
    [
        (2, {}, [10, 5, 4]),
        (3, {}, [9, 6]),
        (1, {}, [8, 7]),
        (2, {"limit": 1}, [10]),
        (2, {"offset_id": 10, "limit": 1}, [5]),
        (2, {"offset_id": 4}, []),
    ],
)
async def test_a_topic_has_what_was_said_in_it_newest_first(
    client: Client, server: Server, topic: int, page: dict[str, int], ids: list[int]
) -> None:
    answer = await replies(client, peer_of(server, FORUM), topic, **page)
    assert [message.id for message in answer.messages] == ids
    assert answer.count == {1: 2, 2: 3, 3: 2}[topic]
    assert {chat.id for chat in answer.chats} == {FORUM}


async def test_answers_in_a_topic_name_their_topic(client: Client, server: Server) -> None:
    newest, _, first = (await replies(client, peer_of(server, FORUM), 2)).messages
    assert (newest.reply_to.forum_topic, newest.reply_to.reply_to_msg_id, newest.reply_to.reply_to_top_id) == (
        True,
        5,
        2,
    )
    assert (first.reply_to.forum_topic, first.reply_to.reply_to_msg_id, first.reply_to.reply_to_top_id) == (
        True,
        2,
        None,
    )


async def test_topics_are_told_by_id_with_the_titles_that_they_have_now(client: Client, server: Server) -> None:
    query = call.messages.GetForumTopicsByID(peer=peer_of(server, FORUM), topics=[1, 2, 3, 44])
    answer = await ask(client, query)
    general, sails, oars, gone = answer.topics
    assert [(topic.id, topic.title, topic.top_message) for topic in (general, sails, oars)] == [
        (1, "General", 8),
        (2, "Sails", 10),
        (3, "Oars", 9),
    ]
    assert isinstance(gone, raw.types.ForumTopicDeleted) and gone.id == 44
    assert {message.id for message in answer.messages} == {8, 9, 10}


async def test_a_new_message_joins_the_topic_of_the_one_that_it_answers(client: Client, server: Server) -> None:
    chat = server.chat("boats")
    server.post(chat, build_message(chat, said(11, "linen", reply_to=10), None, server.world))
    answer = await replies(client, peer_of(server, FORUM), 2)
    assert [message.id for message in answer.messages] == [11, 10, 5, 4]


@pytest.mark.parametrize(("post", "ids"), [(1, [12]), (2, [16, 14]), (3, [20]), (4, [20])])
async def test_the_comments_of_a_post_are_messages_of_the_group(
    client: Client, server: Server, post: int, ids: list[int]
) -> None:
    answer = await replies(client, peer_of(server, CHANNEL), post)
    assert [message.id for message in answer.messages] == ids
    assert {message.peer_id.channel_id for message in answer.messages} == {TALK}
    assert TALK in {chat.id for chat in answer.chats}
    assert answer.count == len(ids)


async def test_a_post_tells_of_its_discussion_and_leads_to_its_copy_there(client: Client, server: Server) -> None:
    peer = peer_of(server, CHANNEL)
    answer = await ask(client, call.messages.GetDiscussionMessage(peer=peer, msg_id=2))
    assert [(message.id, message.message) for message in answer.messages] == [(13, "The ferry is here")]
    assert {chat.id for chat in answer.chats} == {CHANNEL, TALK}
    assert answer.max_id == 16
    posts = await ask(client, call.channels.GetMessages(channel=peer, id=[raw.types.InputMessageID(id=2)]))
    told = posts.messages[0].replies
    assert (told.replies, told.comments, told.channel_id) == (2, True, TALK)
    full = await ask(client, call.channels.GetFullChannel(channel=peer))
    assert full.full_chat.linked_chat_id == TALK


async def test_an_album_leads_to_all_of_its_copies(client: Client, server: Server) -> None:
    peer = peer_of(server, CHANNEL)
    answer = await ask(client, call.messages.GetDiscussionMessage(peer=peer, msg_id=3))
    assert [message.id for message in answer.messages] == [18, 19]


async def test_a_group_has_threads_below_its_messages(client: Client, server: Server) -> None:
    answer = await replies(client, peer_of(server, TALK), 13)
    assert [message.id for message in answer.messages] == [16, 14]


@pytest.mark.parametrize(
    ("chat", "query", "error"),
    [
        (CHANNEL, lambda peer: call.messages.GetDiscussionMessage(peer=peer, msg_id=5), MsgIdInvalid),
        (CHANNEL, lambda peer: call.messages.GetDiscussionMessage(peer=peer, msg_id=99), MsgIdInvalid),
        (CHANNEL, lambda peer: call.messages.GetForumTopicsByID(peer=peer, topics=[1]), ChannelForumMissing),
        (TALK, lambda peer: call.messages.GetForumTopicsByID(peer=peer, topics=[1]), ChannelForumMissing),
    ],
    ids=["no comments", "no such post", "a channel is no forum", "not every group is a forum"],
)
async def test_what_has_no_threads_is_refused(
    client: Client, server: Server, chat: int, query: Any, error: type[RPCError]
) -> None:
    with pytest.raises(error):
        await ask(client, query(peer_of(server, chat)))


@pytest.mark.parametrize(
    ("chat", "message_id", "error"), [(CHANNEL, 5, MsgIdInvalid), (TALK, 99, MsgIdInvalid), (FORUM, 4, TopicIdInvalid)]
)
async def test_nothing_is_below_what_is_no_root(
    client: Client, server: Server, chat: int, message_id: int, error: type[RPCError]
) -> None:
    with pytest.raises(error):
        await replies(client, peer_of(server, chat), message_id)


async def test_comments_can_be_read_where_the_group_can_not(make_client: MakeClient, server: Server) -> None:
    server.chat(TALK).private = True
    client = await make_client()
    answer = await replies(client, peer_of(server, CHANNEL), 1)
    assert [message.id for message in answer.messages] == [12]
