"""The warmer fetches what is polled: politely, within its limits, and nothing twice."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from media_source import CHANNEL, Clock, Finder, MemorySource, file_bytes, file_ref, media_cache, on_disk, read_all

from errors import (
    ChannelPrivate,
    FloodWait,
    MediaGone,
    PassingFault,
    PostNotFound,
    StorageUnavailable,
    TelegramTimeout,
    TelegramUnavailable,
)
from media_cache.cache import Complete, MediaCache, Progress
from media_cache.sweeper import CacheLimits
from media_cache.warmer import MOST_FAILURES, ShownFile, Warmer
from model.media import FileLocation, FileRef

MIB = 1024 * 1024
DAY = 86400


class Line:
    """Whether Telegram can be asked; and who asks for posts again."""

    def __init__(self) -> None:
        self.fault: PassingFault | None = None
        self.renewed: list[tuple[int, int, str]] = []
        self.fresh: FileRef | Exception = file_ref()

    def check(self) -> None:
        if self.fault is not None:
            raise self.fault

    async def renew(self, channel_id: int, post_id: int, unique_id: str) -> FileRef:
        self.renewed.append((channel_id, post_id, unique_id))
        if isinstance(self.fresh, Exception):
            raise self.fresh
        return self.fresh


@asynccontextmanager
async def warming(cache: MediaCache, line: Line, **options: object) -> AsyncIterator[Warmer]:
    values = {"most_file_bytes": 20 * MIB, "look_every": 0.005} | options
    warmer = Warmer(cache, line.renew, line.check, **values)  # type: ignore[arg-type]
    running = asyncio.create_task(warmer.run_forever())
    try:
        yield warmer
        assert not running.done() or not running.exception()
    finally:
        running.cancel()
        await asyncio.wait([running])


def shown(files: Iterable[FileRef], date: int = 1_700_000_000) -> list[ShownFile]:
    """As a feed shows them: the first is the newest."""
    return [ShownFile(CHANNEL, 100 - place, date - place, file) for place, file in enumerate(files)]


async def done(warmer: Warmer) -> None:
    async with asyncio.timeout(10):
        while warmer.stats().queued:
            await asyncio.sleep(0.002)


async def stored(cache: MediaCache) -> set[str]:
    return set(await cache._store.sizes())


def order_of(source: MemorySource) -> list[str]:
    """The files in the order in which they were begun."""
    return list(dict.fromkeys(unique_id for unique_id, _, _ in source.asked))


async def test_what_a_feed_shows_is_on_the_disk_before_anyone_asks(tmp_path: Path) -> None:
    source, line = MemorySource(), Line()
    files = [source.put(file_bytes(1000 * number, str(number)), f"f{number}") for number in range(1, 6)]
    async with media_cache(tmp_path, source) as cache, warming(cache, line) as warmer:
        warmer.show(shown(files))
        await done(warmer)
        assert await stored(cache) == {f"f{number}" for number in range(1, 6)}
        assert (warmer.stats().warmed, warmer.stats().failed, warmer.stats().paused) == (5, 0, "")
        found = await cache.open(CHANNEL, 100, "f1", Finder(PostNotFound("never asked")))
        assert isinstance(found, Complete)
        assert await read_all(found) == file_bytes(1000, "1")
        assert line.renewed == []


async def test_what_is_stored_causes_no_call_and_no_file_is_asked_for_twice(tmp_path: Path) -> None:
    source, line = MemorySource(), Line()
    files = [source.put(file_bytes(1000, str(number)), f"f{number}") for number in range(4)]
    async with media_cache(tmp_path, source) as cache, warming(cache, line) as warmer:
        for _ in range(3):
            warmer.show(shown(files) + shown(files[:2], date=5))
        await done(warmer)
        assert sorted(name for name, _, _ in source.asked) == ["f0", "f1", "f2", "f3"]
        warmer.show(shown(files))
        await done(warmer)
        assert len(source.asked) == 4
        assert warmer.stats().warmed == 4
    async with media_cache(tmp_path, source) as cache, warming(cache, line) as warmer:
        warmer.show(shown(files))
        await done(warmer)
        assert len(source.asked) == 4


async def test_small_files_come_first_and_of_one_magnitude_the_newest(tmp_path: Path) -> None:
    source, line = MemorySource(), Line()
    sizes = {"new large": 5 * MIB, "new small": 900_000, "newer photo": 0, "old small": 1000, "old large": 4 * MIB}
    contents = {name: file_bytes(size or 10, name) for name, size in sizes.items()}
    files = [source.put(contents[name], name, size=size) for name, size in sizes.items()]
    files[2] = source.put(contents["newer photo"], "newer photo", size=0, location=FileLocation.PEER_PHOTO)
    async with media_cache(tmp_path, source) as cache:
        line.fault = TelegramUnavailable("not yet")
        async with warming(cache, line) as warmer:
            warmer.show(reversed(shown(files)))
            line.fault = None
            await done(warmer)
        assert order_of(source) == ["new small", "newer photo", "old small", "new large", "old large"]


@pytest.mark.parametrize("size", [MIB + 1, 0], ids=["too large", "a document of unknown size"])
async def test_what_is_too_large_is_left_to_who_asks_for_it(tmp_path: Path, size: int) -> None:
    source, line = MemorySource(), Line()
    large = source.put(file_bytes(MIB + 1), "large", size=size)
    async with media_cache(tmp_path, source) as cache, warming(cache, line, most_file_bytes=MIB) as warmer:
        warmer.show(shown([large, source.put(file_bytes(MIB, "fits"), "fits")]))
        await done(warmer)
        assert await stored(cache) == {"fits"}
        assert await read_all(await cache.open(CHANNEL, 100, "large", Finder(large))) == file_bytes(MIB + 1)


@pytest.mark.parametrize("fault", [FloodWait(3600), TelegramUnavailable("The line is down")], ids=repr)
async def test_nothing_is_fetched_while_telegram_must_not_be_asked(tmp_path: Path, fault: PassingFault) -> None:
    source, line = MemorySource(), Line()
    line.fault = fault
    async with media_cache(tmp_path, source) as cache, warming(cache, line) as warmer:
        warmer.show(shown([source.put(b"x")]))
        while warmer.stats().paused != str(fault):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.03)
        assert source.asked == []
        assert (warmer.stats().queued, warmer.stats().failed) == (1, 0)
        line.fault = None
        await done(warmer)

        assert (warmer.stats().warmed, warmer.stats().paused) == (1, "")


async def test_a_flood_in_mid_file_pauses_all_and_is_not_the_files_fault(tmp_path: Path) -> None:
    clock, line = Clock(), Line()
    source = MemorySource(faults={0: [FloodWait(30)]})
    files = [source.put(b"x", "one"), source.put(b"y", "two")]
    async with media_cache(tmp_path, source, now=clock) as cache, warming(cache, line, now=clock) as warmer:
        warmer.show(shown(files))
        while not warmer.stats().paused:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.03)
        assert len(source.asked) == 1
        assert (warmer.stats().queued, warmer.stats().failed) == (2, 0)
        clock.now += 31
        await done(warmer)
        assert warmer.stats().warmed == 2


async def test_a_disk_that_refuses_pauses_all_and_work_goes_on_when_it_is_healed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, line, source = Clock(), Line(), MemorySource()
    async with media_cache(tmp_path, source, now=clock) as cache, warming(cache, line, now=clock) as warmer:

        async def full(*_: object) -> None:
            raise StorageUnavailable("The disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(cache._store, "add", full)
            warmer.show(shown([source.put(b"x", "one"), source.put(b"y", "two")]))
            while warmer.stats().paused != "The disk is full":
                await asyncio.sleep(0.001)
        assert len(source.asked) == 1
        assert on_disk(tmp_path) == []
        clock.now += 61
        await done(warmer)
        assert await stored(cache) == {"one", "two"}


async def test_of_an_almost_full_disk_some_is_left_to_those_who_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, line = MemorySource(), Line()
    real = os.statvfs
    async with media_cache(tmp_path, source) as cache, warming(cache, line) as warmer:
        disk = SimpleNamespace(f_blocks=1000, f_bavail=51, f_frsize=1000)
        monkeypatch.setattr(os, "statvfs", lambda path: disk if "media" in str(path) else real(path))
        warmer.show(shown([source.put(file_bytes(1001))]))
        while warmer.stats().paused != "The disk is almost full":
            await asyncio.sleep(0.001)
        assert source.asked == []
        assert isinstance(await cache.open(CHANNEL, 1, "AgADabc", Finder(file_ref(size=1001))), Progress)


async def test_a_file_that_fails_waits_for_the_end_of_its_pause_and_holds_no_other_up(tmp_path: Path) -> None:
    clock, line = Clock(), Line()
    source = MemorySource(faults={0: [TelegramTimeout(), TelegramTimeout()]})
    bad, good = source.put(b"x", "bad"), source.put(b"y", "good")
    async with media_cache(tmp_path, source, now=clock) as cache, warming(cache, line, now=clock) as warmer:
        warmer.show(shown([bad]))
        while not warmer.stats().failed:
            await asyncio.sleep(0.001)
        source.faults, later = {}, source.faults
        warmer.show(shown([good]))
        while warmer.stats().warmed < 1:
            await asyncio.sleep(0.001)
        assert order_of(source) == ["bad", "good"]
        source.faults = later
        clock.now += 61
        while warmer.stats().failed < 2:
            await asyncio.sleep(0.001)
        clock.now += 61
        await asyncio.sleep(0.03)
        assert len(source.parts_of("bad")) == 2
        clock.now += 60
        await done(warmer)
        assert (warmer.stats().warmed, warmer.stats().failed) == (2, 2)


async def test_after_fifteen_failures_a_file_is_left_to_those_who_ask(tmp_path: Path) -> None:
    clock, line = Clock(), Line()
    source = MemorySource(faults={0: [TelegramTimeout() for _ in range(MOST_FAILURES)]})
    file = source.put(b"x")
    async with media_cache(tmp_path, source, now=clock) as cache, warming(cache, line, now=clock) as warmer:
        warmer.show(shown([file]))
        while warmer.stats().queued:
            clock.now += 6 * 3600
            await asyncio.sleep(0.002)
        assert warmer.stats().failed == len(source.asked) == MOST_FAILURES
        clock.now += 6 * 3600
        warmer.show(shown([file]))
        await done(warmer)
        assert len(source.asked) == MOST_FAILURES
        assert await read_all(await cache.open(CHANNEL, 1, file.unique_id, Finder(file))) == b"x"


@pytest.mark.parametrize("fault", [MediaGone("gone"), PostNotFound("deleted"), ChannelPrivate("closed")], ids=repr)
async def test_what_is_gone_leaves_the_queue(tmp_path: Path, fault: Exception) -> None:
    line = Line()
    line.fresh = fault
    source = MemorySource(valid_references={b"never"})
    async with media_cache(tmp_path, source) as cache, warming(cache, line) as warmer:
        warmer.show(shown([source.put(b"x")]))
        await done(warmer)
        assert (warmer.stats().warmed, warmer.stats().failed) == (0, 1)
        assert line.renewed == [(CHANNEL, 100, "AgADabc")]


async def test_an_expired_reference_is_renewed_and_nothing_else_is_asked(tmp_path: Path) -> None:
    line = Line()
    source = MemorySource(valid_references={b"second"})
    stale, line.fresh = source.put(b"x"), source.put(b"x", file_reference=b"second")
    async with media_cache(tmp_path, source) as cache, warming(cache, line) as warmer:
        warmer.show(shown([stale]))
        await done(warmer)
        assert line.renewed == [(CHANNEL, 100, "AgADabc")]
        assert await stored(cache) == {"AgADabc"}


async def test_a_viewer_always_finds_a_turn_while_the_warmer_works(tmp_path: Path) -> None:
    line = Line()
    source = MemorySource(gate=asyncio.Event())
    async with media_cache(tmp_path, source, max_parallel=2) as cache, warming(cache, line) as warmer:
        warmer.show(shown([source.put(b"w", f"warm{number}") for number in range(5)]))
        while cache.running < 1:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)
        assert (cache.running, cache.waiting) == (1, 0)
        viewer = await asyncio.wait_for(cache.open(CHANNEL, 1, "v", Finder(source.put(b"viewed", "v"))), 2)
        assert source.gate is not None
        source.gate.set()
        assert await read_all(viewer) == b"viewed"
        await done(warmer)


async def test_the_warmer_waits_while_viewers_hold_all_turns_but_one(tmp_path: Path) -> None:
    line = Line()
    source = MemorySource(gate=asyncio.Event())
    async with (
        media_cache(tmp_path, source, max_parallel=2, turn_timeout=0.05) as cache,
        warming(cache, line) as warmer,
    ):
        await cache.open(CHANNEL, 1, "v", Finder(source.put(b"v", "v")))
        warmer.show(shown([source.put(b"w", "w")]))
        # Longer than a viewer would have the patience to.
        await asyncio.sleep(0.15)
        assert order_of(source) == ["v"]
        assert warmer.stats().queued == 1
        assert source.gate is not None
        source.gate.set()
        await done(warmer)
        assert warmer.stats().failed == 0


async def test_a_viewer_of_a_file_that_the_warmer_queues_for_takes_its_place(tmp_path: Path) -> None:
    line = Line()
    line.fresh = MediaGone("the warmer's way was taken")
    source = MemorySource(gate=asyncio.Event(), valid_references={b"first", b"fresh"})
    async with media_cache(tmp_path, source, max_parallel=2) as cache, warming(cache, line) as warmer:
        await cache.open(CHANNEL, 1, "busy", Finder(source.put(b"v", "busy")))
        file = source.put(b"wanted", "wanted", file_reference=b"expired")
        warmer.show(shown([file]))
        while not cache.waiting:
            await asyncio.sleep(0.001)
        fresh = Finder(source.put(b"wanted", "wanted", file_reference=b"fresh"))
        found = await asyncio.wait_for(cache.open(CHANNEL, 100, "wanted", Finder(file), fresh), 2)
        assert source.gate is not None
        source.gate.set()
        assert await read_all(found) == b"wanted"
        # Its reference is renewed as for a reader, not behind them.
        assert (fresh.calls, line.renewed) == (1, [])


async def test_with_one_transmission_at_a_time_it_warms_too_and_a_viewer_does_not_wait_for_it(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event(), let_through={0})
    film, content = source.put(file_bytes(3 * MIB, "film"), "film"), file_bytes(2 * MIB, "viewed")
    async with media_cache(tmp_path, source, max_parallel=1) as cache, warming(cache, Line()) as warmer:
        warmer.show(shown([film]))
        while len(source.parts_of("film")) < 2:
            await asyncio.sleep(0.002)
        viewer = await asyncio.wait_for(cache.open(CHANNEL, 1, "v", Finder(source.put(content, "v"))), 2)
        await asyncio.sleep(0.02)
        assert source.gate is not None
        source.gate.set()
        assert await read_all(viewer) == content
        await done(warmer)
        assert (warmer.stats().warmed, warmer.stats().paused) == (1, "")
        assert await stored(cache) == {"film", "v"}
    # Of the film the one part that was on its way came meanwhile.
    parts = [unique_id for unique_id, _, _ in source.asked]
    assert parts[:2] == ["film"] * 2
    assert parts[2:5] == ["v"] * 3


async def test_the_queue_has_an_end_and_the_last_are_left_out(tmp_path: Path) -> None:
    source, line = MemorySource(), Line()
    line.fault = TelegramUnavailable("off")
    async with media_cache(tmp_path, source) as cache, warming(cache, line, capacity=5) as warmer:
        warmer.show(shown([source.put(b"x", f"f{number}") for number in range(50)]))
        assert warmer.stats().queued == 5
        line.fault = None
        await done(warmer)
        assert await stored(cache) == {f"f{number}" for number in range(5)}


# The cap


async def test_what_is_warmed_stays_below_the_cap_and_never_replaces_what_is_fresh(tmp_path: Path) -> None:
    clock, line, source = Clock(time.time()), Line(), MemorySource()
    limits = CacheLimits(most_bytes=3500)
    async with (
        media_cache(tmp_path, source, now=clock, cache_limits=limits) as cache,
        warming(cache, line, now=clock) as warmer,
    ):
        files = [source.put(file_bytes(1000, str(number)), f"f{number}") for number in range(6)]
        warmer.show(shown(files))
        await done(warmer)
        assert await stored(cache) == {"f0", "f1", "f2"}
        assert order_of(source) == ["f0", "f1", "f2"]
        await cache.flush()
        assert (await cache.sweeper.sweep()).files == 0
        # A day later they make room, the oldest first, but for one that somebody has looked at since.
        clock.now += DAY + 10
        await read_all(await cache.open(CHANNEL, 1, "f0", Finder(files[0])))
        await cache.flush()
        warmer.show(shown(files[3:]))
        await done(warmer)
        assert await stored(cache) == {"f0", "f3", "f4"}


async def test_a_file_larger_than_the_cap_removes_nothing(tmp_path: Path) -> None:
    clock, line, source = Clock(time.time()), Line(), MemorySource()
    async with (
        media_cache(tmp_path, source, now=clock, cache_limits=CacheLimits(most_bytes=3000)) as cache,
        warming(cache, line, now=clock) as warmer,
    ):
        warmer.show(shown([source.put(file_bytes(1000, "small"), "small")]))
        await done(warmer)
        clock.now += 2 * DAY
        warmer.show(shown([source.put(file_bytes(3001, "large"), "large")]))
        await done(warmer)
        assert await stored(cache) == {"small"}


async def test_what_documents_still_show_is_not_swept(tmp_path: Path) -> None:
    clock, line, source = Clock(time.time()), Line(), MemorySource()
    async with (
        media_cache(tmp_path, source, now=clock, cache_limits=CacheLimits(ttl_days=20)) as cache,
        warming(cache, line, now=clock) as warmer,
    ):
        files = [source.put(b"x", "shown"), source.put(b"y", "not shown")]
        warmer.show(shown(files))
        await done(warmer)
        await cache.flush()
        clock.now += 15 * DAY
        warmer.show(shown(files[:1]))
        await done(warmer)
        await cache.flush()
        clock.now += 6 * DAY
        assert (await cache.sweeper.sweep()).files == 1
        assert await stored(cache) == {"shown"}
