"""The rows that tell until when Telegram wants no calls, or none of some kind."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping

from storage.database import Database, Migration

FLOOD_TABLE: Migration = (
    "CREATE TABLE flood (id INTEGER PRIMARY KEY CHECK (id = 1), until_at REAL NOT NULL, noted_at REAL NOT NULL)",
)
# What was noted before there were scopes was the whole account's.
FLOODS_BY_SCOPE: Migration = (
    "CREATE TABLE floods (scope TEXT PRIMARY KEY, until_at REAL NOT NULL, noted_at REAL NOT NULL) WITHOUT ROWID",
    "INSERT INTO floods SELECT 'account', until_at, noted_at FROM flood",
    "DROP TABLE flood",
)


class FloodStore:
    """Remembers flood waits over restarts of the process, by scope. `clock` gives unix seconds.

    All methods raise StorageUnavailable if the disk does not take or give data.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def save(self, floods: Mapping[str, float]) -> None:
        """Remember that these floods, and no others, are over in so many seconds."""
        now = self._clock()
        rows = [(scope, now + seconds, now) for scope, seconds in floods.items()]

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM floods")
            connection.executemany("INSERT INTO floods (scope, until_at, noted_at) VALUES (?, ?, ?)", rows)

        await self._database.run(work)

    async def remaining(self) -> dict[str, float]:
        """Seconds until the floods that are not over are; never more than when they were saved.

        A clock that was set back since then would make a wait of seconds last for hours.
        """
        rows = await self._database.read(
            lambda connection: connection.execute("SELECT scope, until_at, noted_at FROM floods").fetchall()
        )
        now = self._clock()
        left = {str(scope): float(min(until_at - now, until_at - noted_at)) for scope, until_at, noted_at in rows}
        return {scope: seconds for scope, seconds in left.items() if seconds > 0}
