"""What Telegram says becomes the model, kind by kind, and nothing that it may say is too much."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyrogram import raw
from pyrogram.raw.core import TLObject
from tl_objects import arbitrary, constructors, decoded

from model.channel import Channel, ChannelKind, PeerName
from model.entity import Entity, EntityType, Text
from model.media import Unsupported
from model.message import Button, Forward, Message, Reaction, Reply
from telegram.adapter import to_channel, to_messages

T = raw.types

HERE = Channel(id=-1001111111111, kind=ChannelKind.CHANNEL, title="Here", username="here")
ANNA = T.User(id=7, first_name="Anna", last_name="Ko", username="anna")
BOT = T.User(id=8, first_name="Bot", bot=True, bot_info_version=1, username="helpbot")
GONE = T.User(id=9, deleted=True)
NEWS = T.Channel(id=2222222222, title="News", photo=T.ChatPhotoEmpty(), date=0, broadcast=True, username="news")
TALK = T.Channel(id=3333333333, title="Talk", photo=T.ChatPhotoEmpty(), date=0, megagroup=True)

ANNA_NAME = PeerName(title="Anna Ko", id=7, username="anna", kind=ChannelKind.USER)
NEWS_NAME = PeerName(title="News", id=-1002222222222, username="news", kind=ChannelKind.CHANNEL)
TALK_NAME = PeerName(title="Talk", id=-1003333333333, kind=ChannelKind.SUPERGROUP)
GONE_NAME = PeerName(title="Deleted Account", id=9, kind=ChannelKind.USER)


def answer(*messages: Any) -> Any:
    """An answer to getHistory, as it comes off the wire."""
    return decoded(
        T.messages.ChannelMessages(
            pts=1,
            count=len(messages),
            messages=list(messages),
            topics=[],
            chats=[NEWS, TALK],
            users=[ANNA, BOT, GONE],
        )
    )


def tl_post(**fields: Any) -> raw.types.Message:
    return T.Message(**{"id": 5, "peer_id": T.PeerChannel(channel_id=1111111111), "date": 100, "message": "", **fields})


def adapted(peer: Channel = HERE, **fields: Any) -> Message:
    (message,) = to_messages(answer(tl_post(**fields)), peer=peer)
    return message


def post(**fields: Any) -> Message:
    return Message(**{"id": 5, "date": 100, **fields})


# Messages


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"message": "hello"}, post(text=Text("hello")), id="text"),
        pytest.param({"date": 0}, post(date=None), id="no date"),
        pytest.param({"edit_date": 200}, post(edit_date=200), id="edited"),
        pytest.param({"edit_date": 200, "edit_hide": True}, post(), id="edit of a counter"),
        pytest.param({"grouped_id": 99}, post(media_group_id=99), id="album"),
        pytest.param({"post_author": "Ed"}, post(signature="Ed"), id="signature"),
        pytest.param({"invert_media": True}, post(caption_above=True), id="caption above"),
        pytest.param({"views": 3, "forwards": 0}, post(views=3, forwards=0), id="counters"),
        pytest.param({"via_bot_id": 8}, post(via_bot="helpbot"), id="via bot"),
        pytest.param({"via_bot_id": 88}, post(), id="via a bot nobody knows"),
        pytest.param({"from_id": T.PeerUser(user_id=7)}, post(sender=ANNA_NAME), id="sender"),
        pytest.param({"from_id": T.PeerUser(user_id=9)}, post(sender=GONE_NAME), id="deleted sender"),
        pytest.param({"from_id": T.PeerChannel(channel_id=2222222222)}, post(sender=NEWS_NAME), id="sender chat"),
        pytest.param(
            {"from_id": T.PeerUser(user_id=77)},
            post(sender=PeerName(title="Unknown user", id=77, kind=ChannelKind.USER)),
            id="sender nobody knows",
        ),
        pytest.param(
            {"replies": T.MessageReplies(replies=4, replies_pts=1, comments=True, channel_id=3333333333)},
            post(comments=4),
            id="comments",
        ),
        pytest.param({"replies": T.MessageReplies(replies=4, replies_pts=1)}, post(), id="a thread is no comments"),
        pytest.param(
            {
                "restriction_reason": [
                    T.RestrictionReason(platform="ios", reason="porn", text="Not on iOS"),
                    T.RestrictionReason(platform="all", reason="copyright", text="Removed for copyright"),
                ]
            },
            post(restriction="Removed for copyright"),
            id="barred everywhere",
        ),
        pytest.param(
            {"restriction_reason": [T.RestrictionReason(platform="ios", reason="porn", text="Not on iOS")]},
            post(),
            id="barred in an app store",
        ),
        pytest.param(
            {
                "reactions": T.MessageReactions(
                    results=[
                        T.ReactionCount(reaction=T.ReactionEmoji(emoticon="👍"), count=5),
                        T.ReactionCount(reaction=T.ReactionCustomEmoji(document_id=12), count=2),
                        T.ReactionCount(reaction=T.ReactionPaid(), count=1),
                        T.ReactionCount(reaction=T.ReactionEmpty(), count=9),
                    ]
                )
            },
            post(
                reactions=(
                    Reaction(count=5, emoji="👍"),
                    Reaction(count=2, custom_emoji_id=12),
                    Reaction(count=1, paid=True),
                )
            ),
            id="reactions",
        ),
        pytest.param(
            {
                "reply_markup": T.ReplyInlineMarkup(
                    rows=[
                        T.KeyboardInlineButtonRow(
                            buttons=[
                                T.KeyboardInlineButton(text="Read", type=T.InlineButtonTypeUrl(url="https://a.org")),
                                T.KeyboardInlineButton(text="Vote", type=T.InlineButtonTypeCallback(data=b"1")),
                            ]
                        ),
                        T.KeyboardInlineButtonRow(
                            buttons=[
                                T.KeyboardInlineButton(
                                    text="Log in", type=T.InlineButtonTypeUrlAuth(url="https://b.org", button_id=1)
                                )
                            ]
                        ),
                    ]
                )
            },
            post(buttons=(Button(text="Read", url="https://a.org"), Button(text="Log in", url="https://b.org"))),
            id="keyboard links",
        ),
        pytest.param(
            {"message": "kept", "media": T.MessageMediaUnsupported()},
            post(text=Text("kept"), media=Unsupported(kind="unsupported")),
            id="a kind without a translation keeps its text",
        ),
    ],
)
def test_a_message_becomes_the_models_message(fields: dict[str, Any], expected: Message) -> None:
    assert adapted(**fields) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        pytest.param(
            T.MessageFwdHeader(
                date=50, from_id=T.PeerChannel(channel_id=2222222222), channel_post=12, post_author="Ed"
            ),
            Forward(origin=NEWS_NAME, date=50, post_id=12, signature="Ed"),
            id="channel",
        ),
        pytest.param(
            T.MessageFwdHeader(date=50, from_id=T.PeerUser(user_id=7)), Forward(origin=ANNA_NAME, date=50), id="user"
        ),
        pytest.param(
            T.MessageFwdHeader(date=50, from_name="Somebody"),
            Forward(origin=PeerName(title="Somebody"), date=50),
            id="hidden user",
        ),
        pytest.param(
            T.MessageFwdHeader(date=50, from_id=T.PeerChannel(channel_id=4), channel_post=1),
            Forward(origin=PeerName(title="Unknown chat", id=-1000000000004), date=50, post_id=1),
            id="a chat nobody knows",
        ),
        pytest.param(T.MessageFwdHeader(date=0), Forward(origin=PeerName(title="Hidden user")), id="nothing known"),
    ],
)
def test_a_forward_tells_its_origin(header: raw.types.MessageFwdHeader, expected: Forward) -> None:
    assert adapted(fwd_from=header).forward == expected


@pytest.mark.parametrize(
    ("header", "expected", "topic"),
    [
        pytest.param(T.MessageReplyHeader(reply_to_msg_id=4), Reply(message_id=4), None, id="same chat"),
        pytest.param(
            T.MessageReplyHeader(
                reply_to_msg_id=4,
                quote=True,
                quote_text="bold words",
                quote_entities=[T.MessageEntityBold(offset=0, length=4)],
                quote_offset=3,
            ),
            Reply(
                message_id=4,
                quote=Text("bold words", (Entity(type=EntityType.BOLD, offset=0, length=4),)),
                manual=True,
            ),
            None,
            id="manual quote",
        ),
        pytest.param(
            T.MessageReplyHeader(
                reply_to_msg_id=4,
                reply_to_peer_id=T.PeerChannel(channel_id=2222222222),
                reply_from=T.MessageFwdHeader(date=1, from_id=T.PeerUser(user_id=7)),
            ),
            Reply(message_id=4, chat=NEWS_NAME, author=ANNA_NAME),
            None,
            id="other chat",
        ),
        pytest.param(
            T.MessageReplyHeader(reply_from=T.MessageFwdHeader(date=1, from_name="Somebody"), quote_text="seen"),
            Reply(author=PeerName(title="Somebody"), quote=Text("seen")),
            None,
            id="a chat that can't be seen",
        ),
        pytest.param(
            T.MessageReplyHeader(reply_to_msg_id=4, reply_to_peer_id=T.PeerChannel(channel_id=1111111111)),
            Reply(message_id=4),
            None,
            id="own chat named",
        ),
        pytest.param(
            T.MessageReplyStoryHeader(peer=T.PeerUser(user_id=7), story_id=3),
            Reply(chat=ANNA_NAME, story_id=3),
            None,
            id="story",
        ),
        pytest.param(
            T.MessageReplyHeader(reply_to_msg_id=2, forum_topic=True), None, 2, id="a message of a topic is no reply"
        ),
        pytest.param(
            T.MessageReplyHeader(reply_to_msg_id=4, reply_to_top_id=2, forum_topic=True),
            Reply(message_id=4),
            2,
            id="a reply inside a topic",
        ),
        pytest.param(
            T.MessageReplyHeader(reply_to_msg_id=4, reply_to_top_id=2), Reply(message_id=4), None, id="in a thread"
        ),
    ],
)
def test_a_reply_tells_what_it_answers(header: TLObject[Any], expected: Reply | None, topic: int | None) -> None:
    message = adapted(reply_to=header)
    assert message.reply == expected
    assert message.topic_id == topic


def test_in_a_private_chat_the_other_side_is_the_sender_of_what_is_not_ours() -> None:
    friend = Channel(id=7, kind=ChannelKind.USER, title="Anna Ko", username="anna")
    assert adapted(friend, peer_id=T.PeerUser(user_id=7)).sender == ANNA_NAME
    assert adapted(friend, peer_id=T.PeerUser(user_id=7), out=True).sender is None


@pytest.mark.parametrize("constructor", constructors("MessageEntity"), ids=lambda c: c.__name__)
def test_every_entity_of_the_layer_has_a_type(constructor: type[TLObject[Any]]) -> None:
    entity = arbitrary(constructor, random.Random(1))
    (found,) = adapted(message="text", entities=[entity]).text.entities
    assert (found.offset, found.length) == (entity.offset, entity.length)
    is_known = found.type is not EntityType.UNKNOWN
    # The Input... constructor is only ever sent, never received.
    assert is_known == (constructor.__name__ not in {"MessageEntityUnknown", "InputMessageEntityMentionName"})


def test_entities_keep_what_belongs_to_them() -> None:
    entities = [
        T.MessageEntityTextUrl(offset=0, length=1, url="https://a.org"),
        T.MessageEntityPre(offset=1, length=1, language="py"),
        T.MessageEntityMentionName(offset=2, length=1, user_id=7),
        T.MessageEntityCustomEmoji(offset=3, length=1, document_id=9),
        T.MessageEntityBlockquote(offset=4, length=1, collapsed=True),
        T.MessageEntityFormattedDate(offset=5, length=1, date=1000),
    ]
    assert adapted(message="abcdef", entities=entities).text.entities == (
        Entity(type=EntityType.TEXT_LINK, offset=0, length=1, url="https://a.org"),
        Entity(type=EntityType.PRE, offset=1, length=1, language="py"),
        Entity(type=EntityType.TEXT_MENTION, offset=2, length=1, user_id=7),
        Entity(type=EntityType.CUSTOM_EMOJI, offset=3, length=1, custom_emoji_id=9),
        Entity(type=EntityType.BLOCKQUOTE, offset=4, length=1, collapsed=True),
        Entity(type=EntityType.DATE, offset=5, length=1, date=1000),
    )


def test_ids_without_a_message_are_left_out() -> None:
    result = answer(tl_post(id=6), T.MessageEmpty(id=5), tl_post(id=4))
    assert [message.id for message in to_messages(result, peer=HERE)] == [6, 4]


def test_an_answer_that_nothing_changed_has_no_messages() -> None:
    assert to_messages(decoded(T.messages.MessagesNotModified(count=3)), peer=HERE) == []


def test_a_message_of_an_unforeseen_shape_keeps_its_text_and_spares_the_others() -> None:
    result = answer(tl_post(id=6, message="before"), tl_post(id=5, message="odd"), tl_post(id=4, message="after"))
    result.messages[1].reactions = object()
    assert to_messages(result, peer=HERE) == [
        post(id=6, text=Text("before")),
        post(id=5, text=Text("odd"), media=Unsupported(kind="message")),
        post(id=4, text=Text("after")),
    ]


@given(seed=st.integers(0, 2**32), constructor=st.sampled_from(constructors("Message")))
@settings(max_examples=150, deadline=None)
def test_whatever_telegram_may_send_is_adapted_and_stored_without_loss(
    seed: int, constructor: type[TLObject[Any]]
) -> None:
    message = arbitrary(constructor, random.Random(seed), depth=5)
    message.id = 5
    try:
        result = answer(message)
    except (KeyError, ValueError):
        # The library itself cannot read back some vectors of constructors without fields.
        assume(False)
    messages = to_messages(result, peer=HERE)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(messages), type=list[Message]) == messages
    assert not any(isinstance(m.media, Unsupported) and m.media.kind == "message" for m in messages)


# Channels


def test_a_channel_tells_all_its_names_photo_and_limits() -> None:
    peer = decoded(
        T.Channel(
            id=2222222222,
            title="News",
            photo=T.ChatPhoto(photo_id=5, dc_id=4),
            date=0,
            broadcast=True,
            access_hash=-3,
            noforwards=True,
            usernames=[
                T.Username(username="old_one"),
                T.Username(username="news", active=True, editable=True),
                T.Username(username="journal", active=True),
            ],
            restriction_reason=[T.RestrictionReason(platform="all", reason="terms", text="Barred")],
            participants_count=3,
        )
    )
    full = T.ChannelFull(
        id=2222222222,
        about="All the news",
        read_inbox_max_id=0,
        read_outbox_max_id=0,
        unread_count=0,
        chat_photo=T.Photo(
            id=5,
            access_hash=1,
            file_reference=b"r",
            date=9,
            dc_id=4,
            sizes=[T.PhotoSize(type="a", w=160, h=160, size=500), T.PhotoSize(type="c", w=640, h=640, size=9000)],
        ),
        notify_settings=T.PeerNotifySettings(),
        bot_info=[],
        pts=1,
        participants_count=4000,
    )
    channel = to_channel(peer, decoded(T.messages.ChatFull(full_chat=full, chats=[], users=[])))
    assert channel == to_channel(peer, decoded(full))
    photo = channel.photo
    assert photo is not None
    assert (photo.id, photo.dc_id, photo.size, photo.peer_id, photo.peer_access_hash) == (5, 4, 9000, channel.id, -3)
    assert msgspec.structs.replace(channel, photo=None) == Channel(
        id=-1002222222222,
        kind=ChannelKind.CHANNEL,
        title="News",
        access_hash=-3,
        username="news",
        about="All the news",
        usernames=("journal",),
        protected=True,
        restriction="Barred",
        members=4000,
    )


@pytest.mark.parametrize(
    ("reason", "sensitive"), [("porn", True), ("sensitive", True), ("terms", False), ("copyright", False)]
)
def test_what_telegram_hides_on_some_platforms_as_sensitive_is_marked(reason: str, sensitive: bool) -> None:
    reasons = [T.RestrictionReason(platform="android", reason=reason, text="Hidden")]
    peer = T.Channel(id=1, title="x", photo=T.ChatPhotoEmpty(), date=0, restriction_reason=reasons)
    assert to_channel(decoded(peer)).sensitive is sensitive


@pytest.mark.parametrize(
    ("peer", "expected"),
    [
        (TALK, Channel(id=-1003333333333, kind=ChannelKind.SUPERGROUP, title="Talk")),
        (ANNA, Channel(id=7, kind=ChannelKind.USER, title="Anna Ko", username="anna")),
        (GONE, Channel(id=9, kind=ChannelKind.USER, title="Deleted Account")),
        (T.User(id=3, username="solo"), Channel(id=3, kind=ChannelKind.USER, title="solo", username="solo")),
        (T.ChatForbidden(id=12, title="Club"), Channel(id=-12, kind=ChannelKind.GROUP, title="Club")),
        (
            T.ChannelForbidden(id=12, access_hash=6, title="Secret", broadcast=True),
            Channel(id=-1000000000012, kind=ChannelKind.CHANNEL, title="Secret", access_hash=6),
        ),
        (
            T.Chat(id=12, title="Club", photo=T.ChatPhotoEmpty(), participants_count=5, date=0, version=1),
            Channel(id=-12, kind=ChannelKind.GROUP, title="Club", members=5),
        ),
    ],
)
def test_every_kind_of_chat_becomes_a_channel(peer: Any, expected: Channel) -> None:
    assert to_channel(decoded(peer)) == expected


@given(seed=st.integers(0, 2**32), constructor=st.sampled_from([*constructors("Chat"), *constructors("User")]))
@settings(max_examples=100, deadline=None)
def test_any_chat_becomes_a_channel_with_a_title(seed: int, constructor: type[TLObject[Any]]) -> None:
    channel = to_channel(arbitrary(constructor, random.Random(seed)))
    assert channel.title
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(channel), type=Channel) == channel
