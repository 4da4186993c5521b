"""Whatever happens to the media cache in whatever order, its files, its rows and what it holds stay right."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from media_source import CHANNEL, POST, Clock, MemorySource, file_bytes, file_ref, on_disk, open_below
from refusing_disk import CALLS, RefusingDisk

from errors import (
    BridgeError,
    FloodWait,
    MediaGone,
    PassingFault,
    PostNotFound,
    TelegramTimeout,
    TelegramUnavailable,
    afresh,
)
from media_cache import sweeper
from media_cache.cache import Complete, MediaCache
from media_cache.layout import is_part
from media_cache.pace import Patience
from media_cache.sweeper import CacheLimits
from model.media import FileRef
from storage.database import Database
from storage.gone_store import GoneStore
from storage.media_store import MediaStore
from storage.schema import MIGRATIONS

T = TypeVar("T")

MIB = 1024 * 1024
# Of one part, of some, and one whose size Telegram does not tell.
CONTENTS = {
    "photo": file_bytes(70_000, "photo"),
    "clip": file_bytes(MIB, "clip"),
    "film": file_bytes(2 * MIB + 5, "film"),
    "cover": file_bytes(MIB // 2 + 1, "cover"),
}
NAMES = sorted(CONTENTS)
SIZE_UNKNOWN = {"cover"}
TURNS = 2
TTL_DAYS = 20
# Above this a file stays for an hour only.
BIG = 2 * MIB
# Faults that pass are borne, however slow the machine is.
PATIENCE = Patience(at_start=60, in_mid_file=60, first_pause=0.001, longest_pause=0.002)
# A rule has this many turns of the event loop to get somewhere.
WHILE = 10

# A disk that is full, that has failed, that fails in this or that moment.
REFUSALS = [
    frozenset({"open", "pwrite", "mkdir"}),
    frozenset(CALLS),
    *(frozenset({call}) for call in CALLS),
]

names = st.sampled_from(NAMES)
offsets = st.sampled_from([0, MIB // 2, MIB, 2 * MIB])


@dataclass
class Viewer:
    """Somebody who reads a file from `start` to its end."""

    name: str
    task: asyncio.Task[None]
    # Whether something came in between that may have kept the rest of the file from them.
    excused: bool = False


class MediaMachine(RuleBasedStateMachine):
    """One cache on real files and a real database, in one loop that runs only while a rule does."""

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp(prefix="media-machine-")).resolve()
        self.runner = asyncio.Runner()
        self.disk = RefusingDisk(self.top)
        self.disk.__enter__()
        self.patch = patch.object(sweeper, "BIG_FILE", BIG)
        self.patch.start()
        # pytest keeps what is logged, faults and all that they hold.
        logging.disable()
        # All files are older than what the cache takes for now.
        self.clock = Clock(time.time() + 60)
        self.reference = b"first"
        self.known = {name: self.ref(name) for name in NAMES}
        self.lives = 0
        # Files that may be kept from viewers, for a reason that is remembered.
        self.trouble: set[str] = set()
        self.expired = 0
        # Whether the disk did not let go of a partial.
        self.left_partials = False
        # Files that somebody has spoilt, and the cache may not have noticed.
        self.spoilt: set[Path] = set()
        self.viewers: list[Viewer] = []
        self.look_up_faults: list[BridgeError] = []
        self.lingering = asyncio.Event()
        # What asyncio has to say of tasks that ended with a fault nobody saw.
        self.unseen: list[dict[str, Any]] = []
        self.runner.get_loop().set_exception_handler(lambda loop, context: self.unseen.append(context))
        self.run(self.start())

    # Its surroundings

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def ref(self, name: str) -> FileRef:
        size = 0 if name in SIZE_UNKNOWN else len(CONTENTS[name])
        return file_ref(name, size, file_reference=self.reference)

    @property
    def folder(self) -> Path:
        return self.top / str(self.lives)

    async def start(self) -> None:
        """A process begins on the folder."""
        self.source = MemorySource(files=dict(CONTENTS), valid_references={self.reference}, gate=asyncio.Event())
        self.flow()
        self.database = await Database.open(self.folder / "bridge.db", MIGRATIONS)
        self.cache = MediaCache(
            self.folder / "media",
            MediaStore(self.database),
            GoneStore(self.database),
            self.source,
            max_parallel=TURNS,
            patience=PATIENCE,
            cache_limits=CacheLimits(ttl_days=TTL_DAYS),
            now=self.clock,
        )
        await self.cache.prepare()

    def flow(self) -> None:
        assert self.source.gate is not None
        self.source.gate.set()

    async def end(self) -> None:
        """The process ends as it should."""
        for viewer in self.viewers:
            viewer.task.cancel()
        await self.cache.close()
        await asyncio.gather(*[viewer.task for viewer in self.viewers], return_exceptions=True)
        self.viewers.clear()
        await self.database.close()

    async def spin(self) -> None:
        """Let everything that is on its way get a little further."""
        for _ in range(WHILE):
            await asyncio.sleep(0)
        await asyncio.sleep(0.001)

    async def find(self, name: str) -> FileRef:
        """What the history knows of the file."""
        if self.look_up_faults:
            raise self.look_up_faults.pop()
        return self.known[name]

    async def ask_again(self, name: str) -> FileRef:
        """What Telegram says of the file."""
        self.known[name] = self.ref(name)
        return self.known[name]

    async def view(self, name: str, start: int = 0, *, linger: bool = False) -> None:
        """Read the file to its end. Every byte is right, whatever becomes of the rest."""
        content = CONTENTS[name]
        found = await self.cache.open(CHANNEL, POST, name, lambda: self.find(name), lambda: self.ask_again(name))
        size = found.size if isinstance(found, Complete) else await found.download.size()
        assert size == len(content)
        position = start
        async for chunk in found.read(start, size):
            assert chunk == content[position : position + len(chunk)]
            position += len(chunk)
            if linger:
                await self.lingering.wait()
        assert position == max(start, size)

    async def get(self, name: str, *, may_fail: bool = False) -> None:
        """Read the whole file. It comes, unless something is in the way."""
        self.flow()
        try:
            await self.view(name)
        except BridgeError:
            assert may_fail or name in self.trouble

    def excuse(self, names: Iterable[str]) -> None:
        """Something happens that those who view these files now, or wait for them, may notice."""
        for viewer in self.viewers:
            viewer.excused |= viewer.name in names

    async def rows(self) -> dict[str, int]:
        return await self.cache._store.sizes()

    def own_path(self, name: str) -> Path:
        return self.cache._folder.path(name)

    # What viewers do

    @rule(name=names, start=offsets, linger=st.booleans())
    def come(self, name: str, start: int, linger: bool) -> None:
        """A viewer comes, and stays while other things happen; one who lingers takes no second chunk."""

        async def work() -> None:
            self.viewers.append(Viewer(name, asyncio.create_task(self.view(name, start, linger=linger))))
            self.viewers[-1].excused = name in self.trouble
            await self.spin()

        self.run(work())

    @rule(name=names)
    def read(self, name: str) -> None:
        self.run(self.get(name))

    @rule(which=st.integers(0, 7))
    def leave(self, which: int) -> None:
        """A viewer goes away in mid-file, in the queue, or having been served."""

        async def work() -> None:
            if self.viewers:
                viewer = self.viewers.pop(which % len(self.viewers))
                viewer.task.cancel()
                await self.outcome(viewer)

        self.run(work())

    async def outcome(self, viewer: Viewer) -> None:
        (fault,) = await asyncio.gather(viewer.task, return_exceptions=True)
        if isinstance(fault, BridgeError):
            assert viewer.excused
        elif fault is not None and not isinstance(fault, asyncio.CancelledError):
            raise fault

    # What Telegram does

    @rule()
    def stall(self) -> None:
        """No part comes until something lets them."""
        assert self.source.gate is not None
        self.source.gate.clear()

    @rule()
    def come_on(self) -> None:
        async def work() -> None:
            self.flow()
            await self.spin()

        self.run(work())

    @rule(
        name=names,
        offset=offsets,
        fault=st.sampled_from([TelegramTimeout(), TelegramUnavailable("off"), TelegramUnavailable("for long", 3600)]),
    )
    def fail_a_part(self, name: str, offset: int, fault: PassingFault) -> None:
        """A fault that passes soon is borne without a word."""
        self.meet(name, offset, fault, {name} if fault.retry_after > 60 else set())

    @rule(name=names, offset=offsets, fault=st.sampled_from([MediaGone("gone"), FloodWait(0.01)]))
    def refuse_a_part(self, name: str, offset: int, fault: BridgeError) -> None:
        self.meet(name, offset, fault, set(NAMES) if isinstance(fault, FloodWait) else {name})

    def meet(self, name: str, offset: int, fault: BridgeError, concerned: set[str]) -> None:
        """Read the file and meet the fault, or somebody else does."""
        if concerned:
            concerned |= set(self.cache._flights.names())
            self.excuse(concerned)
            self.trouble |= concerned
        # Others may be told of it later: who gets a turn now was in the queue.
        self.source.faults[offset] = [afresh(fault)]
        self.run(self.get(name))
        self.source.faults.clear()

    @rule(name=names, offset=offsets, short=st.sampled_from([1, 4096, 2 * MIB]))
    def cut_a_part(self, name: str, offset: int, short: int) -> None:
        """One part that is too short is asked for again; only if nobody knows the size it may be taken for the last."""
        self.trouble |= SIZE_UNKNOWN
        self.excuse(SIZE_UNKNOWN)
        self.source.spoil[offset] = [lambda part: part[:-short]]
        self.run(self.get(name))
        self.source.spoil.clear()

    @rule(name=names, fault=st.sampled_from([PostNotFound("deleted"), TelegramTimeout(), FloodWait(1)]))
    def fail_a_look_up(self, name: str, fault: BridgeError) -> None:
        """Only that the post is gone is remembered."""
        self.excuse(NAMES)
        if isinstance(fault, PostNotFound):
            self.trouble |= {name, *self.cache._flights.names()}
        self.look_up_faults = [afresh(fault)]
        self.run(self.get(name, may_fail=True))
        self.look_up_faults.clear()
        self.run(self.get(name))

    @rule()
    def expire(self) -> None:
        """All references that were given out are worth nothing any more: nobody notices, unless again and again."""
        self.expired += 1
        if self.expired > 1:
            self.excuse(NAMES)
            self.trouble |= set(NAMES)
        self.reference += b"!"
        self.source.valid_references = {self.reference}

    # What the disk and others on it do

    @rule(name=names, calls=st.sampled_from(REFUSALS))
    def refuse(self, name: str, calls: frozenset[str]) -> None:
        """The disk is full, or fails, while a file is asked for; later it does not."""
        self.excuse(NAMES)
        self.disk.refused = set(calls)
        self.left_partials |= "unlink" in calls
        self.run(self.get(name, may_fail=True))
        self.run(self.settle())
        self.disk.refused.clear()
        self.run(self.get(name))

    @rule(name=names)
    def refuse_rows(self, name: str) -> None:
        self.excuse(NAMES)
        self.run(self.only_reading("ON"))
        self.run(self.get(name, may_fail=True))
        self.run(self.settle())
        self.run(self.only_reading("OFF"))
        self.run(self.get(name))

    async def only_reading(self, switch: str) -> None:
        await self.database.read(lambda connection: connection.execute(f"PRAGMA query_only = {switch}").close())

    async def settle(self) -> None:
        """Everything that is on its way comes to its end."""
        self.flow()
        for name in NAMES:
            await self.cache._flights.landed(name)

    @rule(name=names, harm=st.sampled_from(["remove", "cut", "grow"]))
    def spoil(self, name: str, harm: str) -> None:
        """Somebody changes a stored file: who reads it just now may see that, who comes later does not."""
        path = self.own_path(name)
        if not path.exists():
            return
        self.excuse({name})
        self.spoilt.add(path)
        if harm == "remove":
            self.disk.leave_alone(path.unlink)
        else:
            os.truncate(path, len(CONTENTS[name]) + (1 if harm == "grow" else -1))

    # What the cache does by itself

    @rule()
    def flush(self) -> None:
        async def work() -> None:
            await self.cache.flush()

        self.run(work())

    @rule(name=names, seconds=st.sampled_from([3601, TTL_DAYS * 86400 + 1]))
    def sweep_beside_a_viewer(self, name: str, seconds: int) -> None:
        """Some see a film for longer than its file is kept without them."""
        self.come(name, 0, linger=True)
        self.run(self.settle())
        self.sweep(seconds)

    @rule(seconds=st.sampled_from([0, 61, 3601, TTL_DAYS * 86400 + 1]))
    def sweep(self, seconds: int) -> None:
        """Some time later all that is out of date goes, and nothing else."""

        async def work() -> None:
            await self.cache.flush()
            self.clock.now += seconds
            before = await self.cache._store.last_accesses(NAMES)
            sizes = await self.rows()
            now = int(self.clock.now)
            # Whoever reads or waits, one way or the other.
            used = {viewer.name for viewer in self.viewers if not viewer.task.done()}
            # What has its row, but may land before or after the sweep looks at it.
            landing = set(self.cache._flights.names())
            await self.cache.sweeper.sweep()
            limits = {name: 3600 if sizes[name] > BIG else TTL_DAYS * 86400 for name in before}
            out = {name for name, last in before.items() if last < now - limits[name]} - used
            after = set(await self.rows())
            assert set(before) - after <= out
            assert not (out - landing) & after

        self.run(work())

    @rule(name=names, part=st.booleans())
    def litter(self, name: str, part: bool) -> None:
        """What a crash has left lies about: a partial, or a file without a row."""

        async def work() -> None:
            path = self.own_path(name)
            if not part and (path.exists() or name in self.cache._flights or name in await self.rows()):
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            (path.with_name(f"{path.name}.part.left") if part else path).write_bytes(CONTENTS[name])
            self.left_partials |= part

        self.run(work())

    @rule(name=names, at_the_start=st.booleans())
    def sweep_beside_a_download(self, name: str, at_the_start: bool) -> None:
        """What begins or ends while it is swept keeps its file, however old the clock makes that."""

        async def work() -> None:
            self.clock.now += 3601
            await self.cache.flush()
            sweeper = self.cache.sweeper
            sweeping = asyncio.create_task(sweeper.reconcile() if at_the_start else sweeper.sweep())
            await self.get(name)
            await self.settle()
            await sweeping
            lost = {name for name in await self.rows() if not self.own_path(name).exists()}
            assert {self.own_path(name) for name in lost} <= self.spoilt

        self.run(work())

    @rule()
    def crash(self) -> None:
        """The process ends without a word, whatever it is at; the next one finds what it left."""

        def copy() -> None:
            for path in self.folder.rglob("*"):
                target = self.top / str(self.lives + 1) / path.relative_to(self.folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                try:
                    if path.is_file():
                        shutil.copy2(path, target)
                except FileNotFoundError:
                    # It was removed or renamed in this moment.
                    target.unlink(missing_ok=True)

        self.disk.refused.clear()
        # In the database's thread, so that no transaction is in the middle; the loop stands.
        self.database._thread.submit(copy).result()
        self.run(self.end())
        shutil.rmtree(self.folder)
        self.lives += 1
        self.spoilt.clear()
        self.run(self.start())
        self.run(self.assert_rows_and_files_agree())

    # What always holds

    @invariant()
    def final_names_are_whole(self) -> None:
        contents = {self.own_path(name): content for name, content in CONTENTS.items()}
        for path in on_disk(self.folder):
            if is_part(path):
                continue
            if path.read_bytes() == contents[path]:
                self.spoilt.discard(path)
            assert path in self.spoilt or path.read_bytes() == contents[path]

    @invariant()
    def no_more_are_fetched_at_a_time_than_allowed(self) -> None:
        assert self.cache.running <= TURNS
        assert len(+self.source.open_files) <= TURNS

    async def assert_rows_and_files_agree(self) -> None:
        rows = await self.rows()
        assert rows == {name: len(CONTENTS[name]) for name in rows}
        whole = [path for path in on_disk(self.folder) if not is_part(path)]
        assert whole == sorted(self.own_path(name) for name in rows)

    @rule()
    def heal(self) -> None:
        """Everything passes, all come to their end, nothing is left over, and every file can be had."""

        async def come_to_rest() -> None:
            self.flow()
            self.lingering.set()
            for viewer in self.viewers:
                await self.outcome(viewer)
            self.viewers.clear()
            self.lingering.clear()
            await self.settle()
            assert (self.cache.running, self.cache.waiting, self.cache._turns._free) == (0, 0, TURNS)
            assert asyncio.all_tasks() == {asyncio.current_task()}
            assert not self.cache._accesses._viewers
            assert self.source.at_once == 0
            await self.cache.flush()
            if self.left_partials:
                self.clock.now += 3601
                await self.cache.sweeper.sweep()
                self.left_partials = False
            assert not any(is_part(path) for path in on_disk(self.folder))
            await self.cache.reconcile()
            await self.assert_rows_and_files_agree()

        async def have_everything() -> None:
            self.cache.forget_failures()
            self.cache.shown((CHANNEL, POST, name) for name in NAMES)
            self.trouble, self.expired = set(), 0
            for name in NAMES:
                await self.view(name)
                await self.cache._flights.landed(name)
            await self.assert_rows_and_files_agree()

        self.run(come_to_rest())
        self.assert_descriptors_are_those_held()
        self.run(have_everything())
        self.assert_descriptors_are_those_held()

    def assert_descriptors_are_those_held(self) -> None:
        gc.collect()
        assert self.unseen == []
        held = [complete.path for complete in self.cache._whole._held_open.values()]
        assert open_below(self.folder / "media") == sorted(held)

    def teardown(self) -> None:
        """Whatever was going on, it comes to its end."""
        try:
            self.heal()
            self.run(self.end())
        finally:
            self.runner.close()
            logging.disable(logging.NOTSET)
            self.patch.stop()
            self.disk.__exit__()
            shutil.rmtree(self.top)


TestMediaMachine = MediaMachine.TestCase
# Shrinking what a thread's timing has a part in takes minutes; under CI Hypothesis itself draws alike each time.
TestMediaMachine.settings = settings(
    max_examples=12, stateful_step_count=30, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
