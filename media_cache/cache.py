"""The way to every media file: from the disk if it is there, else by one shared download."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path

from errors import BridgeError, StorageUnavailable
from media_cache import mime
from media_cache.accesses import Accesses
from media_cache.download import PARTS_IN_FLIGHT, Download
from media_cache.failures import FailureMemory
from media_cache.flights import Flights
from media_cache.gone import GoneMemory, Place
from media_cache.layout import MediaFolder
from media_cache.pace import Patience, TimeLimits
from media_cache.room import Room
from media_cache.shared_file import Chunk
from media_cache.source import FileSource, FindFile
from media_cache.sweeper import CacheLimits, Sweeper
from media_cache.turns import STALL, Turns
from media_cache.whole_files import Complete, WholeFiles, entity_tag
from model.media import FileRef
from storage.gone_store import GoneStore
from storage.media_store import MediaStore, StoredFile, Usage
from tg_throttle import Priority

__all__ = ["Complete", "MediaCache", "Progress", "entity_tag"]

log = logging.getLogger(__name__)

TURN_TIMEOUT = 30.0
FLUSH_INTERVAL = 60.0
SWEEP_INTERVAL = 3600.0
# Seconds at least between two sweeps, however quickly the cache grows over its size limit.
SWEEP_PAUSE = 60.0


@dataclass(frozen=True, slots=True)
class Progress:
    """A file that is on its way."""

    download: Download
    etag: str
    _accesses: Accesses

    async def read(self, start: int, end: int) -> AsyncGenerator[Chunk, None]:
        """Bytes [start, end) as they arrive. Raises the download's failure."""
        # The file may be whole long before a viewer has come to the end of it.
        with self._accesses.viewing(self.download.unique_id):
            async with aclosing(self.download.read(start, end)) as chunks:
                async for chunk in chunks:
                    yield chunk


