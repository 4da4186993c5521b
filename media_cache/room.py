"""Room on the disk, shared out among the downloads that run at once."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from threads import in_thread


class Claim:
    """Room that a running download was given. `to_come` are the bytes that it has yet to write."""

    __slots__ = ("to_come",)

    def __init__(self, size: int) -> None:
        self.to_come = size

    def wrote(self, count: int) -> None:
        """So many bytes more are on the disk, and no longer free there."""
        self.to_come -= count


class Room:
    """Gives each download room for its whole file, or none: what is free and promised to others is not free.

    So of several files for which there is not room together, the last are refused before a viewer has a byte of them,
    and not all of them broken off in the middle.
    """

    def __init__(self) -> None:
        self._claims: set[Claim] = set()
        # Two who ask at once must not be given the same room.
        self._asking = asyncio.Lock()

    async def claim(self, folder: Path, size: int) -> Claim | None:
        """Room for `size` bytes in the folder, which is made when needed; None if there is none. Raises OSError.

        It has to be given back with `release`.
        """
        async with self._asking:
            # Summed up first: what is written meanwhile counts as promised, and not as free, in the worst case as both.
            promised = sum(claim.to_come for claim in self._claims)
            if await in_thread(_free, folder) - promised < size:
                return None
            claim = Claim(size)
            self._claims.add(claim)
            return claim

    def release(self, claim: Claim) -> None:
        """The download is over, good or bad."""
        self._claims.discard(claim)


def _free(folder: Path) -> int:
    """Bytes that are free below the folder. Runs in a thread."""
    folder.mkdir(parents=True, exist_ok=True)
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
