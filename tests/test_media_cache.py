"""Whoever asks for a file gets it from the disk, or from the one download that everybody shares."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

import pytest
from media_source import (
    CHANNEL,
    POST,
    Clock,
    Finder,
    MemorySource,
    file_bytes,
    file_ref,
    media_cache,
    on_disk,
    open_below,
    read_all,
)
from refusing_disk import RefusingDisk
from telegram_world import until

from errors import (
    BridgeError,
    FloodWait,
    MediaGone,
    Overloaded,
    PostNotFound,
    StorageUnavailable,
    TelegramTimeout,
    TelegramUnavailable,
)
from media_cache.cache import Complete, MediaCache, Progress
from media_cache.pace import TimeLimits
from media_cache.sweeper import CacheLimits
from model.media import FileRef

MIB = 1024 * 1024
CONTENT = file_bytes(3 * MIB + 5)


async def never() -> FileRef:
    raise AssertionError("nothing should have been looked up")


async def fetch(cache: MediaCache, file: FileRef, post: int = POST) -> None:
    found = await cache.open(CHANNEL, post, file.unique_id, Finder(file))
    assert isinstance(found, Progress)
    await found.download.finished()
    await settled(cache)


async def settled(cache: MediaCache) -> None:
    while cache.running or cache.waiting:
        await asyncio.sleep(0.001)


# Files that are here


async def test_a_file_is_streamed_as_it_comes_and_then_served_from_the_disk(tmp_path: Path) -> None:
    source = MemorySource()
    file = source.put(CONTENT, file_name="a.bin", mime_type="video/mp4")
    async with media_cache(tmp_path, source) as cache:
        coming = await cache.open(CHANNEL, POST, file.unique_id, Finder(file))
        assert isinstance(coming, Progress)
        assert await read_all(coming) == CONTENT
        await settled(cache)
        asked = len(source.asked)
        whole = await cache.open(CHANNEL, POST, file.unique_id, never)
        assert isinstance(whole, Complete)
        assert await read_all(whole) == CONTENT
        assert (whole.size, whole.file_name, whole.modified) == (len(CONTENT), "a.bin", file.date)
        assert (whole.mime_type, whole.etag) == (await coming.download.mime_type(), coming.etag)
        assert whole.path.read_bytes() == CONTENT
        assert len(source.asked) == asked


async def test_a_stored_file_survives_a_restart_without_telegram(tmp_path: Path) -> None:
    source = MemorySource()
    async with media_cache(tmp_path, source) as cache:
        await fetch(cache, source.put(CONTENT, file_name="отчёт.bin"))
    async with media_cache(tmp_path, MemorySource()) as cache:
        await cache.reconcile()
        found = await cache.open(CHANNEL, POST, "AgADabc", never)
        assert isinstance(found, Complete)
        assert await read_all(found) == CONTENT
        assert found.file_name == "отчёт.bin"


async def test_the_same_file_in_two_posts_is_fetched_and_stored_once(tmp_path: Path) -> None:
    source = MemorySource()
    file = source.put(CONTENT)
    async with media_cache(tmp_path, source) as cache:
        await fetch(cache, file)
        other = await cache.open(-1009, 7, file.unique_id, never)
        assert await read_all(other) == CONTENT
        assert len(on_disk(tmp_path)) == 1


async def test_unique_ids_that_differ_in_case_only_are_different_files(tmp_path: Path) -> None:
    source = MemorySource()
    async with media_cache(tmp_path, source) as cache:
        for unique_id in ["AgADabc", "agadABC"]:
            await fetch(cache, source.put(file_bytes(10, unique_id), unique_id))
        assert len({path.name.lower() for path in on_disk(tmp_path)}) == 2


async def test_an_id_that_looks_like_a_path_stays_in_the_media_folder(tmp_path: Path) -> None:
    source = MemorySource()
    async with media_cache(tmp_path, source) as cache:
        await fetch(cache, source.put(b"x", "../../../escaped"))
        assert len(on_disk(tmp_path)) == 1


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b"short"),
        lambda path: path.write_bytes(CONTENT + b"more"),
        lambda path: (path.unlink(), path.parent.rmdir()),
    ],
    ids=["removed", "cut", "grown", "folder removed"],
)
@pytest.mark.parametrize("restart", [False, True])
async def test_a_stored_file_that_is_lost_or_damaged_is_fetched_again(
    tmp_path: Path, harm: Callable[[Path], object], restart: bool
) -> None:
    source = MemorySource()
    file = source.put(CONTENT)
    async with media_cache(tmp_path, source) as cache:
        await fetch(cache, file)
        if not restart:
            await cache.open(CHANNEL, POST, file.unique_id, never)
            (path,) = on_disk(tmp_path)
            harm(path)
            assert await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file))) == CONTENT
            return
    (path,) = on_disk(tmp_path)
    harm(path)
    async with media_cache(tmp_path, source) as cache:
        assert await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file))) == CONTENT
        await settled(cache)
        assert [path.read_bytes() for path in on_disk(tmp_path)] == [CONTENT]


async def test_a_file_removed_after_it_was_opened_is_still_read_to_its_end(tmp_path: Path) -> None:
    source = MemorySource()
    file = source.put(CONTENT)
    async with media_cache(tmp_path, source) as cache:
        await fetch(cache, file)
        found = await cache.open(CHANNEL, POST, file.unique_id, never)
        (path,) = on_disk(tmp_path)
        path.unlink()
        assert await read_all(found) == CONTENT


# One download for all


async def test_two_hundred_viewers_of_a_cold_video_cause_one_look_up_and_one_download(tmp_path: Path) -> None:
    source = MemorySource(delay=0.002)
    content = file_bytes(2 * MIB)
    finder = Finder(source.put(content), delay=0.01)
    async with media_cache(tmp_path, source) as cache:

        async def view() -> bool:
            return await read_all(await cache.open(CHANNEL, POST, "AgADabc", finder)) == content

        assert all(await asyncio.gather(*[view() for _ in range(200)]))
        assert finder.calls == 1
        assert len(source.asked) == 3
        assert source.most_files == 1


async def test_no_more_files_are_downloaded_at_a_time_than_allowed(tmp_path: Path) -> None:
    source = MemorySource(delay=0.03)
    files = [source.put(file_bytes(MIB, str(number)), f"file{number}") for number in range(12)]
    async with media_cache(tmp_path, source, max_parallel=2) as cache:
        found = await asyncio.gather(*[cache.open(CHANNEL, POST, file.unique_id, Finder(file)) for file in files])
        contents = await asyncio.gather(*[read_all(item) for item in found])
        assert contents == [file_bytes(MIB, str(number)) for number in range(12)]
        assert source.most_files == 2


async def test_many_viewers_of_one_big_file_take_one_turn_and_leave_the_others_free(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event())
    big, small = source.put(CONTENT, "big"), source.put(b"small", "small")
    async with media_cache(tmp_path, source, max_parallel=2) as cache:
        for _ in range(50):
            assert isinstance(await cache.open(CHANNEL, POST, "big", Finder(big)), Progress)
        found = await asyncio.wait_for(cache.open(CHANNEL, POST, "small", Finder(small)), 2)
        assert cache.running == 2
        assert source.gate is not None
        source.gate.set()
        assert await read_all(found) == b"small"


async def test_the_background_asks_for_one_part_at_a_time(tmp_path: Path) -> None:
    source = MemorySource(delay=0.001)
    file = source.put(file_bytes(3 * MIB))
    async with media_cache(tmp_path, source) as cache:
        assert await cache.fetch(CHANNEL, POST, file, Finder(file))
    assert source.most_at_once == 1


async def test_the_background_gives_way_to_viewers_and_that_time_does_not_count(tmp_path: Path) -> None:
    source = MemorySource(delay=0.1)
    warmed, viewed = source.put(file_bytes(MIB + MIB // 2), "warmed"), source.put(file_bytes(12 * MIB), "viewed")
    # Less for the one than the other takes.
    limits = TimeLimits(least=0, most=60, min_speed=2 * MIB)
    async with media_cache(tmp_path, source, time_limits=limits, parts_in_flight=1) as cache:
        warming = asyncio.create_task(cache.fetch(CHANNEL, POST, warmed, Finder(warmed)))
        await until(lambda: source.asked)
        assert await read_all(await cache.open(CHANNEL, POST, "viewed", Finder(viewed))) == source.files["viewed"]
        assert await warming
        whole = await cache.open(CHANNEL, POST, "warmed", Finder(warmed))
        assert isinstance(whole, Complete)
    order = [unique_id for unique_id, _, _ in source.asked]
    assert order == ["warmed", *["viewed"] * 13, "warmed", "warmed"]


async def test_a_stored_file_needs_no_turn(tmp_path: Path) -> None:
    source = MemorySource()
    stored = source.put(b"here", "stored")
    async with media_cache(tmp_path, source, max_parallel=1) as cache:
        await fetch(cache, stored)
        source.gate = asyncio.Event()
        await cache.open(CHANNEL, POST, "cold", Finder(source.put(CONTENT, "cold")))
        assert await read_all(await cache.open(CHANNEL, POST, "stored", never)) == b"here"


async def test_who_gets_no_turn_in_time_is_told_to_come_back(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event())
    async with media_cache(tmp_path, source, max_parallel=1, turn_timeout=0.05) as cache:
        busy = await cache.open(CHANNEL, POST, "busy", Finder(source.put(CONTENT, "busy")))
        with pytest.raises(Overloaded) as caught:
            await cache.open(CHANNEL, POST, "late", Finder(source.put(b"late", "late")))
        assert caught.value.retry_after == 0.05
        assert cache.waiting == 0
        assert source.gate is not None
        source.gate.set()
        await read_all(busy)
        # Having been sent away is no failure of the file.
        assert await read_all(await cache.open(CHANNEL, POST, "late", Finder(file_ref("late", 4)))) == b"late"


async def test_a_slow_look_up_takes_no_turn_and_is_not_taken_for_a_queue(tmp_path: Path) -> None:
    source = MemorySource()
    async with media_cache(tmp_path, source, max_parallel=1, turn_timeout=0.02) as cache:
        found = asyncio.Event()

        async def find() -> FileRef:
            await found.wait()
            return source.put(b"slow", "slow")

        slow = asyncio.create_task(cache.open(CHANNEL, POST, "slow", find))
        await asyncio.sleep(0.06)
        download = await cache.open(CHANNEL, POST, "fast", Finder(source.put(b"fast", "fast")))
        assert await read_all(download) == b"fast"
        while cache.running:
            await asyncio.sleep(0.001)
        assert not slow.done()
        found.set()
        assert await read_all(await slow) == b"slow"


async def test_the_time_for_a_turn_begins_with_the_queue_and_not_with_the_look_up(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event())
    async with media_cache(tmp_path, source, max_parallel=1, turn_timeout=0.3) as cache:
        await cache.open(CHANNEL, POST, "busy", Finder(source.put(b"busy", "busy")))
        late = asyncio.create_task(cache.open(CHANNEL, POST, "late", Finder(source.put(b"late", "late"), delay=0.25)))
        await asyncio.sleep(0.35)
        assert not late.done()
        with pytest.raises(Overloaded):
            await late


async def test_a_storm_of_cancelled_viewers_leaves_every_turn_free(tmp_path: Path) -> None:
    source = MemorySource(delay=0.002)
    files = [source.put(file_bytes(1000, str(number)), f"file{number}") for number in range(40)]
    async with media_cache(tmp_path, source, max_parallel=3) as cache:

        async def view(number: int) -> None:
            file = files[number % len(files)]
            await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file, delay=0.001)))

        for wave in range(5):
            crowd = [asyncio.create_task(view(number)) for number in range(120)]
            await asyncio.sleep(0.001 * wave)
            for viewer in crowd:
                viewer.cancel()
            await asyncio.wait(crowd)
        await settled(cache)
        # Three new files can begin at once, so no turn is lost, and a fourth can't, so none was made up.
        source.gate = asyncio.Event()
        for number in range(3):
            file = source.put(b"x", f"new{number}")
            await asyncio.wait_for(cache.open(CHANNEL, POST, file.unique_id, Finder(file)), 2)
        fourth = asyncio.create_task(cache.open(CHANNEL, POST, "new3", Finder(source.put(b"x", "new3"))))
        await asyncio.sleep(0.02)
        assert not fourth.done()
        source.gate.set()
        await fourth
        await settled(cache)
        assert source.at_once == 0
    assert all(".part." not in path.name for path in on_disk(tmp_path))


async def test_a_viewer_that_leaves_does_not_stop_the_download(tmp_path: Path) -> None:
    source = MemorySource(delay=0.005)
    file = source.put(CONTENT)
    async with media_cache(tmp_path, source) as cache:
        viewer = asyncio.create_task(read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file))))
        await asyncio.sleep(0.002)
        viewer.cancel()
        await settled(cache)
        assert await read_all(await cache.open(CHANNEL, POST, file.unique_id, never)) == CONTENT


async def test_a_file_in_the_queue_that_nobody_waits_for_any_more_is_not_begun(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event())
    async with media_cache(tmp_path, source, max_parallel=1) as cache:
        await cache.open(CHANNEL, POST, "busy", Finder(source.put(b"busy", "busy")))
        impatient = asyncio.create_task(cache.open(CHANNEL, POST, "left", Finder(source.put(b"left", "left"))))
        patient = asyncio.create_task(cache.open(CHANNEL, POST, "kept", Finder(source.put(b"kept", "kept"))))
        await asyncio.sleep(0.01)
        impatient.cancel()
        await asyncio.wait([impatient])
        assert source.gate is not None
        source.gate.set()
        assert await read_all(await patient) == b"kept"
        await settled(cache)
        assert source.parts_of("left") == []


async def test_one_of_two_waiters_in_the_queue_may_leave(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event())
    file = source.put(b"two", "two")
    async with media_cache(tmp_path, source, max_parallel=1) as cache:
        await cache.open(CHANNEL, POST, "busy", Finder(source.put(b"busy", "busy")))
        first = asyncio.create_task(cache.open(CHANNEL, POST, "two", Finder(file)))
        second = asyncio.create_task(cache.open(CHANNEL, POST, "two", never))
        await asyncio.sleep(0.01)
        first.cancel()
        await asyncio.wait([first])
        assert source.gate is not None
        source.gate.set()
        assert await read_all(await second) == b"two"


# Faults


@pytest.mark.parametrize(
    "fault", [FloodWait(7), TelegramTimeout(), TelegramUnavailable("off"), MediaGone("gone")], ids=repr
)
async def test_a_failed_download_answers_from_memory_until_its_pause_is_over(
    tmp_path: Path, fault: BridgeError
) -> None:
    clock = Clock()
    source = MemorySource(faults={0: [fault]})
    file = source.put(CONTENT)
    async with media_cache(tmp_path, source, now=clock) as cache:
        found = await cache.open(CHANNEL, POST, file.unique_id, Finder(file))
        with pytest.raises(type(fault)):
            await read_all(found)
        await settled(cache)
        asked = len(source.asked)
        with pytest.raises(type(fault)):
            await cache.open(CHANNEL, POST, file.unique_id, never)
        assert len(source.asked) == asked
        # A flood is the account's, and remembered once for all files.
        assert cache.failing == (0 if isinstance(fault, FloodWait) else 1)
        clock.now += 61
        assert await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file))) == CONTENT
        await settled(cache)
        assert cache.failing == 0


async def test_a_verified_restart_lets_every_file_be_tried_at_once(tmp_path: Path) -> None:
    source = MemorySource(faults={0: [FloodWait(3600)]})
    file = source.put(CONTENT)
    async with media_cache(tmp_path, source) as cache:
        with pytest.raises(FloodWait):
            await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file)))
        await settled(cache)
        cache.forget_failures()
        assert await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file))) == CONTENT


async def test_a_flood_is_for_all_files_that_are_not_here_and_ends_with_its_time(tmp_path: Path) -> None:
    clock = Clock()
    source = MemorySource(faults={0: [FloodWait(30)]})
    flooded, other, stored = source.put(CONTENT, "flooded"), source.put(b"other", "other"), file_ref("stored")
    async with media_cache(tmp_path, source, now=clock) as cache:
        source.files["stored"] = b"stored"
        faults, source.faults = source.faults, {}
        await fetch(cache, stored)
        source.faults = faults
        with pytest.raises(FloodWait):
            await read_all(await cache.open(CHANNEL, POST, "flooded", Finder(flooded)))
        await settled(cache)
        clock.now += 10
        with pytest.raises(FloodWait) as caught:
            await cache.open(CHANNEL, POST, "other", never)
        assert caught.value.retry_after == 20
        assert await read_all(await cache.open(CHANNEL, POST, "stored", never)) == b"stored"
        clock.now += 20
        assert await read_all(await cache.open(CHANNEL, POST, "other", Finder(other))) == b"other"


@pytest.mark.parametrize("fault", [PostNotFound("deleted"), MediaGone("no such file")], ids=repr)
async def test_that_the_post_has_no_such_file_is_remembered(tmp_path: Path, fault: BridgeError) -> None:
    finder = Finder(fault)
    async with media_cache(tmp_path, MemorySource()) as cache:
        for _ in range(3):
            with pytest.raises(type(fault)):
                await cache.open(CHANNEL, POST, "AgADabc", finder)
        assert finder.calls == 1


async def test_a_file_gone_from_one_post_is_found_in_another(tmp_path: Path) -> None:
    source = MemorySource()
    file = source.put(CONTENT)
    async with media_cache(tmp_path, source) as cache:
        gone = asyncio.create_task(cache.open(CHANNEL, 1, file.unique_id, Finder(PostNotFound("x"), delay=0.01)))
        await asyncio.sleep(0)
        there = asyncio.create_task(cache.open(CHANNEL, 2, file.unique_id, Finder(file)))
        assert await read_all(await there) == CONTENT
        with pytest.raises(PostNotFound):
            await gone


@pytest.mark.parametrize("fault", [FloodWait(7), TelegramTimeout(), TelegramUnavailable("off")], ids=repr)
async def test_a_passing_fault_of_the_look_up_is_not_held_against_the_file(tmp_path: Path, fault: BridgeError) -> None:
    source = MemorySource()
    finder = Finder(fault, source.put(CONTENT))
    async with media_cache(tmp_path, source) as cache:
        with pytest.raises(type(fault)):
            await cache.open(CHANNEL, POST, "AgADabc", finder)
        assert await read_all(await cache.open(CHANNEL, POST, "AgADabc", finder)) == CONTENT


async def test_a_look_up_that_gives_another_file_is_refused(tmp_path: Path) -> None:
    async with media_cache(tmp_path, MemorySource()) as cache:
        with pytest.raises(MediaGone):
            await cache.open(CHANNEL, POST, "AgADabc", Finder(file_ref("other")))


async def test_an_expired_reference_is_renewed_by_asking_telegram_again(tmp_path: Path) -> None:
    source = MemorySource(valid_references={b"second"})
    stale, fresh = source.put(CONTENT), source.put(CONTENT, file_reference=b"second")
    find, refresh = Finder(stale), Finder(fresh)
    async with media_cache(tmp_path, source) as cache:
        assert await read_all(await cache.open(CHANNEL, POST, "AgADabc", find, refresh)) == CONTENT
        assert (find.calls, refresh.calls) == (1, 1)


async def test_a_fault_in_mid_file_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    source = MemorySource(faults={2 * MIB: [TelegramTimeout()]})
    file = source.put(CONTENT)
    async with media_cache(tmp_path, source) as cache:
        with pytest.raises(TelegramTimeout):
            await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file)))
        await settled(cache)
        assert on_disk(tmp_path) == []


@pytest.mark.parametrize("fault", [MediaGone("gone"), TelegramTimeout(), FloodWait(7)], ids=repr)
async def test_a_download_that_failed_keeps_nothing_open_though_its_fault_is_remembered(
    tmp_path: Path, fault: BridgeError
) -> None:
    source = MemorySource(faults={2 * MIB: [fault]})
    file = source.put(CONTENT)

    async def view() -> None:
        with pytest.raises(type(fault)):
            await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file)))

    async with media_cache(tmp_path, source) as cache:
        for _ in range(2):
            await view()
            await settled(cache)
        gc.collect()
        assert open_below(tmp_path / "media") == []


# Accesses, shutdown, crashes


async def test_accesses_are_written_down_by_a_flush_and_at_the_end(tmp_path: Path) -> None:
    clock = Clock()
    source = MemorySource()
    file = source.put(b"x")
    async with media_cache(tmp_path, source, now=clock) as cache:
        await fetch(cache, file)
        clock.now += 100
        await cache.open(CHANNEL, POST, file.unique_id, never)
        await cache.flush()
        row = await cache._store.get(file.unique_id)
        assert row is not None
        assert row.last_access == int(clock.now)
        clock.now += 100
        await cache.open(CHANNEL, POST, file.unique_id, never)
    async with media_cache(tmp_path, source, now=clock) as cache:
        row = await cache._store.get(file.unique_id)
        assert row is not None
        assert row.last_access == int(clock.now)


async def test_a_flush_that_fails_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    source = MemorySource()
    one, two = source.put(b"x", "one"), source.put(b"x", "two")
    async with media_cache(tmp_path, source, now=clock) as cache:
        await fetch(cache, one)
        await fetch(cache, two)
        await cache.flush()
        clock.now += 100
        await cache.open(CHANNEL, POST, "one", never)
        await cache.open(CHANNEL, POST, "two", never)

        async def full(accesses: object) -> None:
            clock.now += 50
            await cache.open(CHANNEL, POST, "two", never)
            raise StorageUnavailable("disk full")

        with monkeypatch.context() as patch:
            patch.setattr(cache._store, "touch", full)
            with pytest.raises(StorageUnavailable):
                await cache.flush()
        await cache.flush()
        rows = [await cache._store.get(name) for name in ["one", "two"]]
        assert [row and row.last_access for row in rows] == [int(clock.now) - 50, int(clock.now)]


async def test_closing_breaks_downloads_off_and_tells_the_viewers(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event(), let_through={0})
    async with media_cache(tmp_path, source, max_parallel=1) as cache:
        found = await cache.open(CHANNEL, POST, "AgADabc", Finder(source.put(CONTENT)))
        viewer = asyncio.create_task(read_all(found))
        queued = asyncio.create_task(cache.open(CHANNEL, POST, "queued", Finder(source.put(b"x", "queued"))))
        await asyncio.sleep(0.02)
        await asyncio.wait_for(cache.close(), 2)
        for waiter in [viewer, queued]:
            with pytest.raises(TelegramUnavailable):
                await asyncio.wait_for(waiter, 1)
        with pytest.raises(TelegramUnavailable):
            await cache.open(CHANNEL, POST, "new", never)
        assert on_disk(tmp_path) == []


async def test_files_over_the_size_limit_do_not_wait_for_the_hourly_sweep(tmp_path: Path) -> None:
    source, clock = MemorySource(), Clock()
    names = ["first", "second", "third"]
    async with media_cache(tmp_path, source, cache_limits=CacheLimits(most_bytes=25_000), now=clock) as cache:
        await cache.prepare()
        sweeping = asyncio.create_task(cache.sweep_forever(3600, 0.01))
        for name in names:
            clock.now += 1
            file = source.put(file_bytes(10_000, name), name)
            await read_all(await cache.open(CHANNEL, POST, name, Finder(file)))
            await cache._flights.landed(name)
        kept = {cache._folder.path(name) for name in names[1:]}
        await until(lambda: set(on_disk(tmp_path)) == kept)
        sweeping.cancel()


async def test_the_loops_for_the_supervisor_go_on_after_a_fault_of_the_disk(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = MemorySource()
    async with media_cache(tmp_path, source) as cache:
        await fetch(cache, source.put(b"x"))
        calls = 0

        async def full(accesses: object) -> None:
            nonlocal calls
            calls += 1
            raise StorageUnavailable("disk full")

        monkeypatch.setattr(cache._store, "touch", full)
        loops = [asyncio.create_task(cache.flush_forever(0.005)), asyncio.create_task(cache.sweep_forever(0.005))]
        with caplog.at_level(logging.WARNING):
            while calls < 6:
                await asyncio.sleep(0.005)
        assert not any(loop.done() for loop in loops)
        for loop in loops:
            loop.cancel()
        monkeypatch.undo()
        assert "disk full" in caplog.text


_WRITER = """
import asyncio, sys
from pathlib import Path
from unittest.mock import patch
from media_source import CHANNEL, Finder, MemorySource, file_bytes, media_cache, read_all
class Slow(MemorySource):
    async def file_part(self, file, offset, limit):
        await asyncio.sleep(0.02)
        return await super().file_part(file, offset, limit)