class MediaCache:
    """Media files by their unique id, in one folder and one table.

    `sweep_forever` and `flush_forever` are for the supervisor, `prepare` for the start and `close` for the end.
    """

    def __init__(
        self,
        root: Path,
        store: MediaStore,
        gone: GoneStore,
        source: FileSource,
        *,
        max_parallel: int,
        time_limits: TimeLimits | None = None,
        cache_limits: CacheLimits | None = None,
        parts_in_flight: int = PARTS_IN_FLIGHT,
        patience: Patience | None = None,
        turn_timeout: float = TURN_TIMEOUT,
        stall: float = STALL,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`root` is the media folder, made when needed. At most `max_parallel` files are downloaded at a time; a
        request waits at most `turn_timeout` seconds for its turn, and has that of a download whose data center has been
        silent for `stall` seconds. `now` gives unix seconds."""
        self._folder = MediaFolder(root)
        self._store = store
        self._source = source
        self._time_limits = time_limits or TimeLimits()
        self._room = Room()
        self._most_bytes = cache_limits.most_bytes if cache_limits else 0
        # Set when a new file has made the cache larger than that.
        self._too_large = asyncio.Event()
        self._parts_in_flight = parts_in_flight
        self._patience = patience
        self._now = now
        self._turns = Turns(max_parallel, stall=stall)
        self._accesses = Accesses(store, now)
        self._whole = WholeFiles(self._folder, store, self._accesses)
        self._failures = FailureMemory(now)
        self._gone = GoneMemory(gone, now)
        # Called at the end of each download, with its fault if it has one.
        self.on_ended: Callable[[BridgeError | None], None] = lambda fault: None
        self._flights = Flights(
            self._turns,
            self._failures,
            self._gone,
            download=self._download,
            publish=self._publish,
            ended=lambda fault: self.on_ended(fault),
            turn_timeout=turn_timeout,
            now=now,
        )
        self.sweeper = Sweeper(
            self._folder,
            store,
            cache_limits or CacheLimits(),
            in_use=self._in_use,
            being_made=self._flights.names,
            forget=self._whole.forget,
            now=now,
        )

    def at_hand(self, unique_id: str) -> Complete | None:
        """The file, if it is whole and was opened lately; for others ask `open`. Does not wait for anything."""
        complete = self._whole.at_hand(unique_id)
        if complete is not None:
            self._accesses.note(unique_id)
        return complete

    async def open(
        self,
        channel_id: int,
        post_id: int,
        unique_id: str,
        find: FindFile,
        refresh: FindFile | None = None,
        *,
        priority: Priority = Priority.INTERACTIVE,
    ) -> Complete | Progress:
        """The file, whole or on its way. A whole file needs neither Telegram nor `find`.

        `find` looks the file up in the post; `refresh` does so by asking Telegram for the message again, for an
        expired reference (the default is `find`, which then has to do that). Many callers at once cause one look-up
        and one download, and one that is cancelled disturbs no other. With `priority` BACKGROUND a download waits for
        as long as viewers want all turns but one, and takes the caller's place in the queue as soon as a viewer asks.

        Raises what `find` raises; Overloaded if there is no turn within 30 s; the last fault of this file while its
        pause lasts; FloodWait for a file that is not here during a flood; StorageUnavailable.
        """
        if complete := self.at_hand(unique_id):
            return complete
        self._accesses.note(unique_id)
        if unique_id not in self._flights and (complete := await self._whole.open(unique_id)):
            return complete
        place = Place(channel_id, post_id)
        download = await self._flights.board(place, unique_id, find, refresh or find, priority)
        return Progress(download, entity_tag(unique_id), self._accesses)

    async def look_at(
        self, channel_id: int, post_id: int, unique_id: str, find: FindFile
    ) -> Complete | Progress | FileRef:
        """The file, whole or on its way, or what is known of one that is neither; nothing is fetched for this.

        Raises as `open` does, but for what only a download can meet.
        """
        if complete := self.at_hand(unique_id) or await self._whole.open(unique_id):
            self._accesses.note(unique_id)
            return complete
        if download := self._flights.under_way(unique_id):
            return Progress(download, entity_tag(unique_id), self._accesses)
        return await self._flights.look_up(Place(channel_id, post_id), unique_id, find)

    async def prepare(self) -> None:
        """All that is to be done at the start; files may be opened meanwhile."""
        await asyncio.to_thread(mime.load)
        try:
            await self._gone.load()
        except StorageUnavailable as fault:
            log.warning("Which files are gone has to be found out anew: %s", fault)
        await self.reconcile()

    async def reconcile(self) -> None:
        """Make the folder and the table agree, after a crash for example. A disk that refuses is logged."""
        try:
            swept = await self.sweeper.reconcile()
        except (StorageUnavailable, OSError) as fault:
            # Feeds work without; each media request finds out for itself what does not.
            log.warning("The media folder could not be put in order: %s", fault)
            return
        if swept.files or swept.strays:
            log.info("Media folder: dropped %d incomplete and %d stray files", swept.files, swept.strays)

    async def sweep_forever(self, interval: float = SWEEP_INTERVAL, pause: float = SWEEP_PAUSE) -> None:
        """Remove what is out of date, each `interval` seconds.

        When a new file makes the cache larger than it may be, that is done sooner, `pause` seconds after the sweep
        before at the earliest.
        """
        while True:
            await asyncio.sleep(min(pause, interval))
            with suppress(TimeoutError):
                async with asyncio.timeout(max(interval - pause, 0)):
                    await self._too_large.wait()
            self._too_large.clear()
            try:
                await self.flush()
                swept = await self.sweeper.sweep()
            except (StorageUnavailable, OSError) as fault:
                log.warning("The media folder could not be swept: %s", fault)
            else:
                log.info("Media folder: removed %d files and %d strays", swept.files, swept.strays)

    async def flush_forever(self, interval: float = FLUSH_INTERVAL) -> None:
        """Write down what is noted in memory, each `interval` seconds."""
        while True:
            await asyncio.sleep(interval)
            try:
                await self.flush()
            except StorageUnavailable as fault:
                log.warning("Accesses to media are still to be written down: %s", fault)

    async def flush(self) -> None:
        """Write down accesses, and which files are gone. What could not be written stays noted.

        Raises StorageUnavailable.
        """
        await self._accesses.flush()
        await self._gone.flush()

    async def close(self) -> None:
        """Break downloads off and write accesses down. Files that are not here can't be opened any more."""
        await self._flights.close()
        try:
            await self.flush()
        except StorageUnavailable as fault:
            log.warning("The last accesses to media are lost: %s", fault)

    def forget_failures(self) -> None:
        """Let every file be tried again at once, after a verified restart of the Telegram client.

        What posts are known to have lost stays lost.
        """
        self._failures.forget_all()
        self._flights.forget_flood()

    @property
    def running(self) -> int:
        """How many downloads are running."""
        return self._flights.running

    @property
    def waiting(self) -> int:
        """How many files are being looked up or wait for their turn."""
        return self._flights.waiting

    @property
    def gone(self) -> frozenset[str]:
        """The unique ids of files that Telegram was found, within a day, not to have any more."""
        return self._failures.gone()

    @property
    def failing(self) -> int:
        """How many files have failed lately."""
        return len(self._failures) + len(self._gone)

    @property
    def stored(self) -> Usage | None:
        """How many whole files there are, and their bytes; None until that was looked up at the start."""
        return self._store.noted

    # What the warmer asks.

    async def fetch(self, channel_id: int, post_id: int, file: FileRef, refresh: FindFile) -> bool:
        """Have the file on the disk, behind all viewers; whether it was not there before.

        Raises as `open` does, and the failure of the download, when it has been noted.
        """

        async def known() -> FileRef:
            return file

        unique_id = file.unique_id
        found = await self.open(channel_id, post_id, unique_id, known, refresh, priority=Priority.BACKGROUND)
        if isinstance(found, Complete):
            return False
        try:
            await found.download.finished()
        finally:
            await self._flights.landed(unique_id)
        return True

    def shown(self, files: Iterable[tuple[int, int, str]]) -> None:
        """A document names these files (channel id, post id, unique id): those that were gone are back."""
        for channel_id, post_id, unique_id in files:
            self._gone.found(Place(channel_id, post_id), unique_id)

    def keep(self, unique_id: str) -> None:
        """The file is in use without being asked for: a document that is read now names it."""
        self._accesses.note(unique_id)

    async def last_accesses(self, unique_ids: Collection[str]) -> dict[str, int]:
        """When those of the files that are stored were last asked for. Raises StorageUnavailable."""
        return await self._store.last_accesses(unique_ids)

    def pause_of(self, unique_id: str) -> float:
        """For how many seconds the file is not asked for because it failed."""
        return self._failures.pause_of(unique_id)

    def failures_of(self, unique_id: str) -> int:
        """How often in a row the file has failed."""
        return self._failures.times(unique_id)

    # What others are told.

    def _in_use(self, unique_id: str) -> bool:
        return unique_id in self._flights or self._accesses.in_use(unique_id)

    def _download(self, file: FileRef, refresh: FindFile) -> Download:
        return Download(
            file,
            self._folder.path(file.unique_id),
            self._source,
            refresh,
            modified=file.date or int(self._now()),
            limits=self._time_limits,
            room=self._room,
            parts_in_flight=self._parts_in_flight,
            patience=self._patience,
        )

    async def _publish(self, download: Download) -> None:
        now = int(self._now())
        row = StoredFile(
            unique_id=download.unique_id,
            size=await download.size(),
            mime_type=await download.mime_type(),
            file_name=download.file_name,
            modified=download.modified,
            stored_at=now,
            last_access=now,
        )
        await self._whole.add(row, download.take_name)
        stored = self._store.noted
        if self._most_bytes and stored is not None and stored.size > self._most_bytes:
            self._too_large.set()
