"""How long readers wait for what is fetched from Telegram, and what they get when that is too long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, TypeVar

import msgspec

from errors import Overloaded
from single_flight import SingleFlight

T = TypeVar("T")


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of waiting. Feed readers give up after 10 to 30 s, most of them after 20 s or more.

    `with_stored`: seconds until a reader gets an older answer, if one is stored. `without`: seconds until a reader is
    sent away because there is none. `most_fetches`: fetches under way at once; whoever wants another one gets what is
    stored or is sent away, without waiting.
    """

    with_stored: float = 10
    without: float = 18
    most_fetches: int = 400


class WaitingStats(msgspec.Struct, frozen=True, kw_only=True):
    """The waiting at one moment. Counters count since the start of the process, times are in seconds."""

    fetches: int
    readers_waiting: int
    longest_waiting_s: float
    served_older: int
    sent_away: int


class WaitingRoom:
    """Lets readers wait for fetches that all who want the same share.

    A fetch goes on when its readers have left or were sent away, so that the next one finds its result stored.
    """

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._fetches: SingleFlight[Hashable, Any] = SingleFlight()
        # In the order of coming, so that the first has waited longest.
        self._arrivals: dict[object, float] = {}
        self._served_older = self._sent_away = 0

    async def wait(
        self,
        key: Hashable,
        fetch: Callable[[], Coroutine[Any, Any, T]],
        *,
        stored: Callable[[], Coroutine[Any, Any, T | None]],
        retry_after: Callable[[], float],
        waited: float = 0,
    ) -> T:
        """The result of the fetch that runs under `key`, or else of `fetch`, started now.

        After `with_stored` seconds, less those that the reader has `waited` before, it is what `stored` gives unless
        that is None. After `without` seconds it is Overloaded, to be asked again in `retry_after()` seconds. Raises
        what the fetch raises.
        """
        if key not in self._fetches and len(self._fetches) >= self._patience.most_fetches:
            older = await self._older(stored)
            return self._send_away(retry_after) if older is None else older
        fetching: asyncio.Task[T] = self._fetches.start(key, fetch)
        token = object()
        self._arrivals[token] = time.monotonic()
        try:
            await asyncio.wait({fetching}, timeout=max(0.0, self._patience.with_stored - waited))
            if not fetching.done():
                if (older := await self._older(stored)) is not None:
                    return older
                begun = max(waited, self._patience.with_stored)
                await asyncio.wait({fetching}, timeout=max(0.0, self._patience.without - begun))
            return fetching.result() if fetching.done() else self._send_away(retry_after)
        finally:
            del self._arrivals[token]

    def stats(self) -> WaitingStats:
        """Counters for health and metrics."""
        longest = time.monotonic() - next(iter(self._arrivals.values())) if self._arrivals else 0.0
        return WaitingStats(
            fetches=len(self._fetches),
            readers_waiting=len(self._arrivals),
            longest_waiting_s=round(longest, 3),
            served_older=self._served_older,
            sent_away=self._sent_away,
        )

    async def _older(self, stored: Callable[[], Coroutine[Any, Any, T | None]]) -> T | None:
        older = await stored()
        if older is not None:
            self._served_older += 1
        return older

    def _send_away(self, retry_after: Callable[[], float]) -> Any:
        self._sent_away += 1
        raise Overloaded(
            "Telegram's answer takes longer than a reader waits: the bridge goes on fetching, ask again later",
            retry_after(),
        )
