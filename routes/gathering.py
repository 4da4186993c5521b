"""Several channels read at once, for one reader who waits no longer than for one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from errors import BridgeError, ChannelNotFound, ChannelPrivate, Overloaded, PassingFault, afresh
from feeds.subjects import feed_title
from history.waiting import Patience
from history.window import StaleReason, Window
from model.channel import Channel
from model.channel_key import spelling
from routes.addresses import channel_name
from routes.channels import FIRST_WINDOW
from routes.feed_keys import joint_subject
from routes.query import FeedQuery
from tg_cache import History

# A channel's own reading gives way to what is stored in the same moment as the patience with all of them ends.
_GRACE_S = 0.5
_RETRY_S = 10
# As many as keep the gate busy. With more, each would have its first call made before any has its last.
_AT_ONCE = 4


class Absent(NamedTuple):
    """A channel that there are no posts of now, as `key` asked for it. `channel` is what is known of it."""

    key: str | int
    fault: BridgeError
    channel: Channel | None

    @property
    def why(self) -> str:
        """The fault in a few words that are true of a channel among others."""
        if isinstance(self.fault, ChannelNotFound):
            return "there is no such channel"
        return "this account may not read it" if isinstance(self.fault, ChannelPrivate) else "not at hand now"


Member = Window | Absent


class Gathered(NamedTuple):
    """What was found of the channels, each once, in the order in which they were asked for."""

    members: tuple[Member, ...]

    @property
    def windows(self) -> list[Window]:
        """Of the channels that can be read."""
        return [member for member in self.members if isinstance(member, Window)]

    @property
    def absent(self) -> list[Absent]:
        """The other channels."""
        return [member for member in self.members if isinstance(member, Absent)]

    @property
    def subject(self) -> str:
        """The channels for keys and ids. One that was never found is named as it was asked for."""
        return joint_subject(
            member.key if isinstance(member, Absent) and member.channel is None else lasting_name_of(member)
            for member in self.members
        )


class Gathering:
    """Reads channels. Who asks waits for all together no longer than `patience` allows for one."""

    def __init__(self, history: History, patience: Patience) -> None:
        self._history = history
        self._patience = patience

    async def gather(self, chats: Sequence[str | int], query: FeedQuery) -> Gathered:
        """Read all channels, a few at once, so that some are there soon however many they are.

        Those that take longer than a reader waits are as they are stored, and left out if they are not.
        """
        turns = asyncio.Semaphore(_AT_ONCE)
        begun: set[str | int] = set()

        async def read(key: str | int) -> Window:
            async with turns:
                begun.add(key)
                return await self._window(key, query)

        reading = {key: asyncio.create_task(read(key)) for key in chats}
        try:
            await self._wait(reading.values())
        finally:
            for task in reading.values():
                task.cancel()
        await asyncio.wait(reading.values())
        members: dict[str | int, Member] = {}
        for key, task in reading.items():
            member = await self._member(key, task)
            # Of several spellings of a channel that led to one, one is enough.
            members.setdefault(key if member.channel is None else member.channel.id, member)
        if query.place is None:
            await self._go_on([key for key in chats if key not in begun])
        return Gathered(tuple(members.values()))

    async def _wait(self, reading: Iterable[asyncio.Task[Window]]) -> None:
        """Until all are read, or some and it has taken long, or none and it has taken as long as anybody waits."""
        done, late = await asyncio.wait(reading, timeout=self._patience.with_stored + _GRACE_S)
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + self._patience.without - self._patience.with_stored
        while late and not any(task.exception() is None for task in done) and loop.time() < ends_at:
            done, late = await asyncio.wait(
                late, timeout=max(0.0, ends_at - loop.time()), return_when=asyncio.FIRST_COMPLETED
            )

    async def _go_on(self, chats: Sequence[str | int]) -> None:
        """Have the channels fetched whose turn did not come, so that the next poll finds them."""
        fetching = [asyncio.create_task(self._history.window(key, FIRST_WINDOW)) for key in chats]
        if fetching:
            # A fetch goes on when who waits for it has left, which may be as soon as it has begun.
            await asyncio.sleep(0)
            for task in fetching:
                task.cancel()
            await asyncio.wait(fetching)

    async def _member(self, key: str | int, task: asyncio.Task[Window]) -> Member:
        fault: BridgeError
        if not task.cancelled():
            error = task.exception()
            if error is None:
                return task.result()
            if not isinstance(error, BridgeError):
                raise error
            fault = error
        else:
            try:
                stored = await self._history.stored(key)
            except BridgeError as refusal:
                stored, fault = None, refusal
            else:
                fault = Overloaded("Telegram's answer takes longer than a reader waits", _RETRY_S)
            if stored is not None:
                return msgspec.structs.replace(stored, stale=StaleReason.BUSY)
        return Absent(key, fault, await self._history.recall(key))

    async def _window(self, key: str | int, query: FeedQuery) -> Window:
        """A window that is fresh, and with filters all that is stored; for older pages all that is, however old."""
        if query.place is not None and (stored := await self._history.stored(key)) is not None:
            return stored
        window = await self._history.window(key, FIRST_WINDOW)
        if query.filters and (stored := await self._history.stored(window.channel.id)) is not None:
            return msgspec.structs.replace(stored, stale=window.stale)
        return window


def name_of(member: Member) -> str:
    """The channel as addresses have it."""
    return _asked_for(member) if member.channel is None else channel_name(member.channel)


def lasting_name_of(member: Member) -> str:
    """The channel as addresses have it that are to last: by its id, if that is known."""
    return _asked_for(member) if member.channel is None else str(member.channel.id)


def title_of(member: Member) -> str:
    """What people call the channel."""
    return _asked_for(member) if member.channel is None else feed_title(member.channel)


def notice_of(absent: Sequence[Absent]) -> str:
    """One sentence for people on what is missing; "" if nothing is."""
    if not absent:
        return ""
    return f"Left out: {', '.join(f'{title_of(each)} ({each.why})' for each in absent)}."


def reason_of(fault: BridgeError) -> StaleReason | None:
    """Why a channel is missing that will be there again; None for one that Telegram refuses."""
    if isinstance(fault, Overloaded):
        return StaleReason.BUSY
    return StaleReason.of(fault) if isinstance(fault, PassingFault) else None


def fault_of_all(faults: Sequence[BridgeError]) -> BridgeError:
    """What a reader is told of whom nothing can be shown: what passes first, else what the owner can do most about."""
    passing = [fault for fault in faults if isinstance(fault, PassingFault)]
    if passing:
        return afresh(min(passing, key=lambda fault: fault.retry_after))
    private = [fault for fault in faults if isinstance(fault, ChannelPrivate)]
    return afresh([*private, *faults][0])


def _asked_for(member: Member) -> str:
    assert isinstance(member, Absent)
    return spelling(member.key)
