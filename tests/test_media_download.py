"""A download fetches each part once, shares it with all viewers, and ends as a whole file or as one typed failure."""

from __future__ import annotations

import asyncio
import errno
import gc
import os
import resource
import threading
import tracemalloc
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from media_source import LITTLE_PATIENCE, NO_PATIENCE, Finder, MemorySource, file_bytes, file_ref
from refusing_disk import RefusingDisk

from errors import (
    BridgeError,
    FileReferenceExpired,
    FloodWait,
    MediaGone,
    PostNotFound,
    StorageUnavailable,
    TelegramTimeout,
    TelegramUnavailable,
)
from media_cache import download as download_module
from media_cache.download import HUGE, Abandoned, Download
from media_cache.pace import Patience, TimeLimits
from media_cache.parts import FIRST_PART_SIZE
from media_cache.room import Room
from model.media import FileRef

MIB = 1024 * 1024
TEN_MIB = file_bytes(10 * MIB + 123)


async def published(download: Download) -> None:
    """Nothing more to do."""
    await asyncio.to_thread(download.take_name)


def make(
    folder: Path,
    source: MemorySource,
    file: FileRef,
    refresh: Callable[[], Awaitable[FileRef]] | None = None,
    limits: TimeLimits | None = None,
    parts_in_flight: int = 8,
    patience: Patience = LITTLE_PATIENCE,
    linger: float = 30,
) -> Download:
    return Download(
        file,
        folder / "ab" / "final",
        source,
        refresh or Finder(file),
        modified=1,
        limits=limits or TimeLimits(),
        room=Room(),
        parts_in_flight=parts_in_flight,
        patience=patience,
        linger=linger,
    )


async def read(download: Download, start: int = 0, end: int | None = None) -> bytes:
    size = await download.size()
    return b"".join([chunk async for chunk in download.read(start, size if end is None else end)])


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


# Good ends


@pytest.mark.parametrize(
    "size", [1, 4096, FIRST_PART_SIZE - 1, FIRST_PART_SIZE, FIRST_PART_SIZE + 1, MIB, MIB + 1, 2 * MIB, 5 * MIB - 1]
)
@pytest.mark.parametrize("known", [True, False], ids=["size known", "size unknown"])
async def test_files_of_every_shape_arrive_whole(tmp_path: Path, size: int, known: bool) -> None:
    source = MemorySource()
    content = file_bytes(size)
    download = make(tmp_path, source, source.put(content, size=size if known else 0))
    viewer = asyncio.create_task(read(download))
    await download.run(published)
    assert await viewer == content
    assert await download.size() == size
    assert download.path.read_bytes() == content
    assert files_in(tmp_path) == ["final"]


async def test_each_part_is_asked_for_once_with_eight_in_flight_and_the_first_first(tmp_path: Path) -> None:
    source = MemorySource(delay=0.01)
    download = make(tmp_path, source, source.put(TEN_MIB))
    await download.run(published)
    offsets = source.parts_of()
    assert offsets[0] == 0
    assert sorted(offsets) == [0, FIRST_PART_SIZE, *range(MIB, 11 * MIB, MIB)]
    assert source.most_at_once == 8


async def test_the_first_bytes_can_be_read_while_the_rest_is_still_coming(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event(), let_through={0})
    download = make(tmp_path, source, source.put(TEN_MIB))
    running = asyncio.create_task(download.run(published))
    assert await asyncio.wait_for(read(download, 0, FIRST_PART_SIZE), 5) == TEN_MIB[:FIRST_PART_SIZE]
    assert not running.done()
    assert source.gate is not None
    source.gate.set()
    await running


