"""A disk that really becomes full while a file is on its way, and has space again later; and a limit on files."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import resource
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from media_source import CHANNEL, POST, Finder, MemorySource, file_bytes, media_cache, on_disk, read_all
from service_process import service_process
from telegram_world import FAR_FILE, FILE, small_world

from errors import StorageUnavailable
from media_cache.cache import Complete, MediaCache, Progress
from media_cache.layout import is_part
from tgserver import Server

MIB = 1024 * 1024
DISK_MIB = 8
FILM = file_bytes(4 * MIB, "film")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own of a few MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if mounted.returncode:
        pytest.skip(f"a file system can't be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Take all the space that is left, as another program may do; the file that has it."""
    hog = disk / "hog"
    descriptor = os.open(hog, os.O_WRONLY | os.O_CREAT)
    try:
        for size in (MIB, 4096, 1):
            while True:
                try:
                    os.write(descriptor, bytes(size))
                except OSError as fault:
                    assert fault.errno == errno.ENOSPC
                    break
    finally:
        os.close(descriptor)
    return hog


async def test_a_disk_that_becomes_full_costs_the_files_that_do_not_fit_and_only_until_it_has_space(disk: Path) -> None:
    source = MemorySource()
    photo, film = source.put(file_bytes(100_000, "photo"), "photo"), source.put(FILM, "film")

    async def get(name: str, cache: MediaCache) -> bytes:
        found = await cache.open(CHANNEL, POST, name, Finder(film if name == "film" else photo))
        content = await read_all(found)
        await cache._flights.landed(name)
        return content

    async with media_cache(disk, source) as cache:
        await get("photo", cache)
        source.gate, source.let_through = asyncio.Event(), {0}
        found = await cache.open(CHANNEL, POST, "film", Finder(film))
        assert isinstance(found, Progress)
        chunks = found.read(0, len(FILM))
        # On its way, and with room enough when it began.
        assert bytes(await anext(chunks)) == FILM[: 128 * 1024]
        hog = fill(disk)
        source.gate.set()
        with pytest.raises(StorageUnavailable, match="No space left on device"):
            async for _ in chunks:
                pass
        await chunks.aclose()
        await cache._flights.landed("film")
        assert not any(is_part(path) for path in on_disk(disk))
        # What is there is served, what is not is refused, and none of it is held against a file.
        assert await get("photo", cache) == file_bytes(100_000, "photo")
        hog.unlink()
        hog = fill(disk)
        with pytest.raises(StorageUnavailable) as caught:
            await get("film", cache)
        assert 0 < caught.value.retry_after <= 60
        assert cache.failing == 0
        assert [path.name for path in on_disk(disk)] == [cache._folder.path("photo").name]
        hog.unlink()
        assert await get("film", cache) == FILM
        assert set(await cache._store.sizes()) == {"film", "photo"}
        assert isinstance(await cache.open(CHANNEL, POST, "film", Finder(film)), Complete)


async def test_of_files_for_which_there_is_not_room_together_the_last_are_refused_before_their_first_byte(
    disk: Path,
) -> None:
    source = MemorySource()
    contents = {name: file_bytes(3 * MIB, name) for name in ("first", "second", "third", "fourth")}
    finders = {name: Finder(source.put(content, name)) for name, content in contents.items()}

    async def first_byte(name: str, cache: MediaCache) -> Progress:
        found = await cache.open(CHANNEL, POST, name, finders[name])
        assert isinstance(found, Progress)
        await found.download.wait_for(0)
        return found

    async with media_cache(disk, source, max_parallel=4) as cache:
        # Each file's first part comes, the others wait: the disk looks empty, and there is room for two of the files.
        source.gate, source.let_through = asyncio.Event(), {0}
        begun = await asyncio.gather(*(first_byte(name, cache) for name in contents), return_exceptions=True)
        refused = [fault for fault in begun if not isinstance(fault, Progress)]
        assert [str(fault) for fault in refused] == [f"There is no room for a file of {3 * MIB} bytes on the disk"] * 2
        source.gate.set()
        for found in begun:
            if isinstance(found, Progress):
                assert await read_all(found) == contents[found.download.unique_id]
                await found.download.finished()
        assert len(on_disk(disk)) == 2
        assert cache.failing == 0


async def test_a_limit_on_the_size_of_files_is_like_a_full_disk_and_no_signal_ends_the_service(tmp_path: Path) -> None:
    async with Server(small_world()) as server, service_process(server, tmp_path, MEDIA_WARM="false") as service:
        await service.until_ping(connected=True)
        http, pid = service.http, service.process.pid
        usual = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        feed = (await http.get("/rss/news")).text
        urls = set(re.findall(r'href="(https?://[^"]+/media/[^"]+)"', feed))
        (film,), (photo,) = ([url for url in urls if f"/{post}/" in url] for post in (140, 141))
        assert (await http.get(photo)).content == FAR_FILE
        # From the first part on.
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (100_000, usual[1]))
        for _ in range(2):
            refused = await http.get(film)
            assert refused.status_code == 503
            assert refused.json()["detail"] == "The media folder can't take the file: File too large"
            assert int(refused.headers["retry-after"]) > 0
        # In mid-file: it is cut off if its beginning was on its way by then, else refused; it never looks whole.
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (700_000, usual[1]))
        with suppress(httpx.RemoteProtocolError):
            assert (await http.get(film)).status_code == 503
        assert (await http.get(photo)).content == FAR_FILE
        assert (await http.get("/ping")).status_code == 200
        resource.prlimit(pid, resource.RLIMIT_FSIZE, usual)
        assert (await http.get(film)).content == FILE
        assert (await http.get("/rss/news")).status_code == 200
        code, log, _ = await service.terminated()
        assert (code, "Traceback" in log) == (0, False)
        assert {path.read_bytes() for path in on_disk(tmp_path / "data")} == {FAR_FILE, FILE}
