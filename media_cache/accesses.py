"""Who reads which file now, and when each was last asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from storage.media_store import MediaStore


class Accesses:
    """Notes accesses in memory, so that a look at a file costs no write; `flush` writes them down."""

    def __init__(self, store: MediaStore, now: Callable[[], float]) -> None:
        """`now` gives unix seconds."""
        self._store = store
        self._now = now
        # How many are reading which whole file.
        self._viewers: Counter[str] = Counter()
        self._noted: dict[str, int] = {}

    def note(self, unique_id: str) -> None:
        """The file is asked for now."""
        self._noted[unique_id] = int(self._now())

    @contextmanager
    def viewing(self, unique_id: str) -> Iterator[None]:
        """For the time of the block the file is in use. Its end counts as an access: a film may take hours."""
        self._viewers[unique_id] += 1
        try:
            yield
        finally:
            self._viewers[unique_id] -= 1
            if not self._viewers[unique_id]:
                del self._viewers[unique_id]
            self.note(unique_id)

    def in_use(self, unique_id: str) -> bool:
        """Whether the file is being read, or was asked for and the table does not know yet."""
        return unique_id in self._viewers or unique_id in self._noted

    async def flush(self) -> None:
        """Write noted accesses down. What could not be written stays noted. Raises StorageUnavailable."""
        accesses, self._noted = self._noted, {}
        if not accesses:
            return
        try:
            await self._store.touch(accesses)
        except BaseException:
            self._noted = accesses | self._noted
            raise
