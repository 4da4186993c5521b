"""That a post has lost a file is remembered for a day, over restarts, and no longer than it is true."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from media_source import CHANNEL, POST, Clock, Finder, MemorySource, media_cache, read_all

from errors import MediaGone, PostNotFound, StorageUnavailable
from media_cache.gone import GONE_TTL, GoneMemory, Place
from storage.database import Database
from storage.gone_store import GoneStore
from storage.schema import MIGRATIONS

PLACE = Place(CHANNEL, POST)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[GoneStore]:
    database = await Database.open(tmp_path / "bridge.db", MIGRATIONS)
    yield GoneStore(database)
    await database.close()


def is_gone(memory: GoneMemory, unique_id: str = "file", place: Place = PLACE) -> bool:
    try:
        memory.check(place, unique_id)
    except (MediaGone, PostNotFound):
        return True
    return False


@pytest.mark.parametrize("fault", [MediaGone("another file now"), PostNotFound("deleted")], ids=repr)
async def test_the_same_answer_is_given_for_a_day_and_after_a_restart(
    store: GoneStore, fault: MediaGone | PostNotFound
) -> None:
    clock = Clock()
    memory = GoneMemory(store, clock)
    memory.note(PLACE, "file", fault)
    await memory.flush()
    later = GoneMemory(store, clock)
    await later.load()
    for one in (memory, later):
        with pytest.raises(type(fault), match=str(fault)):
            one.check(PLACE, "file")
    clock.now += GONE_TTL - 1
    assert is_gone(memory) and is_gone(later)
    clock.now += 1
    assert not is_gone(memory) and not is_gone(later)


async def test_other_posts_and_other_files_are_not_touched(store: GoneStore) -> None:
    memory = GoneMemory(store, Clock())
    memory.note(PLACE, "file", MediaGone("gone"))
    assert not is_gone(memory, place=Place(CHANNEL, POST + 1))
    assert not is_gone(memory, place=Place(CHANNEL - 1, POST))
    assert not is_gone(memory, "other")


async def test_a_file_that_a_document_shows_again_is_back_at_once_and_for_good(store: GoneStore) -> None:
    clock = Clock()
    memory = GoneMemory(store, clock)
    memory.note(PLACE, "file", MediaGone("edited away"))
    memory.note(PLACE, "other", MediaGone("edited away"))
    await memory.flush()
    memory.found(PLACE, "file")
    await memory.flush()
    later = GoneMemory(store, clock)
    await later.load()
    for one in (memory, later):
        assert not is_gone(one)
        assert is_gone(one, "other")


async def test_a_clock_that_is_set_back_ends_it(store: GoneStore) -> None:
    clock = Clock()
    memory = GoneMemory(store, clock)
    memory.note(PLACE, "file", PostNotFound("deleted"))
    clock.now -= 1000
    assert not is_gone(memory)


async def test_the_memory_and_the_table_have_an_end(store: GoneStore) -> None:
    clock = Clock()
    memory = GoneMemory(store, clock, capacity=3)
    for name in "abcd":
        memory.note(PLACE, name, MediaGone("gone"))
        clock.now += 1
    await memory.flush()
    assert [is_gone(memory, name) for name in "abcd"] == [False, True, True, True]
    assert [row.unique_id for row in await store.newest(0, 10)] == ["d", "c", "b"]
    clock.now += GONE_TTL
    memory.note(PLACE, "e", MediaGone("gone"))
    await memory.flush()
    assert [row.unique_id for row in await store.newest(0, 10)] == ["e"]


async def test_what_is_known_already_is_newer_than_what_is_read(store: GoneStore) -> None:
    clock = Clock()
    before = GoneMemory(store, clock)
    for name in "ab":
        before.note(PLACE, name, MediaGone("gone"))
    await before.flush()
    memory = GoneMemory(store, clock)
    memory.note(PLACE, "c", MediaGone("gone"))
    memory.note(PLACE, "a", MediaGone("gone"))
    memory.found(PLACE, "a")
    await memory.load()
    assert [is_gone(memory, name) for name in "abc"] == [False, True, True]


async def test_a_flush_that_fails_loses_nothing(store: GoneStore, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    memory = GoneMemory(store, clock)
    memory.note(PLACE, "file", MediaGone("gone"))

    async def full(*_: object, **__: object) -> None:
        memory.note(PLACE, "newer", MediaGone("gone"))
        raise StorageUnavailable("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(store, "change", full)
        with pytest.raises(StorageUnavailable):
            await memory.flush()
    await memory.flush()
    assert {row.unique_id for row in await store.newest(0, 10)} == {"file", "newer"}


# In the cache


async def test_a_deleted_post_is_not_asked_for_again_by_the_next_process(tmp_path: Path) -> None:
    async with media_cache(tmp_path, MemorySource()) as cache:
        with pytest.raises(PostNotFound):
            await cache.open(CHANNEL, POST, "AgADabc", Finder(PostNotFound("deleted")))
    finder = Finder(PostNotFound("deleted"))
    async with media_cache(tmp_path, MemorySource()) as cache:
        await cache.prepare()
        # A connection that has come back says nothing of deleted posts.
        cache.forget_failures()
        with pytest.raises(PostNotFound):
            await cache.open(CHANNEL, POST, "AgADabc", finder)
        assert finder.calls == 0
        assert cache.failing == 1


async def test_an_edit_that_brings_the_file_back_heals_its_address(tmp_path: Path) -> None:
    source = MemorySource()
    async with media_cache(tmp_path, source) as cache:
        with pytest.raises(MediaGone):
            await cache.open(CHANNEL, POST, "AgADabc", Finder(MediaGone("another file now")))
        file = source.put(b"back")
        cache.shown([(CHANNEL, POST, file.unique_id)])
        assert await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file))) == b"back"


async def test_a_post_deleted_in_mid_file_is_gone_and_the_file_is_still_there_for_another_post(tmp_path: Path) -> None:
    source = MemorySource(valid_references={b"other"})
    stale = source.put(b"x")
    async with media_cache(tmp_path, source) as cache:
        found = await cache.open(CHANNEL, 1, stale.unique_id, Finder(stale), Finder(PostNotFound("deleted")))
        with pytest.raises(PostNotFound):
            await read_all(found)
        fresh = source.put(b"x", file_reference=b"other")
        assert await read_all(await cache.open(CHANNEL, 2, stale.unique_id, Finder(fresh))) == b"x"
        with pytest.raises(PostNotFound):
            cache._gone.check(Place(CHANNEL, 1), stale.unique_id)


async def test_what_telegram_does_not_give_out_is_asked_for_again_after_a_pause(tmp_path: Path) -> None:
    clock = Clock()
    source = MemorySource()
    file = source.put(b"x", size=0)
    source.files.clear()
    async with media_cache(tmp_path, source, now=clock) as cache:
        with pytest.raises(MediaGone):
            await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file)))
        while cache.running:
            await asyncio.sleep(0.001)
        with pytest.raises(MediaGone):
            await cache.open(CHANNEL, POST, file.unique_id, Finder(file))
        assert len(source.asked) == 1
        source.files[file.unique_id] = b"x"
        clock.now += 61
        assert await read_all(await cache.open(CHANNEL, POST, file.unique_id, Finder(file))) == b"x"
