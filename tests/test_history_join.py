"""Joining pages: however history and pages fall, what is known afterwards is what Telegram has."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from history.content import content_of
from history.join import MAX_MESSAGES, Span, extended, patched, refreshed, span_of, trimmed
from history.window import Held, album_of, window_of
from model.channel import Channel, ChannelKind
from model.message import Message, Service

CHANNEL = Channel(id=-1, kind=ChannelKind.CHANNEL, title="C")


def post(post_id: int, *, edit: int | None = None, album: int | None = None) -> Message:
    return Message(id=post_id, date=post_id, edit_date=edit, media_group_id=album)


def joined(post_id: int) -> Message:
    return Message(id=post_id, date=post_id, service=Service(kind="chat_add_user"))


def is_noise(message: Message) -> bool:
    return message.service is not None


def held_of(messages: tuple[Message, ...], *, start: bool = False) -> Held:
    low = messages[-1].id if messages else 1
    return refreshed(None, Span(messages=messages, low=1 if start else low, start=start), now=1, expires_at=2)


class Telegram:
    """All messages of one channel."""

    def __init__(self, posts: dict[int, Message]) -> None:
        self.posts = posts

    def page(self, offset_id: int, limit: int) -> Span:
        ids = sorted((key for key in self.posts if not offset_id or key < offset_id), reverse=True)[:limit]
        return span_of([self.posts[key] for key in ids], offset_id=offset_id, limit=limit)

    def between(self, low: int) -> tuple[Message, ...]:
        return tuple(self.posts[key] for key in sorted(self.posts, reverse=True) if key >= low)


posts = st.dictionaries(st.integers(2, 60), st.integers(1, 3)).map(
    lambda versions: {key: post(key, edit=edit) for key, edit in versions.items()}
)
LIMIT = 10


@given(before=posts, after=posts, depth=st.integers(0, 6))
def test_a_refresh_and_extensions_end_with_what_telegram_has(
    before: dict[int, Message], after: dict[int, Message], depth: int
) -> None:
    telegram = Telegram(before)
    held = refreshed(None, telegram.page(0, LIMIT), now=1, expires_at=2)
    for _ in range(depth):
        if not held.reached_start:
            held = extended(held, telegram.page(held.floor_id, LIMIT), now=2)
    assert held.messages == telegram.between(held.floor_id)
    telegram = Telegram({**{key: value for key, value in before.items() if key < 20}, **after})
    newer = refreshed(held, telegram.page(0, LIMIT), now=10, expires_at=11)
    page = telegram.page(0, LIMIT)
    # Inside the page all is new; below it, what was known stays, unless ids between are unknown.
    assert tuple(message for message in newer.messages if message.id >= page.low) == page.messages
    below = tuple(message for message in newer.messages if message.id < page.low)
    if below:
        assert page.low <= held.top_id + 1
        assert below == tuple(message for message in held.messages if message.id < page.low)
    floor = max(held.floor_id, newer.floor_id)
    old, new = ([content_of(m) for m in known.messages if m.id >= floor] for known in (held, newer))
    assert (newer.version > held.version) == (old != new)
    while not newer.reached_start:
        newer = extended(newer, telegram.page(newer.floor_id, LIMIT), now=12)
    assert {message.id for message in newer.messages} >= {key for key in telegram.posts if key >= page.low}


@given(sizes=st.lists(st.integers(1, 10), max_size=8), count=st.integers(1, 45), start=st.booleans())
def test_a_window_never_ends_inside_an_album_unless_it_is_all_there_is(
    sizes: list[int], count: int, start: bool
) -> None:
    # One message, or an album of that size.
    groups = [number if size > 1 else None for number, size in enumerate(sizes, start=1) for _ in range(size)]
    messages = [post(1000 - number, album=group) for number, group in enumerate(groups)]
    held = Held(
        messages=tuple(messages),
        floor_id=1,
        top_id=1000,
        reached_start=start,
        version=1,
        changed_at=1,
        fetched_at=1,
        expires_at=1,
        verified_at=1,
    )
    window = window_of(held, count, CHANNEL, is_noise)
    assert window.messages == held.messages[: len(window.messages)]
    rest = held.messages[len(window.messages) :]
    last = window.messages[-1].media_group_id if window.messages else None
    assert last is None or all(message.media_group_id != last for message in rest)
    if not start and last is not None:
        assert rest
    if start:
        assert min(count, len(messages)) <= len(window.messages) <= count + 9
    if not held.lacks(count, is_noise):
        assert len(window.messages) >= min(count, len(messages))


def test_an_extension_that_was_overtaken_changes_nothing() -> None:
    telegram = Telegram({key: post(key) for key in range(2, 60)})
    held = refreshed(None, telegram.page(0, LIMIT), now=1, expires_at=2)
    page = telegram.page(held.floor_id, LIMIT)
    longer = extended(held, page, now=2)
    assert extended(longer, page, now=3) is longer


def test_a_window_that_grew_too_large_loses_its_oldest_part() -> None:
    everything = tuple(post(key) for key in range(MAX_MESSAGES + 150, 1, -1))
    held = held_of(everything[:MAX_MESSAGES])
    longer = trimmed(
        extended(held, Span(messages=everything[MAX_MESSAGES:], low=1, high=held.floor_id, start=True), now=2), is_noise
    )
    assert len(longer.messages) == MAX_MESSAGES
    assert (longer.reached_start, longer.floor_id) == (False, everything[MAX_MESSAGES - 1].id)


def test_a_window_full_of_service_messages_loses_those_and_keeps_every_post() -> None:
    everything = tuple(
        post(key) if key < 50 or key % 100 == 0 else joined(key) for key in range(MAX_MESSAGES + 150, 1, -1)
    )
    held = held_of(everything, start=True)
    kept = trimmed(held, is_noise)
    assert [message for message in kept.messages if not is_noise(message)] == [
        message for message in everything if not is_noise(message)
    ]
    assert (kept.floor_id, kept.reached_start) == (held.floor_id, True)
    assert kept.messages[:100] == everything[:100]
    assert trimmed(kept, is_noise) is kept


def test_no_more_than_a_page_of_service_messages_counts_for_a_window() -> None:
    posts = tuple(post(key) for key in range(300, 250, -1))
    noise = tuple(joined(key) for key in range(1300, 300, -1))
    held = held_of(noise + posts)
    assert not held.lacks(100, is_noise)
    assert not held.lacks(150, is_noise)
    assert held.lacks(151, is_noise)
    assert len(window_of(held, 100, CHANNEL, is_noise).messages) == 100
    assert window_of(held, 150, CHANNEL, is_noise).messages == held.messages
    few = held_of((*noise[:3], *posts))
    assert not few.lacks(53, is_noise)


def test_a_message_pushed_twice_changes_nothing() -> None:
    held = refreshed(None, Telegram({5: post(5), 6: post(6)}).page(0, LIMIT), now=1, expires_at=2)
    once = patched(held, changed=[post(7)], deleted=[5], now=2)
    assert [message.id for message in once.messages] == [7, 6]
    assert once.version > held.version
    assert patched(once, changed=[post(7)], deleted=[5], now=3) == once


def test_content_ignores_what_changes_by_itself() -> None:
    message = post(5)
    assert content_of(message) == content_of(msgspec.structs.replace(message, views=5, forwards=2))
    assert content_of(message) != content_of(post(5, edit=9))
    with_talk = msgspec.structs.replace(message, comments=0)
    assert content_of(with_talk) == content_of(msgspec.structs.replace(message, comments=7))
    assert content_of(with_talk) != content_of(message)


def test_an_album_is_what_shares_its_id() -> None:
    messages = (post(9), post(8, album=1), post(7), post(6, album=1))
    assert [message.id for message in album_of(messages, 8)] == [6, 8]
    assert [message.id for message in album_of(messages, 7)] == [7]
    assert album_of(messages, 5) == ()
