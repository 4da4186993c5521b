"""A database of any older version is lifted with what it holds, and a kill in between leaves a whole version."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage.database import Database
from storage.gone_store import GoneFile, GoneStore
from storage.media_store import MediaStore
from storage.schema import MIGRATIONS

ROW = ("AgADabc", 10, "image/png", "отчёт.png", 5, 50, 100)


def at_version(path: Path, version: int, *, torn: bool = False) -> None:
    """A database as that version left it, with a media file; `torn`: killed in the middle of the next migration."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for migration in MIGRATIONS[:version]:
            for statement in migration:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version}")
        if version:
            connection.execute("INSERT INTO media_files VALUES (?, ?, ?, ?, ?, ?, ?)", ROW)
        if torn:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(MIGRATIONS[version][0])
            # Closed without a commit, as a kill does it.


@pytest.mark.parametrize("torn", [False, True], ids=["whole", "killed in the next migration"])
@pytest.mark.parametrize("version", range(len(MIGRATIONS) + 1))
async def test_every_older_version_is_lifted_with_its_rows(tmp_path: Path, version: int, torn: bool) -> None:
    path = tmp_path / "bridge.db"
    at_version(path, version, torn=torn and version < len(MIGRATIONS))
    database = await Database.open(path, MIGRATIONS)
    try:
        sizes = await MediaStore(database).sizes()
        assert sizes == ({"AgADabc": 10} if version else {})
        row = GoneFile(channel_id=-1, post_id=2, unique_id="x", post_deleted=True, reason="deleted", noted_at=9)
        await GoneStore(database).change({(-1, 2, "x"): row}, forget_before=0)
        assert await GoneStore(database).newest(0, 10) == [row]
    finally:
        await database.close()
    assert [entry.name for entry in tmp_path.iterdir() if "corrupt" in entry.name] == []
