"""Carries the gate's flood waits over restarts of the process: asking too early only makes it longer."""

from __future__ import annotations

import asyncio
import logging

from errors import StorageUnavailable
from storage.flood_store import FloodStore
from tg_throttle import RpcGate

logger = logging.getLogger(__name__)


class FloodMemory:
    """Writes each flood that the gate meets to the store. `recall` is for the start, `flush` for the end."""

    def __init__(self, gate: RpcGate, store: FloodStore) -> None:
        self._gate = gate
        self._store = store
        self._news = asyncio.Event()
        gate.on_flood = self._news.set

    async def recall(self) -> None:
        """Let the gate know of the floods that an earlier process met and that are not over."""
        try:
            if remaining := await self._store.remaining():
                for scope, seconds in remaining.items():
                    self._gate.recall_flood(seconds, scope)
                    logger.warning("Telegram asked for a pause (%s) that lasts another %.0f s", scope, seconds)
                # As counted from now: whatever the clock does, they end no later.
                await self._store.save(remaining)
        except StorageUnavailable as fault:
            logger.warning("A pause that Telegram may have asked for could not be looked up: %s", fault)

    async def keep_forever(self) -> None:
        """Write floods down as they come."""
        while True:
            await self._news.wait()
            await self.flush()

    async def flush(self) -> None:
        """Write the floods down that are not over, if one has come since the last time."""
        if not self._news.is_set():
            return
        self._news.clear()
        try:
            await self._store.save(self._gate.floods())
        except StorageUnavailable as fault:
            logger.warning("The pause that Telegram asks for will be forgotten at a restart: %s", fault)
