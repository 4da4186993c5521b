"""The table of media files that are whole on the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

import msgspec

from errors import StorageUnavailable
from storage.database import Database, Migration

T = TypeVar("T")

MEDIA_FILES: Migration = (
    "CREATE TABLE media_files ("
    " unique_id TEXT PRIMARY KEY,"
    " size INTEGER NOT NULL,"
    " mime_type TEXT NOT NULL,"
    " file_name TEXT NOT NULL,"
    " modified INTEGER NOT NULL,"
    " stored_at INTEGER NOT NULL,"
    " last_access INTEGER NOT NULL"
    ") WITHOUT ROWID",
    "CREATE INDEX media_files_by_access ON media_files (last_access)",
)


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file on the disk. `size` in bytes, times in unix seconds; `modified` is its Last-Modified."""

    unique_id: str
    size: int
    mime_type: str
    file_name: str
    modified: int
    stored_at: int
    last_access: int


class Usage(msgspec.Struct, frozen=True):
    """How many files there are and how many bytes they take together."""

    files: int
    size: int


class MediaStore:
    """Rows of `media_files`. All methods raise StorageUnavailable if the disk does not take or give data."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._noted: Usage | None = None

    @property
    def noted(self) -> Usage | None:
        """How much there was after the latest change; None until it was looked up once."""
        return self._noted

    async def get(self, unique_id: str) -> StoredFile | None:
        """The file's row, None if there is none."""

        def work(connection: sqlite3.Connection) -> StoredFile | None:
            row = connection.execute(
                "SELECT size, mime_type, file_name, modified, stored_at, last_access FROM media_files"
                " WHERE unique_id = ?",
                (unique_id,),
            ).fetchone()
            if row is None:
                return None
            size, mime_type, file_name, modified, stored_at, last_access = row
            return StoredFile(
                unique_id=unique_id,
                size=size,
                mime_type=mime_type,
                file_name=file_name,
                modified=modified,
                stored_at=stored_at,
                last_access=last_access,
            )

        return await self._database.read(work)

    async def add(self, file: StoredFile, take_name: Callable[[], None]) -> None:
        """Add the file or replace its row, and give it its final name with `take_name`, which may be called twice.

        Both happen in the database's thread, so that no other work there finds one without the other. If this raises,
        the file may have its name and no row. Raises the OSError of `take_name`.
        """

        def work(connection: sqlite3.Connection) -> Usage:
            connection.execute(
                "INSERT OR REPLACE INTO media_files"
                " (unique_id, size, mime_type, file_name, modified, stored_at, last_access)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    file.unique_id,
                    file.size,
                    file.mime_type,
                    file.file_name,
                    file.modified,
                    file.stored_at,
                    file.last_access,
                ),
            )
            usage = _usage(connection)
            take_name()
            return usage

        self._noted = await self._database.run(work)

    async def touch(self, accesses: Mapping[str, int]) -> None:
        """Set the last accesses (unix seconds) of files; those without a row are passed over."""
        rows = [(moment, unique_id) for unique_id, moment in accesses.items()]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("UPDATE media_files SET last_access = max(last_access, ?) WHERE unique_id = ?", rows)

        await self._database.run(work)

    async def remove(
        self,
        unique_ids: Iterable[str],
        unlink: Callable[[str], None],
        *,
        spare: Callable[[str], bool] = lambda unique_id: False,
    ) -> int:
        """Remove rows and, with `unlink`, their files, apart from those that are to be spared; how many.

        All happens in the database's thread: a file that is stored anew is so before or after, never in between.
        """
        candidates = list(unique_ids)

        def work(connection: sqlite3.Connection) -> tuple[int, Usage]:
            doomed = [name for name in candidates if not spare(name)]
            connection.executemany("DELETE FROM media_files WHERE unique_id = ?", [(name,) for name in doomed])
            for name in doomed:
                unlink(name)
            return len(doomed), _usage(connection)

        if not candidates:
            return 0
        try:
            removed, self._noted = await self._database.run(work)
        except OSError as fault:
            raise StorageUnavailable(f"A media file can't be removed: {fault.strerror or fault}") from fault
        return removed

    async def beside(self, work: Callable[[list[str]], T]) -> T:
        """Do the work, given the unique ids of all rows, in the database's thread: no row comes or goes meanwhile.

        The work may be done twice. Raises what it raises.
        """
        return await self._database.read(
            lambda connection: work([name for (name,) in connection.execute("SELECT unique_id FROM media_files")])
        )

    async def sizes(self) -> dict[str, int]:
        """The size of every file by its unique id."""
        sizes: dict[str, int] = await self._database.read(
            lambda connection: dict(connection.execute("SELECT unique_id, size FROM media_files").fetchall())
        )
        self._noted = Usage(len(sizes), sum(sizes.values()))
        return sizes

    async def last_accesses(self, unique_ids: Collection[str]) -> dict[str, int]:
        """When those of the files that are stored were last asked for, by unique id."""

        def work(connection: sqlite3.Connection) -> dict[str, int]:
            query = "SELECT last_access FROM media_files WHERE unique_id = ?"
            rows = ((unique_id, connection.execute(query, (unique_id,)).fetchone()) for unique_id in unique_ids)
            return {unique_id: row[0] for unique_id, row in rows if row is not None}

        return await self._database.read(work)

    async def unused_since(self, moment: int, *, larger_than: int = 0) -> list[str]:
        """Files of more than `larger_than` bytes whose last access is before `moment`."""
        return await self._database.read(
            lambda connection: [
                unique_id
                for (unique_id,) in connection.execute(
                    "SELECT unique_id FROM media_files WHERE last_access < ? AND size > ?", (moment, larger_than)
                )
            ]
        )

    async def oldest_beyond(self, size: int) -> list[str]:
        """The least recently used files that have to go for the rest to fit into `size` bytes.

        One that is larger than that by itself goes, and takes no other with it.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            kept = 0
            doomed = []
            rows = connection.execute("SELECT unique_id, size FROM media_files ORDER BY last_access DESC, unique_id")
            for unique_id, file_size in rows:
                if file_size <= size:
                    kept += file_size
                if file_size > size or kept > size:
                    doomed.append(unique_id)
            return doomed

        return await self._database.read(work)

    async def usage(self, *, since: int = 0) -> Usage:
        """How much there is of files whose last access is at `since` or later."""

        def work(connection: sqlite3.Connection) -> Usage:
            files, size = connection.execute(
                "SELECT count(*), total(size) FROM media_files WHERE last_access >= ?", (since,)
            ).fetchone()
            return Usage(files, int(size))

        return await self._database.read(work)


def _usage(connection: sqlite3.Connection) -> Usage:
    files, size = connection.execute("SELECT count(*), total(size) FROM media_files").fetchone()
    return Usage(files, int(size))
