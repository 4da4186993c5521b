"""The tables of channels, usernames and messages.

Functions of a connection, to be run by `file_io.Database`. What a channel or message is nobody knows here: they are
bytes, written and read back by the history. `model` names the shape of those bytes; rows of another shape are
treated as absent, since all of this is only a cache.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from storage.database import Migration

HISTORY_TABLES: Migration = (
    "CREATE TABLE channels ("
    " id INTEGER PRIMARY KEY,"
    " model TEXT NOT NULL,"
    " payload BLOB NOT NULL,"
    " expires_at REAL NOT NULL"
    ")",
    "CREATE TABLE usernames ("
    " name TEXT PRIMARY KEY,"
    " channel_id INTEGER NOT NULL,"
    " expires_at REAL NOT NULL"
    ") WITHOUT ROWID",
    "CREATE INDEX usernames_by_channel ON usernames (channel_id)",
    "CREATE TABLE windows ("
    " channel_id INTEGER PRIMARY KEY,"
    " model TEXT NOT NULL,"
    " floor_id INTEGER NOT NULL,"
    " top_id INTEGER NOT NULL,"
    " reached_start INTEGER NOT NULL,"
    " version INTEGER NOT NULL,"
    " changed_at INTEGER NOT NULL,"
    " fetched_at REAL NOT NULL,"
    " expires_at REAL NOT NULL,"
    " verified_at REAL NOT NULL"
    ")",
    # With rowids: the rows of a table without them spill to overflow pages from 1 KB on, which doubles the file.
    "CREATE TABLE messages ("
    " channel_id INTEGER NOT NULL REFERENCES windows ON DELETE CASCADE,"
    " id INTEGER NOT NULL,"
    " payload BLOB NOT NULL,"
    " PRIMARY KEY (channel_id, id)"
    ")",
)


class WindowRow(NamedTuple):
    """A channel's stretch of known history. Times are unix seconds, `version` grows with each change of content."""

    floor_id: int
    top_id: int
    reached_start: bool
    version: int
    changed_at: int
    fetched_at: float
    expires_at: float
    verified_at: float


class ChannelRow(NamedTuple):
    """What is known of a channel, and until when it counts as fresh (unix seconds)."""

    payload: bytes
    expires_at: float


class UsernameRow(NamedTuple):
    """Whose a username is, and until when that counts as fresh (unix seconds)."""

    channel_id: int
    expires_at: float


def load_window(connection: sqlite3.Connection, channel_id: int, model: str) -> WindowRow | None:
    """The channel's window without its messages."""
    row = connection.execute(
        "SELECT floor_id, top_id, reached_start, version, changed_at, fetched_at, expires_at, verified_at"
        " FROM windows WHERE channel_id = ? AND model = ?",
        (channel_id, model),
    ).fetchone()
    return None if row is None else WindowRow(*row)._replace(reached_start=bool(row[2]))


def save_window(connection: sqlite3.Connection, channel_id: int, model: str, row: WindowRow) -> None:
    """Add the channel's window or replace it; its messages stay."""
    connection.execute(
        "INSERT INTO windows (channel_id, model, floor_id, top_id, reached_start, version, changed_at, fetched_at,"
        " expires_at, verified_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (channel_id) DO UPDATE SET model = excluded.model, floor_id = excluded.floor_id,"
        " top_id = excluded.top_id, reached_start = excluded.reached_start, version = excluded.version,"
        " changed_at = excluded.changed_at, fetched_at = excluded.fetched_at, expires_at = excluded.expires_at,"
        " verified_at = excluded.verified_at",
        (channel_id, model, *row),
    )


def delete_window(connection: sqlite3.Connection, channel_id: int) -> None:
    """Forget the channel's window and all its messages."""
    connection.execute("DELETE FROM windows WHERE channel_id = ?", (channel_id,))


def load_messages(connection: sqlite3.Connection, channel_id: int) -> list[bytes]:
    """All messages of the channel, newest first."""
    rows = connection.execute("SELECT payload FROM messages WHERE channel_id = ? ORDER BY id DESC", (channel_id,))
    return [payload for (payload,) in rows]


def put_messages(connection: sqlite3.Connection, channel_id: int, rows: Iterable[tuple[int, bytes]]) -> None:
    """Add or replace messages (id, payload) of a channel whose window is there."""
    connection.executemany(
        "INSERT INTO messages (channel_id, id, payload) VALUES (?, ?, ?)"
        " ON CONFLICT (channel_id, id) DO UPDATE SET payload = excluded.payload",
        ((channel_id, message_id, payload) for message_id, payload in rows),
    )


def delete_messages(connection: sqlite3.Connection, channel_id: int, ids: Iterable[int]) -> None:
    """Remove messages of a channel; ids without a row are passed over."""
    connection.executemany(
        "DELETE FROM messages WHERE channel_id = ? AND id = ?", ((channel_id, message_id) for message_id in ids)
    )


def load_channel(connection: sqlite3.Connection, channel_id: int, model: str) -> ChannelRow | None:
    """What is known of the channel."""
    row = connection.execute(
        "SELECT payload, expires_at FROM channels WHERE id = ? AND model = ?", (channel_id, model)
    ).fetchone()
    return None if row is None else ChannelRow(*row)


def load_polled(connection: sqlite3.Connection, model: str, since: float) -> list[bytes]:
    """What is known of the channels whose windows were brought up to date at `since` (unix seconds) or later."""
    rows = connection.execute(
        "SELECT payload FROM channels JOIN windows ON windows.channel_id = channels.id"
        " WHERE channels.model = ? AND windows.fetched_at >= ?",
        (model, since),
    )
    return [payload for (payload,) in rows]


def save_channel(
    connection: sqlite3.Connection, channel_id: int, model: str, row: ChannelRow, usernames: Iterable[str]
) -> None:
    """Add or replace a channel. Of usernames, `usernames` (lower case) alone lead to it afterwards."""
    connection.execute(
        "INSERT OR REPLACE INTO channels (id, model, payload, expires_at) VALUES (?, ?, ?, ?)",
        (channel_id, model, row.payload, row.expires_at),
    )
    # Invitations (`+hash`) are no property of the channel, so it does not tell which of them are valid.
    connection.execute("DELETE FROM usernames WHERE channel_id = ? AND name NOT LIKE '+%'", (channel_id,))
    connection.executemany(
        "INSERT OR REPLACE INTO usernames (name, channel_id, expires_at) VALUES (?, ?, ?)",
        ((name, channel_id, row.expires_at) for name in usernames),
    )


def load_username(connection: sqlite3.Connection, name: str) -> UsernameRow | None:
    """Whose the username (lower case) was when it was last asked for."""
    row = connection.execute("SELECT channel_id, expires_at FROM usernames WHERE name = ?", (name,)).fetchone()
    return None if row is None else UsernameRow(*row)


def save_username(connection: sqlite3.Connection, name: str, row: UsernameRow) -> None:
    """Remember whose a username is."""
    connection.execute(
        "INSERT OR REPLACE INTO usernames (name, channel_id, expires_at) VALUES (?, ?, ?)",
        (name, row.channel_id, row.expires_at),
    )


def delete_username(connection: sqlite3.Connection, name: str) -> None:
    """Forget whose a username was."""
    connection.execute("DELETE FROM usernames WHERE name = ?", (name,))
