"""The parts of one file at Telegram, whose reference expires now and then."""

from __future__ import annotations

import asyncio

from errors import FileReferenceExpired, MediaGone
from media_cache.pace import WrongPart
from media_cache.source import FileSource, FindFile
from model.media import FileRef

# References live for hours; a download that needs more of them than this is not getting anywhere.
_MOST_REFRESHES = 16


class PartSource:
    """Asks for parts of a file, any number at a time, and renews its reference for all of them at once."""

    def __init__(self, file: FileRef, source: FileSource, refresh: FindFile) -> None:
        """`refresh` fetches the file's message anew for a fresh reference."""
        self.file = file
        self._source = source
        self._refresh = refresh
        self._refresh_lock = asyncio.Lock()
        self._refreshes = 0
        # Whether any part has come with the present reference.
        self._reference_works = False

    async def part(self, offset: int, limit: int, expected: int | None) -> bytes:
        """One part, `expected` bytes long (None: at most `limit`, and not empty at the start of the file).

        An expired reference is renewed. Raises WrongPart for a part of another length, MediaGone if no reference works,
        what `refresh` raises, and what the source does.
        """
        while True:
            file = self.file
            try:
                data = await self._source.file_part(file, offset, limit)
            except FileReferenceExpired:
                async with self._refresh_lock:
                    # Else another part has brought a new reference meanwhile.
                    if self.file is file:
                        await self._renew()
                continue
            if self.file is file:
                self._reference_works = True
            if len(data) == expected or (expected is None and (data or offset) and len(data) <= limit):
                return data
            wanted = limit if expected is None else expected
            raise WrongPart(len(data), wanted)

    async def _renew(self) -> None:
        if self._refreshes >= _MOST_REFRESHES or (self._refreshes and not self._reference_works):
            raise MediaGone("Telegram does not give out this file any more")
        # A look-up that fails for a while has renewed nothing.
        fresh = await self._refresh()
        self._refreshes += 1
        self._reference_works = False
        if fresh.unique_id != self.file.unique_id:
            raise MediaGone("The post has another file now")
        self.file = fresh
