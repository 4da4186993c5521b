"""Fetches media of what readers poll, before anyone asks for it."""

from __future__ import annotations

import asyncio
import logging
import time
from bisect import insort
from collections.abc import Awaitable, Callable, Iterable, Set
from functools import partial
from typing import NamedTuple

import msgspec

from errors import BridgeError, PassingFault
from media_cache.cache import MediaCache
from media_cache.failures import COMMON_FAULTS
from model.media import FileLocation, FileRef

log = logging.getLogger(__name__)

# A file that has failed so often in a row is left to those who ask for it.
MOST_FAILURES = 15
# A stored file that a document shows counts as used, but a day later at the earliest: a busy channel is rendered often.
KEEP_EVERY = 86400
# With a reference each, half a megabyte.
_CAPACITY = 1000
_MIB = 1024 * 1024
# Seconds between two looks at whether a pause is over.
_LOOK_EVERY = 2.0

RenewFile = Callable[[int, int, str], Awaitable[FileRef]]
"""Asks Telegram for the post again: channel id, post id, unique id."""


class ShownFile(NamedTuple):
    """A file that a document names. `date` is its post's, in unix seconds; post id 0 is the channel's own photo."""

    channel_id: int
    post_id: int
    date: int
    file: FileRef


class WarmerStats(msgspec.Struct, frozen=True, kw_only=True):
    """The warmer at one moment. `paused` is why it does not fetch, "" if it may; counters count since the start."""

    queued: int
    warmed: int
    failed: int
    paused: str


SWITCHED_OFF = WarmerStats(queued=0, warmed=0, failed=0, paused="MEDIA_WARM is off")


class Warmer:
    """One file after the other: small ones before large ones, and of one magnitude the newest posts' first.

    `show` tells it what a document names, `run_forever` is for the supervisor. Nothing is asked for that is stored,
    that is larger than `most_file_bytes`, that has no room in the cache, or that has failed too often; a file that
    fails is tried again when its pause is over. Nothing needs a look-up: only for an expired reference Telegram is
    asked for the post again (`renew`).
    """

    def __init__(
        self,
        cache: MediaCache,
        renew: RenewFile,
        check: Callable[[], None],
        *,
        most_file_bytes: int,
        capacity: int = _CAPACITY,
        look_every: float = _LOOK_EVERY,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`check` raises a PassingFault while Telegram can't or must not be asked. Beyond `capacity` files the last in
        the queue are left out. `look_every` seconds are between two looks at whether a pause is over."""
        self._cache = cache
        self._renew = renew
        self._check = check
        self._most_file_bytes = most_file_bytes
        self._capacity = capacity
        self._look_every = look_every
        self._now = now
        self._queue: list[ShownFile] = []
        self._queued: set[str] = set()
        # Of the queue, those that may be stored already.
        self._unchecked: set[str] = set()
        self._shown = asyncio.Event()
        # Until when the whole warmer rests, and why.
        self._rest_until = 0.0
        self._rest_reason = ""
        self._paused = ""
        self._warmed = self._failed = 0

    def show(self, files: Iterable[ShownFile]) -> None:
        """A document that somebody has asked for names these files."""
        for shown in files:
            unique_id = shown.file.unique_id
            if self._fits(shown.file) and unique_id not in self._queued:
                insort(self._queue, shown, key=_order)
                self._queued.add(unique_id)
                self._unchecked.add(unique_id)
        self._drop({shown.file.unique_id for shown in self._queue[self._capacity :]})
        self._shown.set()

    def stats(self) -> WarmerStats:
        """Counters for health and metrics."""
        return WarmerStats(queued=len(self._queue), warmed=self._warmed, failed=self._failed, paused=self._paused)

    async def run_forever(self) -> None:
        """Fetch what is in the queue, and wait for more."""
        while True:
            self._shown.clear()
            try:
                await self._leave_out_what_is_stored()
            except PassingFault as fault:
                self._rest(fault)
            self._paused = self._reason_to_pause() if self._queue else ""
            shown = None if self._paused else self._next()
            if shown is not None:
                await self._fetch(shown)
                continue
            # The end of a pause comes without a word, a new file does not.
            timeout = self._look_every if self._queue else None
            try:
                async with asyncio.timeout(timeout):
                    await self._shown.wait()
            except TimeoutError:
                continue

    def _fits(self, file: FileRef) -> bool:
        if not file.size:
            # Telegram tells the size of every document; a photo is small whatever its size.
            return file.location is not FileLocation.DOCUMENT
        return file.size <= self._most_file_bytes

    async def _leave_out_what_is_stored(self) -> None:
        """Take stored files out of the queue, and those that were given up. Raises StorageUnavailable."""
        if not self._unchecked:
            return
        unchecked = set(self._unchecked)
        accesses = await self._cache.last_accesses(unchecked)
        for unique_id, last_access in accesses.items():
            if last_access < self._now() - KEEP_EVERY:
                self._cache.keep(unique_id)
        given_up = {unique_id for unique_id in unchecked if self._cache.failures_of(unique_id) >= MOST_FAILURES}
        self._drop(accesses.keys() | given_up)
        self._unchecked -= unchecked

    def _reason_to_pause(self) -> str:
        if self._now() < self._rest_until:
            return self._rest_reason
        try:
            self._check()
        except PassingFault as fault:
            return str(fault)
        return ""

    def _next(self) -> ShownFile | None:
        return next((shown for shown in self._queue if self._cache.pause_of(shown.file.unique_id) <= 0), None)

    async def _fetch(self, shown: ShownFile) -> None:
        """Fetch one file; it leaves the queue unless it is to be tried again."""
        channel_id, post_id, _, file = shown
        renew = partial(self._renew, channel_id, post_id, file.unique_id)
        try:
            if not await self._cache.sweeper.make_room(file.size):
                log.debug("Media file %s has no room in the cache", file.unique_id)
                self._drop({file.unique_id})
                return
            self._warmed += await self._cache.fetch(channel_id, post_id, file, renew)
        except COMMON_FAULTS as fault:
            self._rest(fault)
        except PassingFault:
            if self._reason_to_pause():
                # The connection went away: it is not the file.
                return
            self._failed += 1
            if self._cache.failures_of(file.unique_id) >= MOST_FAILURES:
                log.warning("Media file %s has failed %d times and is left alone", file.unique_id, MOST_FAILURES)
                self._drop({file.unique_id})
        except BridgeError:
            # Gone, or the channel is closed to us.
            self._failed += 1
            self._drop({file.unique_id})
        else:
            self._drop({file.unique_id})

    def _rest(self, fault: PassingFault) -> None:
        self._rest_until = self._now() + fault.retry_after
        self._rest_reason = str(fault)

    def _drop(self, unique_ids: Set[str]) -> None:
        if unique_ids:
            self._queue = [shown for shown in self._queue if shown.file.unique_id not in unique_ids]
            self._queued -= unique_ids
            self._unchecked -= unique_ids


def _order(shown: ShownFile) -> tuple[int, int, int, str]:
    """Small files first, by powers of two of a MiB; then the newest; then the smallest."""
    size = shown.file.size
    return (size // _MIB).bit_length(), -shown.date, size, shown.file.unique_id
