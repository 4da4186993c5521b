"""The one row that tells until when Telegram wants no calls."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable

from file_io import Database, Migration

FLOOD_TABLE: Migration = (
    "CREATE TABLE flood (id INTEGER PRIMARY KEY CHECK (id = 1), until_at REAL NOT NULL, noted_at REAL NOT NULL)",
)


class FloodStore:
    """Remembers a flood wait over restarts of the process. `clock` gives unix seconds.

    All methods raise StorageUnavailable if the disk does not take or give data.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def save(self, seconds: float) -> None:
        """Remember that the flood is over in `seconds`."""
        now = self._clock()

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO flood (id, until_at, noted_at) VALUES (1, ?, ?)", (now + seconds, now)
            )

        await self._database.run(work)

    async def remaining(self) -> float:
        """Seconds until the flood is over, 0 if there is none; never more than when it was saved.

        A clock that was set back since then would make a wait of seconds last for hours.
        """
        row = await self._database.read(
            lambda connection: connection.execute("SELECT until_at, noted_at FROM flood").fetchone()
        )
        if row is None:
            return 0.0
        until_at, noted_at = row
        return float(max(0.0, min(until_at - self._clock(), until_at - noted_at)))
