"""The table with the chats that the account has joined: one row, replaced as a whole.

Functions of a connection, to be run by `file_io.Database`. As with histories, `model` names the shape of the bytes, and
a row of another shape is treated as absent.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from storage.database import Migration

JOINED_CHATS: Migration = (
    "CREATE TABLE joined_chats ("
    " id INTEGER PRIMARY KEY CHECK (id = 1),"
    " model TEXT NOT NULL,"
    " payload BLOB NOT NULL,"
    " fetched_at REAL NOT NULL"
    ")",
)


class JoinedRow(NamedTuple):
    """The chats, and when Telegram was asked for them (unix seconds)."""

    payload: bytes
    fetched_at: float


def load_joined(connection: sqlite3.Connection, model: str) -> JoinedRow | None:
    """What was saved last."""
    row = connection.execute("SELECT payload, fetched_at FROM joined_chats WHERE model = ?", (model,)).fetchone()
    return None if row is None else JoinedRow(*row)


def save_joined(connection: sqlite3.Connection, model: str, row: JoinedRow) -> None:
    """Replace what was saved before."""
    connection.execute(
        "INSERT OR REPLACE INTO joined_chats (id, model, payload, fetched_at) VALUES (1, ?, ?, ?)", (model, *row)
    )
