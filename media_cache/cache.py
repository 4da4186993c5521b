"""The way to every media file: from the disk if it is there, else by one shared download."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from errors import (
    BridgeError,
    FloodWait,
    MediaGone,
    Overloaded,
    PostNotFound,
    StorageUnavailable,
    TelegramUnavailable,
)
from media_cache import mime
from media_cache.download import PARTS_IN_FLIGHT, Download, TimeLimits
from media_cache.failures import FailureMemory
from media_cache.layout import MediaFolder
from media_cache.shared_file import FileLost, SharedFile, open_whole
from media_cache.source import FileSource, FindFile
from media_cache.sweeper import CacheLimits, Sweeper
from model.media import FileRef
from storage.media_store import MediaStore, StoredFile

log = logging.getLogger(__name__)

TURN_TIMEOUT = 30.0
FLUSH_INTERVAL = 60.0
SWEEP_INTERVAL = 3600.0
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
    _cache: MediaCache

    async def read(self, start: int, end: int) -> AsyncGenerator[bytes, None]:
        """Bytes [start, end) in chunks. Raises StorageUnavailable if the disk does not give them."""
        with self._cache.viewing(self.unique_id):
            async with aclosing(self.file.stream(start, end)) as chunks:
                async for chunk in chunks:
                    yield chunk


@dataclass(frozen=True, slots=True)
class Progress:
    """A file that is on its way."""

    download: Download
    etag: str


@dataclass(slots=True, eq=False)
class _Flight:
    """A file from its first request to the end of its download.

    `origin` is the post in which it is looked up. `ready` gets the download when it begins, or why it never did.
    """

    origin: tuple[int, int]
    ready: asyncio.Future[Download] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    task: asyncio.Task[None] | None = None
    waiters: int = 0
    # Since when it waits for its turn (the loop's time), None before and after.
    queued_since: float | None = None


class MediaCache:
    """Media files by their unique id, in one folder and one table.

    `sweep_forever` and `flush_forever` are for the supervisor, `prepare` for the start and `close` for the end.
    """

    def __init__(
        self,
        root: Path,
        store: MediaStore,
        source: FileSource,
        *,
        max_parallel: int,
        time_limits: TimeLimits | None = None,
        cache_limits: CacheLimits | None = None,
        parts_in_flight: int = PARTS_IN_FLIGHT,
        turn_timeout: float = TURN_TIMEOUT,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`root` is the media folder, made when needed. At most `max_parallel` files are downloaded at a time; a
        request waits at most `turn_timeout` seconds for its turn. `now` gives unix seconds."""
        self._folder = MediaFolder(root)
        self._store = store
        self._source = source
        self._time_limits = time_limits or TimeLimits()
        self._parts_in_flight = parts_in_flight
        self._turn_timeout = turn_timeout
        self._now = now
        self._turns = asyncio.Semaphore(max_parallel)
        self._flights: dict[str, _Flight] = {}
        self._failures = FailureMemory(now)
        # From when until when Telegram wants no calls.
        self._flood = (0.0, 0.0)
        self._rows: OrderedDict[str, StoredFile] = OrderedDict()
        self._held_open: OrderedDict[str, Complete] = OrderedDict()
        # How many are reading which whole file.
        self._viewers: Counter[str] = Counter()
        self._accesses: dict[str, int] = {}
        self._closing = False
        self.sweeper = Sweeper(
            self._folder,
            store,
            cache_limits or CacheLimits(),
            in_use=self._in_use,
            being_made=self._being_made,
            forget=self._forget_rows,
            now=now,
        )

    @contextmanager
    def viewing(self, unique_id: str) -> Iterator[None]:
        """For the time of the block the file is in use. Its end counts as an access: a film may take hours."""
        self._viewers[unique_id] += 1
        try:
            yield
        finally:
            self._viewers[unique_id] -= 1
            if not self._viewers[unique_id]:
                del self._viewers[unique_id]
            self._accesses[unique_id] = int(self._now())

    def at_hand(self, unique_id: str) -> Complete | None:
        """The file, if it is whole and was opened lately; for others ask `open`. Does not wait for anything."""
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
        self._accesses[unique_id] = int(self._now())
        return complete

    async def open(
        self, channel_id: int, post_id: int, unique_id: str, find: FindFile, refresh: FindFile | None = None
    ) -> Complete | Progress:
        """The file, whole or on its way. A whole file needs neither Telegram nor `find`.

        `find` looks the file up in the post; `refresh` does so by asking Telegram for the message again, for an
        expired reference (the default is `find`, which then has to do that). Many callers at once cause one look-up
        and one download, and one that is cancelled disturbs no other.

        Raises what `find` raises; Overloaded if there is no turn within 30 s; the last fault of this file while its
        pause lasts; FloodWait for a file that is not here during a flood; StorageUnavailable.
        """
        if complete := self.at_hand(unique_id):
            return complete
        self._accesses[unique_id] = int(self._now())
        post = (channel_id, post_id)
        while True:
            flight = self._flights.get(unique_id)
            if flight is None:
                complete = await self._complete(unique_id)
                if complete is not None:
                    return complete
                # Somebody else may have been faster meanwhile.
                flight = self._flights.get(unique_id) or self._start(post, unique_id, find, refresh or find)
            try:
                download = await self._turn(unique_id, flight)
            except (PostNotFound, MediaGone):
                if flight.origin != post:
                    # The file is in another post, too, which may still be there.
                    continue
                raise
            return Progress(download, entity_tag(unique_id))

    async def prepare(self) -> None:
        """All that is to be done at the start; files may be opened meanwhile."""
        await asyncio.to_thread(mime.load)
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

    async def sweep_forever(self, interval: float = SWEEP_INTERVAL) -> None:
        """Remove what is out of date, each `interval` seconds."""
        while True:
            await asyncio.sleep(interval)
            try:
                await self.flush()
                swept = await self.sweeper.sweep()
            except (StorageUnavailable, OSError) as fault:
                log.warning("The media folder could not be swept: %s", fault)
            else:
                log.info("Media folder: removed %d files and %d strays", swept.files, swept.strays)

    async def flush_forever(self, interval: float = FLUSH_INTERVAL) -> None:
        """Write noted accesses down, each `interval` seconds."""
        while True:
            await asyncio.sleep(interval)
            try:
                await self.flush()
            except StorageUnavailable as fault:
                log.warning("Accesses to media are still to be written down: %s", fault)

    async def flush(self) -> None:
        """Write noted accesses down. What could not be written stays noted. Raises StorageUnavailable."""
        accesses, self._accesses = self._accesses, {}
        if not accesses:
            return
        try:
            await self._store.touch(accesses)
        except BaseException:
            self._accesses = accesses | self._accesses
            raise

    async def close(self) -> None:
        """Break downloads off and write accesses down. Files that are not here can't be opened any more."""
        self._closing = True
        tasks = [flight.task for flight in self._flights.values() if flight.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        try:
            await self.flush()
        except StorageUnavailable as fault:
            log.warning("The last accesses to media are lost: %s", fault)

    def forget_failures(self) -> None:
        """Let every file be tried again at once, after a verified restart of the Telegram client."""
        self._failures.forget_all()
        self._flood = (0.0, 0.0)

    @property
    def running(self) -> int:
        """How many downloads are running."""
        return sum(flight.ready.done() for flight in self._flights.values())

    @property
    def waiting(self) -> int:
        """How many files are being looked up or wait for their turn."""
        return len(self._flights) - self.running

    @property
    def failing(self) -> int:
        """How many files have failed lately."""
        return len(self._failures)

    # Files that are here.

    async def _complete(self, unique_id: str) -> Complete | None:
        row = self._rows.get(unique_id) or await self._store.get(unique_id)
        if row is None:
            return None
        self._remember(row)
        path = self._folder.path(unique_id)
        try:
            file = await asyncio.get_running_loop().run_in_executor(None, open_whole, path, row.size)
        except FileLost as fault:
            log.warning("A stored media file is lost and will be fetched again: %s", fault)
            self._forget_rows([unique_id])
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
            _cache=self,
        )
        self._held_open[unique_id] = complete
        if len(self._held_open) > _FILES_HELD_OPEN:
            self._held_open.popitem(last=False)
        return complete

    def _remember(self, row: StoredFile) -> None:
        self._rows[row.unique_id] = row
        self._rows.move_to_end(row.unique_id)
        if len(self._rows) > _ROWS_IN_MEMORY:
            self._rows.popitem(last=False)

    def _forget_rows(self, unique_ids: Iterable[str]) -> None:
        for unique_id in unique_ids:
            self._rows.pop(unique_id, None)
            self._held_open.pop(unique_id, None)

    def _in_use(self, unique_id: str) -> bool:
        return unique_id in self._viewers or unique_id in self._flights or unique_id in self._accesses

    def _being_made(self) -> list[Path]:
        return [self._folder.path(unique_id) for unique_id in list(self._flights)]

    # Files that are on their way.

    def _start(self, post: tuple[int, int], unique_id: str, find: FindFile, refresh: FindFile) -> _Flight:
        if self._closing:
            raise TelegramUnavailable("The bridge is stopping")
        self._failures.check(unique_id)
        self._failures.check(_post_key(post, unique_id))
        since, until = self._flood
        # A clock that was set back must not make a flood last for days.
        if since <= (now := self._now()) < until:
            raise FloodWait(until - now)
        flight = _Flight(post)
        self._flights[unique_id] = flight
        flight.task = asyncio.create_task(self._fly(flight, unique_id, find, refresh), name=f"media {unique_id}")
        return flight

    async def _turn(self, unique_id: str, flight: _Flight) -> Download:
        """Wait for the flight's download to begin."""
        loop = asyncio.get_running_loop()
        arrived = loop.time()
        patience = self._turn_timeout
        flight.waiters += 1
        try:
            while True:
                done, _ = await asyncio.wait({flight.ready}, timeout=patience)
                if done:
                    return flight.ready.result()
                # The look-up before has its own time limits.
                since = loop.time() if flight.queued_since is None else max(arrived, flight.queued_since)
                patience = since + self._turn_timeout - loop.time()
                if patience <= 0:
                    raise Overloaded("Too many media files are being fetched", self._turn_timeout)
        finally:
            flight.waiters -= 1
            if not flight.waiters and not flight.ready.done():
                # Nobody waits for it any more and nothing is lost by not beginning.
                self._land(unique_id, flight)
                if flight.task is not None:
                    flight.task.cancel()

    async def _fly(self, flight: _Flight, unique_id: str, find: FindFile, refresh: FindFile) -> None:
        fault: BridgeError = TelegramUnavailable("The download was broken off")
        try:
            file = await self._find(flight.origin, unique_id, find)
            flight.queued_since = asyncio.get_running_loop().time()
            async with self._turns:
                flight.queued_since = None
                download = self._download(file, refresh)
                flight.ready.set_result(download)
                await self._run(download)
        except BridgeError as error:
            fault = error
        finally:
            self._land(unique_id, flight)
            if not flight.ready.done():
                flight.ready.set_exception(fault)
                # Looked at, so that asyncio does not report it when all waiters have left.
                flight.ready.exception()

    async def _find(self, post: tuple[int, int], unique_id: str, find: FindFile) -> FileRef:
        """Look the file up. Only that it is gone is remembered: passing faults are not the file's."""
        try:
            file = await find()
            if file.unique_id != unique_id:
                raise MediaGone("The post does not have this file")
        except (MediaGone, PostNotFound) as fault:
            self._failures.note(_post_key(post, unique_id), fault)
            raise
        self._failures.forget(_post_key(post, unique_id))
        return file

    async def _run(self, download: Download) -> None:
        try:
            await download.run(self._publish)
        except BridgeError as fault:
            log.warning("Media file %s could not be fetched: %s", download.unique_id, fault)
            if isinstance(fault, FloodWait):
                now = self._now()
                self._flood = (now, max(self._flood[1], now + fault.retry_after))
            self._failures.note(download.unique_id, fault)
            raise
        self._failures.forget(download.unique_id)

    def _download(self, file: FileRef, refresh: FindFile) -> Download:
        return Download(
            file,
            self._folder.path(file.unique_id),
            self._source,
            refresh,
            modified=file.date or int(self._now()),
            limits=self._time_limits,
            parts_in_flight=self._parts_in_flight,
        )

    def _land(self, unique_id: str, flight: _Flight) -> None:
        if self._flights.get(unique_id) is flight:
            del self._flights[unique_id]

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
        await self._store.add(row)
        self._remember(row)


def _post_key(post: tuple[int, int], unique_id: str) -> str:
    return f"{post[0]}/{post[1]}/{unique_id}"