async def test_bytes_of_a_part_that_is_not_there_are_waited_for_and_never_made_up(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event(), let_through={0, 2 * MIB})
    download = make(tmp_path, source, source.put(TEN_MIB))
    running = asyncio.create_task(download.run(published))
    # The file on the disk already reaches beyond the missing part.
    await download.wait_for(2 * MIB)
    viewer = asyncio.create_task(read(download, MIB, MIB + 10))
    await asyncio.sleep(0.05)
    assert not viewer.done()
    assert source.gate is not None
    source.gate.set()
    assert await viewer == TEN_MIB[MIB : MIB + 10]
    await running


async def test_a_far_seek_fetches_its_part_next(tmp_path: Path) -> None:
    content = file_bytes(MIB) * 40
    source = MemorySource(gate=asyncio.Event(), let_through={0})
    download = make(tmp_path, source, source.put(content), parts_in_flight=2)
    running = asyncio.create_task(download.run(published))
    await download.wait_for(0)
    viewer = asyncio.create_task(read(download, 30 * MIB + 5, 32 * MIB))
    await asyncio.sleep(0)
    assert source.gate is not None
    source.gate.set()
    assert await viewer == content[30 * MIB + 5 : 32 * MIB]
    # Two parts were on their way already, two more may go to the one that frees its place first.
    assert 30 * MIB in source.parts_of()[:5]
    assert 31 * MIB in source.parts_of()[:7]
    await running


