"""A channel's known history, and the part of it that a reader gets."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

from errors import FloodWait, PassingFault, StorageUnavailable, TelegramTimeout
from history.place import Place
from model.channel import Channel
from model.message import Message
from model.thread import Thread

# Telegram's albums have at most this many messages.
ALBUM_SIZE = 10
# So many messages that make no post count like any other: one page of Telegram's has to do for an ordinary channel.
_NOISE_COUNTED = 100
# A clock that was set back must not keep a window fresh for years.
_CLOCK_SLACK_S = 60

IsNoise = Callable[[Message], bool]
"""Tells messages that make no post, such as that somebody joined."""


class StaleReason(StrEnum):
    """Why a window is older than it should be, or has less."""

    FLOOD = "flood-wait"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    STORAGE = "storage"
    # The fetch goes on, but the reader has waited long enough.
    BUSY = "busy"
    # So much noise is in the chat that it takes more polls to get to what is below.
    INCOMPLETE = "incomplete"

    @classmethod
    def of(cls, fault: PassingFault) -> StaleReason:
        """The reason in one word."""
        if isinstance(fault, FloodWait):
            return cls.FLOOD
        if isinstance(fault, TelegramTimeout):
            return cls.TIMEOUT
        return cls.STORAGE if isinstance(fault, StorageUnavailable) else cls.UNAVAILABLE


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """The newest messages of a channel, newest first, without a gap.

    `held` is how many messages are stored in all, these included.
    `version` grows when the channel's content changes, and never when only counters do. `changed_at` is when it last
    changed, `fetched_at` when Telegram was last asked for the newest messages (unix seconds). `reached_start`: there
    is nothing older. `stale` says why the messages are older than they should be, or fewer than asked for. `thread`:
    they are only those of a thread in that channel.
    """

    channel: Channel
    messages: tuple[Message, ...]
    version: int
    changed_at: int
    fetched_at: float
    reached_start: bool
    held: int
    stale: StaleReason | None = None
    thread: Thread | None = None

    @property
    def place(self) -> Place:
        """What it shows."""
        return Place(self.channel, self.thread)


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a channel's messages: every id from `floor_id` to `top_id`, newest first.

    Times are unix seconds. `expires_at`: when the newest messages have to be asked for again. `verified_at`: since
    when nothing in it has gone unchecked.
    """

    messages: tuple[Message, ...]
    floor_id: int
    top_id: int
    reached_start: bool
    version: int
    changed_at: int
    fetched_at: float
    expires_at: float
    verified_at: float

    def is_fresh(self, now: float) -> bool:
        """Whether it can be served without asking Telegram."""
        return self.fetched_at - _CLOCK_SLACK_S <= now < self.expires_at

    def lacks(self, count: int, is_noise: IsNoise) -> bool:
        """Whether older messages have to be fetched to serve `count` messages and the last one's whole album.

        Of those that make no post only the first hundred count.
        """
        if self.reached_start:
            return False
        end = reach(self.messages, count, is_noise)
        return end is None or _cut(self.messages, end, reached_start=False)[1]


def reach(messages: tuple[Message, ...], count: int, is_noise: IsNoise) -> int | None:
    """How many of the messages it takes to have `count` that count, None if all of them are too few."""
    if count <= _NOISE_COUNTED:
        return count if len(messages) >= count else None
    counted = noise = 0
    for index, message in enumerate(messages):
        if message.service is not None and is_noise(message):
            noise += 1
            if noise > _NOISE_COUNTED:
                continue
        counted += 1
        if counted == count:
            return index + 1
    return None


def window_of(
    held: Held,
    count: int,
    channel: Channel,
    is_noise: IsNoise,
    stale: StaleReason | None = None,
    thread: Thread | None = None,
) -> Window:
    """The newest `count` messages as `Held.lacks` counts them, or a few more to complete an album.

    An album that goes on below what is known is left out.
    """
    wanted = reach(held.messages, count, is_noise)
    end, _ = _cut(held.messages, len(held.messages) if wanted is None else wanted, reached_start=held.reached_start)
    return Window(
        channel=channel,
        messages=held.messages if end == len(held.messages) else held.messages[:end],
        version=held.version,
        changed_at=held.changed_at,
        fetched_at=held.fetched_at,
        reached_start=held.reached_start and end == len(held.messages),
        held=len(held.messages),
        stale=stale,
        thread=thread,
    )


def album_of(messages: tuple[Message, ...], post_id: int) -> tuple[Message, ...]:
    """The message with that id and the rest of its album, by id; empty if it is not there."""
    found = next((message for message in messages if message.id == post_id), None)
    if found is None:
        return ()
    if found.media_group_id is None:
        return (found,)
    album = (message for message in messages if message.media_group_id == found.media_group_id)
    return tuple(sorted(album, key=lambda message: message.id))


def _cut(messages: tuple[Message, ...], count: int, *, reached_start: bool) -> tuple[int, bool]:
    """Where a slice of `count` messages ends, and whether an album had to be left out for it."""
    end = min(count, len(messages))
    albums = {message.media_group_id for message in messages[max(0, end - ALBUM_SIZE + 1) : end]} - {None}
    for index in range(end, min(len(messages), end + ALBUM_SIZE - 1)):
        if messages[index].media_group_id in albums:
            end = index + 1
    if end < len(messages) or reached_start or end == 0 or messages[-1].media_group_id is None:
        return end, False
    whole = end
    while whole > 0 and messages[whole - 1].media_group_id == messages[-1].media_group_id:
        whole -= 1
    return whole, True