async def main():
    source = Slow()
    async with media_cache(Path(sys.argv[1]), source, max_parallel=8) as cache:
        async def go(name, size):
            file = source.put(file_bytes(size, name), name)
            found = await cache.open(CHANNEL, 1, name, Finder(file))
            await found.download.finished()
            print(name, flush=True)
        async with asyncio.TaskGroup() as group:
            for number in range(200):
                group.create_task(go(f"file{number}", 1000 + number % 3 * 1_000_000))
asyncio.run(main())
"""


async def test_a_kill_in_the_middle_of_writing_leaves_no_partial_under_a_final_name(tmp_path: Path) -> None:
    tests = Path(__file__).parent
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(tmp_path)],
        env={"PYTHONPATH": f"{tests.parent}:{tests}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    done = [writer.stdout.readline().strip() for _ in range(15)]
    assert all(done), "the writer did not work"
    # A file is in the making for a moment only, so the writer is held still until that is seen.
    while writer.poll() is None:
        writer.send_signal(signal.SIGSTOP)
        if any(".part." in path.name for path in on_disk(tmp_path)):
            break
        writer.send_signal(signal.SIGCONT)
        await asyncio.sleep(0.002)
    writer.kill()
    done += writer.stdout.read().split()
    writer.wait()

    assert any(".part." in path.name for path in on_disk(tmp_path)), "the kill came too late to prove anything"
    # Even before anything is put in order, a final name stands for a whole file.
    sizes = {1000 + number * 40_000 for number in range(100)}
    for path in on_disk(tmp_path):
        assert ".part." in path.name or path.stat().st_size in sizes
    async with media_cache(tmp_path, MemorySource()) as cache:
        await cache.reconcile()
        assert all(".part." not in path.name for path in on_disk(tmp_path))
        rows = await cache._store.sizes()
        assert set(done) <= set(rows)
        assert len(on_disk(tmp_path)) == len(rows)
        for name, size in rows.items():
            found = await cache.open(CHANNEL, 1, name, never)
            assert await read_all(found) == file_bytes(size, name)


async def test_putting_in_order_at_the_start_does_not_disturb_downloads(tmp_path: Path) -> None:
    source = MemorySource(delay=0.001)
    async with media_cache(tmp_path, source, max_parallel=8) as cache:
        files = [source.put(file_bytes(100_000, str(number)), f"file{number}") for number in range(60)]

        async def view(file: FileRef) -> None:
            with suppress(Overloaded):
                await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file)))

        viewers = asyncio.gather(*[view(file) for file in files])
        while not viewers.done():
            await cache.reconcile()
        await viewers
        await settled(cache)
        assert len(on_disk(tmp_path)) == len(files)


async def test_a_disk_that_takes_nothing_is_one_line_in_the_log_a_minute_however_many_files_are_asked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    loop = asyncio.get_running_loop()
    time, source = loop.time, MemorySource()

    async def ask(cache: MediaCache, *unique_ids: str) -> None:
        for unique_id in unique_ids:
            with pytest.raises(StorageUnavailable):
                await read_all(await cache.open(CHANNEL, POST, unique_id, Finder(source.put(b"x", unique_id))))
            await cache._flights.landed(unique_id)

    async with media_cache(tmp_path, source) as cache:
        with caplog.at_level(logging.WARNING), RefusingDisk(tmp_path.resolve()) as disk:
            disk.refused = {"open", "mkdir"}
            await ask(cache, *[f"file{number}" for number in range(20)])
            assert caplog.text.count("could not be fetched") == 1
            with patch.object(loop, "time", lambda: time() + 61):
                await ask(cache, "later", "later still")
            assert caplog.text.count("could not be fetched") == 2
            # Other faults are told all the same.
            disk.refused = set()
            source.faults[0] = [TelegramUnavailable("down")]
            with pytest.raises(TelegramUnavailable):
                await read_all(await cache.open(CHANNEL, POST, "other", Finder(source.put(b"x", "other"))))
            await cache._flights.landed("other")
            assert caplog.text.count("could not be fetched") == 3
