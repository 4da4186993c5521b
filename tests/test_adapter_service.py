"""Service actions: each becomes a named event with the people, words and numbers that belong to it."""

from __future__ import annotations

import inspect
import random
from typing import Any

import pytest
from pyrogram import raw
from pyrogram.raw.core import TLObject
from tl_objects import arbitrary, constructors, decoded

from model.channel import ChannelKind, PeerName
from model.message import Service
from telegram.adapter_peers import Peers
from telegram.adapter_service import ROWS, to_service

T = raw.types

PEERS = Peers(
    [T.User(id=7, first_name="Anna"), T.User(id=8, first_name="Ben")],
    [T.Channel(id=22, title="News", photo=T.ChatPhotoEmpty(), date=0, broadcast=True)],
)
ANNA = PeerName(title="Anna", id=7, kind=ChannelKind.USER)
BEN = PeerName(title="Ben", id=8, kind=ChannelKind.USER)
NEWS = PeerName(title="News", id=-1000000000022, kind=ChannelKind.CHANNEL)
CALL = T.InputGroupCall(id=1, access_hash=2)


def gift(stars: int) -> raw.types.StarGift:
    sticker = T.DocumentEmpty(id=1)
    return T.StarGift(id=1, sticker=sticker, stars=stars, convert_stars=0)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (T.MessageActionPinMessage(), Service(kind="pin_message")),
        (T.MessageActionChatEditTitle(title="New"), Service(kind="chat_edit_title", title="New")),
        (T.MessageActionChatAddUser(users=[7, 8]), Service(kind="chat_add_user", names=(ANNA, BEN))),
        (T.MessageActionChatDeleteUser(user_id=8), Service(kind="chat_delete_user", names=(BEN,))),
        (T.MessageActionChatMigrateTo(channel_id=22), Service(kind="chat_migrate_to", names=(NEWS,))),
        (
            T.MessageActionChannelMigrateFrom(title="Old", chat_id=5),
            Service(kind="channel_migrate_from", title="Old", names=(PeerName(title="Unknown chat", id=-5),)),
        ),
        (T.MessageActionGroupCall(call=CALL, duration=60), Service(kind="group_call", amount=60)),
        (T.MessageActionGroupCall(call=CALL), Service(kind="group_call")),
        (
            T.MessageActionGroupCallScheduled(call=CALL, schedule_date=1000),
            Service(kind="group_call_scheduled", date=1000),
        ),
        (T.MessageActionSetMessagesTTL(period=86400), Service(kind="set_messages_ttl", amount=86400)),
        (
            T.MessageActionGeoProximityReached(
                from_id=T.PeerUser(user_id=7), to_id=T.PeerChannel(channel_id=22), distance=10
            ),
            Service(kind="geo_proximity_reached", names=(ANNA, NEWS), amount=10),
        ),
        (
            T.MessageActionGiveawayResults(winners_count=3, unclaimed_count=0),
            Service(kind="giveaway_results", amount=3),
        ),
        (
            T.MessageActionStarGift(gift=gift(50), message=T.TextWithEntities(text="For you", entities=[])),
            Service(kind="star_gift", title="For you", amount=50),
        ),
        (
            T.MessageActionTodoAppendTasks(
                list=[T.TodoItem(id=n, title=T.TextWithEntities(text=f"task {n}", entities=[])) for n in (1, 2)]
            ),
            Service(kind="todo_append_tasks", title="task 1, task 2"),
        ),
        (T.MessageActionTopicEdit(closed=True), Service(kind="topic_edit")),
        (T.MessageActionCustomAction(message="Something else"), Service(kind="custom_action", title="Something else")),
    ],
    ids=lambda value: value.kind if isinstance(value, Service) else "",
)
def test_an_action_tells_what_happened(action: Any, expected: Service) -> None:
    assert to_service(decoded(action), PEERS) == expected


@pytest.mark.parametrize("constructor", list(ROWS), ids=lambda c: c.__name__)
def test_every_row_of_the_table_names_fields_that_the_layer_has(constructor: type[Any]) -> None:
    row = ROWS[constructor]
    fields = set(inspect.signature(constructor.__init__).parameters)
    paths = [path for path in (*row.people, row.channel, row.chat, row.title, row.amount, row.date) if path]
    assert paths
    assert {path.partition(".")[0] for path in paths} <= fields


@pytest.mark.parametrize("constructor", constructors("MessageAction"), ids=lambda c: c.__name__)
@pytest.mark.parametrize("seed", range(5))
def test_every_action_of_the_layer_has_a_kind(constructor: type[TLObject[Any]], seed: int) -> None:
    service = to_service(arbitrary(constructor, random.Random(seed)), PEERS)
    assert service.kind
    assert service.kind == service.kind.lower()
    assert " " not in service.kind
