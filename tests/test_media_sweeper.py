"""The sweeper removes what is out of date or stray, and nothing that somebody reads or writes."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from media_source import CHANNEL, POST, Clock, Finder, MemorySource, file_bytes, media_cache, on_disk, read_all

from media_cache import sweeper
from media_cache.cache import Complete, MediaCache, Progress
from media_cache.sweeper import CacheLimits, Swept

DAY = 86400
HOUR = 3600


async def store(cache: MediaCache, source: MemorySource, unique_id: str, size: int = 1000) -> None:
    """Have the file in the cache, last seen now."""
    file = source.put(file_bytes(size, unique_id), unique_id)
    found = await cache.open(CHANNEL, POST, unique_id, Finder(file))
    await read_all(found)
    while cache.running:
        await asyncio.sleep(0.001)
    await cache.flush()


async def names(cache: MediaCache) -> set[str]:
    return set(await cache._store.sizes())


async def test_files_nobody_has_seen_for_the_ttl_go_and_their_rows_too(tmp_path: Path) -> None:
    clock = Clock(time.time())
    source = MemorySource()
    async with media_cache(tmp_path, source, now=clock, cache_limits=CacheLimits(ttl_days=20)) as cache:
        await store(cache, source, "old")
        clock.now += 10 * DAY
        await store(cache, source, "new")
        clock.now += 10 * DAY
        assert await cache.sweeper.sweep() == Swept(0, 0)
        clock.now += 1
        assert await cache.sweeper.sweep() == Swept(1, 0)
        assert await names(cache) == {"new"}
        assert len(on_disk(tmp_path)) == 1


async def test_being_looked_at_keeps_a_file(tmp_path: Path) -> None:
    clock = Clock(time.time())
    source = MemorySource()
    async with media_cache(tmp_path, source, now=clock, cache_limits=CacheLimits(ttl_days=20)) as cache:
        await store(cache, source, "seen")
        clock.now += 21 * DAY
        # Noted in memory, not yet in the database.
        await cache.open(CHANNEL, POST, "seen", Finder(source.put(b"")))
        assert await cache.sweeper.sweep() == Swept(0, 0)
        await cache.flush()
        assert await cache.sweeper.sweep() == Swept(0, 0)


async def test_a_file_that_is_being_read_stays_until_its_reader_is_done(tmp_path: Path) -> None:
    clock = Clock(time.time())
    source = MemorySource()
    async with media_cache(tmp_path, source, now=clock) as cache:
        await store(cache, source, "read", 1_000_000)
        found = await cache.open(CHANNEL, POST, "read", Finder(source.put(b"")))
        assert isinstance(found, Complete)
        chunks = found.read(0, found.size)
        await anext(chunks)
        await cache.flush()
        clock.now += 30 * DAY
        assert await cache.sweeper.sweep() == Swept(0, 0)
        await chunks.aclose()
        # The end of its use counts as an access.
        await cache.flush()
        assert await cache.sweeper.sweep() == Swept(0, 0)
        clock.now += 30 * DAY
        assert await cache.sweeper.sweep() == Swept(1, 0)
        assert on_disk(tmp_path) == []


async def test_a_swept_file_is_fetched_again_when_asked_for(tmp_path: Path) -> None:
    clock = Clock(time.time())
    source = MemorySource()
    async with media_cache(tmp_path, source, now=clock) as cache:
        await store(cache, source, "back")
        clock.now += 30 * DAY
        await cache.sweeper.sweep()
        await store(cache, source, "back")
        assert len(source.asked) == 2
        assert await names(cache) == {"back"}


async def test_over_the_cap_the_least_recently_seen_go_first(tmp_path: Path) -> None:
    clock = Clock(time.time())
    source = MemorySource()
    async with media_cache(tmp_path, source, now=clock, cache_limits=CacheLimits(most_bytes=2500)) as cache:
        for unique_id in ["a", "b", "c", "d"]:
            await store(cache, source, unique_id, 1000)
            clock.now += 100
        await cache.open(CHANNEL, POST, "a", Finder(source.put(b"")))
        await cache.flush()
        assert await cache.sweeper.sweep() == Swept(2, 0)
        assert await names(cache) == {"a", "d"}


async def test_big_files_stay_for_an_hour_after_their_last_viewer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "BIG_FILE", 50_000)
    clock = Clock(time.time())
    source = MemorySource()
    async with media_cache(tmp_path, source, now=clock) as cache:
        await store(cache, source, "big", 50_001)
        await store(cache, source, "small", 50_000)
        clock.now += HOUR
        assert await cache.sweeper.sweep() == Swept(0, 0)
        clock.now += 1
        assert await cache.sweeper.sweep() == Swept(1, 0)
        assert await names(cache) == {"small"}


async def test_a_viewer_of_hours_who_came_while_the_file_was_on_its_way_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "BIG_FILE", 50_000)
    clock = Clock(time.time())
    source = MemorySource()
    content = file_bytes(1_000_000)
    async with media_cache(tmp_path, source, now=clock) as cache:
        found = await cache.open(CHANNEL, POST, "film", Finder(source.put(content, "film")))
        assert isinstance(found, Progress)
        chunks = found.read(0, len(content))
        watched = [bytes(await anext(chunks))]
        await cache._flights.landed("film")
        for _ in range(3):
            clock.now += HOUR + 1
            await cache.flush()
            assert await cache.sweeper.sweep() == Swept(0, 0)
        watched += [bytes(chunk) async for chunk in chunks]
        assert b"".join(watched) == content
        await cache.flush()
        clock.now += HOUR
        assert await cache.sweeper.sweep() == Swept(0, 0)
        clock.now += 1
        assert await cache.sweeper.sweep() == Swept(1, 0)
        assert on_disk(tmp_path) == []


def stray(folder: Path, name: str, age: float) -> Path:
    path = folder / "media" / name[:2] / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"stray")
    moment = time.time() - age
    os.utime(path, (moment, moment))
    return path


async def test_strays_go_when_they_are_an_hour_old(tmp_path: Path) -> None:
    source = MemorySource()
    async with media_cache(tmp_path, source) as cache:
        await store(cache, source, "kept")
        old = [stray(tmp_path, "ab01", HOUR + 5), stray(tmp_path, "ab02.part.1234", HOUR + 5)]
        young = [stray(tmp_path, "ab03", HOUR - 60), stray(tmp_path, "ab04.part.1234", HOUR - 60)]
        assert await cache.sweeper.sweep() == Swept(0, 2)
        assert not any(path.exists() for path in old)
        assert all(path.exists() for path in young)
        assert await names(cache) == {"kept"}


async def test_a_partial_that_is_being_written_stays_however_slow_it_is(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event(), let_through={0})
    file = source.put(file_bytes(3 * 1024 * 1024))
    async with media_cache(tmp_path, source) as cache:
        found = await cache.open(CHANNEL, POST, file.unique_id, Finder(file))
        viewer = asyncio.create_task(read_all(found))
        await asyncio.sleep(0.05)
        (partial,) = on_disk(tmp_path)
        os.utime(partial, (1, 1))
        assert await cache.sweeper.sweep() == Swept(0, 0)
        await cache.reconcile()
        assert source.gate is not None
        source.gate.set()
        assert await viewer == file_bytes(3 * 1024 * 1024)


async def test_a_file_that_is_fetched_while_its_stray_forerunner_is_swept_stays_even_if_the_clock_jumps(
    tmp_path: Path,
) -> None:
    clock = Clock(time.time())
    source = MemorySource()
    async with media_cache(tmp_path, source, now=clock) as cache:
        # What a crash has left under the final name.
        path = cache._folder.path("back")
        path.parent.mkdir(parents=True)
        path.write_bytes(b"without a row")
        clock.now += 2 * HOUR
        rows_of = cache._store.sizes

        async def sizes() -> dict[str, int]:
            rows = await rows_of()
            await store(cache, source, "back")
            return rows

        with patch.object(cache._store, "sizes", sizes):
            assert await cache.sweeper.sweep() == Swept(0, 0)
        assert path.read_bytes() == file_bytes(1000, "back")
        assert await names(cache) == {"back"}


async def test_a_lost_file_that_is_fetched_before_its_row_is_removed_stays(tmp_path: Path) -> None:
    source = MemorySource()
    async with media_cache(tmp_path, source) as cache:
        await store(cache, source, "back")
        path = cache._folder.path("back")
        path.unlink()
        remove = cache._store.remove

        async def removed(*arguments: Any, **options: Any) -> int:
            cache._store.remove = remove  # type: ignore[method-assign]
            await store(cache, source, "back")
            return await remove(*arguments, **options)

        cache._store.remove = removed  # type: ignore[method-assign]
        assert await cache.sweeper.reconcile() == Swept(0, 0)
        assert path.read_bytes() == file_bytes(1000, "back")
        assert await names(cache) == {"back"}


async def test_at_the_start_every_stray_goes_and_rows_without_their_whole_file(tmp_path: Path) -> None:
    source = MemorySource()
    async with media_cache(tmp_path, source) as cache:
        for unique_id in ["whole", "removed", "cut"]:
            await store(cache, source, unique_id)
        paths = {unique_id: cache._folder.path(unique_id) for unique_id in ["removed", "cut"]}
    paths["removed"].unlink()
    paths["cut"].write_bytes(b"x")
    stray(tmp_path, "ab01", 1)
    stray(tmp_path, "ab02.part.1234", 1)
    async with media_cache(tmp_path, source) as cache:
        assert await cache.sweeper.reconcile() == Swept(2, 2)
        assert await names(cache) == {"whole"}
        assert len(on_disk(tmp_path)) == 1
        assert await cache.sweeper.reconcile() == Swept(0, 0)


async def test_many_files_go_in_one_sweep(tmp_path: Path) -> None:
    clock = Clock(time.time())
    source = MemorySource()
    async with media_cache(tmp_path, source, now=clock, max_parallel=20) as cache:
        await asyncio.gather(*[store(cache, source, f"file{number}", 10) for number in range(120)])
        clock.now += 30 * DAY
        assert await cache.sweeper.sweep() == Swept(120, 0)
        assert on_disk(tmp_path) == []


async def test_a_folder_that_can_not_be_put_in_order_does_not_stop_a_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = MemorySource()
    async with media_cache(tmp_path, source) as cache:
        await store(cache, source, "one")
        folder = cache._folder.path("one").parent
        cache._folder.path("one").unlink()
        folder.rmdir()
        folder.write_text("in the way")
        await cache.prepare()
        assert "could not be put in order" in caplog.text


async def test_a_first_start_has_nothing_to_put_in_order(tmp_path: Path) -> None:
    async with media_cache(tmp_path, MemorySource()) as cache:
        assert await cache.sweeper.reconcile() == Swept(0, 0)
        assert await cache.sweeper.sweep() == Swept(0, 0)
