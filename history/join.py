"""How pages from Telegram change what is known of a channel. Pure: values in, values out."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from history.content import content_of
from history.window import Held, IsNoise
from model.message import Message

MAX_MESSAGES = 2000
"""The most messages that are kept of one channel."""

# Trimming a little at every new message would rewrite the window's edge each time.
_TRIM_SLACK = 100
# A page that was just fetched must not lack most of itself.
_NOISE_KEPT = 100


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """Fetched messages, newest first, that are all there are with `low` <= id < `high`.

    `high` None: up to the newest of all. `start`: nothing is older than `low`.
    """

    messages: tuple[Message, ...]
    low: int
    high: int | None = None
    start: bool = False


def span_of(page: Sequence[Message], *, offset_id: int, limit: int) -> Span:
    """What a page of history tells that was asked for with `offset_id` (0: the newest) and `limit`."""
    below = [message for message in page if offset_id == 0 or message.id < offset_id]
    messages = tuple(sorted(below, key=lambda message: message.id, reverse=True))
    # Telegram may leave single messages out of a page, so a page that lacks a few does not prove the start.
    start = len(messages) * 5 < limit * 4 or messages[-1].id <= 1
    return Span(messages=messages, low=1 if start else messages[-1].id, high=offset_id or None, start=start)


def prolonged(span: Span, older: Span) -> Span:
    """Two spans as one; `older` ends where `span` begins."""
    return Span(messages=span.messages + older.messages, low=older.low, high=span.high, start=older.start)


def connects(held: Held, span: Span) -> bool:
    """Whether no id lies unknown between what is held and a span up to the newest message."""
    return span.low <= held.top_id + 1


def refreshed(held: Held | None, span: Span, *, now: float, expires_at: float, drop_older: bool = False) -> Held:
    """What is known after the newest messages were fetched.

    Everything inside the span is as the span says. What is older stays if it connects, unless `drop_older`.
    """
    if held is None:
        return Held(
            messages=span.messages,
            floor_id=span.low,
            top_id=max((message.id for message in span.messages), default=0),
            reached_start=span.start,
            version=int(now * 1000),
            changed_at=max((max(m.date or 0, m.edit_date or 0) for m in span.messages), default=0) or int(now),
            fetched_at=now,
            expires_at=expires_at,
            verified_at=now,
        )
    keeps = connects(held, span) and not drop_older and not span.start
    older = tuple(message for message in held.messages if message.id < span.low) if keeps else ()
    covers_all = span.start or span.low <= held.floor_id
    joined = msgspec.structs.replace(
        held,
        messages=span.messages + older,
        floor_id=min(span.low, held.floor_id) if keeps else span.low,
        top_id=max(held.top_id, max((message.id for message in span.messages), default=0)),
        reached_start=span.start or (keeps and held.reached_start),
        fetched_at=now,
        expires_at=expires_at,
        verified_at=held.verified_at if keeps and not covers_all else now,
    )
    return _versioned(held, joined, now)


def extended(held: Held, span: Span, *, now: float) -> Held:
    """What is known after the page right below the floor was fetched."""
    if span.high != held.floor_id:
        # The floor moved while the page was under way.
        return held
    joined = msgspec.structs.replace(
        held, messages=held.messages + span.messages, floor_id=span.low, reached_start=span.start
    )
    return _versioned(held, joined, now)


def patched(held: Held, *, changed: Sequence[Message], deleted: Sequence[int], now: float) -> Held:
    """What is known after single messages were seen new or edited, or were deleted.

    Those below the floor are none of ours. New ones above the top have to be all there are.
    """
    inside = {message.id: message for message in changed if message.id >= held.floor_id}
    gone = set(deleted) | inside.keys()
    messages = [message for message in held.messages if message.id not in gone] + list(inside.values())
    messages.sort(key=lambda message: message.id, reverse=True)
    joined = msgspec.structs.replace(held, messages=tuple(messages), top_id=max(held.top_id, max(inside, default=0)))
    return _versioned(held, joined, now)


def changed(held: Held, *, now: float) -> Held:
    """The same with a new version and time of change: it or its chat's own data reads otherwise now."""
    # Milliseconds rather than a count, so that a version is never used twice, not even after the cache was lost.
    return msgspec.structs.replace(
        held, version=max(held.version + 1, int(now * 1000)), changed_at=max(held.changed_at, int(now))
    )


def trimmed(held: Held, is_noise: IsNoise) -> Held:
    """What of it is kept: not all of the noise, and then not the oldest."""
    if len(held.messages) <= MAX_MESSAGES + _TRIM_SLACK:
        return held
    newest, older = held.messages[:_NOISE_KEPT], held.messages[_NOISE_KEPT:]
    # Ids without a message are known not to matter, so the floor stays where it is.
    kept = newest + tuple(message for message in older if not is_noise(message))
    if len(kept) <= MAX_MESSAGES:
        return msgspec.structs.replace(held, messages=kept)
    kept = kept[:MAX_MESSAGES]
    return msgspec.structs.replace(held, messages=kept, floor_id=kept[-1].id, reached_start=False)


def _versioned(old: Held, new: Held, now: float) -> Held:
    """`new`, with a version of its own if it reads otherwise than `old` where both know the channel."""
    floor = max(old.floor_id, new.floor_id)
    before = {message.id: message for message in old.messages if message.id >= floor}
    after = {message.id: message for message in new.messages if message.id >= floor}
    if before.keys() == after.keys() and all(_reads_the_same(before[key], after[key]) for key in before):
        return new
    return changed(new, now=now)


def _reads_the_same(old: Message, new: Message) -> bool:
    return old is new or old == new or content_of(old) == content_of(new)