async def test_two_hundred_viewers_of_different_ranges_get_their_bytes_from_one_download(tmp_path: Path) -> None:
    source = MemorySource(delay=0.002)
    download = make(tmp_path, source, source.put(TEN_MIB))
    ranges = [(start, min(start + 300_000, len(TEN_MIB))) for start in range(0, 10 * MIB, 10 * MIB // 200)]
    viewers = [asyncio.create_task(read(download, *item)) for item in ranges]
    await download.run(published)
    for (start, end), viewer in zip(ranges, viewers, strict=True):
        assert await viewer == TEN_MIB[start:end]
    assert len(source.asked) == 12


async def test_a_viewer_that_leaves_stops_nothing(tmp_path: Path) -> None:
    source = MemorySource(delay=0.01)
    download = make(tmp_path, source, source.put(TEN_MIB))
    running = asyncio.create_task(download.run(published))
    viewers = [asyncio.create_task(read(download)) for _ in range(50)]
    await asyncio.sleep(0.02)
    for viewer in viewers:
        viewer.cancel()
    await asyncio.wait(viewers)
    await running
    assert download.path.read_bytes() == TEN_MIB


async def test_bytes_can_still_be_read_after_the_end_even_if_the_file_was_removed(tmp_path: Path) -> None:
    source = MemorySource()
    download = make(tmp_path, source, source.put(TEN_MIB))
    await download.run(published)
    download.path.unlink()
    assert await read(download, 5, MIB) == TEN_MIB[5:MIB]


async def test_descriptors_are_closed_when_nobody_holds_the_download(tmp_path: Path) -> None:
    source = MemorySource()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        download = make(tmp_path, source, source.put(file_bytes(MIB)))
        await download.run(published)
        await read(download)
    del download
    gc.collect()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1


async def test_the_type_is_known_with_the_first_part(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event(), let_through={0})
    content = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01\x00\x08\x06\x00\x00\x00" + file_bytes(
        2 * MIB
    )
    download = make(tmp_path, source, source.put(content, mime_type="text/html"))
    running = asyncio.create_task(download.run(published))
    assert await asyncio.wait_for(download.mime_type(), 5) == "image/png"
    running.cancel()


async def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    class Endless(MemorySource):
        async def file_part(self, file: FileRef, offset: int, limit: int) -> bytes:
            await asyncio.sleep(0)
            return bytes(min(limit, file.size - offset))

    async def count(download: Download) -> int:
        return sum([len(chunk) async for chunk in download.read(0, await download.size())])

    download = make(tmp_path, Endless(), file_ref(size=300 * MIB))
    tracemalloc.start()
    try:
        viewers = [asyncio.create_task(count(download)) for _ in range(3)]
        await download.run(published)
        assert [await viewer for viewer in viewers] == [300 * MIB] * 3
        assert tracemalloc.get_traced_memory()[1] < 24 * MIB
    finally:
        tracemalloc.stop()


async def test_a_slow_viewer_is_read_for_only_as_fast_as_it_takes(tmp_path: Path) -> None:
    source = MemorySource()
    download = make(tmp_path, source, source.put(TEN_MIB))
    await download.run(published)
    chunks = download.read(0, len(TEN_MIB))
    first = await anext(chunks)
    assert len(first) <= MIB
    await chunks.aclose()


# Expired references


async def test_an_expired_reference_is_renewed_once_for_all_parts_and_the_download_goes_on(tmp_path: Path) -> None:
    source = MemorySource(valid_references={b"second"}, delay=0.01)
    file = source.put(TEN_MIB)
    refresh = Finder(source.put(TEN_MIB, file_reference=b"second"), delay=0.02)
    download = make(tmp_path, source, file, refresh)
    await download.run(published)
    assert download.path.read_bytes() == TEN_MIB
    assert refresh.calls == 1


async def test_a_reference_that_expires_in_mid_file_is_renewed(tmp_path: Path) -> None:
    source = MemorySource(faults={4 * MIB: [FileReferenceExpired("x")], 8 * MIB: [FileReferenceExpired("x")]})
    refresh = Finder(source.put(TEN_MIB, file_reference=b"second"), source.put(TEN_MIB, file_reference=b"third"))
    download = make(tmp_path, source, source.put(TEN_MIB), refresh, parts_in_flight=1)
    await download.run(published)
    assert download.path.read_bytes() == TEN_MIB
    assert refresh.calls == 2


async def test_a_file_whose_new_reference_is_refused_is_gone_after_one_try(tmp_path: Path) -> None:
    source = MemorySource(valid_references=set())
    refresh = Finder(source.put(TEN_MIB, file_reference=b"second"))
    download = make(tmp_path, source, source.put(TEN_MIB), refresh)
    with pytest.raises(MediaGone):
        await download.run(published)
    assert refresh.calls == 1
    assert files_in(tmp_path) == []


async def test_references_are_not_renewed_for_ever(tmp_path: Path) -> None:
    faults: dict[int, list[BridgeError]] = {offset: [FileReferenceExpired("x")] for offset in range(0, 40 * MIB, MIB)}
    source = MemorySource(faults=faults)
    content = file_bytes(MIB) * 40
    file = source.put(content)
    calls = 0

    async def refresh() -> FileRef:
        nonlocal calls
        calls += 1
        return source.put(content, file_reference=str(calls).encode())

    with pytest.raises(MediaGone):
        await make(tmp_path, source, file, refresh, parts_in_flight=1).run(published)
    assert calls < 20


@pytest.mark.parametrize("fault", [PostNotFound("deleted"), FloodWait(5), TelegramUnavailable("off")])
async def test_a_fault_of_the_renewal_ends_the_download(tmp_path: Path, fault: BridgeError) -> None:
    source = MemorySource(valid_references=set())
    download = make(tmp_path, source, source.put(TEN_MIB), Finder(fault), patience=NO_PATIENCE)
    with pytest.raises(type(fault)):
        await download.run(published)
    with pytest.raises(type(fault)):
        await read(download)


async def test_a_post_that_has_another_file_by_now_does_not_get_mixed_into_this_one(tmp_path: Path) -> None:
    source = MemorySource(valid_references=set())
    download = make(tmp_path, source, source.put(TEN_MIB), Finder(file_ref("other", 5)))
    with pytest.raises(MediaGone, match="another file"):
        await download.run(published)


# Bad parts


@pytest.mark.parametrize("offset", [0, FIRST_PART_SIZE, 3 * MIB, 10 * MIB])
@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: b"", lambda data: data + b"x"])
async def test_a_part_of_the_wrong_length_is_asked_for_again(
    tmp_path: Path, offset: int, spoil: Callable[[bytes], bytes]
) -> None:
    source = MemorySource(spoil={offset: [spoil]})
    download = make(tmp_path, source, source.put(TEN_MIB))
    await download.run(published)
    assert download.path.read_bytes() == TEN_MIB
    assert source.parts_of().count(offset) == 2


