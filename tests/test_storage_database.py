"""The database: one thread, whole transactions, and files that turn out to be damaged, full or gone."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from errors import StorageError, StorageUnavailable
from storage.database import Database

NOTES = ["CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT NOT NULL)"]
TAGS = ["ALTER TABLE notes ADD COLUMN tag TEXT NOT NULL DEFAULT 'none'", "CREATE INDEX notes_tag ON notes (tag)"]


def add_note(body: str) -> Callable[[sqlite3.Connection], object]:
    return lambda connection: connection.execute("INSERT INTO notes (body) VALUES (?)", (body,)).lastrowid


def bodies(connection: sqlite3.Connection) -> list[str]:
    return [body for (body,) in connection.execute("SELECT body FROM notes ORDER BY id")]


def set_aside(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if ".corrupt-" in path.name)


async def test_stored_rows_are_there_after_the_database_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "bridge.db"
    database = await Database.open(path, [NOTES])
    await database.run(add_note("kept"))
    await database.close()
    database = await Database.open(path, [NOTES])
    assert await database.read(bodies) == ["kept"]
    assert path.stat().st_mode & 0o777 == 0o600
    await database.close()


async def test_work_runs_in_one_thread_that_is_not_the_loops(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "bridge.db", [NOTES])
    threads = await asyncio.gather(*(database.run(lambda _: threading.get_ident()) for _ in range(5)))
    assert len(set(threads)) == 1
    assert threading.get_ident() not in threads
    await database.close()


async def test_work_that_raises_leaves_nothing_behind_and_the_database_usable(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "bridge.db", [NOTES])

    def half(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes (body) VALUES ('half')")
        raise ValueError("changed my mind")

    with pytest.raises(ValueError, match="changed my mind"):
        await database.run(half)
    await database.run(add_note("whole"))
    assert await database.read(bodies) == ["whole"]
    await database.close()


async def test_a_cancelled_caller_leaves_a_whole_transaction(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "bridge.db", [NOTES])
    begun, go_on = threading.Event(), threading.Event()

    def slow(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes (body) VALUES ('one')")
        begun.set()
        go_on.wait(5)
        connection.execute("INSERT INTO notes (body) VALUES ('two')")

    task = asyncio.ensure_future(database.run(slow))
    await asyncio.to_thread(begun.wait, 5)
    task.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await database.read(bodies) == ["one", "two"]
    await database.close()


async def test_an_older_database_is_lifted_and_keeps_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "bridge.db"
    database = await Database.open(path, [NOTES])
    await database.run(add_note("old"))
    await database.close()
    database = await Database.open(path, [NOTES, TAGS])
    assert await database.read(lambda c: c.execute("SELECT body, tag FROM notes").fetchall()) == [("old", "none")]
    assert await database.read(lambda c: c.execute("PRAGMA user_version").fetchone()) == (2,)
    await database.close()


async def test_a_migration_that_fails_leaves_the_database_at_its_version(tmp_path: Path) -> None:
    path = tmp_path / "bridge.db"
    database = await Database.open(path, [NOTES])
    await database.run(add_note("old"))
    await database.close()
    with pytest.raises(sqlite3.OperationalError, match="syntax error"):
        await Database.open(path, [NOTES, [TAGS[0], "CREATE NONSENSE"]])
    database = await Database.open(path, [NOTES, TAGS])
    assert await database.read(bodies) == ["old"]
    await database.close()


async def test_a_database_of_a_newer_version_is_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "bridge.db"
    database = await Database.open(path, [NOTES, TAGS])
    await database.run(add_note("from the future"))
    await database.close()
    with caplog.at_level(logging.WARNING):
        database = await Database.open(path, [NOTES])
    assert await database.read(bodies) == []
    assert len(caplog.records) == 1
    (aside,) = set_aside(tmp_path)
    with sqlite3.connect(aside) as kept:
        assert bodies(kept) == ["from the future"]
    await database.close()


async def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "bridge.db"
    path.write_bytes(b"this is not a database, whatever its name says" * 100)
    with caplog.at_level(logging.WARNING):
        database = await Database.open(path, [NOTES])
    await database.run(add_note("works"))
    assert await database.read(bodies) == ["works"]
    (record,) = caplog.records
    assert str(path) in record.getMessage()
    assert [kept.read_bytes()[:4] for kept in set_aside(tmp_path)] == [b"this"]
    await database.close()


async def test_only_the_newest_damaged_files_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "bridge.db"
    for number in range(6):
        path.write_bytes(f"garbage {number} ".encode() * 1000)
        database = await Database.open(path, [NOTES])
        await database.close()
    assert [kept.read_bytes()[:9] for kept in set_aside(tmp_path)] == [b"garbage 3", b"garbage 4", b"garbage 5"]


async def filled(path: Path) -> Database:
    database = await Database.open(path, [NOTES])
    await database.run(
        lambda c: c.executemany("INSERT INTO notes (body) VALUES (?)", [("x" * 900,) for _ in range(2000)])
    )
    return database


def scribble(path: Path) -> None:
    """Overwrite all pages but the first, as a failing disk would."""
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))


async def test_a_damaged_file_is_set_aside_at_start(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "bridge.db"
    await (await filled(path)).close()
    scribble(path)
    with caplog.at_level(logging.WARNING):
        database = await Database.open(path, [NOTES])
    assert await database.read(bodies) == []
    assert len(set_aside(tmp_path)) == len(caplog.records) == 1
    await database.close()


async def test_damage_found_while_running_gives_an_empty_database_and_the_work_is_done(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "bridge.db"
    database = await filled(path)
    await database.run(lambda c: c.execute("PRAGMA cache_size = 1").fetchall())
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    scribble(path)
    with caplog.at_level(logging.WARNING):
        assert await database.read(bodies) == []
    await database.run(add_note("after"))
    assert await database.read(bodies) == ["after"]
    assert len(caplog.records) == 1
    await database.close()


async def test_a_full_disk_is_a_passing_fault_and_loses_nothing(tmp_path: Path) -> None:
    database = await filled(tmp_path / "bridge.db")
    (pages,) = await database.read(lambda c: c.execute("PRAGMA page_count").fetchone())
    await database.read(lambda c: c.execute(f"PRAGMA max_page_count = {pages}").fetchall())
    with pytest.raises(StorageUnavailable, match=r"bridge\.db.*full"):
        await database.run(add_note("x" * 1_000_000))
    assert len(await database.read(bodies)) == 2000
    await database.read(lambda c: c.execute("PRAGMA max_page_count = 1000000").fetchall())
    await database.run(add_note("room again"))
    assert (await database.read(bodies))[-1] == "room again"
    await database.close()


async def test_a_disk_that_stays_full_is_one_line_in_the_log_and_its_recovery_another(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = await filled(tmp_path / "bridge.db")
    (pages,) = await database.read(lambda c: c.execute("PRAGMA page_count").fetchone())
    await database.read(lambda c: c.execute(f"PRAGMA max_page_count = {pages}").fetchall())
    for _ in range(3):
        with pytest.raises(StorageUnavailable):
            await database.run(add_note("x" * 1_000_000))
        # That there is something to read says nothing of space to write.
        await database.read(bodies)
    assert ["goes on without storing" in line for line in caplog.messages] == [True]
    await database.read(lambda c: c.execute("PRAGMA max_page_count = 1000000").fetchall())
    for _ in range(3):
        await database.run(add_note("room again"))
    assert ["can be used again" in line for line in caplog.messages] == [False, True]
    await database.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.getuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("only who may mount can fill a disk")
    subprocess.run(["mount", "-o", "remount,size=512k", folder], check=True)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.parametrize("existed", [False, True])
async def test_a_disk_that_is_full_at_the_start_is_used_as_soon_as_it_has_space(
    small_disk: Path, existed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    path = small_disk / "bridge.db"
    if existed:
        database = await Database.open(path, [NOTES])
        await database.run(add_note("before"))
        await database.close()
    ballast = small_disk / "ballast"
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass
    database = await Database.open(path, [NOTES])
    with pytest.raises(StorageUnavailable):
        await database.run(add_note("x" * 100_000))
    assert ["goes on without storing" in line for line in caplog.messages] == [True]
    ballast.unlink()
    await database.run(add_note("after"))
    assert await database.read(bodies) == (["before"] if existed else []) + ["after"]
    await database.close()


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_file_that_is_removed_or_replaced_while_in_use_is_noticed_at_the_next_work(
    tmp_path: Path, replaced: bool, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "bridge.db"
    other = await Database.open(tmp_path / "other.db", [NOTES])
    await other.run(add_note("another one's"))
    await other.close()
    database = await Database.open(path, [NOTES])
    await database.run(add_note("lost"))
    if replaced:
        (tmp_path / "other.db").rename(path)
    else:
        path.unlink()
    await database.run(add_note("kept"))
    await database.close()
    assert ["removed or replaced" in line for line in caplog.messages] == [True]
    database = await Database.open(path, [NOTES])
    assert await database.read(bodies) == (["another one's"] if replaced else []) + ["kept"]
    await database.close()


async def test_a_path_that_cannot_be_used_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError) as caught:
        await Database.open(tmp_path / "file" / "bridge.db", [NOTES])
    assert str(tmp_path / "file") in str(caught.value)
    assert "chown" in str(caught.value)
    assert "\n" not in str(caught.value)
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(StorageError, match=r"folder\.db: Is a directory"):
        await Database.open(tmp_path / "folder.db", [NOTES])


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody who may not write")
def test_a_folder_of_another_user_is_one_clear_error_that_says_what_to_do(tmp_path: Path) -> None:
    code = (
        "import asyncio, os, sys; from pathlib import Path; from errors import StorageError\n"
        "from storage.database import Database; os.setuid(65534)\n"
        "try: asyncio.run(Database.open(Path(sys.argv[1]), []))\n"
        "except StorageError as fault: print(fault)"
    )
    tmp_path.chmod(0o755)
    for folder in list(tmp_path.parents)[:2]:
        folder.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "bridge.db"], capture_output=True, text=True)
    assert "Permission denied" in done.stdout, done.stderr
    assert f"chown -R 65534 {tmp_path}" in done.stdout


async def test_work_after_the_close_is_a_passing_fault(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "bridge.db", [NOTES])
    await database.close()
    await database.close()
    with pytest.raises(StorageUnavailable):
        await database.read(bodies)
