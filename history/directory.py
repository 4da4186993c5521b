"""Which chat a key means, and what is known of it."""

from __future__ import annotations

import logging
import sqlite3
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

import msgspec

from errors import (
    ChannelNotFound,
    ChannelPrivate,
    FloodWait,
    PassingFault,
    StorageUnavailable,
    TelegramRefused,
    TelegramTimeout,
    ThreadNotFound,
)
from history import records
from history.refusals import Refusals, Setbacks
from history.source import TelegramReader
from model.channel import Channel
from single_flight import SingleFlight
from storage import history_store as store
from storage.database import Database
from tg_throttle import Priority

log = logging.getLogger(__name__)

T = TypeVar("T")

# Channels and usernames kept in memory; the database has them all.
_MEMORY = 1000
# Clocks are put right by seconds all the time.
_CLOCK_SLACK_S = 60


class Found(NamedTuple):
    """A chat, and the fault that kept its data from being renewed, if it is older than it should be."""

    channel: Channel
    fault: PassingFault | None = None


class _Known(NamedTuple):
    channel: Channel
    expires_at: float


class _Owner(NamedTuple):
    """Whose a username is.

    `seed` is what resolving it told of the chat, None if it comes from a cache. `fault` kept it from being renewed.
    """

    channel_id: int
    expires_at: float
    seed: Channel | None = None
    fault: PassingFault | None = None


