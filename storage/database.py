"""The one thread that talks to SQLite."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import TypeVar

from errors import StorageError, StorageUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")

Migration = Sequence[str]
"""SQL statements, one string each, that lift the database by one version; they run in one transaction."""

_BUSY_TIMEOUT_MS = 5000
_SET_ASIDE_KEPT = 3
_LOG_INDEX_BYTES = 32 * 1024

_Identity = tuple[int, int]
"""The device and inode of a file."""


class _Damaged(Exception):
    """The database file can't be used as it is and has to be set aside."""


class _Failing(Enum):
    """What the database can't do at present."""

    READ = auto()
    WRITE = auto()


class Database:
    """One SQLite database, used by one thread of its own.

    A file that is removed or replaced while it is in use is noticed at the next work, which is done on what is there
    then. The first fault of a disk that is full or fails is logged, and the first success afterwards.

    Made by `Database.open`. Work is handed over as a function of the connection; the function runs in that thread
    inside one transaction and must touch nothing but the connection and its own values, since it runs a second
    time, on an empty database, if the file turns out to be damaged.
    """

    def __init__(self, path: Path, migrations: Sequence[Migration]) -> None:
        self.path = path
        self._migrations = tuple(migrations)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sqlite")
        self._connection: sqlite3.Connection | None = None
        self._closing = False
        # Which files are open: the database and its log.
        self._identity: _Identity | None = None
        self._log_identity: _Identity | None = None
        self._failing: _Failing | None = None
        self._size = 0

    @classmethod
    async def open(cls, path: Path, migrations: Sequence[Migration]) -> Database:
        """Open or create the database and lift it to the newest version.

        A file that is damaged, no database, or of a newer version is renamed to `<name>.corrupt-<UTC time>` and an
        empty database takes its place. While the disk is full, work raises StorageUnavailable, as it does later on.
        Raises StorageError if the folder or the file can't be used for another reason.
        """
        database = cls(path, migrations)
        try:
            await asyncio.get_running_loop().run_in_executor(database._thread, database._begin)
        except BaseException:
            database._thread.shutdown(wait=False)
            raise
        return database

    @property
    def size(self) -> int:
        """Bytes of the file and its log when they were last used."""
        return self._size

    @property
    def failing(self) -> bool:
        """Whether the disk does not take or give data at present."""
        return self._failing is not None

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in a writing transaction: all of it is stored when this returns, nothing if it raises.

        Raises what `work` raises, and StorageUnavailable for a full, failing or locked disk. If the caller is
        cancelled, work that has begun is still finished.
        """
        return await self._submit(work, "BEGIN IMMEDIATE")

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Like `run`, for work that only reads: it sees one state of the database and waits for no lock."""
        return await self._submit(work, "BEGIN")

    async def close(self) -> None:
        """Finish the work that was handed over and close the file. Later work raises StorageUnavailable."""
        if self._closing:
            return
        self._closing = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown(wait=False)

    async def _submit(self, work: Callable[[sqlite3.Connection], T], begin: str) -> T:
        if self._closing:
            raise StorageUnavailable("The bridge is stopping")
        return await asyncio.get_running_loop().run_in_executor(self._thread, partial(self._perform, work, begin))

    # All below runs in the database's thread.

    def _begin(self) -> None:
        try:
            self._open()
        except StorageError as fault:
            if not _means_full(fault.__cause__, self.path.parent):
                raise
            self._note_failure(_Failing.WRITE, fault)

    def _perform(self, work: Callable[[sqlite3.Connection], T], begin: str) -> T:
        action = _Failing.READ if begin == "BEGIN" else _Failing.WRITE
        try:
            try:
                result = self._transact(work, begin)
            except sqlite3.DatabaseError as fault:
                if not _means_damage(fault):
                    raise
                self._rebuild(str(fault))
                result = self._transact(work, begin)
        except StorageError as fault:
            self._note_failure(action, fault)
            # What stops a start is a passing fault for a running service: the owner may heal the disk.
            raise StorageUnavailable(str(fault)) from fault
        except StorageUnavailable as fault:
            self._note_failure(action, fault)
            raise
        if self._failing is not None and action in (self._failing, _Failing.WRITE):
            self._failing = None
            log.warning("Database %s can be used again", self.path)
        return result

    def _note_failure(self, action: _Failing, fault: Exception) -> None:
        """Log the first failure of many."""
        if self._failing is None:
            log.error("%s. The service goes on without storing anything until that is mended", fault)
        if self._failing is not _Failing.WRITE:
            self._failing = action

    def _transact(self, work: Callable[[sqlite3.Connection], T], begin: str) -> T:
        if self._connection is not None and self._was_replaced():
            log.warning("Database %s was removed or replaced while in use: going on with what is there now", self.path)
            self._leave()
        if self._connection is None:
            self._open()
        connection = self._connection
        assert connection is not None
        try:
            connection.execute(begin)
            try:
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                # SQLite itself rolls back on some faults, then there is no transaction to end.
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as fault:
            if _is_passing(fault):
                raise StorageUnavailable(f"Database {self.path}: {fault}") from fault
            raise
        return result

    def _was_replaced(self) -> bool:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return True
        except OSError:
            # SQLite itself finds out what that means.
            return False
        with suppress(OSError):
            self._size = status.st_size + self._beside("-wal").stat().st_size
        return (status.st_dev, status.st_ino) != self._identity

    def _leave(self) -> None:
        """Close a database that was moved away. Its log must not be taken for that of the file in its place."""
        self._disconnect()
        if self._log_identity is not None and _identity(self._beside("-wal")) == self._log_identity:
            for suffix in ("-wal", "-shm"):
                self._beside(suffix).unlink(missing_ok=True)

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    def _open(self) -> None:
        try:
            self._connect()
        except _Damaged as fault:
            self._rebuild(str(fault))
        except (sqlite3.OperationalError, OSError) as fault:
            self._disconnect()
            if isinstance(fault, OSError) or _is_passing(fault):
                raise self._unusable(fault) from fault
            raise

    def _connect(self) -> None:
        """Open, configure, check and migrate. Raises _Damaged if another file should take this one's place."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # SQLite's own files beside the database take over this mode.
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        connection = sqlite3.connect(self.path, isolation_level=None)
        self._connection = connection
        try:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise _Damaged(str(verdict).replace("\n", " "))
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > len(self._migrations):
                raise _Damaged(f"version {version} is newer than {len(self._migrations)}, the newest known one")
            for number, migration in enumerate(self._migrations[version:], start=version + 1):
                self._migrate(connection, number, migration)
            self._identity, self._log_identity = _identity(self.path), _identity(self._beside("-wal"))
        except sqlite3.DatabaseError as fault:
            if _means_damage(fault):
                raise _Damaged(str(fault)) from fault
            raise

    @staticmethod
    def _migrate(connection: sqlite3.Connection, number: int, migration: Migration) -> None:
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in migration:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _rebuild(self, reason: str) -> None:
        """Set the file aside and start with an empty database."""
        self._disconnect()
        aside = f"{self.path.name}.corrupt-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"
        log.warning("Database %s is unusable (%s): kept as %s, starting with an empty one", self.path, reason, aside)
        try:
            for suffix in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    self._beside(suffix).rename(self.path.with_name(aside + suffix))
            self._forget_old_ones()
            self._connect()
        except (_Damaged, sqlite3.OperationalError, OSError) as fault:
            self._disconnect()
            raise self._unusable(fault) from fault

    def _forget_old_ones(self) -> None:
        """Keep the newest damaged files only, lest a failing disk fills up with them."""
        marked = f"{self.path.name}.corrupt-"
        names = sorted(entry.name for entry in self.path.parent.iterdir() if entry.name.startswith(marked))
        kept = [name for name in names if name.endswith("Z")][-_SET_ASIDE_KEPT:]
        for name in names:
            if not name.startswith(tuple(kept)):
                self.path.with_name(name).unlink(missing_ok=True)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _unusable(self, fault: Exception) -> StorageError:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        place = fault.filename if isinstance(fault, OSError) and fault.filename else self.path
        return StorageError(
            f"Cannot use the database {self.path}: {place}: {reason}. Make {self.path.parent} a folder that uid "
            f"{os.getuid()} can write, with space left (for example: chown -R {os.getuid()} {self.path.parent})"
        )


# Faults of the disk or of another process, not of the statement or the file's content.
_PASSING_CODES = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOMEM,
    }
)


def _identity(path: Path) -> _Identity | None:
    """Which file it is, None if there is none. Raises OSError."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _means_full(fault: BaseException | None, folder: Path) -> bool:
    """Whether all that is wrong is that the disk has no space."""
    if isinstance(fault, OSError):
        return fault.errno in (errno.ENOSPC, errno.EDQUOT)
    if not isinstance(fault, sqlite3.Error):
        return False
    # SQLite calls it an I/O error when it is the index of its log that finds no space.
    no_index = _primary_code(fault) == sqlite3.SQLITE_IOERR and shutil.disk_usage(folder).free < _LOG_INDEX_BYTES
    return no_index or _primary_code(fault) == sqlite3.SQLITE_FULL


def _primary_code(fault: sqlite3.Error) -> int:
    # An extended code keeps the primary one in its low byte. Faults of the Python module itself have no code.
    return getattr(fault, "sqlite_errorcode", 0) & 0xFF


def _is_passing(fault: sqlite3.Error) -> bool:
    return _primary_code(fault) in _PASSING_CODES


def _means_damage(fault: sqlite3.Error) -> bool:
    return _primary_code(fault) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
