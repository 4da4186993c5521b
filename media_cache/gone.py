"""Which posts are known to have lost a file, so that Telegram is not asked for it at each request."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from errors import MediaGone, PostNotFound
from storage.gone_store import GoneFile, GoneStore

# A deleted post stays deleted, but an edit may bring a file back, and Telegram may have been wrong.
GONE_TTL = 86400
_CAPACITY = 10_000


class Place(NamedTuple):
    """The post that a file is looked up in."""

    channel_id: int
    post_id: int


_Key = tuple[int, int, str]


class GoneMemory:
    """Remembers for a day that a post is deleted or does not have a file, over restarts too.

    Changes are noted in memory; `flush` writes them down, `load` reads them at the start. Beyond 10,000 the oldest are
    forgotten.
    """

    def __init__(self, store: GoneStore, now: Callable[[], float], *, capacity: int = _CAPACITY) -> None:
        """`now` gives unix seconds."""
        self._store = store
        self._now = now
        self._capacity = capacity
        self._gone: OrderedDict[_Key, GoneFile] = OrderedDict()
        # What the table does not know yet; None: it has to forget it.
        self._unwritten: dict[_Key, GoneFile | None] = {}

    def __len__(self) -> int:
        return len(self._gone)

    def check(self, place: Place, unique_id: str) -> None:
        """Raise PostNotFound or MediaGone if the file is known not to be in the post."""
        key = (*place, unique_id)
        row = self._gone.get(key)
        if row is None:
            return
        # A clock that was set back must not make it last longer.
        if not row.noted_at <= self._now() < row.noted_at + GONE_TTL:
            self._forget(key)
            return
        raise (PostNotFound if row.post_deleted else MediaGone)(row.reason)

    def note(self, place: Place, unique_id: str, fault: MediaGone | PostNotFound) -> None:
        """The file was looked for in the post, and is not there."""
        key = (*place, unique_id)
        row = GoneFile(
            channel_id=place.channel_id,
            post_id=place.post_id,
            unique_id=unique_id,
            post_deleted=isinstance(fault, PostNotFound),
            reason=str(fault),
            noted_at=int(self._now()),
        )
        self._gone[key] = self._unwritten[key] = row
        self._gone.move_to_end(key)
        while len(self._gone) > self._capacity:
            self._forget(next(iter(self._gone)))

    def found(self, place: Place, unique_id: str) -> None:
        """The post has the file (again)."""
        if (key := (*place, unique_id)) in self._gone:
            self._forget(key)

    async def load(self) -> None:
        """Read what an earlier process knew. Raises StorageUnavailable."""
        for row in await self._store.newest(int(self._now()) - GONE_TTL, self._capacity - len(self._gone)):
            key = (row.channel_id, row.post_id, row.unique_id)
            if key not in self._gone and key not in self._unwritten:
                self._gone[key] = row
                self._gone.move_to_end(key, last=False)

    async def flush(self) -> None:
        """Write changes down, and drop what is out of date. What could not be written stays noted.

        Raises StorageUnavailable.
        """
        changes, self._unwritten = self._unwritten, {}
        if not changes:
            return
        try:
            await self._store.change(changes, forget_before=int(self._now()) - GONE_TTL)
        except BaseException:
            self._unwritten = changes | self._unwritten
            raise

    def _forget(self, key: _Key) -> None:
        del self._gone[key]
        self._unwritten[key] = None
