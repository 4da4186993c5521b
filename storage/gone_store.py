"""The table of files that posts are known to have lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import msgspec

from storage.database import Database, Migration

MEDIA_GONE: Migration = (
    "CREATE TABLE media_gone ("
    " channel_id INTEGER NOT NULL,"
    " post_id INTEGER NOT NULL,"
    " unique_id TEXT NOT NULL,"
    " post_deleted INTEGER NOT NULL,"
    " reason TEXT NOT NULL,"
    " noted_at INTEGER NOT NULL,"
    " PRIMARY KEY (channel_id, post_id, unique_id)"
    ") WITHOUT ROWID",
    "CREATE INDEX media_gone_by_time ON media_gone (noted_at)",
)


class GoneFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was looked for in a post in vain. `post_deleted`: there is no such post; `noted_at` unix seconds."""

    channel_id: int
    post_id: int
    unique_id: str
    post_deleted: bool
    reason: str
    noted_at: int


class GoneStore:
    """Rows of `media_gone`. All methods raise StorageUnavailable if the disk does not take or give data."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, since: int, count: int) -> list[GoneFile]:
        """The newest `count` of those noted at `since` or later, newest first."""

        def work(connection: sqlite3.Connection) -> list[GoneFile]:
            rows = connection.execute(
                "SELECT channel_id, post_id, unique_id, post_deleted, reason, noted_at FROM media_gone"
                " WHERE noted_at >= ? ORDER BY noted_at DESC LIMIT ?",
                (since, max(0, count)),
            ).fetchall()
            return [
                GoneFile(
                    channel_id=channel_id,
                    post_id=post_id,
                    unique_id=unique_id,
                    post_deleted=bool(post_deleted),
                    reason=reason,
                    noted_at=noted_at,
                )
                for channel_id, post_id, unique_id, post_deleted, reason, noted_at in rows
            ]

        return await self._database.read(work)

    async def change(self, rows: Mapping[tuple[int, int, str], GoneFile | None], *, forget_before: int) -> None:
        """Store rows by (channel id, post id, unique id), forget those that are None and all noted before a moment."""
        kept = [msgspec.structs.astuple(row) for row in rows.values() if row is not None]
        dropped = [key for key, row in rows.items() if row is None]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT OR REPLACE INTO media_gone"
                " (channel_id, post_id, unique_id, post_deleted, reason, noted_at) VALUES (?, ?, ?, ?, ?, ?)",
                kept,
            )
            connection.executemany(
                "DELETE FROM media_gone WHERE channel_id = ? AND post_id = ? AND unique_id = ?", dropped
            )
            connection.execute("DELETE FROM media_gone WHERE noted_at < ?", (forget_before,))

        await self._database.run(work)
