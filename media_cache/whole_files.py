"""Files that are whole on the disk: their rows, and open descriptors of those asked for last."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from media_cache.accesses import Accesses
from media_cache.layout import MediaFolder
from media_cache.shared_file import Chunk, FileLost, SharedFile, open_whole
from single_flight import SingleFlight
from storage.media_store import MediaStore, StoredFile

log = logging.getLogger(__name__)

_ROWS_IN_MEMORY = 10_000
# Descriptors of files that were asked for last.
_FILES_HELD_OPEN = 128


def entity_tag(unique_id: str) -> str:
    """The strong ETag of a file: Telegram's unique id stands for the same bytes for ever."""
    return f'"{unique_id}"'


@dataclass(frozen=True, slots=True)
class Complete:
    """A file that is whole on the disk, open for reading: its removal does not hurt who holds this."""

    unique_id: str
    path: Path
    size: int
    mime_type: str
    file_name: str
    modified: int
    etag: str
    file: SharedFile
    _accesses: Accesses

    async def read(self, start: int, end: int) -> AsyncGenerator[Chunk, None]:
        """Bytes [start, end) in chunks. Raises StorageUnavailable if the disk does not give them."""
        with self._accesses.viewing(self.unique_id):
            async with aclosing(self.file.stream(start, end)) as chunks:
                async for chunk in chunks:
                    yield chunk


class WholeFiles:
    """The stored files of a folder and its table."""

    def __init__(self, folder: MediaFolder, store: MediaStore, accesses: Accesses) -> None:
        self._folder = folder
        self._store = store
        self._accesses = accesses
        self._rows: OrderedDict[str, StoredFile] = OrderedDict()
        self._held_open: OrderedDict[str, Complete] = OrderedDict()
        self._opening: SingleFlight[str, Complete | None] = SingleFlight()

    def at_hand(self, unique_id: str) -> Complete | None:
        """The file, if it was opened lately and is still whole. Does not wait for anything."""
        complete = self._held_open.get(unique_id)
        if complete is None:
            return None
        try:
            if not complete.file.is_whole(complete.size):
                raise FileLost
        except (FileLost, OSError):
            # `open` finds out what is wrong with it.
            del self._held_open[unique_id]
            return None
        self._held_open.move_to_end(unique_id)
        return complete

    async def open(self, unique_id: str) -> Complete | None:
        """The file, None if it is not stored. One that is lost or damaged loses its row. Raises StorageUnavailable.

        A crowd that asks at once gets one descriptor.
        """
        return await self._opening.run(unique_id, partial(self._open, unique_id))

    async def _open(self, unique_id: str) -> Complete | None:
        row = self._rows.get(unique_id) or await self._store.get(unique_id)
        if row is None:
            return None
        self._remember(row)
        path = self._folder.path(unique_id)
        try:
            file = await asyncio.get_running_loop().run_in_executor(None, open_whole, path, row.size)
        except FileLost as fault:
            log.warning("A stored media file is lost and will be fetched again: %s", fault)
            self.forget([unique_id])
            await self._store.remove([unique_id], self._folder.unlink)
            return None
        complete = Complete(
            unique_id=unique_id,
            path=path,
            size=row.size,
            mime_type=row.mime_type,
            file_name=row.file_name,
            modified=row.modified,
            etag=entity_tag(unique_id),
            file=file,
            _accesses=self._accesses,
        )
        self._held_open[unique_id] = complete
        if len(self._held_open) > _FILES_HELD_OPEN:
            self._held_open.popitem(last=False)
        return complete

    async def add(self, row: StoredFile, take_name: Callable[[], None]) -> None:
        """The file is whole and gets its final name with `take_name`. Raises StorageUnavailable or OSError."""
        await self._store.add(row, take_name)
        self._remember(row)

    def forget(self, unique_ids: Iterable[str]) -> None:
        """The files are about to be removed."""
        for unique_id in unique_ids:
            self._rows.pop(unique_id, None)
            self._held_open.pop(unique_id, None)

    def _remember(self, row: StoredFile) -> None:
        self._rows[row.unique_id] = row
        self._rows.move_to_end(row.unique_id)
        if len(self._rows) > _ROWS_IN_MEMORY:
            self._rows.popitem(last=False)
