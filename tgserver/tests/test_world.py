"""The order of messages, whatever happens to them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyrogram import raw

from tgserver.world import Chat, MessageTable, ServedFile, World


def message(message_id: int) -> raw.types.Message:
    return raw.types.Message(id=message_id, peer_id=raw.types.PeerChannel(channel_id=1), date=1, message="x")


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 30))))
def test_ids_are_always_those_of_the_messages_in_order(steps: list[tuple[bool, int]]) -> None:
    table = MessageTable({5: message(5), 3: message(3)})
    for add, message_id in steps:
        if add:
            table[message_id] = message(message_id)
        else:
            table.pop(message_id, None)
        assert table.ids == sorted(table)
        assert len(table) == len(table.ids)


def test_a_chat_takes_a_plain_dict_and_gives_the_newest_first() -> None:
    peer = raw.types.Channel(id=1, title="C", photo=raw.types.ChatPhotoEmpty(), date=1)
    chat = Chat(peer=peer, messages={2: message(2), 9: message(9), 4: message(4)})
    assert [entry.id for entry in chat.newest_first()] == [9, 4, 2]
    top = chat.top_message()
    assert top is not None and top.id == 9
    assert (Chat(peer=peer).top_message(), Chat(peer=peer).pinned_id()) == (None, None)


def test_a_hundred_thousand_messages_are_kept_in_order_in_no_time() -> None:
    table = MessageTable()
    begin = time.perf_counter()
    for number in range(1, 100_001):
        table[number] = message(number)
    for number in range(1, 100_001, 100):
        del table[number]
    assert time.perf_counter() - begin < 5
    assert len(table.ids) == 99_000


def test_a_name_belongs_to_its_last_owner_and_a_renamed_chat_loses_the_old_one() -> None:
    world = World()
    peer = raw.types.Channel(
        id=1,
        title="C",
        photo=raw.types.ChatPhotoEmpty(),
        date=1,
        usernames=[raw.types.Username(username="One", active=True), raw.types.Username(username="two")],
    )
    chat = world.add_chat(Chat(peer=peer))
    assert world.chat_named("ONE") is world.chat_named("two") is peer
    peer.usernames, peer.username = None, "three"
    world.add_chat(chat)
    assert [world.chat_named(name) for name in ("one", "two", "three")] == [None, None, peer]
    user = world.add_user(raw.types.User(id=1, username="same_id"))
    assert (world.chat_named("same_id"), world.chat_named("three")) == (user, peer)


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_file_is_read_where_asked(tmp_path: Path, on_disk: bool) -> None:
    content = bytes(range(256))
    (tmp_path / "file").write_bytes(content)
    file = ServedFile(1, 1, b"", 256, tmp_path / "file" if on_disk else content)
    assert file.read(250, 100) == content[250:]
    assert file.read(256, 1) == b""
    assert file.read(10, 2) == content[10:12]
