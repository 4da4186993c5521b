"""The table of stored media files keeps what it is told."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from errors import StorageUnavailable
from storage.database import Database
from storage.media_store import MediaStore, StoredFile, Usage
from storage.schema import MIGRATIONS


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await Database.open(tmp_path / "bridge.db", MIGRATIONS)
    yield opened
    await opened.close()


@pytest.fixture
def store(database: Database) -> MediaStore:
    return MediaStore(database)


def row(unique_id: str = "one", size: int = 10, last_access: int = 100) -> StoredFile:
    return StoredFile(
        unique_id=unique_id,
        size=size,
        mime_type="image/png",
        file_name="отчёт 🚀.png",
        modified=5,
        stored_at=50,
        last_access=last_access,
    )


def named() -> None:
    """The file has its name already."""


async def test_a_row_reads_back_as_it_was_written(store: MediaStore) -> None:
    big = row(size=2**40)
    await store.add(big, named)
    assert await store.get("one") == big
    assert await store.get("ONE") is None


async def test_a_file_stored_anew_has_one_row(store: MediaStore) -> None:
    await store.add(row(size=1), named)
    await store.add(row(size=2), named)
    assert await store.sizes() == {"one": 2}


async def test_an_access_moves_forward_only_and_only_for_files_that_are_there(store: MediaStore) -> None:
    await store.add(row(last_access=100), named)
    await store.touch({"one": 90, "unknown": 1000})
    assert await store.get("one") == row(last_access=100)
    await store.touch({"one": 200})
    assert await store.get("one") == row(last_access=200)
    assert await store.get("unknown") is None


async def test_a_file_is_removed_with_its_row(store: MediaStore) -> None:
    for unique_id in ["one", "two", "three"]:
        await store.add(row(unique_id), named)
    unlinked: list[str] = []
    await store.remove(["one", "three"], unlinked.append)
    assert unlinked == ["one", "three"]
    assert await store.sizes() == {"two": 10}


async def test_a_file_without_its_name_has_no_row_and_one_whose_row_is_refused_no_other(store: MediaStore) -> None:
    def refuse() -> None:
        raise OSError(28, "No space left on device")

    await store.add(row(size=1), named)
    with pytest.raises(OSError, match="No space left"):
        await store.add(row(size=2), refuse)
    assert await store.sizes() == {"one": 1}
    assert store.noted == Usage(1, 1)


async def test_what_came_into_use_in_the_last_moment_is_spared(store: MediaStore) -> None:
    for unique_id in ["one", "two", "three"]:
        await store.add(row(unique_id), named)
    unlinked: list[str] = []
    assert await store.remove(["one", "two"], unlinked.append, spare=lambda name: name == "two") == 1
    assert unlinked == ["one"]
    assert set(await store.sizes()) == {"two", "three"}


async def test_work_beside_the_table_sees_its_rows_and_none_comes_meanwhile(store: MediaStore) -> None:
    await store.add(row("one"), named)
    adding: list[asyncio.Task[None]] = []
    loop = asyncio.get_running_loop()

    def work(unique_ids: list[str]) -> list[str]:
        loop.call_soon_threadsafe(lambda: adding.append(asyncio.create_task(store.add(row("two"), named))))
        # Long enough for a row that did not wait.
        time.sleep(0.05)
        assert not any(task.done() for task in adding)
        return unique_ids

    assert await store.beside(work) == ["one"]
    await asyncio.gather(*adding)
    assert set(await store.sizes()) == {"one", "two"}


async def test_a_file_that_can_not_be_removed_keeps_its_row(store: MediaStore) -> None:
    await store.add(row(), named)

    def refuse(_: str) -> None:
        raise PermissionError("read-only")

    with pytest.raises(StorageUnavailable, match="can't be removed"):
        await store.remove(["one"], refuse)
    assert await store.sizes() == {"one": 10}


async def test_unused_files_are_those_before_the_moment_and_above_the_size(store: MediaStore) -> None:
    await store.add(row("old", 10, 100), named)
    await store.add(row("old big", 11, 100), named)
    await store.add(row("new", 10, 101), named)
    assert sorted(await store.unused_since(101)) == ["old", "old big"]
    assert await store.unused_since(101, larger_than=10) == ["old big"]


async def test_a_file_that_does_not_fit_by_itself_takes_no_other_with_it(store: MediaStore) -> None:
    for number, size in enumerate([30, 1000, 20]):
        await store.add(row(f"file{number}", size, number), named)
    assert await store.oldest_beyond(50) == ["file1"]


async def test_what_has_to_go_is_the_least_recently_used(store: MediaStore) -> None:
    for number, size in enumerate([30, 20, 10]):
        await store.add(row(f"file{number}", size, number), named)
    assert await store.oldest_beyond(60) == []
    assert await store.oldest_beyond(59) == ["file0"]
    assert await store.oldest_beyond(29) == ["file1", "file0"]
    assert await store.oldest_beyond(9) == ["file2", "file1", "file0"]


async def test_usage_counts_files_and_bytes(store: MediaStore) -> None:
    assert await store.usage() == Usage(0, 0)
    await store.add(row("a", 2**40), named)
    await store.add(row("b", 5), named)
    assert await store.usage() == Usage(2, 2**40 + 5)


async def test_looking_a_file_up_is_one_search_in_the_key(database: Database) -> None:
    def plan(connection: sqlite3.Connection) -> str:
        query = "EXPLAIN QUERY PLAN SELECT size FROM media_files WHERE unique_id = 'x'"
        return str(connection.execute(query).fetchall())

    assert "SEARCH media_files USING PRIMARY KEY" in await database.read(plan)


async def test_how_much_there_is_is_known_without_looking_once_it_was_counted(database: Database) -> None:
    store = MediaStore(database)
    await store.add(row("a", size=3), named)
    later = MediaStore(database)
    assert later.noted is None
    await later.sizes()
    assert later.noted == Usage(1, 3)
    await later.add(row("a", size=5), named)
    await later.add(row("b", size=7), named)
    assert later.noted == await later.usage() == Usage(2, 12)
    await later.remove(["a"], lambda name: None)
    assert later.noted == Usage(1, 7)
