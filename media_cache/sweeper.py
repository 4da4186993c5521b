"""Keeps the media folder and the database in agreement, and both within their limits."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from errors import StorageUnavailable
from media_cache.layout import MediaFolder, is_part
from storage.media_store import MediaStore

log = logging.getLogger(__name__)

# Bigger files are kept for an hour after their last viewer only.
BIG_FILE = 100 * 1000 * 1000
BIG_FILE_TTL = 3600
# A file that was asked for within this time does not make room for one that nobody has asked for, in seconds.
_FRESH = 86400
# How much of the disk stays free of files that nobody has asked for: a twentieth, at most this many bytes.
_FREE_SHARE = 20
_MOST_FREE = 10**9
# A stray file younger than this may be one that is just being made or published.
STRAY_AGE = 3600
_DAY = 86400
_BATCH = 50


class CacheLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What may stay: files seen within `ttl_days`, `most_bytes` in all (0: any number)."""

    ttl_days: int = 20
    most_bytes: int = 0


class Swept(msgspec.Struct, frozen=True):
    """What a sweep removed: files with rows, and strays (partials, files without a row)."""

    files: int
    strays: int


class Sweeper:
    """Removes what should not be in the media folder. Never a file that `in_use` names or that is in `being_made`.

    What is to go is looked for beside all that goes on, and so only a guess. It is judged again in the moment of its
    removal, in the database's thread, where files get their names and rows.
    """

    def __init__(
        self,
        folder: MediaFolder,
        store: MediaStore,
        limits: CacheLimits,
        *,
        in_use: Callable[[str], bool],
        being_made: Callable[[], Collection[str]],
        forget: Callable[[Iterable[str]], None],
        now: Callable[[], float] = time.time,
    ) -> None:
        """`being_made` are the unique ids of all files on their way; `forget` is told what is about to be removed.

        `in_use` and `being_made` are called in other threads, too.
        """
        self._folder = folder
        self._store = store
        self._limits = limits
        self._in_use = in_use
        self._being_made = being_made
        self._forget = forget
        self._now = now
        self._started = now()

    async def sweep(self) -> Swept:
        """One round. Raises StorageUnavailable or OSError."""
        now = int(self._now())
        removed = await self._remove(await self._store.unused_since(now - self._limits.ttl_days * _DAY))
        removed += await self._remove(await self._store.unused_since(now - BIG_FILE_TTL, larger_than=BIG_FILE))
        if self._limits.most_bytes:
            removed += await self._remove(await self._store.oldest_beyond(self._limits.most_bytes))
        strays = await self._remove_strays(now - STRAY_AGE)
        return Swept(removed, strays)

    async def make_room(self, size: int) -> bool:
        """Whether there is room for a file of `size` bytes that nobody has asked for yet.

        Room under the cap is made by removing files that nobody has asked for within a day, the oldest first; nothing
        is removed if they are not enough. Raises StorageUnavailable, also if too little of the disk would stay free.
        """
        try:
            if not await asyncio.to_thread(self._leaves_disk_free, size):
                raise StorageUnavailable("The disk is almost full")
            return await self._make_room_under_cap(size)
        except OSError as fault:
            raise StorageUnavailable(f"The media folder can't be used: {fault.strerror or fault}") from fault

    async def _make_room_under_cap(self, size: int) -> bool:
        most = self._limits.most_bytes
        if not most or (await self._store.usage()).size + size <= most:
            return True
        fresh = int(self._now()) - _FRESH
        if (await self._store.usage(since=fresh)).size + size > most:
            return False
        await self._remove(await self._store.oldest_beyond(most - size))
        return (await self._store.usage()).size + size <= most

    async def reconcile(self) -> Swept:
        """Make rows and files agree: partials and files without a row go, and rows without their whole file.

        For the start: of strays those from before it go, so that downloads may already run.
        Raises StorageUnavailable or OSError.
        """
        strays = await self._remove_strays(self._started)
        sizes = await self._store.sizes()
        lost = await asyncio.to_thread(lambda: [name for name in sizes if not self._is_whole(name, sizes[name])])
        return Swept(await self._remove(lost, spare=lambda name: self._is_whole(name, sizes[name])), strays)

    async def _remove(self, unique_ids: Iterable[str], spare: Callable[[str], bool] = lambda unique_id: False) -> int:
        candidates = list(unique_ids)
        removed = 0
        # In batches, so that the database's thread is free in between; files come into use meanwhile.
        for start in range(0, len(candidates), _BATCH):
            batch = candidates[start : start + _BATCH]
            doomed = [unique_id for unique_id in batch if not self._in_use(unique_id)]
            self._forget(doomed)
            removed += await self._store.remove(
                doomed, self._folder.unlink, spare=lambda name: self._in_use(name) or spare(name)
            )
        return removed

    def _leaves_disk_free(self, size: int) -> bool:
        """Runs in a thread."""
        self._folder.root.mkdir(parents=True, exist_ok=True)
        disk = os.statvfs(self._folder.root)
        reserve = min(disk.f_blocks * disk.f_frsize // _FREE_SHARE, _MOST_FREE)
        return disk.f_bavail * disk.f_frsize - size >= reserve

    async def _remove_strays(self, before: float) -> int:
        found = await asyncio.to_thread(self._files_from, before)
        if not found:
            return 0
        sizes = await self._store.sizes()
        strays = await asyncio.to_thread(self._without_row, found, sizes)
        if not strays:
            return 0
        return await self._store.beside(lambda unique_ids: self._unlink_strays(strays, unique_ids))

    def _files_from(self, before: float) -> list[Path]:
        """Runs in a thread."""
        found = []
        for path in self._folder.files():
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < before:
                    found.append(path)
        return found

    def _without_row(self, paths: Iterable[Path], unique_ids: Iterable[str]) -> list[Path]:
        """Runs in a thread."""
        known = {self._folder.name(unique_id) for unique_id in unique_ids}
        return [path for path in paths if path.name not in known]

    def _unlink_strays(self, candidates: Iterable[Path], unique_ids: Iterable[str]) -> int:
        """Runs in the database's thread.

        A download that is over has left no part file, and its file under the final name has its row: so whatever is
        neither in the table nor on its way belongs to nobody.
        """
        removed = 0
        for path in self._without_row(candidates, unique_ids):
            # Asked each time: downloads begin and end meanwhile. A part file's name begins with its final name.
            being_made = {self._folder.name(unique_id) for unique_id in self._being_made()}
            if path.name.split(".", 1)[0] in being_made:
                continue
            try:
                path.unlink()
            except FileNotFoundError:
                continue
            removed += 1
            log.info("Removed %s %s", "the unfinished file" if is_part(path) else "the file without a record", path)
        return removed

    def _is_whole(self, unique_id: str, size: int) -> bool:
        """Runs in a thread."""
        try:
            return self._folder.path(unique_id).stat().st_size == size
        except FileNotFoundError:
            return False