@pytest.mark.parametrize("offset", [FIRST_PART_SIZE, 3 * MIB, 10 * MIB])
@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: b"", lambda data: data + b"x"])
async def test_a_part_that_stays_wrong_is_a_fault_and_not_the_end_of_the_file(
    tmp_path: Path, offset: int, spoil: Callable[[bytes], bytes]
) -> None:
    source = MemorySource(spoil={offset: [spoil] * 100})
    download = make(tmp_path, source, source.put(TEN_MIB))
    with pytest.raises(TelegramUnavailable, match=r"bytes instead of"):
        await download.run(published)
    assert source.parts_of().count(offset) == 4
    assert files_in(tmp_path) == []


async def test_a_file_of_unknown_size_ends_where_telegram_says_so_twice(tmp_path: Path) -> None:
    source = MemorySource(spoil={3 * MIB: [lambda data: data[: MIB // 2], lambda data: b"", lambda data: data]})
    download = make(tmp_path, source, source.put(TEN_MIB, size=0))
    await download.run(published)
    assert download.path.read_bytes() == TEN_MIB
    assert source.parts_of().count(10 * MIB) == 2


@pytest.mark.parametrize("slip", [b"", b"x", bytes(50_000)], ids=["empty", "short", "long"])
async def test_the_end_of_a_file_of_unknown_size_is_believed_also_after_a_slip(tmp_path: Path, slip: bytes) -> None:
    content = file_bytes(MIB + 1000)
    source = MemorySource(spoil={MIB: [lambda data: slip]})
    download = make(tmp_path, source, source.put(content, size=0))
    await download.run(published)
    assert download.path.read_bytes() == content


@pytest.mark.parametrize("known", [True, False])
async def test_a_file_without_any_bytes_is_gone(tmp_path: Path, known: bool) -> None:
    source = MemorySource()
    source.put(b"")
    with pytest.raises(MediaGone):
        await make(tmp_path, source, file_ref(size=100 if known else 0)).run(published)


async def test_a_file_that_came_empty_once_after_another_fault_is_not_taken_for_gone(tmp_path: Path) -> None:
    source = MemorySource(faults={0: [TelegramTimeout()]}, spoil={0: [lambda data: b""]})
    patience = Patience(at_start=0.05, first_pause=0.04)
    download = make(tmp_path, source, source.put(b"small"), patience=patience)
    with pytest.raises(TelegramUnavailable):
        await download.run(published)
    assert source.parts_of() == [0, 0]


# Faults that pass


PASSING = [FloodWait(0.02), TelegramTimeout(), TelegramUnavailable("off"), TelegramUnavailable("restarting", 5)]


@pytest.mark.parametrize("fault", PASSING, ids=repr)
async def test_a_fault_that_passes_costs_a_viewer_in_mid_file_nothing(tmp_path: Path, fault: BridgeError) -> None:
    source = MemorySource(faults={offset * MIB: [fault] * 3 for offset in range(4, 10)}, delay=0.001)
    download = make(tmp_path, source, source.put(TEN_MIB))
    viewer = asyncio.create_task(read(download))
    await download.run(published)
    assert await viewer == TEN_MIB
    asked = source.parts_of()
    # What has come is not asked for again.
    assert [asked.count(offset) for offset in (0, FIRST_PART_SIZE, MIB, 4 * MIB)] == [1, 1, 1, 4]


async def test_an_outage_of_the_whole_source_is_waited_out_and_the_parts_that_came_are_kept(tmp_path: Path) -> None:
    class Outage(MemorySource):
        down = False

        async def file_part(self, file: FileRef, offset: int, limit: int) -> bytes:
            data = await super().file_part(file, offset, limit)
            if self.down:
                raise TelegramUnavailable("down", 5)
            return data

    source = Outage(delay=0.001)
    download = make(tmp_path, source, source.put(TEN_MIB))
    running = asyncio.create_task(download.run(published))
    await download.wait_for(MIB)
    source.down = True
    viewer = asyncio.create_task(read(download))
    await asyncio.sleep(0.2)
    assert not running.done() and not viewer.done()
    kept = source.parts_of().count(0), source.parts_of().count(MIB)
    source.down = False
    assert await viewer == TEN_MIB
    await running
    assert (source.parts_of().count(0), source.parts_of().count(MIB)) == kept == (1, 1)


async def test_an_outage_that_outlasts_the_patience_is_the_end(tmp_path: Path) -> None:
    faults: dict[int, list[BridgeError]] = {5 * MIB: [TelegramUnavailable("down")] * 1000}
    patience = Patience(at_start=9, in_mid_file=0.2, first_pause=0.01, longest_pause=0.01, tries=1000)
    source = MemorySource(faults=faults)
    download = make(tmp_path, source, source.put(TEN_MIB), patience=patience)
    with pytest.raises(TelegramUnavailable, match="down"):
        await download.run(published)
    # However slow the machine is: often, but not for as long as the faults would last.
    assert 2 <= source.parts_of().count(5 * MIB) < 1000
    assert files_in(tmp_path) == []


async def test_a_renewal_that_fails_for_a_while_is_tried_again(tmp_path: Path) -> None:
    source = MemorySource(faults={4 * MIB: [FileReferenceExpired("x")] * 3})
    renewed = source.put(TEN_MIB, file_reference=b"second")
    refresh = Finder(TelegramUnavailable("restarting", 5), TelegramTimeout(), renewed)
    download = make(tmp_path, source, source.put(TEN_MIB), refresh)
    await download.run(published)
    assert download.path.read_bytes() == TEN_MIB
    assert refresh.calls == 3


# Huge files


@pytest.mark.parametrize(("size", "stops"), [(HUGE + 1, True), (HUGE, False)])
async def test_a_huge_file_is_given_up_when_its_last_viewer_has_left(tmp_path: Path, size: int, stops: bool) -> None:
    class Zeros(MemorySource):
        async def file_part(self, file: FileRef, offset: int, limit: int) -> bytes:
            self.asked.append((file.unique_id, offset, limit))
            await asyncio.sleep(0.02)
            return bytes(min(limit, file.size - offset))

    source = Zeros()
    download = make(tmp_path, source, file_ref(size=size), linger=0.05)
    running = asyncio.create_task(download.run(published))
    viewers = [asyncio.create_task(read(download)) for _ in range(2)]
    await download.wait_for(20 * MIB)
    viewers[0].cancel()
    await asyncio.sleep(0.15)
    assert not running.done()
    viewers[1].cancel()
    if stops:
        with pytest.raises(Abandoned):
            await running
        assert files_in(tmp_path) == []
        assert len(source.asked) < 90
    else:
        await running
        assert files_in(tmp_path) == ["final"]


async def test_a_huge_file_that_nobody_views_but_somebody_wants_is_fetched(tmp_path: Path) -> None:
    class Zeros(MemorySource):
        async def file_part(self, file: FileRef, offset: int, limit: int) -> bytes:
            await asyncio.sleep(0.001)
            return bytes(min(limit, file.size - offset))

    download = make(tmp_path, Zeros(), file_ref(size=HUGE + 1), linger=0)
    waiter = asyncio.create_task(download.finished())
    running = asyncio.create_task(download.run(published))
    await download.wait_for(0)
    await waiter
    await running


# Other bad ends


@pytest.mark.parametrize(
    "fault", [FloodWait(7), TelegramTimeout(), TelegramUnavailable("off"), MediaGone("gone")], ids=repr
)
@pytest.mark.parametrize("offset", [0, 5 * MIB])
async def test_a_fault_of_one_part_is_the_failure_of_the_download_and_of_every_waiter(
    tmp_path: Path, fault: BridgeError, offset: int
) -> None:
    source = MemorySource(faults={offset: [fault]}, delay=0.005)
    download = make(tmp_path, source, source.put(TEN_MIB), patience=NO_PATIENCE)
    viewers = [asyncio.create_task(read(download)) for _ in range(10)]
    waiter = asyncio.create_task(download.finished())
    with pytest.raises(type(fault)):
        await download.run(published)
    told = await asyncio.gather(*viewers, waiter, return_exceptions=True)
    assert [repr(each) for each in (*told, download.fault)] == [repr(fault)] * 12
    assert files_in(tmp_path) == []
    assert source.at_once == 0


async def test_a_viewer_gets_what_came_before_the_fault(tmp_path: Path) -> None:
    source = MemorySource(faults={5 * MIB: [TelegramTimeout()]})
    download = make(tmp_path, source, source.put(TEN_MIB), parts_in_flight=1, patience=NO_PATIENCE)
    got = b""
    running = asyncio.create_task(download.run(published))
    with pytest.raises(TelegramTimeout):
        async for chunk in download.read(0, len(TEN_MIB)):
            got += chunk
    assert got == TEN_MIB[: 5 * MIB]
    with pytest.raises(TelegramTimeout):
        await running


async def test_a_download_that_takes_too_long_times_out(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event())
    limits = TimeLimits(least=0.05, most=10, min_speed=1e9)
    download = make(tmp_path, source, source.put(TEN_MIB), limits=limits)
    with pytest.raises(TelegramTimeout):
        await download.run(published)
    with pytest.raises(TelegramTimeout):
        await read(download)
    assert files_in(tmp_path) == []
    assert source.at_once == 0


@pytest.mark.parametrize(
    ("size", "seconds"), [(1, 120), (120 * 262144, 120), (240 * 262144, 240), (4 * 1024**3, 1800), (0, 1800)]
)
def test_the_time_given_follows_the_size_within_its_bounds(size: int, seconds: float) -> None:
    assert TimeLimits().of(size) == seconds


async def test_breaking_off_leaves_no_partial_and_tells_every_viewer(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event(), let_through={0, MIB})
    download = make(tmp_path, source, source.put(TEN_MIB))
    running = asyncio.create_task(download.run(published))
    viewer = asyncio.create_task(read(download))
    await download.wait_for(MIB)
    assert len(files_in(tmp_path)) == 1
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    with pytest.raises(TelegramUnavailable):
        await viewer
    assert files_in(tmp_path) == []


async def test_a_fault_nobody_thought_of_still_wakes_the_viewers(tmp_path: Path) -> None:
    class Broken(MemorySource):
        async def file_part(self, file: FileRef, offset: int, limit: int) -> bytes:
            raise ZeroDivisionError

    download = make(tmp_path, Broken(), file_ref(size=TEN_MIB.__len__()))
    viewer = asyncio.create_task(read(download))
    with pytest.raises(ExceptionGroup):
        await download.run(published)
    with pytest.raises(TelegramUnavailable):
        await viewer
    assert files_in(tmp_path) == []


async def test_a_disk_that_takes_no_more_is_a_passing_fault_and_leaves_no_partial(tmp_path: Path) -> None:
    source = MemorySource()
    download = make(tmp_path, source, source.put(TEN_MIB))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python ignores the signal that comes with it, so writing beyond fails as on a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (3 * MIB, hard))
    try:
        with pytest.raises(StorageUnavailable, match="can't take the file"):
            await download.run(published)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert files_in(tmp_path) == []


async def test_a_file_larger_than_the_free_space_is_only_looked_for(tmp_path: Path) -> None:
    disk = os.statvfs(tmp_path)
    size = disk.f_blocks * disk.f_frsize + 1
    source = MemorySource()
    file = source.put(TEN_MIB)
    download = make(tmp_path, source, msgspec.structs.replace(file, size=size))
    with pytest.raises(StorageUnavailable, match="no room"):
        await download.run(published)
    assert [limit for _, _, limit in source.asked] == [4096]
    assert files_in(tmp_path) == []


async def test_a_file_that_telegram_does_not_have_is_gone_however_large_it_was(tmp_path: Path) -> None:
    source = MemorySource(faults={0: [MediaGone("gone")]})
    file = source.put(TEN_MIB)
    download = make(tmp_path, source, msgspec.structs.replace(file, size=10**13))
    with pytest.raises(MediaGone):
        await download.run(published)


async def test_a_folder_that_can_not_be_made_is_a_passing_fault_that_names_no_path(tmp_path: Path) -> None:
    (tmp_path / "ab").write_text("in the way")
    source = MemorySource()
    download = make(tmp_path, source, source.put(TEN_MIB))
    with pytest.raises(StorageUnavailable) as caught:
        await download.run(published)
    assert str(tmp_path) not in str(caught.value)


async def test_a_file_the_database_does_not_take_does_not_stay(tmp_path: Path) -> None:
    async def refuse(_: Download) -> None:
        raise StorageUnavailable("full")

    source = MemorySource()
    download = make(tmp_path, source, source.put(TEN_MIB))
    viewer = asyncio.create_task(read(download))
    with pytest.raises(StorageUnavailable):
        await download.run(refuse)
    with suppress(StorageUnavailable):
        # It may have had all bytes before; then it keeps them.
        assert await viewer == TEN_MIB
    with pytest.raises(StorageUnavailable):
        await download.finished()
    assert files_in(tmp_path) == []


async def test_one_whose_row_is_refused_after_it_has_got_its_name_goes_without_holding_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(download: Download) -> None:
        await asyncio.to_thread(download.take_name)
        raise StorageUnavailable("full")

    threads: list[int] = []
    unlink = os.unlink

    def noted(path: Path) -> None:
        threads.append(threading.get_ident())
        unlink(path)

    monkeypatch.setattr(os, "unlink", noted)
    source = MemorySource()
    with pytest.raises(StorageUnavailable):
        await make(tmp_path, source, source.put(b"content")).run(refuse)
    assert files_in(tmp_path) == []
    assert threads
    assert threading.get_ident() not in threads


@pytest.mark.parametrize("refused", [False, True])
async def test_one_that_is_broken_off_while_it_is_stored_is_stored_or_gone(tmp_path: Path, refused: bool) -> None:
    begun, go_on, rows = asyncio.Event(), asyncio.Event(), list[str]()

    async def publish(download: Download) -> None:
        await asyncio.to_thread(download.take_name)
        begun.set()
        await go_on.wait()
        if refused:
            raise StorageUnavailable("full")
        rows.append(download.unique_id)

    source = MemorySource()
    running = asyncio.create_task(make(tmp_path, source, source.put(b"content", "one")).run(publish))
    await begun.wait()
    running.cancel()
    await asyncio.sleep(0.01)
    assert not running.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (len(files_in(tmp_path)), rows) == ((0, []) if refused else (1, ["one"]))


async def test_a_file_whose_folder_is_not_flushed_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(download_module, "sync_folder", refuse)
    source = MemorySource()
    download = make(tmp_path, source, source.put(b"content"))
    await download.run(published)
    assert len(files_in(tmp_path)) == 1


async def test_a_disk_that_does_not_even_remove_the_partial_is_the_same_passing_fault(tmp_path: Path) -> None:
    source = MemorySource()
    with RefusingDisk(tmp_path) as disk:
        disk.refused = {"pwrite", "unlink"}
        download = make(tmp_path, source, source.put(b"content"))
        viewer = asyncio.create_task(read(download))
        with pytest.raises(StorageUnavailable):
            await download.run(published)
    with pytest.raises(StorageUnavailable):
        await viewer
