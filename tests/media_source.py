"""A source of files that behaves as Telegram does, well or badly, and the cache's surroundings."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from errors import BridgeError, FileReferenceExpired, MediaGone
from media_cache.cache import MediaCache, Progress
from media_cache.pace import Patience
from media_cache.parts import PART_SIZE
from media_cache.source import FileSource
from model.media import FileLocation, FileRef
from storage.database import Database
from storage.gone_store import GoneStore
from storage.media_store import MediaStore
from storage.schema import MIGRATIONS

CHANNEL = -1001234567890
POST = 42

# The first fault is the end.
NO_PATIENCE = Patience(at_start=0, in_mid_file=0)
# Faults are borne, but not for long.
LITTLE_PATIENCE = Patience(at_start=2, in_mid_file=2, first_pause=0.001, longest_pause=0.01)


def file_bytes(size: int, seed: str = "file") -> bytes:
    """Bytes that look random, the same for the same arguments; no two MiB of them are equal."""
    return hashlib.shake_128(seed.encode()).digest(size)


def file_ref(unique_id: str = "AgADabc", size: int = 0, **fields: object) -> FileRef:
    """A document's reference; `fields` replace those of FileRef."""
    values: dict[str, object] = {
        "location": FileLocation.DOCUMENT,
        "id": 7,
        "access_hash": 8,
        "file_reference": b"first",
        "dc_id": 2,
        "date": 1_700_000_000,
    }
    return FileRef(unique_id=unique_id, size=size, **(values | fields))  # type: ignore[arg-type]


Answer = Callable[[bytes], Awaitable[bytes]]


@dataclass
class MemorySource:
    """Gives out `files` part by part.

    `delay` is how long each part takes (seconds), `faults` are raised once for the part at that offset (a list: one
    after the other), `spoil` changes what a part at that offset is, as often as it says. `valid_references` None: all
    are. `gate`, if set, holds every part back but those at the offsets in `let_through`.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    delay: float = 0
    faults: dict[int, list[BridgeError]] = field(default_factory=dict)
    spoil: dict[int, list[Callable[[bytes], bytes]]] = field(default_factory=dict)
    valid_references: set[bytes] | None = None
    gate: asyncio.Event | None = None
    let_through: set[int] = field(default_factory=set)
    asked: list[tuple[str, int, int]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    open_files: Counter[str] = field(default_factory=Counter)
    most_files: int = 0

    def put(self, content: bytes, unique_id: str = "AgADabc", **fields: object) -> FileRef:
        """Serve the content under that id."""
        self.files[unique_id] = content
        return file_ref(unique_id, **({"size": len(content)} | fields))  # type: ignore[arg-type]

    async def file_part(self, file: FileRef, offset: int, limit: int) -> bytes:
        assert limit % 4096 == 0 and PART_SIZE % limit == 0 and offset // PART_SIZE == (offset + limit - 1) // PART_SIZE
        self.asked.append((file.unique_id, offset, limit))
        self.at_once += 1
        self.open_files[file.unique_id] += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.most_files = max(self.most_files, len(+self.open_files))
        try:
            if self.delay:
                await asyncio.sleep(self.delay)
            else:
                await asyncio.sleep(0)
            if self.gate is not None and offset not in self.let_through:
                await self.gate.wait()
        finally:
            self.at_once -= 1
            self.open_files[file.unique_id] -= 1
        if self.valid_references is not None and file.file_reference not in self.valid_references:
            raise FileReferenceExpired("expired")
        if pending := self.faults.get(offset):
            raise pending.pop(0)
        if file.unique_id not in self.files:
            raise MediaGone("no such file")
        data = self.files[file.unique_id][offset : offset + limit]
        if changes := self.spoil.get(offset):
            data = changes.pop(0)(data)
        return data

    def parts_of(self, unique_id: str = "AgADabc") -> list[int]:
        """The offsets asked for, in order."""
        return [offset for name, offset, _ in self.asked if name == unique_id]


class Finder:
    """Looks files up and counts how often."""

    def __init__(self, *answers: FileRef | BridgeError, delay: float = 0) -> None:
        """The answers in turn; the last one stays."""
        self._answers = list(answers)
        self._delay = delay
        self.calls = 0

    async def __call__(self) -> FileRef:
        self.calls += 1
        await asyncio.sleep(self._delay)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, BridgeError):
            raise answer
        return answer


class Clock:
    """A clock that a test sets."""

    def __init__(self, now: float = 1_760_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def media_cache(folder: Path, source: FileSource, **options: object) -> AsyncIterator[MediaCache]:
    """A cache in the folder, closed at the end. It bears no faults unless told to."""
    database = await Database.open(folder / "bridge.db", MIGRATIONS)
    try:
        values = {"max_parallel": 3, "patience": NO_PATIENCE} | options
        cache = MediaCache(folder / "media", MediaStore(database), GoneStore(database), source, **values)  # type: ignore[arg-type]
        try:
            yield cache
        finally:
            await cache.close()
    finally:
        await database.close()


async def read_all(found: object, start: int = 0, end: int | None = None) -> bytes:
    """All bytes of what the cache opened."""
    size = await found.download.size() if isinstance(found, Progress) else found.size  # type: ignore[attr-defined]
    chunks = [chunk async for chunk in found.read(start, size if end is None else end)]  # type: ignore[attr-defined]
    return b"".join(chunks)


def open_below(folder: Path) -> list[Path]:
    """What this process has open below the folder; removed files with the name that they had."""
    links = [entry.readlink() for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()]
    names = [link.with_name(link.name.removesuffix(" (deleted)")) for link in links]
    return sorted(name for name in names if name.is_relative_to(folder.resolve()))


def on_disk(folder: Path) -> list[Path]:
    """All files in the media folder."""
    return sorted(path for path in (folder / "media").rglob("*") if path.is_file())
