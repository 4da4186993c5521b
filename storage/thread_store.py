"""The table of threads: topics of forums, and comments on posts.

Their messages are in the tables of `history_store`, as if a thread were one more chat. As there, what a thread is
nobody knows here.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from storage.database import Migration

THREADS: Migration = (
    "CREATE TABLE threads ("
    " id INTEGER PRIMARY KEY,"
    " model TEXT NOT NULL,"
    " payload BLOB NOT NULL,"
    " expires_at REAL NOT NULL"
    ")",
)


class ThreadRow(NamedTuple):
    """What is known of a thread, and until when it counts as fresh (unix seconds)."""

    payload: bytes
    expires_at: float


def load_thread(connection: sqlite3.Connection, thread_id: int, model: str) -> ThreadRow | None:
    """What is known of the thread."""
    row = connection.execute(
        "SELECT payload, expires_at FROM threads WHERE id = ? AND model = ?", (thread_id, model)
    ).fetchone()
    return None if row is None else ThreadRow(*row)


def save_thread(connection: sqlite3.Connection, thread_id: int, model: str, row: ThreadRow) -> None:
    """Add or replace a thread."""
    connection.execute(
        "INSERT OR REPLACE INTO threads (id, model, payload, expires_at) VALUES (?, ?, ?, ?)",
        (thread_id, model, row.payload, row.expires_at),
    )
