"""The session's file: folder, permissions, lock, and what is said when something is wrong with it."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest
from pyrogram.storage import SQLiteStorage

from telegram.session_file import SESSION_NAME, SessionFile, SessionInUse, SessionUnusable, explain


async def write(folder: Path, *, user_id: int | None) -> Path:
    storage = SQLiteStorage(SESSION_NAME, folder)
    await storage.open()
    await storage.test_mode(False)
    await storage.auth_key(os.urandom(256))
    await storage.user_id(user_id)  # type: ignore[arg-type]
    await storage.is_bot(False)
    await storage.save()
    await storage.close()
    return SessionFile(folder).path


def test_the_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    file = SessionFile(tmp_path / "a" / "b")
    file.prepare()
    assert stat.S_IMODE(file.folder.stat().st_mode) == 0o700
    file.prepare()


def test_a_folder_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    SessionFile(folder).prepare()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_a_folder_that_can_not_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SessionUnusable) as caught:
        SessionFile(tmp_path / "file" / "folder").prepare()
    assert str(tmp_path / "file" / "folder") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_of_another_user_is_named_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests may run as root, whom no permission stops.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(SessionUnusable, match=f"chown -R {os.getuid()} {tmp_path}"):
        SessionFile(tmp_path).prepare()


async def test_a_session_counts_as_logged_in_once_it_has_a_user(tmp_path: Path) -> None:
    file = SessionFile(tmp_path)
    assert not file.is_logged_in()
    assert file.signature() is None
    (await write(tmp_path, user_id=None)).exists()
    assert not file.is_logged_in()
    before = file.signature()
    file.path.unlink()
    await write(tmp_path, user_id=7)
    assert file.is_logged_in()
    assert file.signature() != before


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to have a header" * 40])
def test_a_file_that_is_no_session_is_called_damaged(tmp_path: Path, content: bytes) -> None:
    SessionFile(tmp_path).path.write_bytes(content)
    with pytest.raises(SessionUnusable, match=r"damaged.*login"):
        SessionFile(tmp_path).is_logged_in()


async def test_a_database_that_somebody_else_holds_is_in_use(tmp_path: Path) -> None:
    path = await write(tmp_path, user_id=7)
    other = sqlite3.connect(path)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(SessionInUse, match=r"bridge\.session"):
        SessionFile(tmp_path).is_logged_in()
    other.close()


@pytest.mark.parametrize(
    ("message", "kind", "says"),
    [
        ("database is locked", SessionInUse, "stop that one"),
        ("attempt to write a readonly database", SessionUnusable, "chown"),
        ("unable to open database file", SessionUnusable, "chown"),
        ("database disk image is malformed", SessionUnusable, "damaged"),
    ],
)
def test_faults_of_the_database_are_one_line_with_a_remedy(message: str, kind: type[Exception], says: str) -> None:
    explained = explain(sqlite3.OperationalError(message), Path("data/bridge.session"))
    assert type(explained) is kind
    assert says in str(explained)
    assert "data" in str(explained)


def test_one_holds_the_lock_at_a_time(tmp_path: Path) -> None:
    file = SessionFile(tmp_path)
    with file.lock(), pytest.raises(SessionInUse, match=rf"bridge\.session is in use .*pid {os.getpid()}\)"):
        file.lock()
    lock = file.lock()
    lock.release()
    lock.release()
    assert stat.S_IMODE((tmp_path / "bridge.session.lock").stat().st_mode) == 0o600


def test_a_lock_that_can_not_be_made_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SessionUnusable, match=r"bridge\.session\.lock"):
        SessionFile(tmp_path / "missing").lock()
