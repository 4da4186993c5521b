"""A cache killed at every single step that changes the disk, and what the next one makes of the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from media_source import CHANNEL, POST, Finder, MemorySource, media_cache, on_disk, read_all
from media_steps_process import CONTENTS

from media_cache.cache import Complete, MediaCache
from media_cache.layout import is_part
from model.media import FileRef

STEPS = {"mkdir", "create", "pwrite", "half a pwrite", "fchmod", "fsync", "replace", "unlink", "commit"}
# What the process does, and after each of these which files are certainly stored, and which may be.
LIFE = ["film", "photo", "-film", "film"]
STORED = [
    (set(), {"film"}),
    ({"film"}, {"photo"}),
    ({"photo"}, {"film"}),
    ({"photo"}, {"film"}),
    ({"film", "photo"}, set[str]()),
]


def kill_at_every_step(folder: Path) -> list[str]:
    """The names of the steps; what each kill left is in the folder of its number."""
    tests = Path(__file__).parent
    ended = subprocess.run(
        [sys.executable, str(tests / "media_steps_process.py"), str(folder)],
        env={"PYTHONPATH": f"{tests.parent}:{tests}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


async def never() -> FileRef:
    raise AssertionError("a stored file was looked up")


async def rows_of(cache: MediaCache, folder: Path) -> set[str]:
    """The names of all rows. Each stands for a whole file, and there are no other files."""
    rows = await cache._store.sizes()
    assert rows == {name: len(CONTENTS[name]) for name in rows}
    assert {path: path.read_bytes() for path in on_disk(folder)} == {
        cache._folder.path(name): CONTENTS[name] for name in rows
    }
    return set(rows)


async def go_on(folder: Path) -> None:
    """Open what the killed one has left, and have every file from it."""
    for path in on_disk(folder):
        # Even before anything is put in order.
        assert is_part(path) or path.read_bytes() in CONTENTS.values()
    done = (folder / "journal").read_text().splitlines()
    assert done == LIFE[: len(done)]
    certain, possible = STORED[len(done)]
    source = MemorySource()
    refs = {name: source.put(content, name) for name, content in CONTENTS.items()}
    async with media_cache(folder, source) as cache:
        await cache.prepare()
        stored = await rows_of(cache, folder)
        assert certain <= stored <= certain | possible
        for name, content in CONTENTS.items():
            found = await cache.open(CHANNEL, POST, name, never if name in stored else Finder(refs[name]))
            assert isinstance(found, Complete) == (name in stored)
            assert await read_all(found) == content
            await cache._flights.landed(name)
        assert await rows_of(cache, folder) == set(CONTENTS)
    assert not list(folder.glob("*.corrupt*"))


async def test_whichever_step_is_the_last_whole_files_and_their_rows_are_left_and_all_is_served(tmp_path: Path) -> None:
    steps = kill_at_every_step(tmp_path)
    assert set(steps) == STEPS
    # What the kills are to hit: the end of a film's way to the disk, and of its removal.
    ends = ["fsync", "replace", "commit", "fsync"], ["unlink", "commit"]
    assert all(end in [steps[i : i + len(end)] for i in range(len(steps))] for end in ends)
    for number, step in [*enumerate(steps), ("whole", "none")]:
        try:
            await go_on(tmp_path / str(number))
        except AssertionError as fault:
            fault.add_note(f"killed at step {number}: {step}")
            raise