class Directory:
    """Finds chats by any key, with Telegram asked at most once for all who want the same one at the same time.

    What is found is fresh for `ttl()` seconds, which is never more than `longest_ttl`. A username is asked for again
    after that time, so one that was given to another chat leads there.

    `on_change`, which may be set, is told the id of a chat whose name, description or photo turns out to have changed.
    """

    def __init__(
        self,
        database: Database,
        source: TelegramReader,
        *,
        ttl: Callable[[], float],
        longest_ttl: float,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._source = source
        self._ttl = ttl
        self._longest_ttl = longest_ttl
        self._clock = clock
        self._channels: OrderedDict[int, _Known] = OrderedDict()
        self._owners: OrderedDict[str, _Owner] = OrderedDict()
        self._resolving: SingleFlight[str, _Owner] = SingleFlight()
        self._informing: SingleFlight[int, Found] = SingleFlight()
        self._renewing: SingleFlight[int, Channel | None] = SingleFlight()
        self.on_change: Callable[[int], Awaitable[None]] = _ignore
        self.setbacks = Setbacks(clock)
        self.refusals = Refusals(clock)

    async def find(self, key: str | int, priority: Priority) -> Found:
        """The chat under a key of `parse_channel_key`.

        Raises ChannelNotFound, ChannelPrivate, or a PassingFault if nothing is known of the chat.
        """
        self.refusals.check(key)
        if isinstance(key, int):
            return await self._inform(key, None, priority)
        owner = get_recent(self._owners, key)
        if owner is None or not self.is_fresh(owner.expires_at):
            owner = await self._resolving.run(key, lambda: self._resolve(key, priority))
        self.refusals.check(owner.channel_id)
        found = await self._inform(owner.channel_id, owner.seed, priority)
        return found if owner.fault is None else found._replace(fault=owner.fault)

    def known(self, key: str | int) -> Channel | None:
        """The chat, if it is in memory and fresh. Raises what Telegram refused a moment ago."""
        self.refusals.check(key)
        channel_id = key if isinstance(key, int) else self._known_owner(key)
        if channel_id is None:
            return None
        self.refusals.check(channel_id)
        known = get_recent(self._channels, channel_id)
        return known.channel if known is not None and self.is_fresh(known.expires_at) else None

    async def recall_id(self, key: str | int) -> int | None:
        """The id of the chat that the key meant when Telegram last told; None if that is not stored."""
        if isinstance(key, int):
            return key
        if (owner := get_recent(self._owners, key)) is not None:
            return owner.channel_id
        row = await self.read(lambda connection: store.load_username(connection, key))
        return None if row is None else row.channel_id

    async def recall(self, key: str | int, *, refused: bool = False) -> Channel | None:
        """The chat as it is stored, however old; None if nothing is known of it.

        Raises what Telegram refused a moment ago, unless it may be of a chat that is `refused`.
        """
        channel_id = await self.recall_id(key)
        if channel_id is None:
            return None
        if not refused:
            self.refusals.check(channel_id)
        if (known := get_recent(self._channels, channel_id)) is not None:
            return known.channel
        stored = await self.read(lambda connection: records.load_channel(connection, channel_id))
        return None if stored is None else stored[0]

    def calls_to_find(self, key: str | int) -> int:
        """How many calls `find` has yet to make, as far as memory tells: at most two."""
        channel_id = key if isinstance(key, int) else self._known_owner(key)
        if channel_id is None:
            return 2
        known = get_recent(self._channels, channel_id)
        return 0 if known is not None and self.is_fresh(known.expires_at) else 1

    def _known_owner(self, name: str) -> int | None:
        owner = get_recent(self._owners, name)
        return owner.channel_id if owner is not None and self.is_fresh(owner.expires_at) else None

    async def renew(self, channel: Channel, priority: Priority) -> Channel | None:
        """Ask anew for a chat that Telegram refuses to read, since its access hash may be out of date.

        An access hash is of no use to another account, and the owner may have logged in with one. Gives None if it
        turns out the same, so that another try is pointless.
        """
        return await self._renewing.run(channel.id, lambda: self._renew(channel, priority))

    def is_fresh(self, expires_at: float) -> bool:
        """Whether what is good until then (unix seconds) can be used as it is."""
        # What ends later than anything written now would was written before the clock was set back.
        now = self._clock()
        return now < expires_at <= now + self._longest_ttl + _CLOCK_SLACK_S

    async def _resolve(self, name: str, priority: Priority) -> _Owner:
        """Whose the name is: as stored, or else as Telegram says, or else as was stored too long ago."""
        row = await self.read(lambda connection: store.load_username(connection, name))
        owner = None if row is None else _Owner(row.channel_id, row.expires_at)
        if owner is None or not self.is_fresh(owner.expires_at):
            try:
                seed = await self.ask(name, lambda: self._source.resolve(name, priority=priority))
            except PassingFault as fault:
                if owner is None:
                    raise
                # Nothing but a new owner of the name could be missed, and that for as long as Telegram wants it.
                return owner._replace(fault=None if is_partial(fault) else fault)
            except ChannelNotFound:
                self._owners.pop(name, None)
                await self.write(lambda connection: store.delete_username(connection, name))
                raise
            owner = _Owner(seed.id, self._clock() + self._ttl(), seed)
            row = store.UsernameRow(owner.channel_id, owner.expires_at)
            await self.write(lambda connection: store.save_username(connection, name, row))
        self.refusals.forget(name)
        put_recent(self._owners, name, owner._replace(seed=None))
        return owner

    async def _inform(self, channel_id: int, seed: Channel | None, priority: Priority) -> Found:
        known = get_recent(self._channels, channel_id)
        if known is not None and self.is_fresh(known.expires_at):
            return Found(known.channel)
        return await self._informing.run(channel_id, lambda: self._fetch_info(channel_id, seed, priority))

    async def _fetch_info(self, channel_id: int, seed: Channel | None, priority: Priority) -> Found:
        """What is known of the chat: as stored, or else as Telegram says, or else as was stored too long ago."""
        stored = await self.read(lambda connection: records.load_channel(connection, channel_id))
        known = None if stored is None else _Known(*stored)
        if known is not None and self.is_fresh(known.expires_at):
            put_recent(self._channels, channel_id, known)
            return Found(known.channel)
        try:
            channel, lasts = await self.ask(
                channel_id, lambda: self._ask_info(channel_id, seed, known.channel if known else None, priority)
            )
        except PassingFault as fault:
            if known is None:
                raise
            return Found(known.channel, None if is_partial(fault) else fault)
        await self._keep(channel, lasts)
        if known is not None and _shown(known.channel) != _shown(channel):
            await self.on_change(channel.id)
        return Found(channel)

    async def _ask_info(
        self, channel_id: int, seed: Channel | None, known: Channel | None, priority: Priority
    ) -> tuple[Channel, float]:
        """The chat, and for how many seconds that will do."""
        fresh = seed or (None if known else await self._source.resolve(channel_id, priority=priority))
        if fresh is not None:
            try:
                return await self._source.full_channel(fresh, priority=priority), self._ttl()
            except FloodWait as fault:
                if known is not None or not fault.partial:
                    raise
                # It can be read without its description, which is asked for when Telegram allows it.
                return fresh, min(fault.retry_after, self._longest_ttl)
        assert known is not None
        try:
            return await self._source.full_channel(known, priority=priority), self._ttl()
        except (ChannelNotFound, ChannelPrivate):
            renewed = await self.renew(known, priority)
            if renewed is None:
                raise
            return await self._source.full_channel(renewed, priority=priority), self._ttl()

    async def ask(self, key: str | int, call: Callable[[], Awaitable[T]]) -> T:
        """Ask Telegram, unless it refused or failed a moment ago, and remember if it does."""
        self.setbacks.check(key)
        try:
            answer = await call()
        except (TelegramTimeout, TelegramRefused) as fault:
            self.setbacks.add(key, fault)
            raise
        except (ChannelNotFound, ChannelPrivate, ThreadNotFound) as refusal:
            self.refusals.add(key, refusal)
            raise
        self.setbacks.forget(key)
        return answer

    async def _renew(self, channel: Channel, priority: Priority) -> Channel | None:
        renewed = await self._look_up(channel, priority)
        if renewed.access_hash == channel.access_hash:
            return None
        channel = msgspec.structs.replace(channel, access_hash=renewed.access_hash, photo=renewed.photo)
        await self._keep(channel, self._ttl())
        return channel

    async def _look_up(self, channel: Channel, priority: Priority) -> Channel:
        if channel.username is not None:
            try:
                named = await self._source.resolve(channel.username.lower(), priority=priority)
            except ChannelNotFound:
                pass
            else:
                if named.id == channel.id:
                    return named
        return await self._source.resolve(channel.id, priority=priority)

    async def _keep(self, channel: Channel, lasts: float) -> None:
        expires_at = self._clock() + lasts
        put_recent(self._channels, channel.id, _Known(channel, expires_at))
        names = records.usernames(channel)
        for name, owner in list(self._owners.items()):
            if owner.channel_id == channel.id and name not in names:
                del self._owners[name]
        await self.write(lambda connection: records.save_channel(connection, channel, expires_at))

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """What is stored; None if the disk does not give it."""
        try:
            return await self._database.read(work)
        except StorageUnavailable as fault:
            log.debug("Reading the cache failed, asking Telegram instead: %s", fault)
            return None

    async def write(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Store something, if the disk takes it."""
        try:
            await self._database.run(work)
        except StorageUnavailable as fault:
            log.debug("Channel data could not be stored: %s", fault)


def is_partial(fault: PassingFault) -> bool:
    """Whether Telegram answers other questions meanwhile, so that histories are as new as ever."""
    return isinstance(fault, FloodWait) and fault.partial


V = TypeVar("V")
K = TypeVar("K", str, int)


def get_recent(memory: OrderedDict[K, V], key: K) -> V | None:
    """What is kept in memory under the key, which thereby becomes the most recently used."""
    value = memory.get(key)
    if value is not None:
        memory.move_to_end(key)
    return value


def put_recent(memory: OrderedDict[K, V], key: K, value: V) -> None:
    """Keep it in memory; what was not used for longest may have to go."""
    memory[key] = value
    memory.move_to_end(key)
    if len(memory) > _MEMORY:
        memory.popitem(last=False)


async def _ignore(channel_id: int) -> None:
    pass


def _shown(channel: Channel) -> tuple[object, ...]:
    """What feeds show of a chat beside its posts."""
    photo = None if channel.photo is None else channel.photo.unique_id
    return channel.title, channel.username, channel.about, photo
