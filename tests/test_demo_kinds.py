"""The demo is the catalogue: whatever the bridge has words for can be seen in one of its channels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyrogram import raw
from pyrogram.raw.core import TLObject
from tl_objects import constructors

from model.entity import EntityType
from model.files import attachments_of
from model.message import Message, Service
from posts.blocks.kind import MediaKind
from posts.kinds import KINDS, kind_of
from posts.services import is_noise
from telegram.adapter import Peers, to_channel, to_message
from telegram.adapter_media import TRANSLATIONS
from telegram.adapter_rich import BLOCKS
from telegram.adapter_rich_text import MARKS
from telegram.adapter_text import words
from tgserver.export import load_export
from tgserver.world import World

CHANNELS = Path(__file__).resolve().parent.parent / "demo" / "channels"
Constructors = set[type[TLObject[Any]]]

# What only bots are sent, and what stands for nothing at all.
UNSEEN_ACTIONS = {"PaymentSentMe", "SecureValuesSentMe", "RequestedPeerSentMe", "WebViewDataSentMe"}


@pytest.fixture(scope="module")
def world() -> World:
    filled = World()
    for folder in sorted(CHANNELS.iterdir()):
        load_export(folder, filled)
    return filled


@pytest.fixture(scope="module")
def messages(world: World) -> list[Message]:
    """All messages of all demo channels, as the bridge keeps them."""
    groups = {chat.key: chat.peer for chat in world.chats.values() if not isinstance(chat.peer, raw.types.User)}
    peers = Peers(list(world.users.values()), list(groups.values()))
    kept = [
        to_message(message, peers, peer=to_channel(peer))
        for key, peer in groups.items()
        for message in world.chats[key].messages.values()
    ]
    return [message for message in kept if message is not None]


@pytest.fixture(scope="module")
def sent(world: World) -> Constructors:
    """The constructor of each TL object in any message."""
    return {
        type(thing) for chat in world.chats.values() for message in chat.messages.values() for thing in inside(message)
    }


def inside(thing: object) -> Iterator[TLObject[Any]]:
    if isinstance(thing, list):
        for part in thing:
            yield from inside(part)
    elif isinstance(thing, TLObject):
        yield thing
        for name in thing.__slots__:
            yield from inside(getattr(thing, name, None))


@pytest.fixture(scope="module")
def shown(messages: list[Message]) -> set[str]:
    """Kinds by name that some message is, or has inside."""
    media = [message.media for message in messages if message.media is not None]
    return {kind_of(each).name for one in media for each in (one, *attachments_of(one))}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_row_of_the_kinds_table_has_a_post(kind: MediaKind, shown: set[str]) -> None:
    assert kind.name in shown


def test_every_kind_of_telegrams_media_is_posted(sent: Constructors) -> None:
    assert names(TRANSLATIONS.keys() - {raw.types.MessageMediaEmpty} - sent) == []
    assert {raw.types.MessageMediaUnsupported, raw.types.MessageMediaVideoStream} <= sent


def test_articles_have_every_block_and_every_mark(sent: Constructors) -> None:
    assert names(BLOCKS.keys() - sent) == []
    assert names(MARKS.keys() - sent) == []
    assert raw.types.PageBlockUnsupported in sent


def test_texts_have_every_entity(messages: list[Message]) -> None:
    seen = {entity.type for message in messages for entity in message.text.entities}
    of_articles = {EntityType.MARKED, EntityType.SUBSCRIPT, EntityType.SUPERSCRIPT}
    assert set(EntityType) - seen - of_articles == {EntityType.UNKNOWN}


def test_every_event_that_makes_a_post_has_happened(sent: Constructors) -> None:
    told = [
        action
        for action in constructors("MessageAction")
        if not is_noise(Service(kind=words(object.__new__(action), "MessageAction").replace(" ", "_")))
    ]
    assert len(told) > 30
    assert {name.removeprefix("MessageAction") for name in names(set(told) - sent)} == UNSEEN_ACTIONS


def test_posts_are_answered_and_passed_on_in_every_way(messages: list[Message]) -> None:
    replies = [message.reply for message in messages if message.reply is not None]
    assert any(reply.story_id for reply in replies)
    assert any(reply.chat and reply.author for reply in replies)
    assert any(reply.quote.text and reply.manual for reply in replies)
    forwards = [message for message in messages if message.forward is not None]
    assert any(message.forward and message.forward.signature for message in forwards)
    assert any(message.forward and not message.forward.origin.id for message in forwards)
    carried = {kind_of(message.media).name for message in forwards if message.media is not None}
    assert {"photo", "voice", "poll"} <= carried
    assert any(message.media_group_id for message in forwards)


def test_what_surrounds_a_post_is_there(messages: list[Message]) -> None:
    reactions = [reaction for message in messages for reaction in message.reactions]
    assert any(reaction.paid for reaction in reactions)
    assert any(reaction.custom_emoji_id for reaction in reactions)
    for field in ("buttons", "comments", "caption_above", "via_bot", "signature", "restriction", "edit_date", "views"):
        assert any(getattr(message, field) for message in messages), field


def names(found: object) -> list[str]:
    assert isinstance(found, set)
    return sorted(one.__name__ for one in found)
