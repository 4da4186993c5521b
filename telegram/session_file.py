"""The file that keeps the login: its folder, its permissions, and that one process uses it at a time."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from errors import TelegramUnavailable
from storage.process_lock import Locked, ProcessLock

SESSION_NAME = "bridge"


class SessionInUse(TelegramUnavailable):
    """Another process works with the same session."""


class SessionUnusable(TelegramUnavailable):
    """The session's file or folder can't be read or written, or is damaged."""


class SessionFile:
    """The session in `folder`. Its database is Kurigram's; beside it lies the lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / f"{SESSION_NAME}.session"

    def prepare(self) -> None:
        """Make the folder (0700) if it is not there, and see that it can be written.

        A session file that others may read is closed to them. Raises `SessionUnusable`.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not os.access(self.folder, os.W_OK | os.X_OK):
                raise PermissionError
            if self.path.exists():
                self.path.chmod(0o600)
                if not os.access(self.path, os.R_OK | os.W_OK):
                    raise PermissionError
        except PermissionError as error:
            user = os.getuid()
            raise SessionUnusable(
                f"{self.folder} can't be written by user {user}: run `chown -R {user} {self.folder}`, "
                "or set SESSION_PATH to another folder"
            ) from error
        except OSError as error:
            raise SessionUnusable(f"{self.folder} can't hold the session: {error.strerror}") from error

    def is_logged_in(self) -> bool:
        """Whether there is a session that was logged in once. Raises `SessionUnusable`."""
        if not self.path.is_file():
            return False
        try:
            with closing(sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True, timeout=1)) as database:
                rows = database.execute("SELECT test_mode, auth_key, user_id, is_bot FROM sessions").fetchall()
        except sqlite3.Error as error:
            raise explain(error, self.path) from error
        return any(all(value is not None for value in row) for row in rows)

    def signature(self) -> tuple[int, int] | None:
        """Changes when the file is replaced or written; None while there is none."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns

    def lock(self) -> ProcessLock:
        """Claim the session for this process. Raises `SessionInUse`, `SessionUnusable`."""
        path = self.path.with_name(self.path.name + ".lock")
        try:
            return ProcessLock(path)
        except Locked as locked:
            raise SessionInUse(f"{self.path} is {locked}: stop that one first") from locked
        except OSError as error:
            raise SessionUnusable(f"{path} can't be locked: {error.strerror}") from error


def explain(error: sqlite3.Error, path: Path) -> SessionInUse | SessionUnusable:
    """One line about what is wrong with the session's database, and what to do."""
    reason = str(error)
    if "locked" in reason or "busy" in reason:
        return SessionInUse(f"{path} is locked by another process: stop that one first")
    if "readonly" in reason or "unable to open" in reason:
        user = os.getuid()
        return SessionUnusable(f"{path} can't be written by user {user}: run `chown -R {user} {path.parent}`")
    return SessionUnusable(f"{path} is damaged ({reason}): move it away and run `./run.sh login`")
