"""Rows of channels, usernames and messages: written, replaced, and gone together."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from storage import history_store as store
from storage.schema import MIGRATIONS

ROW = store.WindowRow(
    floor_id=1,
    top_id=9,
    reached_start=True,
    version=3,
    changed_at=100,
    fetched_at=200.5,
    expires_at=300.5,
    verified_at=200.5,
)


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    for migration in MIGRATIONS:
        for statement in migration:
            connection.execute(statement)
    yield connection
    connection.close()


def test_a_window_reads_back_as_it_was_written(connection: sqlite3.Connection) -> None:
    store.save_window(connection, -5, "m1", ROW)
    assert store.load_window(connection, -5, "m1") == ROW
    store.save_window(connection, -5, "m1", ROW._replace(version=4, reached_start=False))
    assert store.load_window(connection, -5, "m1") == ROW._replace(version=4, reached_start=False)


def test_rows_of_another_model_are_absent(connection: sqlite3.Connection) -> None:
    store.save_window(connection, -5, "m1", ROW)
    store.save_channel(connection, -5, "m1", store.ChannelRow(b"c", 9.5), [])
    assert store.load_window(connection, -5, "m2") is None
    assert store.load_channel(connection, -5, "m2") is None
    assert store.load_channel(connection, -5, "m1") == (b"c", 9.5)


def test_messages_come_newest_first_and_stay_apart_by_channel(connection: sqlite3.Connection) -> None:
    store.save_window(connection, -5, "m1", ROW)
    store.save_window(connection, -6, "m1", ROW)
    store.put_messages(connection, -5, [(1, b"one"), (3, b"three"), (2, b"two")])
    store.put_messages(connection, -6, [(2, b"other")])
    store.put_messages(connection, -5, [(2, b"two, edited")])
    store.delete_messages(connection, -5, [1, 99])
    assert store.load_messages(connection, -5) == [b"three", b"two, edited"]
    assert store.load_messages(connection, -6) == [b"other"]


def test_replacing_a_window_keeps_its_messages_and_deleting_it_removes_them(connection: sqlite3.Connection) -> None:
    store.save_window(connection, -5, "m1", ROW)
    store.put_messages(connection, -5, [(1, b"one")])
    store.save_window(connection, -5, "m1", ROW._replace(version=4))
    assert store.load_messages(connection, -5) == [b"one"]
    store.delete_window(connection, -5)
    assert store.load_messages(connection, -5) == []


def test_a_channels_names_are_those_it_told_last_and_its_invitations(connection: sqlite3.Connection) -> None:
    store.save_channel(connection, -5, "m1", store.ChannelRow(b"a", 50), ["old", "both"])
    store.save_username(connection, "+Invite", store.UsernameRow(-5, 70))
    store.save_channel(connection, -5, "m1", store.ChannelRow(b"b", 60), ["new", "both"])
    found = {name: store.load_username(connection, name) for name in ("old", "both", "new", "+Invite")}
    assert found == {"old": None, "both": (-5, 60), "new": (-5, 60), "+Invite": (-5, 70)}


def test_a_name_that_went_to_another_channel_leads_there(connection: sqlite3.Connection) -> None:
    store.save_username(connection, "name", store.UsernameRow(-5, 50))
    store.save_channel(connection, -6, "m1", store.ChannelRow(b"a", 60), ["name"])
    assert store.load_username(connection, "name") == (-6, 60)
    store.delete_username(connection, "name")
    assert store.load_username(connection, "name") is None
