"""Both forms of exports, and the lines that tell why a folder is none."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest
from pyrogram import raw

from tgserver.export import ExportError, build_message, load_export
from tgserver.tests.export_builders import (
    CHANNEL,
    WHEN,
    channel,
    chat_data,
    load,
    message,
    service,
    travelled,
    write_export,
)
from tgserver.world import Chat, World

T = raw.types


def account(*chats: dict[str, Any], left: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """The export of an account."""
    return {
        "about": "Here is the data you requested.",
        "personal_information": {"user_id": 10, "first_name": "Ada", "last_name": "Lovelace", "username": "@ada"},
        "contacts": {
            "about": "",
            "list": [{"user_id": 11, "first_name": "Grace", "last_name": "Hopper"}, {"user_id": 0}, "odd"],
        },
        "frequent_contacts": {"list": []},
        "other_data": {},
        "chats": {"about": "", "list": list(chats)},
        "left_chats": {"about": "", "list": list(left)},
    }


def test_a_single_chat_is_loaded_from_its_folder_or_its_file(tmp_path: Path) -> None:
    folder = write_export(tmp_path, chat_data(message(1), message(2)))
    for place in (folder, folder / "result.json"):
        chat: Any
        [chat] = load_export(place, World())
        assert (chat.peer.title, chat.id, sorted(chat.messages)) == ("Harbour", CHANNEL, [1, 2])


def test_an_account_brings_its_chats_left_chats_and_contacts(tmp_path: Path) -> None:
    world = World()
    gone, closed = chat_data(id=12, name="Gone"), chat_data(id=13, name="Closed", type="private_channel")
    crew = chat_data(id=14, name="Crew", type="private_group")
    chats = load(tmp_path, account(chat_data(), left=(gone, closed, crew)), world)
    # A private one that the account has left could not be read; but its messages are there.
    assert [(chat.peer.title, bool(chat.peer.left)) for chat in chats] == [
        ("Harbour", False),
        ("Gone", True),
        ("Closed", False),
        ("Crew", False),
    ]
    assert world.users[11].last_name == "Hopper"
    assert world.chat_named("ada") is world.users[10]


def test_a_chat_of_a_new_type_does_not_cost_the_rest_of_the_account(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        [chat] = load(tmp_path, account(chat_data(id=12, name="Odd", type="hologram"), chat_data()))
    assert chat.id == CHANNEL
    assert "chat Odd: unknown type 'hologram'" in caplog.text


@pytest.mark.parametrize(
    "entry",
    [
        3,
        None,
        chat_data(id=None),
        chat_data(id=0),
        chat_data(id=2**70),
        chat_data(id=1.5),
        chat_data(messages={}),
        {"name": "\x1b[31mred\nline\u202e", "type": "hologram", "id": 5},
    ],
)
def test_a_faulty_entry_of_an_account_costs_only_itself(
    entry: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        [chat] = load(tmp_path, account(entry, chat_data(message(1))))
    assert list(chat.messages) == [1]
    (line,) = caplog.messages
    assert line.endswith("; left out")
    assert line.isprintable()


def test_two_chats_with_one_id_are_put_together(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = chat_data(message(-999_999_990), message(1, text="first"), message(2), type="private_supergroup")
    second = chat_data(message(-999_999_980), message(1, text="second"), message(3), type="private_supergroup")
    with caplog.at_level(logging.WARNING):
        chat, older = load(tmp_path, account(first, second))
    assert (chat.ids, older.ids, chat.messages[1].message) == ([1, 2, 3], [10, 20], "first")
    assert [line.partition("chat Harbour: ")[2] for line in caplog.messages] == [
        f"the export has another chat with the id {CHANNEL}; their messages are put together",
        "left out 1 messages with the id of another",
    ]


def test_what_the_exporter_wrote_is_outgoing(tmp_path: Path) -> None:
    own = message(1, from_id="user10", **{"from": "Ada"})
    other = message(2, from_id="user11", **{"from": "Grace"})
    dialog = {"type": "personal_chat", "name": "Grace Hopper", "messages": [own, other]}
    [listed] = load(tmp_path / "account", account({**dialog, "id": 11}))
    [single] = load(tmp_path / "single", {**dialog, "id": 11})
    for chat in (listed, single):
        assert [bool(chat.messages[number].out) for number in (1, 2)] == [True, False]
        assert chat.messages[1].peer_id == T.PeerUser(user_id=11)


@pytest.mark.parametrize(
    ("kind", "peer", "flags"),
    [
        ("personal_chat", T.User, set()),
        ("bot_chat", T.User, {"bot"}),
        ("saved_messages", T.User, set()),
        ("replies", T.User, {"verified"}),
        ("verification_codes", T.User, {"verified"}),
        ("private_group", T.Chat, set()),
        ("private_supergroup", T.Channel, {"megagroup"}),
        ("public_supergroup", T.Channel, {"megagroup", "username"}),
        ("private_channel", T.Channel, {"broadcast"}),
        ("public_channel", T.Channel, {"broadcast", "username"}),
    ],
)
def test_each_type_of_chat_has_its_peer_and_flags(kind: str, peer: type, flags: set[str], tmp_path: Path) -> None:
    world = World()
    [chat] = load(tmp_path, chat_data(message(1, from_id="user10"), type=kind, id=44), world)
    assert type(chat.peer) is peer
    known = ("bot", "verified", "broadcast", "megagroup", "username", "left", "deleted")
    assert {flag for flag in known if getattr(chat.peer, flag, None)} == flags
    assert world.chats[chat.key] is chat
    assert chat.messages[1].peer_id == chat.tl_peer
    assert bool(chat.messages[1].post) == ("broadcast" in flags)
    travelled(chat.peer)


def test_a_dialog_with_a_deleted_account_has_no_name(tmp_path: Path) -> None:
    [chat] = load(tmp_path, chat_data(type="personal_chat", id=44, name=None))
    assert (chat.peer.deleted, chat.peer.first_name) == (True, None)


@pytest.mark.parametrize(
    ("title", "username"),
    [
        ("Harbour News!", "harbour_news"),
        ("Café Müller", "cafe_muller"),
        ("24 Hours", "hours"),
        ("Новости", f"channel{CHANNEL}"),
        ("A", f"channel{CHANNEL}"),
        (None, f"channel{CHANNEL}"),
        ("x" * 40, "x" * 32),
    ],
)
def test_a_public_chat_gets_a_readable_username(title: str | None, username: str, tmp_path: Path) -> None:
    [chat] = load(tmp_path, chat_data(name=title))
    assert chat.peer.username == username


def test_two_public_chats_of_one_title_get_two_usernames(tmp_path: Path) -> None:
    world = World()
    first, second = load(tmp_path, account(chat_data(id=12), chat_data(id=13)), world)
    assert (first.peer.username, second.peer.username) == ("harbour", "harbour_13")
    [again] = load(tmp_path / "again", chat_data(id=13), World())
    assert again.peer.username == "harbour"


def test_messages_of_before_a_migration_are_a_group_of_their_own(tmp_path: Path) -> None:
    old = message(-999_999_990, text="Then", from_id="user10")
    moved = service(-999_999_980, action="migrate_to_supergroup")
    begun = service(1, action="migrate_from_group", title="Crew")
    data = chat_data(old, moved, begun, type="private_supergroup", name="Crew")
    supergroup, group = load(tmp_path, data)
    assert (list(supergroup.messages), list(group.messages)) == ([1], [10, 20])
    assert group.peer.migrated_to.channel_id == CHANNEL
    assert group.messages[20].action.channel_id == CHANNEL
    assert supergroup.messages[1].action.chat_id == group.id
    assert group.messages[10].peer_id == T.PeerChat(chat_id=group.id)
    assert 0 < group.id < 2**31


def test_an_export_from_before_2021_has_its_ids_decoded(tmp_path: Path) -> None:
    old_id = (2 << 32) + 1_100_000_000
    [chat] = load(tmp_path, chat_data(message(1, from_id=old_id), message(2, from_id=10), id=old_id))
    assert (chat.id, chat.messages[1].from_id) == (1_100_000_000, None)
    assert chat.messages[2].from_id == T.PeerUser(user_id=10)


def test_a_marked_id_is_read_as_the_bare_one(tmp_path: Path) -> None:
    [chat] = load(tmp_path, chat_data(id=-1001500000001))
    assert chat.id == CHANNEL


@pytest.mark.parametrize(
    ("fields", "date"),
    [
        ({"date_unixtime": "1704067200", "date": "2000-01-01T00:00:00"}, WHEN),
        ({"date_unixtime": 1704067200}, WHEN),
        ({"date": "2024-01-01T00:00:00"}, WHEN),
        ({"date": "2024-01-01T03:00:00+03:00"}, WHEN),
        ({"date": "1704067200"}, WHEN),
        ({"date_unixtime": "0", "date": "2024-01-01T00:00:00"}, WHEN),
        ({"date": "yesterday"}, 0),
        ({"date": "9999-12-31T23:59:59"}, 0),
        ({"date_unixtime": "1704067200000", "date": "2024-01-01T00:00:00"}, WHEN),
        ({"date_unixtime": 2**31}, 0),
        ({"date": -5}, 0),
        ({"date": "0001-01-01T00:00:00+14:00"}, 0),
        ({}, 0),
    ],
)
def test_dates_are_read_in_each_form(fields: dict[str, Any], date: int, tmp_path: Path) -> None:
    [chat] = load(tmp_path, chat_data({"id": 1, "type": "message", "text": "", **fields}))
    assert chat.messages[1].date == date


def test_a_message_without_a_date_gets_that_of_the_one_before(tmp_path: Path) -> None:
    [chat] = load(tmp_path, chat_data(message(1), {"id": 2, "type": "unsupported"}))
    assert chat.messages[2].date == WHEN
    assert isinstance(chat.messages[2].media, T.MessageMediaUnsupported)


@pytest.mark.parametrize(
    ("told", "dates"),
    [
        ([None, 100, None, 300, None], [100, 100, 100, 300, 300]),
        ([100, "9999-12-31T23:59:59", None, 300], [100, 100, 100, 300]),
        (["9999-12-31T23:59:59", 200], [200, 200]),
        (["9999-12-31T23:59:59", None], [0, 0]),
    ],
)
def test_a_message_without_a_sensible_date_gets_that_of_its_neighbour(
    told: list[Any], dates: list[int], tmp_path: Path
) -> None:
    rows = [
        {"id": number, "type": "message", "text": "x", "forwarded_from": "Ada", "date": date}
        for number, date in enumerate(told, 1)
    ]
    [chat] = load(tmp_path, chat_data(*rows))
    assert [chat.messages[key].date for key in chat.ids] == dates
    assert [chat.messages[key].fwd_from.date for key in chat.ids] == dates


def test_of_two_messages_with_one_id_the_last_wins(tmp_path: Path) -> None:
    [chat] = load(tmp_path, chat_data(message(7, text="first"), message(3), message(7, text="last")))
    assert chat.messages[7].message == "last"
    assert chat.ids == [3, 7]


@pytest.mark.parametrize("order", [1, -1])
def test_an_id_that_is_written_oddly_takes_no_others_place(
    order: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = [message(1, text="one"), message(2) | {"id": "1"}, message(2) | {"id": 1.5}, message(2) | {"id": "3"}]
    with caplog.at_level(logging.WARNING):
        [chat] = load(tmp_path, chat_data(*rows[::order]))
    assert (chat.messages[1].message, chat.ids) == ("one", [1, 3])
    (line,) = caplog.messages
    assert "1 entries without a usable message id" in line
    assert "1 messages with the id of another" in line


def test_what_a_chat_loses_is_told_in_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    both = message(1, photo="(File not included.)", file="(File not included.)")
    venue = message(2, place_name="Pier", location_information={"latitude": 1.0, "longitude": 2.0})
    paid = message(3, paid_stars_amount=5, photo="(File not included.)")
    odd = message(4, text=["kept", True], text_entities=[])
    with caplog.at_level(logging.WARNING):
        [chat] = load(tmp_path, chat_data(both, venue, paid, odd, None, message(4) | {"id": "4"}))
    assert isinstance(chat.messages[1].media, T.MessageMediaPhoto)
    assert chat.messages[4].message == "kept"
    (line,) = caplog.messages
    assert line.endswith(
        "chat Harbour: left out 1 entries without a usable message id, 1 messages with the id of another,"
        " 1 further media of a message, 1 pieces of text of unknown form"
    )


def test_odd_entries_are_left_out_and_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    odd: list[object] = [
        None,
        "text",
        [],
        {},
        {"id": "x"},
        {"id": 0},
        {"id": 2**31},
        {"id": -5},
        {"id": True},
        {"id": None},
    ]
    with caplog.at_level(logging.WARNING):
        [chat] = load(tmp_path, chat_data(*odd, message(1)))
    assert list(chat.messages) == [1]
    assert "left out 10 entries" in caplog.text


def test_a_chat_that_is_loaded_again_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    load(tmp_path / "a", chat_data(message(1)), world)
    assert caplog.messages == []
    [chat] = load(tmp_path / "b", chat_data(message(2)), world)
    assert "takes the place" in caplog.text
    assert world.chats["channel", CHANNEL] is chat
    assert list(chat.messages) == [2]


def test_a_channel_named_by_a_forward_gives_way_to_its_own_export_and_stays_afterwards(tmp_path: Path) -> None:
    world = World()
    forward = message(1, forwarded_from="Other", forwarded_from_id="channel12")
    load(tmp_path / "a", chat_data(forward), world)
    load(tmp_path / "b", chat_data(message(1), id=12, name="Other"), world)
    load(tmp_path / "a", chat_data(forward), world)
    assert list(world.chats["channel", 12].messages) == [1]


def test_a_chat_of_each_kind_may_have_one_id(tmp_path: Path) -> None:
    world = World()
    kinds = ("personal_chat", "private_group", "private_channel")
    chats = load(tmp_path, account(*(chat_data(message(1, text=kind), id=44, type=kind) for kind in kinds)), world)
    assert [chat.messages[1].message for chat in chats] == list(kinds)
    assert all(world.chats[chat.key] is chat for chat in chats)


def test_only_chats_that_an_export_holds_count_as_served(tmp_path: Path) -> None:
    world = World()
    sources = {"channel12": "Channel", "chat13": "Group", "user14": "Person"}
    forwards = [
        message(number, forwarded_from=name, forwarded_from_id=source)
        for number, (source, name) in enumerate(sources.items(), 1)
    ]
    commented = message(9, bridge={"comments": {"count": 1}, "reply_to": {"chat_id": 15, "message_id": 1}})
    load(tmp_path, chat_data(*forwards, commented, bridge={"chats": [{"id": 16, "title": "Friends"}]}), world)
    assert [chat.id for chat in world.chats.values() if not chat.mentioned] == [CHANNEL]
    assert len(world.chats) == 6
    assert all(chat.peer.left for chat in world.chats.values() if chat.mentioned)  # type: ignore[union-attr]


NO_EXPORT: list[tuple[str, dict[str, str | bytes], list[str]]] = [
    ("nothing in the folder", {}, ["holds no result.json"]),
    ("an HTML export", {"messages.html": "<html>"}, ["HTML export", "machine-readable JSON"]),
    ("an HTML export of an account", {"export_results.html": "<html>"}, ["HTML export"]),
    ("an empty file", {"result.json": " \n"}, ["empty"]),
    ("cut off within a string", {"result.json": '{"name": "Har'}, ["cut off at line 1 column 10"]),
    ("cut off between values", {"result.json": '{"messages": [1,\n'}, ["cut off at line 2"]),
    ("broken within", {"result.json": '{"messages": [}]}'}, ["broken JSON at line 1 column 15"]),
    ("HTML by name of JSON", {"result.json": "<html></html>"}, ["HTML, not JSON"]),
    ("no UTF-8", {"result.json": b'{"name": "\xff"}'}, ["not UTF-8 at byte 10"]),
    ("endless nesting", {"result.json": "[" * 100_000}, ["nested too deep"]),
    ("a number without end", {"result.json": '{"id": ' + "9" * 5000 + "}"}, ["broken JSON"]),
    ("UTF-16 with a mark", {"result.json": json.dumps(chat_data()).encode("utf-16")}, ["this is UTF-16, not UTF-8"]),
    ("UTF-16 without one", {"result.json": json.dumps(chat_data()).encode("utf-16-le")}, ["UTF-16"]),
    ("an account of no chats", {"result.json": '{"chats": {"list": []}}'}, ["nothing to read, it lists no chats"]),
    ("an account of unknown chats", {"result.json": json.dumps(account(chat_data(type="hologram")))},
     ["nothing to read, the first of 1 faulty entries", "chat Harbour: unknown type 'hologram'"]),
    ("a list, as Slack has", {"result.json": '[{"ts": "1"}]'}, ["not an export of Telegram Desktop"]),
    ("another tool's object", {"result.json": '{"guild": {}, "channel": {}}'},
     ["not an export of Telegram Desktop", "channel, guild"]),
    ("an account without chats", {"result.json": '{"contacts": {"list": []}}'}, ["holds no chats"]),
    ("chats without a list", {"result.json": '{"chats": []}'}, ['"chats" holds no "list"']),
    ("a chat that is no object", {"result.json": '{"chats": {"list": [3]}}'}, ["must be an object, not int"]),
    ("messages that are no list", {"result.json": json.dumps(chat_data() | {"messages": {}})},
     ["chat Harbour", '"messages" must be a list, not dict']),
    ("an unknown type", {"result.json": json.dumps(chat_data(type="hologram"))}, ["chat Harbour", "'hologram'"]),
    ("a name of several lines", {"result.json": json.dumps(chat_data(name="A\nB", type=3))}, ["chat A B"]),
    ("no type", {"result.json": '{"messages": [], "id": 5}'}, ["chat 5", "unknown type"]),
    ("no id", {"result.json": json.dumps(chat_data(id=None))}, ["chat Harbour", '"id" must be a number']),
    ("an id out of range", {"result.json": json.dumps(chat_data(id=2**70))}, ['"id" must be a number']),
]  # fmt: skip


@pytest.mark.parametrize(("files", "parts"), [row[1:] for row in NO_EXPORT], ids=[row[0] for row in NO_EXPORT])
def test_why_a_folder_is_no_export_is_said_in_one_line(
    files: dict[str, str | bytes], parts: list[str], tmp_path: Path
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ExportError) as caught:
        load_export(tmp_path, World())
    line = str(caught.value)
    assert line.startswith(str(tmp_path))
    assert "\n" not in line
    assert len(line) < 600
    for part in parts:
        assert part in line


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"nowhere: no such folder"):
        load_export(tmp_path / "nowhere", World())


@pytest.mark.parametrize("length", [300, 5000])
def test_a_name_that_no_folder_can_have_is_said_in_one_line(tmp_path: Path, length: int) -> None:
    with pytest.raises(ExportError, match=r"can't be opened \(File name too long\)"):
        load_export(tmp_path / ("x" * length), World())


def test_names_of_chats_command_no_terminal(tmp_path: Path) -> None:
    [chat] = load(tmp_path, chat_data(name="\x1b]0;owned\x07Har\u202ebour\n\x9b2J 🚢", type="private_channel"))
    assert chat.peer.title == "]0;owned Har bour 2J 🚢"


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps(chat_data(message(1))), encoding="utf-8-sig")
    assert len(load_export(tmp_path, World())) == 1


def test_a_posted_message_gets_the_next_id() -> None:
    chat = channel()
    assert build_message(chat, {"text": "first"}, None, World()).id == 1
    chat.messages[7] = build_message(chat, message(7), None, World())
    chat.deleted.add(9)
    assert build_message(chat, {"text": "next"}, None, World()).id == 10


@pytest.mark.parametrize("bad", ["x", 0, -5, 2**31, [1]])
def test_a_posted_message_with_a_bad_id_is_refused(bad: object) -> None:
    with pytest.raises(ExportError, match="id must be a number from 1"):
        build_message(channel(), {"id": bad, "text": ""}, None, World())


def test_a_message_can_be_posted_to_a_chat_of_any_kind() -> None:
    world = World()
    chat = world.add_chat(Chat(T.User(id=11, first_name="Grace")))
    made = build_message(chat, {"text": "Hello", "from": "Ada", "from_id": "user10"}, None, world)
    assert (made.peer_id, made.from_id, made.out) == (T.PeerUser(user_id=11), T.PeerUser(user_id=10), True)


def test_twenty_thousand_messages_load_within_seconds(tmp_path: Path) -> None:
    pieces = [{"type": "plain", "text": "Ships 🚢 "}, {"type": "bold", "text": "sail"}]
    many = [
        message(number, text_entities=pieces, file="(File not included.)", media_type="video_file", width=4, height=3)
        for number in range(1, 20_001)
    ]
    folder = write_export(tmp_path, chat_data(*many))
    begun = time.process_time()
    [chat] = load_export(folder, World())
    assert len(chat.messages) == 20_000
    assert time.process_time() - begun < 10
