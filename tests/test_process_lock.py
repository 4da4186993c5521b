"""One process at a time on one folder, and a successor that waits a moment."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from errors import StorageError
from storage.process_lock import LOCK_NAME, Locked, ProcessLock, claim_folder

ROOT = Path(__file__).resolve().parent.parent
HOLD = """
import pathlib, sys, time
from storage.process_lock import ProcessLock
lock = ProcessLock(pathlib.Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def test_a_lock_has_one_holder_and_names_it_to_others(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with ProcessLock(path), pytest.raises(Locked, match=rf"in use by another process \(pid {os.getpid()}\)"):
        ProcessLock(path)
    ProcessLock(path).release()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Locked, match=str(holder.pid)):
            ProcessLock(path)
        holder.kill()
    ProcessLock(path).release()


async def test_a_successor_waits_for_its_predecessor(tmp_path: Path) -> None:
    predecessor = await claim_folder(tmp_path)
    waiting = asyncio.create_task(claim_folder(tmp_path, patience_s=20))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    predecessor.release()
    (await waiting).release()


async def test_a_folder_that_stays_in_use_is_one_line_that_names_the_holder(tmp_path: Path) -> None:
    with await claim_folder(tmp_path), pytest.raises(StorageError) as caught:
        await claim_folder(tmp_path, patience_s=0)
    assert str(tmp_path) in str(caught.value)
    assert str(os.getpid()) in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_missing_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    with await claim_folder(tmp_path / "new" / "data"):
        assert stat.S_IMODE((tmp_path / "new" / "data").stat().st_mode) == 0o700


async def test_a_folder_that_can_not_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(StorageError, match="Cannot use the data folder"):
        await claim_folder(tmp_path / "data")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / LOCK_NAME).mkdir()
    with pytest.raises(StorageError, match="Cannot use the data folder"):
        await claim_folder(tmp_path / "other")
