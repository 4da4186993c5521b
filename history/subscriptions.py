"""Which chats there are to subscribe to: those that the account has joined, and those that are polled."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import time
from collections.abc import Callable
from functools import cache
from typing import NamedTuple, Protocol

import msgspec

from errors import PassingFault, StorageUnavailable
from history import records
from history.waiting import Patience, WaitingRoom
from history.window import StaleReason
from model.channel import Channel
from model.folder import Folder, JoinedChats
from storage import joined_store as store
from storage.database import Database
from tg_throttle import Priority

log = logging.getLogger(__name__)

# Telegram is asked again after this time. A few calls, for something that is asked for by hand.
JOINED_TTL_S = 900
# A chat counts as polled for so long after its history was last brought up to date.
POLLED_WITHIN_S = 30 * 24 * 3600
# Clocks are put right by seconds all the time.
_CLOCK_SLACK_S = 60

_decoder = msgspec.msgpack.Decoder(JoinedChats)


class JoinedReader(Protocol):
    """What is needed of Telegram."""

    async def joined(self, *, priority: Priority) -> JoinedChats:
        """The channels and groups of the account, with its folders. Raises a PassingFault."""
        ...


class Subscriptions(msgspec.Struct, frozen=True, kw_only=True):
    """The chats, each once and by title, and the account's folders, which may name one chat several times.

    `fetched_at` is when Telegram was asked (unix seconds); `stale` says why that is longer ago than it should be.
    """

    channels: tuple[Channel, ...]
    folders: tuple[Folder, ...]
    fetched_at: float
    stale: StaleReason | None = None


class Joined(NamedTuple):
    """What the account has joined, the chats first in which something was said last.

    The times and the reason are as in `Subscriptions`.
    """

    chats: JoinedChats
    fetched_at: float
    stale: StaleReason | None = None


class SubscriptionList:
    """Knows what there is to subscribe to. What the account has joined is kept on disk, and asked for once for all.

    Who asks waits no longer than `patience` allows; `queue_wait` estimates the seconds that a Telegram call waits for
    its turn.
    """

    def __init__(
        self,
        database: Database,
        source: JoinedReader,
        *,
        patience: Patience,
        queue_wait: Callable[[], float],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._source = source
        self._clock = clock
        self._queue_wait = queue_wait
        self._waiting = WaitingRoom(patience)

    async def current(self) -> Subscriptions:
        """All that there is now; as it was before if Telegram can't be asked.

        Raises a PassingFault if it never could be: a list without what the account has joined would pass for a whole
        one. Nor is there one without the disk, which alone knows what is polled.
        """
        joined = await self.joined()
        since = self._clock() - POLLED_WITHIN_S
        polled = await self._database.read(lambda connection: records.load_polled(connection, since))
        channels = {channel.id: channel for channel in polled}
        for channel in joined.chats.channels:
            # What is polled has a description, but its names may be older.
            about = channels[channel.id].about if channel.id in channels else ""
            channels[channel.id] = msgspec.structs.replace(channel, about=about)
        return Subscriptions(
            channels=tuple(sorted(channels.values(), key=lambda channel: (channel.title.casefold(), channel.id))),
            folders=joined.chats.folders,
            fetched_at=joined.fetched_at,
            stale=joined.stale,
        )

    async def joined(self) -> Joined:
        """What the account has joined now; as it was before if Telegram can't be asked.

        Raises a PassingFault if it never could be.
        """
        return await self._waiting.wait(
            "joined", self._fetch, stored=self._older, retry_after=lambda: 2 * self._queue_wait()
        )

    async def _fetch(self) -> Joined:
        stored = await self._stored()
        now = self._clock()
        # What is from the future was written before the clock was set back.
        if stored is not None and now - JOINED_TTL_S < stored.fetched_at <= now + _CLOCK_SLACK_S:
            return stored
        try:
            chats = await self._source.joined(priority=Priority.INTERACTIVE)
        except PassingFault as fault:
            if stored is None:
                raise
            return stored._replace(stale=StaleReason.of(fault))
        fetched_at = self._clock()
        row = store.JoinedRow(msgspec.msgpack.encode(chats), fetched_at)
        try:
            await self._database.run(lambda connection: store.save_joined(connection, _model(), row))
        except StorageUnavailable as fault:
            log.debug("Joined chats could not be stored: %s", fault)
        return Joined(chats, fetched_at)

    async def _older(self) -> Joined | None:
        """What is stored, for who does not want to wait longer."""
        stored = await self._stored()
        return None if stored is None else stored._replace(stale=StaleReason.BUSY)

    async def _stored(self) -> Joined | None:
        def work(connection: sqlite3.Connection) -> store.JoinedRow | None:
            return store.load_joined(connection, _model())

        try:
            row = await self._database.read(work)
        except StorageUnavailable as fault:
            log.debug("Reading the joined chats failed, asking Telegram instead: %s", fault)
            return None
        if row is None:
            return None
        try:
            return Joined(_decoder.decode(row.payload), row.fetched_at)
        except msgspec.MsgspecError as fault:
            log.warning("The stored list of joined chats can't be read (%s): it will be fetched again", fault)
            return None


@cache
def _model() -> str:
    """Names the shape of what is stored."""
    return hashlib.sha256(msgspec.json.encode(msgspec.json.schema(JoinedChats))).hexdigest()[:16]
