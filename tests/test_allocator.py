"""Memory that a peak took goes back to the system."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from allocator import keep_little

ROOT = Path(__file__).resolve().parent.parent
# Threads that all allocate at the same time, and what the C library says of its reserves at the end.
WORK = """
import ctypes, sys, threading
from allocator import keep_little
if sys.argv[1] == "bounded":
    keep_little()
library = ctypes.CDLL(None)
library.fopen.restype = ctypes.c_void_p
together = threading.Barrier(12)
def allocate():
    together.wait()
    held = [bytes(2000) for _ in range(2000)]
    together.wait()
threads = [threading.Thread(target=allocate) for _ in range(12)]
for thread in threads: thread.start()
for thread in threads: thread.join()
stream = ctypes.c_void_p(library.fopen(sys.argv[2].encode(), b"w"))
library.malloc_info(0, stream)
library.fclose(stream)
"""


def reserves(way: str, folder: Path) -> int:
    report = folder / "report.xml"
    subprocess.run([sys.executable, "-c", WORK, way, str(report)], cwd=ROOT, check=True, timeout=60)
    return report.read_text("utf-8").count("<heap nr=")


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="only glibc has such reserves")
def test_however_many_threads_allocate_there_are_two_reserves_of_memory(tmp_path: Path) -> None:
    assert reserves("bounded", tmp_path) <= 2 < reserves("as it comes", tmp_path)


def test_without_glibc_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    keep_little()
