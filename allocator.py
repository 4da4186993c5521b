"""The C library's memory allocator, set so that what a peak took goes back to the system."""

from __future__ import annotations

import ctypes

# Numbers of glibc's malloc.h. Other libraries have no such function, or know none of the numbers and say so.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
# Each thread that allocates gets an arena of its own, up to 8 a core, whose reserve serves nobody else. Threads wait
# for Python's lock far longer than they ever do for an arena's.
_ARENAS = 2
# Larger blocks are the system's again at once. Left alone, glibc raises the bound to the size of each large block that
# is freed. Parts of files, of 1 MiB, are below: to map each of them anew made downloads a third slower.
_MAPPED_FROM_BYTES = 2 * 1024 * 1024
_FREE_AT_THE_END_BYTES = 1024 * 1024


def keep_little() -> None:
    """Bound what the allocator keeps for later. Without glibc nothing happens."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, _ARENAS)
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_FROM_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _FREE_AT_THE_END_BYTES)
