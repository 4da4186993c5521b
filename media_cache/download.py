"""One file on its way from Telegram to the disk, shared by all who want to see it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TypeVar

from errors import (
    BridgeError,
    MediaGone,
    Overloaded,
    PassingFault,
    StorageUnavailable,
    TelegramTimeout,
    TelegramUnavailable,
    afresh,
)
from file_io import PartFile, sync_folder
from media_cache.attendance import Attendance
from media_cache.mime import mime_of
from media_cache.pace import Pace, Patience, TimeLimits, WrongPart
from media_cache.part_source import PartSource
from media_cache.parts import SMALLEST_PART, PartMap, index_of, part_at
from media_cache.room import Claim, Room
from media_cache.shared_file import Chunk, SharedFile
from media_cache.source import FileSource, FindFile
from media_cache.turns import Turn
from model.media import FileRef
from threads import in_thread, to_its_end

T = TypeVar("T")

PARTS_IN_FLIGHT = 8
HUGE = 100 * 1000**2
"""A file of more bytes than this is not fetched to its end when all its viewers have left."""
LINGER = 30.0
"""Players close their connection and open another one for each seek; this many seconds are more than they need."""


class Abandoned(Overloaded):
    """All viewers of a huge file have left before it was whole."""

    def __init__(self) -> None:
        super().__init__("The download was stopped because nobody wanted the file any more", 1)


class Download:
    """Fetches one file once, however many viewers there are.

    `run()` does the work in a task that belongs to the cache, so a viewer that leaves stops nothing. Viewers ask for
    `size()`, `mime_type()` and `read()`; each waits for no more than it needs and raises the download's failure
    if it comes first. Bytes that are on the disk can be read also after the end of the download, good or bad.

    A fault that passes (a lost connection, a restart of the client, a short flood wait) fails nothing within the
    bounds of `Patience`: the parts that came stay, those that did not are asked for again, and viewers wait meanwhile.
    A file of more than `HUGE` bytes is given up when its last viewer has been gone for `linger` seconds.
    """

    def __init__(
        self,
        file: FileRef,
        path: Path,
        source: FileSource,
        refresh: FindFile,
        *,
        modified: int,
        limits: TimeLimits,
        room: Room,
        parts_in_flight: int = PARTS_IN_FLIGHT,
        patience: Patience | None = None,
        linger: float = LINGER,
    ) -> None:
        """`path` is the file's final name, `refresh` fetches its message anew for a fresh reference, `modified` (unix
        seconds) is what the file's Last-Modified will be, `room` is that of all downloads to the disk."""
        self.path = path
        self.unique_id = file.unique_id
        self.file_name = file.file_name
        self.modified = modified
        self._telegram_type = file.mime_type
        self._size = file.size
        self._source = PartSource(file, source, refresh)
        self._limits = limits
        self._room = room
        self._parts_in_flight = parts_in_flight
        self._patience = patience or Patience()
        self._pace = Pace(parts_in_flight, self._patience)
        self._linger = linger
        self._parts = PartMap(file.size) if file.size else None
        self._part_file: PartFile | None = None
        self._reader: SharedFile | None = None
        self._mime_type: str | None = None
        self._failure: BridgeError | None = None
        self._ended = asyncio.Event()
        # Set when the size, the type, or the part with that number is known or the download has failed.
        self._sized = asyncio.Event()
        self._typed = asyncio.Event()
        self._arrivals: dict[int, asyncio.Event] = {}
        self._viewers = Attendance()
        self._tries: Counter[int] = Counter()
        # How often in a row the file's first part came with no bytes.
        self._empty_starts = 0
        # While it runs.
        self._turn: Turn | None = None
        self._deadline: asyncio.Timeout | None = None
        self._claim: Claim | None = None

    # What viewers ask.

    async def size(self) -> int:
        """The whole file's size in bytes, as soon as it is known."""
        await self._until(self._sized, lambda: self._parts is not None)
        assert self._parts is not None
        return self._parts.size

    async def mime_type(self) -> str:
        """The file's type, known when its first part is there."""
        await self._until(self._typed, lambda: self._mime_type is not None)
        assert self._mime_type is not None
        return self._mime_type

    async def wait_for(self, offset: int) -> None:
        """Return when the byte at `offset` is there; its part is fetched ahead of those that nobody waits for."""
        await self.size()
        await self._arrival(index_of(offset))

    async def read(self, start: int, end: int) -> AsyncGenerator[Chunk, None]:
        """Bytes [start, end) as they arrive. A chunk is read from the disk only when it is asked for."""
        await self.size()
        position = start
        with self._viewers.attended():
            while position < end:
                index = index_of(position)
                await self._arrival(index)
                assert self._reader is not None
                part = part_at(index)
                part_end = min(end, part.offset + part.limit)
                # Stands at the next part while the viewer takes this one, so that its turn comes next.
                with self._viewers.standing_at(index + 1):
                    async with aclosing(self._reader.stream(position, part_end)) as chunks:
                        async for chunk in chunks:
                            yield chunk
                position = part_end

    async def finished(self) -> None:
        """Return when the file has its final name. Raises the failure if it never gets it."""
        with self._viewers.attended():
            await self._ended.wait()
        self._raise_failure()

    @property
    def fault(self) -> BridgeError | None:
        """Why the download failed, None while it has not."""
        return self._failure

    async def _until(self, event: asyncio.Event, there: Callable[[], bool]) -> None:
        with self._viewers.attended():
            while not there():
                self._raise_failure()
                await event.wait()

    async def _arrival(self, index: int) -> None:
        assert self._parts is not None
        if self._parts.has(index):
            return
        with self._viewers.standing_at(index), self._viewers.attended():
            event = self._arrivals.setdefault(index, asyncio.Event())
            while not self._parts.has(index):
                self._raise_failure()
                await event.wait()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise afresh(self._failure)

    # What the cache's task does.

    async def run(self, publish: Callable[[Download], Awaitable[None]], turn: Turn | None = None) -> None:
        """Fetch the whole file, and `publish` it, which has to call `take_name` in the same step.

        In the background, as `turn` says, one part at a time is asked for, and none while viewers' downloads are
        running; that time does not count.

        Raises MediaGone, FloodWait, TelegramTimeout, TelegramUnavailable, StorageUnavailable, or what `refresh`
        raises; the same goes to all viewers. Whatever happens, no part file is left.
        """
        self._turn = turn
        limit = self._limits.of(self._size)
        failure: BridgeError = TelegramUnavailable("The download was broken off")
        try:
            async with asyncio.timeout(limit) as self._deadline:
                await self._fetch()
            await self._finish(publish)
        except TimeoutError:
            failure = TelegramTimeout(f"Telegram did not send the file within {limit:.0f} s")
            raise failure from None
        except OSError as fault:
            failure = _disk_fault(fault)
            raise failure from None
        except BridgeError as fault:
            failure = fault
            raise
        finally:
            if not self._ended.is_set():
                self._failure = failure
                self._wake_all()
            if self._claim is not None:
                self._room.release(self._claim)
            if self._part_file is not None:
                # What the disk does not let go now is the sweeper's.
                with suppress(OSError):
                    await in_thread(self._part_file.discard)

    async def _fetch(self) -> None:
        self._claim = await self._room.claim(self.path.parent, self._size)
        if self._claim is None:
            # What is gone at Telegram is gone, however full the disk is; the smallest part shows it.
            with suppress(WrongPart):
                await self._source.part(0, SMALLEST_PART, min(SMALLEST_PART, self._size) if self._size else None)
            raise StorageUnavailable(f"There is no room for a file of {self._size} bytes on the disk")
        await in_thread(self._prepare)
        if self._parts is None:
            await self._fetch_in_sequence()
            return
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._parts_in_flight, self._parts.count)):
                    group.create_task(self._fetch_parts(self._parts))
        except* (BridgeError, OSError) as faults:
            first = _first_of(faults.exceptions)
        else:
            return
        raise first

    def _prepare(self) -> None:
        """Open the part file. Runs in a thread."""
        self._part_file = PartFile(self.path)
        self._reader = SharedFile(self._part_file.part_path)

    async def _fetch_parts(self, parts: PartMap) -> None:
        while True:
            async with self._pace.turn(self._most_parts) as asked_at:
                await self._give_way()
                self._check_attendance(parts.size)
                index = parts.claim(self._viewers.positions)
                if index is None:
                    # A part that waits for its next try is its own worker's.
                    return
                part = part_at(index)
                try:
                    data = await self._source.part(part.offset, part.limit, parts.length(index))
                except PassingFault as fault:
                    pause = self._pause_after(fault, index, asked_at)
                else:
                    self._part_came()
                    await self._store(index, part.offset, data)
                    parts.arrived(index)
                    if event := self._arrivals.pop(index, None):
                        event.set()
                    continue
            await asyncio.sleep(pause)
            # Another part may be more urgent by now.
            parts.release(index)

    async def _fetch_in_sequence(self) -> None:
        """A file of unknown size ends with its first short part, if that comes twice with the same length."""
        index = size = 0
        # How long the part was when it came last, if it was short.
        ending: int | None = None
        while True:
            part = part_at(index)
            async with self._pace.turn(self._most_parts) as asked_at:
                await self._give_way()
                try:
                    data = await self._source.part(part.offset, part.limit, None)
                    if ending is not None and len(data) < part.limit and len(data) != ending:
                        # Nobody knows which of the two is the slip: the next answer agrees with this one, or is whole.
                        contradicted, ending = ending, len(data)
                        raise WrongPart(len(data), contradicted)
                except PassingFault as fault:
                    pause = self._pause_after(fault, index, asked_at)
                else:
                    pause = 0.0
                    self._part_came()
            if pause:
                await asyncio.sleep(pause)
                continue
            if len(data) < part.limit and ending is None:
                ending = len(data)
                continue
            if data:
                await self._store(index, part.offset, data)
            size += len(data)
            if len(data) < part.limit:
                break
            ending = None
            index += 1
        parts = PartMap(size)
        for index in range(parts.count):
            parts.arrived(index)
        self._parts = parts
        self._sized.set()

    def _pause_after(self, fault: PassingFault, index: int, asked_at: float) -> float:
        """Seconds until the part is asked for again. Raises the fault if it is not to be."""
        self._tries[index] += 1
        if index == 0:
            self._empty_starts = self._empty_starts + 1 if isinstance(fault, WrongPart) and fault.empty else 0
        try:
            return self._pace.failed(fault, self._tries[index], asked_at)
        except WrongPart as wrong:
            # Once may be a slip, as any other wrong part.
            if index == 0 and self._empty_starts > 1:
                raise MediaGone("The file is empty at Telegram") from None
            raise TelegramUnavailable(str(wrong)) from None

    def _most_parts(self) -> int:
        """How many parts may be on their way. What the background has asked for, a viewer who comes next waits for."""
        return 1 if self._turn is not None and self._turn.in_background else self._parts_in_flight

    async def _give_way(self) -> None:
        """In the background, wait until no viewer's download is running."""
        if self._turn is None or not self._turn.in_background:
            return
        assert self._deadline is not None
        began, deadline = asyncio.get_running_loop().time(), self._deadline.when()
        assert deadline is not None
        self._deadline.reschedule(None)
        await self._turn.way_is_clear()
        waited = asyncio.get_running_loop().time() - began
        self._pace.waited(waited)
        self._deadline.reschedule(deadline + waited)

    def _part_came(self) -> None:
        self._pace.arrived()
        if self._turn is not None:
            self._turn.part_came()

    def _check_attendance(self, size: int) -> None:
        """Raise Abandoned if the file is huge and its last viewer has been gone for long."""
        if size > HUGE and self._viewers.deserted_for > self._linger:
            raise Abandoned

    async def _store(self, index: int, offset: int, data: bytes) -> None:
        assert self._part_file is not None and self._claim is not None
        await in_thread(self._part_file.write_at, offset, data)
        self._claim.wrote(len(data))
        if index == 0:
            self._mime_type = await in_thread(mime_of, data, self._telegram_type)
            self._typed.set()

    async def _finish(self, publish: Callable[[Download], Awaitable[None]]) -> None:
        assert self._part_file is not None and self._reader is not None and self._parts is not None
        if not self._parts.complete or await in_thread(self._reader.size) != self._parts.size:
            raise StorageUnavailable("A downloaded file is not whole on the disk")
        await in_thread(self._part_file.flush)
        publishing = asyncio.ensure_future(publish(self))
        try:
            await to_its_end(publishing)
        except BaseException:
            if publishing.cancelled() or publishing.exception() is not None:
                # A file that the database does not know would never be found again. It may have its name by now.
                with suppress(OSError):
                    await in_thread(self._unlink)
            raise
        # The file is stored; without this a power cut might undo that, which the next start would notice.
        with suppress(OSError):
            await in_thread(sync_folder, self.path.parent)
        self._wake_all()

    def take_name(self) -> None:
        """Give the whole file its final name. For `publish`, in a thread of its choice; blocks and raises OSError."""
        assert self._part_file is not None
        self._part_file.take_name()

    def _unlink(self) -> None:
        """Runs in a thread."""
        self.path.unlink(missing_ok=True)

    def _wake_all(self) -> None:
        self._ended.set()
        self._sized.set()
        self._typed.set()
        for event in self._arrivals.values():
            event.set()
        self._arrivals.clear()


def _first_of(faults: Sequence[BaseException]) -> BaseException:
    """The first plain exception in a tree of groups."""
    fault = faults[0]
    return _first_of(fault.exceptions) if isinstance(fault, BaseExceptionGroup) else fault


def _disk_fault(fault: OSError) -> StorageUnavailable:
    return StorageUnavailable(f"The media folder can't take the file: {fault.strerror or fault}")
