"""The history asks Telegram as little as it can, never mixes up old and new, and serves stale before nothing."""

from __future__ import annotations

import asyncio
import logging
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from fake_telegram import NEWS, FakeTelegram

from errors import (
    ChannelNotFound,
    ChannelPrivate,
    FloodWait,
    Overloaded,
    PassingFault,
    PostNotFound,
    StorageUnavailable,
    TelegramRefused,
    TelegramTimeout,
    TelegramUnavailable,
)
from history.window import StaleReason, Window
from model.channel import Channel, ChannelKind
from model.media import FileLocation, FileRef, Photo
from model.message import Reaction, Service
from posts.grouping import makes_no_post
from storage.database import Database
from storage.schema import MIGRATIONS
from tg_cache import History, Patience
from tg_throttle import Priority

TTL = 3600.0
CHANNEL_TTL = 12 * 3600.0
DAY = 24 * 3600.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """One history over one database file, with Telegram and the clock in the test's hands."""

    def __init__(self, path: Path, database: Database, telegram: FakeTelegram, clock: Clock) -> None:
        self.path, self.database, self.telegram, self.clock = path, database, telegram, clock
        self.history = self.fresh_history()

    def fresh_history(self, **changes: Any) -> History:
        """As after a restart: nothing in memory, the same database."""
        self.history = History(
            self.database,
            self.telegram,
            history_ttl=TTL,
            channel_ttl=CHANNEL_TTL,
            clock=self.clock,
            jitter=lambda: 1.0,
            is_noise=makes_no_post,
            **changes,
        )
        return self.history

    def calls(self) -> dict[str, int]:
        """The calls since this was last asked."""
        counted, self.telegram.calls = dict(self.telegram.calls), Counter()
        return counted

    async def seen(self, count: int = 50) -> Window:
        return await self.history.window("news", count)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    path = tmp_path / "bridge.db"
    database = await Database.open(path, MIGRATIONS)
    yield Bench(path, database, FakeTelegram(), Clock())
    await database.close()


def ids(window: Window) -> list[int]:
    return [message.id for message in window.messages]


# Budgets


async def test_ten_parallel_cold_readers_cost_three_calls(bench: Bench) -> None:
    bench.telegram.write(150)
    windows = await asyncio.gather(*(bench.seen(50) for _ in range(10)))
    assert bench.calls() == {"resolve": 1, "full": 1, "history": 1}
    assert all(window == windows[0] for window in windows)
    assert ids(windows[0]) == list(range(151, 101, -1))
    assert windows[0].channel.about == "All about it"


async def test_a_warm_reader_costs_nothing_whatever_the_spelling_and_after_a_restart(bench: Bench) -> None:
    bench.telegram.write(150)
    first = await bench.seen(50)
    bench.calls()
    assert await bench.history.window(NEWS.id, 50) == first
    bench.fresh_history()
    assert await bench.seen(50) == first
    assert await bench.history.window(NEWS.id, 50) == first
    assert bench.calls() == {}


async def test_readers_that_want_different_counts_share_the_pages(bench: Bench) -> None:
    bench.telegram.write(400)
    windows = await asyncio.gather(*(bench.seen(count) for count in (10, 250, 120, 50)))
    assert [len(window.messages) for window in windows] == [10, 250, 120, 50]
    assert bench.calls()["history"] == 3


async def test_a_smaller_count_is_a_slice_and_a_larger_one_only_adds_what_is_missing(bench: Bench) -> None:
    bench.telegram.write(400)
    small = await bench.seen(30)
    bench.calls()
    large = await bench.seen(150)
    assert bench.calls() == {"history": 1}
    assert ids(large) == list(range(401, 251, -1))
    assert large.version == small.version
    assert ids(await bench.seen(30)) == ids(small)
    assert bench.calls() == {}


async def test_the_start_of_a_channel_is_known_after_one_page(bench: Bench) -> None:
    bench.telegram.write(30)
    window = await bench.seen(50)
    assert (len(window.messages), window.reached_start) == (30, True)
    assert not (await bench.seen(10)).reached_start
    assert (await bench.seen(30)).reached_start
    assert bench.calls()["history"] == 1


async def test_a_page_that_lacks_a_few_messages_is_no_proof_of_the_start(bench: Bench) -> None:
    bench.telegram.write(300)
    history = bench.telegram.history

    async def censored(channel: Channel, **query: object) -> object:
        return [message for message in await history(channel, **query) if message.id % 25]  # type: ignore[arg-type]

    bench.telegram.history = censored  # type: ignore[method-assign, assignment]
    window = await bench.seen(200)
    assert len(window.messages) == 200


async def test_an_empty_channel_is_an_empty_window_that_reaches_the_start(bench: Bench) -> None:
    window = await bench.seen()
    assert (window.messages, window.reached_start) == ((), True)
    bench.telegram.write()
    bench.clock.now += TTL
    assert ids(await bench.seen()) == [2]


async def test_the_priority_reaches_telegram(bench: Bench) -> None:
    await bench.history.window("news", 5, priority=Priority.BACKGROUND)
    assert bench.telegram.priorities == {Priority.BACKGROUND}


async def test_ttls_are_stretched_by_a_factor_drawn_at_each_write(bench: Bench) -> None:
    factors = iter([1.0, 1.0, 0.5, 1.0, 1.0])
    bench.history = History(
        bench.database,
        bench.telegram,
        history_ttl=TTL,
        channel_ttl=CHANNEL_TTL,
        clock=bench.clock,
        jitter=lambda: next(factors),
    )
    bench.telegram.write()
    await bench.seen()
    bench.calls()
    bench.clock.now += TTL / 2 - 1
    await bench.seen()
    assert bench.calls() == {}
    bench.clock.now += 1
    await bench.seen()
    assert bench.calls() == {"history": 1}


# What a refresh sees


async def test_a_refresh_shows_new_edited_and_deleted_posts(bench: Bench) -> None:
    bench.telegram.write(150)
    before = await bench.seen(120)
    bench.telegram.write(2)
    bench.telegram.edit(140, edit_date=5)
    del bench.telegram.posts[NEWS.id][145]
    assert await bench.seen(120) == before
    bench.calls()
    bench.clock.now += TTL
    after = await bench.seen(120)
    assert bench.calls() == {"history": 1}
    expected = [post_id for post_id in range(153, 0, -1) if post_id != 145][:120]
    assert ids(after) == expected
    assert next(message for message in after.messages if message.id == 140).edit_date == 5
    assert after.version > before.version
    assert (after.changed_at, after.fetched_at) == (int(bench.clock.now), bench.clock.now)
    bench.fresh_history()
    assert await bench.seen(120) == after


async def test_counters_and_file_references_are_renewed_without_a_new_version(bench: Bench) -> None:
    def photo(reference: bytes) -> Photo:
        return Photo(
            file=FileRef(
                location=FileLocation.PHOTO, id=1, access_hash=2, file_reference=reference, dc_id=2, unique_id="u"
            )
        )

    bench.telegram.write(3)
    bench.telegram.edit(3, media=photo(b"old"), comments=1)
    before = await bench.seen()
    bench.clock.now += TTL
    bench.telegram.edit(3, media=photo(b"new"), comments=2, views=99, reactions=(Reaction(count=1, emoji="👍"),))
    after = await bench.seen()
    assert (after.version, after.changed_at) == (before.version, before.changed_at)
    assert after.messages[1] == bench.telegram.posts[NEWS.id][3]
    bench.fresh_history()
    assert (await bench.seen()).messages == after.messages


async def test_another_title_description_or_photo_is_a_change_and_another_reference_is_none(bench: Bench) -> None:
    def photo(unique_id: str, reference: bytes) -> FileRef:
        return FileRef(
            location=FileLocation.PEER_PHOTO,
            id=1,
            access_hash=2,
            file_reference=reference,
            dc_id=2,
            unique_id=unique_id,
        )

    bench.telegram.write(3)
    seen = await bench.seen()
    changes: list[tuple[dict[str, Any], bool]] = [
        ({"title": "Olds"}, True),
        ({"about": "What is new"}, True),
        ({"photo": photo("a", b"old")}, True),
        ({"photo": photo("a", b"new"), "access_hash": 77, "members": 9}, False),
        ({"photo": photo("b", b"new")}, True),
    ]
    for change, is_seen in changes:
        bench.clock.now += 2 * CHANNEL_TTL
        bench.telegram.channels[NEWS.id] = msgspec.structs.replace(bench.telegram.channels[NEWS.id], **change)
        before, seen = seen, await bench.seen()
        assert (seen.version > before.version) is is_seen
        assert seen.changed_at == (int(bench.clock.now) if is_seen else before.changed_at)
    bench.fresh_history()
    assert (await bench.seen()).changed_at == seen.changed_at


async def test_the_time_of_change_is_the_same_after_the_cache_was_lost(bench: Bench, tmp_path: Path) -> None:
    bench.telegram.write(20)
    bench.telegram.edit(5, edit_date=5000)
    before = await bench.seen()
    assert before.changed_at == 5000
    bench.clock.now += 777
    other = Bench(tmp_path, await Database.open(tmp_path / "other.db", MIGRATIONS), bench.telegram, bench.clock)
    assert (await other.seen()).changed_at == before.changed_at
    assert (await other.seen()).version > before.version
    await other.database.close()


async def test_a_gap_is_closed_by_a_few_pages(bench: Bench) -> None:
    bench.telegram.write(100)
    await bench.seen(100)
    bench.telegram.write(250)
    bench.clock.now += TTL
    bench.calls()
    window = await bench.seen(350)
    assert ids(window) == list(range(351, 1, -1))
    assert bench.calls()["history"] == 3


async def test_a_gap_too_wide_drops_the_older_part(bench: Bench) -> None:
    bench.telegram.write(100)
    await bench.seen(100)
    bench.telegram.write(1000)
    bench.clock.now += TTL
    bench.calls()
    assert ids(await bench.seen(50)) == list(range(1101, 1051, -1))
    assert bench.calls() == {"history": 3}
    assert ids(await bench.seen(400)) == list(range(1101, 701, -1))
    assert bench.calls() == {"history": 1}
    with sqlite3.connect(bench.path) as connection:
        assert connection.execute("SELECT min(id), count(*) FROM messages").fetchone() == (702, 400)


async def test_a_deletion_deep_in_the_window_is_seen_within_a_day(bench: Bench) -> None:
    bench.telegram.write(300)
    await bench.seen(250)
    del bench.telegram.posts[NEWS.id][100]
    bench.clock.now += TTL
    assert 100 in ids(await bench.seen(250))
    bench.clock.now += DAY
    bench.calls()
    window = await bench.seen(250)
    assert 100 not in ids(window)
    assert len(window.messages) == 250
    assert bench.calls()["history"] == 3


async def test_a_reader_of_few_posts_leaves_nothing_unchecked_below_for_a_reader_of_many(bench: Bench) -> None:
    bench.telegram.write(300)
    await bench.seen(250)
    del bench.telegram.posts[NEWS.id][100]
    bench.clock.now += DAY
    await bench.seen(50)
    assert 100 not in ids(await bench.seen(250))


async def test_an_interrupted_check_of_the_deep_part_keeps_it(bench: Bench) -> None:
    bench.telegram.write(300)
    await bench.seen(250)
    bench.clock.now += DAY
    history = bench.telegram.history

    async def once(channel: Channel, **query: object) -> object:
        if query.get("offset_id"):
            raise FloodWait(30)
        return await history(channel, **query)  # type: ignore[arg-type]

    bench.telegram.history = once  # type: ignore[method-assign, assignment]
    bench.telegram.write(1)
    window = await bench.seen(250)
    assert ids(window) == list(range(302, 52, -1))
    assert window.stale is StaleReason.FLOOD


async def test_deleting_everything_empties_the_window(bench: Bench) -> None:
    bench.telegram.write(120)
    await bench.seen(110)
    bench.telegram.posts[NEWS.id].clear()
    bench.clock.now += TTL
    window = await bench.seen(110)
    assert (window.messages, window.reached_start) == ((), True)


# Albums


async def test_an_album_at_the_edge_is_completed_by_a_small_page(bench: Bench) -> None:
    bench.telegram.write(50)
    album = bench.telegram.write(6, album=77)
    bench.telegram.write(97)
    window = await bench.seen(100)
    assert ids(window)[-6:] == album[::-1]
    assert len(window.messages) == 103
    assert bench.calls()["history"] == 2
    assert bench.history.stats().messages_in_memory == 120


async def test_an_album_that_cannot_be_completed_now_is_left_out(bench: Bench) -> None:
    bench.telegram.write(50)
    bench.telegram.write(6, album=77)
    bench.telegram.write(97)
    history = bench.telegram.history

    async def once(channel: Channel, **query: object) -> object:
        if query.get("offset_id"):
            raise FloodWait(30)
        return await history(channel, **query)  # type: ignore[arg-type]

    bench.telegram.history = once  # type: ignore[method-assign, assignment]
    window = await bench.seen(100)
    assert len(window.messages) == 97
    assert not any(message.media_group_id for message in window.messages)
    assert window.stale is StaleReason.FLOOD


async def test_an_album_with_other_posts_between_is_not_cut(bench: Bench) -> None:
    bench.telegram.write(20)
    a, between, b = bench.telegram.write(1, album=5), bench.telegram.write(1), bench.telegram.write(1, album=5)
    bench.telegram.write(4)
    assert ids(await bench.seen(5))[-3:] == [*b, *between, *a]


async def test_a_channel_that_starts_with_an_album_shows_it(bench: Bench) -> None:
    bench.telegram.write(4, album=5)
    assert len((await bench.seen(2)).messages) == 4
    assert len((await bench.seen(50)).messages) == 4


# Stale


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (FloodWait(120), StaleReason.FLOOD),
        (TelegramTimeout(), StaleReason.TIMEOUT),
        (TelegramUnavailable("restarting"), StaleReason.UNAVAILABLE),
    ],
)
async def test_a_passing_fault_gives_the_stored_window_marked_stale(
    bench: Bench, fault: FloodWait | TelegramTimeout | TelegramUnavailable, reason: StaleReason
) -> None:
    bench.telegram.write(20)
    before = await bench.seen(10)
    bench.clock.now += 100 * DAY
    bench.telegram.faults = {"history": fault, "full": fault, "resolve": fault}
    bench.fresh_history()
    window = await bench.seen(10)
    assert window == msgspec.structs.replace(before, stale=reason)
    bench.telegram.faults.clear()
    bench.clock.now += fault.retry_after
    assert (await bench.seen(10)).stale is None


async def test_while_names_can_not_be_looked_up_known_channels_are_as_fresh_as_ever(bench: Bench) -> None:
    bench.telegram.write(20)
    await bench.seen(10)
    # The name, the description and the history are all out of date.
    bench.clock.now += 100 * DAY
    bench.fresh_history()
    bench.telegram.faults["resolve"] = FloodWait(DAY, "contacts.resolveUsername")
    (written,) = bench.telegram.write(1)
    window = await bench.seen(10)
    assert (ids(window)[0], window.stale) == (written, None)
    with pytest.raises(FloodWait):
        await bench.history.window("another", 10)


async def test_while_descriptions_can_not_be_had_known_channels_keep_theirs_and_are_as_fresh_as_ever(
    bench: Bench,
) -> None:
    bench.telegram.write(20)
    await bench.seen(10)
    bench.clock.now += 100 * DAY
    bench.fresh_history()
    bench.telegram.faults["full"] = FloodWait(DAY, "channels.getFullChannel")
    (written,) = bench.telegram.write(1)
    window = await bench.seen(10)
    assert (ids(window)[0], window.stale, window.channel.about) == (written, None, "All about it")


@pytest.mark.parametrize("key", ["news", NEWS.id])
async def test_while_descriptions_can_not_be_had_a_new_channel_comes_without_and_gets_it_later(
    bench: Bench, key: str | int
) -> None:
    bench.telegram.write(20)
    bench.telegram.faults["full"] = FloodWait(600, "channels.getFullChannel")
    window = await bench.history.window(key, 10)
    assert (len(window.messages), window.stale, window.channel.about) == (10, None, "")
    for _ in range(3):
        await bench.history.window(key, 10)
    assert bench.calls() == {"resolve": 1, "full": 1, "history": 1}
    bench.clock.now += 600
    bench.telegram.faults.clear()
    assert (await bench.history.window(key, 10)).channel.about == "All about it"


async def test_without_anything_stored_each_waiter_gets_the_fault(bench: Bench) -> None:
    bench.telegram.faults["history"] = FloodWait(7)
    results = await asyncio.gather(*(bench.seen() for _ in range(5)), return_exceptions=True)
    assert [type(result) for result in results] == [FloodWait] * 5
    assert bench.calls()["history"] == 1


async def test_after_a_timeout_nobody_waits_for_another_one_until_it_is_worth_it(bench: Bench) -> None:
    bench.telegram.write(20)
    await bench.seen()
    bench.clock.now += TTL
    bench.telegram.faults["history"] = TelegramTimeout(retry_after=30)
    bench.calls()
    for _ in range(3):
        assert (await bench.seen()).stale is StaleReason.TIMEOUT
    assert bench.calls() == {"history": 1}
    bench.clock.now += 30
    await bench.seen()
    assert bench.calls() == {"history": 1}


@pytest.mark.parametrize(
    ("fault", "asked_in"),
    [
        (TelegramRefused("Telegram refused it"), [0, 1, 2, 3, 4, 5, 7, 10, 15, 24, 39, 54]),
        (TelegramTimeout(retry_after=30), [0, 1, 2, 4, 8, 16, 31, 46]),
    ],
    ids=["refused", "not answered"],
)
@pytest.mark.parametrize("call", ["history", "full", "resolve"])
async def test_a_channel_whose_calls_fail_is_asked_for_less_and_less_often(
    bench: Bench, fault: TelegramRefused | TelegramTimeout, asked_in: list[int], call: str
) -> None:
    bench.telegram.write(20)
    bench.telegram.faults[call] = fault
    asked = []
    for minute in range(60):
        bench.clock.now = 1_000_000 + minute * 60
        with pytest.raises(type(fault)):
            await bench.history.window("news", 5)
        if bench.calls().get(call):
            asked.append(minute)
    assert asked == asked_in
    assert bench.history.stats().failing_channels == 1
    bench.telegram.faults.clear()
    bench.clock.now += 900
    assert len((await bench.seen()).messages) == 20
    assert bench.history.stats().failing_channels == 0


@pytest.mark.parametrize("fault", [TelegramRefused("no", 30), TelegramTimeout("silence")], ids=["refused", "silent"])
async def test_single_posts_that_telegram_fails_to_give_are_asked_for_less_and_less_often(
    bench: Bench, fault: TelegramRefused | TelegramTimeout
) -> None:
    bench.telegram.write(300)
    await bench.seen(10)
    bench.telegram.faults["messages"] = fault
    bench.calls()
    for minute in range(60):
        bench.clock.now = 1_000_000 + minute * 60
        for ask in (bench.history.message("news", 7), bench.history.refetch("news", 8)):
            with pytest.raises(type(fault)):
                await ask
    assert bench.calls()["messages"] < 15
    assert bench.history.stats().failing_channels == 1
    bench.telegram.faults.clear()
    bench.clock.now += 900
    assert (await bench.history.message("news", 7)).id == 7
    bench.telegram.faults["messages"] = fault
    with pytest.raises(type(fault)):
        await bench.history.refetch("news", 8)
    # A new connection may mean that it is over.
    bench.telegram.faults.clear()
    bench.history.forget_failures()
    assert (await bench.history.refetch("news", 8)).id == 8


async def test_after_a_success_the_next_failure_is_the_first_one(bench: Bench) -> None:
    bench.telegram.write(20)
    await bench.seen()
    for _ in range(3):
        bench.telegram.faults["history"] = TelegramTimeout(retry_after=30)
        bench.clock.now += TTL
        assert (await bench.seen()).stale is StaleReason.TIMEOUT
        bench.telegram.faults.clear()
        bench.clock.now += 31
        assert (await bench.seen()).stale is None


@pytest.mark.parametrize("call", ["history", "full", "resolve"])
async def test_a_new_connection_ends_all_pauses_after_failures(bench: Bench, call: str) -> None:
    bench.telegram.write(20)
    bench.telegram.faults[call] = TelegramTimeout(retry_after=30)
    with pytest.raises(TelegramTimeout):
        await bench.seen()
    bench.telegram.faults.clear()
    with pytest.raises(TelegramTimeout):
        await bench.seen()
    bench.history.forget_failures()
    assert len((await bench.seen()).messages) == 20


async def test_a_pause_after_a_failure_does_not_grow_when_the_clock_is_set_back(bench: Bench) -> None:
    bench.telegram.write(20)
    bench.telegram.faults["history"] = TelegramTimeout(retry_after=30)
    with pytest.raises(TelegramTimeout):
        await bench.seen()
    bench.telegram.faults.clear()
    bench.clock.now -= 10 * DAY
    assert len((await bench.seen()).messages) == 20


async def test_older_pages_that_cannot_be_had_leave_a_shorter_stale_window(bench: Bench) -> None:
    bench.telegram.write(300)
    await bench.seen(50)
    bench.telegram.faults["history"] = FloodWait(30)
    window = await bench.seen(200)
    assert (len(window.messages), window.stale) == (100, StaleReason.FLOOD)
    assert (await bench.seen(50)).stale is None


async def test_a_reader_that_leaves_does_not_stop_the_fetch_for_the_others(bench: Bench) -> None:
    bench.telegram.write(20)
    bench.telegram.hold = asyncio.Event()
    impatient = asyncio.ensure_future(bench.seen())
    await asyncio.sleep(0.01)
    patient = asyncio.ensure_future(bench.seen())
    await asyncio.sleep(0.01)
    impatient.cancel()
    bench.telegram.hold.set()
    assert len((await patient).messages) == 20
    with pytest.raises(asyncio.CancelledError):
        await impatient
    assert bench.calls() == {"resolve": 1, "full": 1, "history": 1}


async def test_the_fetch_ends_even_if_every_reader_has_left(bench: Bench) -> None:
    bench.telegram.write(20)
    await bench.history.channel("news")
    bench.telegram.hold = asyncio.Event()
    reader = asyncio.ensure_future(bench.seen())
    await asyncio.sleep(0.01)
    reader.cancel()
    bench.telegram.hold.set()
    bench.telegram.hold = None
    await asyncio.sleep(0.05)
    bench.calls()
    assert len((await bench.seen()).messages) == 20
    assert bench.calls() == {}


async def test_a_clock_that_was_set_back_does_not_keep_a_window_fresh(bench: Bench) -> None:
    bench.telegram.write(2)
    await bench.seen()
    bench.clock.now -= 10 * DAY
    bench.telegram.write(1)
    assert len((await bench.seen()).messages) == 3


# Refusals


async def test_an_unknown_channel_is_asked_for_at_growing_intervals(bench: Bench) -> None:
    asked_at = []
    for minute in range(24 * 60):
        bench.clock.now = 1_000_000 + minute * 60
        with pytest.raises(ChannelNotFound):
            await bench.history.window("nobody", 5)
        if bench.calls():
            asked_at.append(minute)
    assert asked_at == [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 871, 1231]


async def test_only_what_is_not_asked_for_at_present_counts_as_refused_or_missing(bench: Bench) -> None:
    bench.telegram.write(5)
    with pytest.raises(ChannelNotFound):
        await bench.history.channel("nobody")
    with pytest.raises(PostNotFound):
        await bench.history.message("news", 900)
    stats = bench.history.stats()
    assert (stats.refused_channels, stats.missing_posts) == (1, 1)
    bench.clock.now += 300
    stats = bench.history.stats()
    assert (stats.refused_channels, stats.missing_posts) == (0, 0)


async def test_parallel_refusals_count_once(bench: Bench) -> None:
    await asyncio.gather(*(bench.history.channel("nobody") for _ in range(10)), return_exceptions=True)
    assert bench.calls() == {"resolve": 1}
    bench.clock.now += 60
    with pytest.raises(ChannelNotFound):
        await bench.history.channel("nobody")
    assert bench.calls() == {"resolve": 1}


async def test_a_channel_that_comes_back_is_served_again(bench: Bench) -> None:
    with pytest.raises(ChannelNotFound):
        await bench.history.channel("later")
    bench.telegram.add(
        Channel(id=-1000000000002, kind=ChannelKind.CHANNEL, title="Later", access_hash=2, username="later"), 3
    )
    bench.clock.now += 60
    assert len((await bench.history.window("later", 5)).messages) == 3
    del bench.telegram.channels[-1000000000002]
    bench.clock.now += CHANNEL_TTL
    for _ in range(2):
        bench.calls()
        with pytest.raises(ChannelNotFound):
            await bench.history.channel("later")
        assert bench.calls() == {"resolve": 1}
        bench.clock.now += 60


async def test_a_channel_that_became_private_is_refused_although_its_history_is_stored(bench: Bench) -> None:
    bench.telegram.write(20)
    await bench.seen()
    bench.clock.now += TTL
    bench.telegram.faults["history"] = ChannelPrivate("News is private")
    with pytest.raises(ChannelPrivate):
        await bench.seen()
    bench.calls()
    with pytest.raises(ChannelPrivate):
        await bench.history.window(NEWS.id, 5)
    assert bench.calls() == {}
    bench.telegram.faults.clear()
    bench.clock.now += 60
    assert len((await bench.seen()).messages) == 20


async def test_after_a_login_with_another_account_the_access_hash_is_renewed(bench: Bench) -> None:
    bench.telegram.write(20)
    await bench.seen()
    bench.telegram.channels[NEWS.id] = msgspec.structs.replace(NEWS, access_hash=99)
    bench.fresh_history()
    bench.clock.now += TTL
    assert len((await bench.seen()).messages) == 20
    bench.calls()
    bench.clock.now += TTL
    assert len((await bench.seen()).messages) == 20
    assert bench.calls() == {"history": 1}


# Names


async def test_a_username_that_went_to_another_channel_leads_there(bench: Bench) -> None:
    bench.telegram.write(3)
    await bench.seen()
    bench.telegram.channels[NEWS.id] = msgspec.structs.replace(NEWS, username="old_news")
    heir = Channel(id=-1000000000009, kind=ChannelKind.CHANNEL, title="Heir", access_hash=9, username="News")
    bench.telegram.add(heir, 5)
    bench.clock.now += CHANNEL_TTL
    window = await bench.seen()
    assert (window.channel.title, len(window.messages)) == ("Heir", 5)
    assert (await bench.history.window("old_news", 50)).channel.title == "News"


@pytest.mark.parametrize("restarted", [True, False])
async def test_a_renamed_channel_is_found_by_its_new_name_and_no_longer_by_the_old_one(
    bench: Bench, restarted: bool
) -> None:
    await bench.history.channel(NEWS.id)
    await bench.database.run(lambda c: c.execute("DELETE FROM usernames"))
    bench.clock.now += CHANNEL_TTL / 2
    await bench.history.channel("news")
    bench.telegram.channels[NEWS.id] = msgspec.structs.replace(NEWS, username="Journal", title="Journal")
    bench.clock.now += CHANNEL_TTL / 2
    assert (await bench.history.channel(NEWS.id)).title == "Journal"
    bench.calls()
    if restarted:
        bench.fresh_history()
    assert (await bench.history.channel("journal")).id == NEWS.id
    assert bench.calls() == {}
    with pytest.raises(ChannelNotFound):
        await bench.history.channel("news")


async def test_an_invitation_stays_known_while_the_channels_names_are_renewed(bench: Bench) -> None:
    bench.telegram.invitations["+AbCdEfGh"] = NEWS.id
    assert (await bench.history.channel("+AbCdEfGh")).id == NEWS.id
    bench.calls()
    bench.fresh_history()
    assert (await bench.history.channel("+AbCdEfGh")).id == NEWS.id
    assert bench.calls() == {}


async def test_an_id_nobody_has_seen_is_resolved(bench: Bench) -> None:
    assert (await bench.history.channel(NEWS.id)).about == "All about it"
    assert bench.calls() == {"resolve": 1, "full": 1}
    await bench.history.channel("news")
    assert bench.calls() == {}


# Single posts


async def test_a_post_of_the_window_costs_nothing_and_an_older_one_a_single_call(bench: Bench) -> None:
    bench.telegram.write(300)
    await bench.seen(50)
    bench.calls()
    assert (await bench.history.message("news", 250)).id == 250
    assert bench.calls() == {}
    assert (await bench.history.message(NEWS.id, 20)).id == 20
    assert (await bench.history.message(NEWS.id, 20)).id == 20
    assert bench.calls() == {"messages": 1}


async def test_an_album_is_found_whole_by_any_of_its_posts(bench: Bench) -> None:
    bench.telegram.write(5)
    album = bench.telegram.write(10, album=6)
    bench.telegram.write(200)
    await bench.seen(50)
    for post_id in (album[0], album[9], album[4]):
        channel, messages = await bench.history.album("news", post_id)
        assert channel.id == NEWS.id
        assert [message.id for message in messages] == album
    recent = bench.telegram.write(3, album=7)
    bench.clock.now += TTL
    await bench.seen(50)
    bench.calls()
    assert [message.id for message in (await bench.history.album("news", recent[1]))[1]] == recent
    assert bench.calls() == {}


async def test_a_missing_post_is_not_found_and_not_asked_for_again_at_once(bench: Bench) -> None:
    bench.telegram.write(300)
    del bench.telegram.posts[NEWS.id][280]
    await bench.seen(50)
    bench.calls()
    with pytest.raises(PostNotFound, match="News has no post 280"):
        await bench.history.message("news", 280)
    assert bench.calls() == {}
    for _ in range(2):
        with pytest.raises(PostNotFound):
            await bench.history.message("news", 9999)
    assert bench.calls() == {"messages": 1}
    bench.telegram.posts[NEWS.id][9999] = msgspec.structs.replace(bench.telegram.posts[NEWS.id][300], id=9999)
    bench.clock.now += 300
    assert (await bench.history.message("news", 9999)).id == 9999


async def test_refetching_a_post_stores_what_telegram_says_now(bench: Bench) -> None:
    bench.telegram.write(20)
    before = await bench.seen()
    bench.telegram.edit(5, views=1000)
    bench.calls()
    posts = await asyncio.gather(*(bench.history.refetch(NEWS.id, 5) for _ in range(4)))
    assert [post.views for post in posts] == [1000] * 4
    assert bench.calls() == {"messages": 1}
    after = await bench.seen()
    assert next(message for message in after.messages if message.id == 5).views == 1000
    assert after.version == before.version


async def test_refetching_a_deleted_post_removes_it(bench: Bench) -> None:
    bench.telegram.write(20)
    before = await bench.seen()
    del bench.telegram.posts[NEWS.id][5]
    with pytest.raises(PostNotFound):
        await bench.history.refetch("news", 5)
    after = await bench.seen()
    assert 5 not in ids(after)
    assert after.version > before.version


# Live updates


async def test_pushed_changes_are_seen_without_a_call(bench: Bench) -> None:
    bench.telegram.write(20)
    before = await bench.seen()
    bench.telegram.write(1)
    bench.telegram.edit(10, edit_date=77)
    posts = bench.telegram.posts[NEWS.id]
    bench.calls()
    await bench.history.apply(NEWS.id, changed=[posts[22], posts[10]], deleted=[9])
    after = await bench.seen()
    assert ids(after)[:2] == [22, 21]
    assert 9 not in ids(after)
    assert after.version > before.version
    bench.fresh_history()
    assert (await bench.seen()) == after
    assert bench.calls() == {}


async def test_a_pushed_change_leaves_all_other_messages_the_objects_that_they_were(bench: Bench) -> None:
    bench.telegram.write(20)
    before = await bench.seen()
    (pushed,) = bench.telegram.write(1)
    bench.telegram.edit(10, views=77)
    posts = bench.telegram.posts[NEWS.id]
    await bench.history.apply(NEWS.id, changed=[posts[pushed], posts[10]])
    after = await bench.seen()
    changed = [one.id for one in after.messages if not any(one is other for other in before.messages)]
    assert changed == [pushed, 10]


async def test_pushed_edits_of_posts_older_than_the_window_leave_it_alone(bench: Bench) -> None:
    bench.telegram.write(300)
    before = await bench.seen(50)
    await bench.history.apply(NEWS.id, changed=[bench.telegram.posts[NEWS.id][7]], deleted=[8])
    assert await bench.seen(50) == before
    assert ids(await bench.seen(150)) == list(range(301, 151, -1))


async def test_a_confirmed_history_lives_on_without_a_call(bench: Bench) -> None:
    bench.telegram.write(20)
    before = await bench.seen()
    bench.clock.now += TTL - 1
    await bench.history.confirm(NEWS.id)
    bench.clock.now += TTL - 1
    bench.calls()
    after = await bench.seen()
    assert after.version == before.version
    assert bench.calls() == {}


async def test_a_deletion_that_was_never_pushed_is_seen_within_a_day(bench: Bench) -> None:
    bench.telegram.write(20)
    await bench.seen()
    del bench.telegram.posts[NEWS.id][9]
    for _ in range(24):
        bench.clock.now += TTL - 1
        await bench.history.confirm(NEWS.id)
        assert 9 in ids(await bench.seen())
    bench.clock.now += TTL - 1
    await bench.history.confirm(NEWS.id)
    assert 9 not in ids(await bench.seen())


async def test_updates_of_a_chat_nobody_reads_are_passed_over(bench: Bench) -> None:
    await bench.history.apply(-1000000000077, deleted=[1])
    await bench.history.confirm(-1000000000077)
    with sqlite3.connect(bench.path) as connection:
        assert connection.execute("SELECT count(*) FROM windows").fetchone() == (0,)


# Waiting

HURRIED = Patience(with_stored=0.05, without=0.15, most_fetches=3)


async def test_a_reader_who_has_waited_long_enough_gets_what_is_stored_and_the_refresh_lands(bench: Bench) -> None:
    bench.telegram.write(20)
    await bench.seen()
    bench.telegram.write(1)
    bench.clock.now += 10 * DAY
    bench.fresh_history(patience=HURRIED)
    bench.telegram.hold = asyncio.Event()
    late = await bench.seen()
    assert (ids(late)[0], late.stale) == (21, StaleReason.BUSY)
    assert bench.history.stats().stale_served == 1
    bench.telegram.hold.set()
    bench.calls()
    async with asyncio.timeout(5):
        while (window := await bench.seen()).stale:
            await asyncio.sleep(0.01)
    assert ids(window)[0] == 22
    assert bench.calls()["history"] == 1
    assert bench.history.stats().waiting.fetches == 0


async def test_without_anything_stored_who_has_waited_long_enough_is_sent_away_until_the_fetch_will_be_over(
    bench: Bench,
) -> None:
    bench.telegram.write(20)
    bench.fresh_history(patience=HURRIED, queue_wait=lambda: 7.0)
    bench.telegram.hold = asyncio.Event()
    began = time.monotonic()
    with pytest.raises(Overloaded) as caught:
        await bench.seen()
    assert time.monotonic() - began >= 0.15
    # Nothing has been answered yet, so that all three calls of a cold channel are to come.
    assert caught.value.retry_after == 21
    bench.telegram.hold.set()
    async with asyncio.timeout(5):
        while bench.history.stats().waiting.fetches:
            await asyncio.sleep(0.01)
    assert bench.calls() == {"resolve": 1, "full": 1, "history": 1}
    assert len((await bench.seen()).messages) == 20
    assert bench.calls() == {}


async def test_more_fetches_than_there_is_room_for_are_not_begun(bench: Bench) -> None:
    bench.telegram.write(20)
    await bench.seen()
    bench.clock.now += TTL
    bench.fresh_history(patience=HURRIED)
    bench.telegram.hold = asyncio.Event()
    await asyncio.gather(*(bench.history.window(f"cold{n}", 5) for n in range(3)), return_exceptions=True)
    bench.calls()
    began = time.monotonic()
    assert (await bench.seen()).stale is StaleReason.BUSY
    with pytest.raises(Overloaded):
        await bench.history.window("cold4", 5)
    assert time.monotonic() - began < 0.1
    assert bench.calls() == {}
    stats = bench.history.stats().waiting
    assert (stats.fetches, stats.served_older, stats.sent_away, stats.readers_waiting) == (3, 1, 4, 0)


async def test_single_posts_have_a_bounded_wait_too(bench: Bench) -> None:
    bench.telegram.write(200)
    await bench.seen(100)
    bench.fresh_history(patience=HURRIED)
    bench.clock.now += CHANNEL_TTL
    bench.telegram.hold = asyncio.Event()
    # The channel's info is too old, and can't be had: the stored post is as good as it was.
    assert (await bench.history.message("news", 150)).id == 150
    for asked in (bench.history.message("news", 20), bench.history.refetch("news", 150)):
        with pytest.raises(Overloaded):
            await asked
    bench.telegram.hold.set()


async def test_in_the_background_nobody_is_in_a_hurry(bench: Bench) -> None:
    bench.telegram.write(20)
    bench.fresh_history(patience=HURRIED)
    bench.telegram.hold = asyncio.Event()
    waiting = asyncio.ensure_future(bench.history.window("news", 5, priority=Priority.BACKGROUND))
    await asyncio.sleep(0.3)
    assert not waiting.done()
    bench.telegram.hold.set()
    assert len((await waiting).messages) == 5


# Chats of service messages

JOINED = Service(kind="chat_add_user")


async def test_posts_below_more_service_messages_than_one_request_reads_are_found_in_the_end(bench: Bench) -> None:
    bench.telegram.write(120)
    bench.telegram.write(4500, service=JOINED)
    assert len((await bench.seen(100)).messages) == 100
    for _ in range(2):
        bench.calls()
        with pytest.raises(TelegramUnavailable, match="reads on"):
            await bench.seen(200)
        assert bench.calls()["history"] <= 20
    found = await bench.seen(200)
    assert [message.id for message in found.messages if message.service is None] == list(range(121, 21, -1))
    assert found.stale is None
    with sqlite3.connect(bench.path) as connection:
        assert connection.execute("SELECT count(*) FROM messages").fetchone()[0] < 2200
    # All that is remembered: a restart, a day, and more of the same cost a few calls.
    bench.telegram.write(450, service=JOINED)
    bench.clock.now += DAY
    bench.fresh_history()
    bench.calls()
    again = await bench.seen(200)
    assert [message.id for message in again.messages if message.service is None] == list(range(121, 21, -1))
    assert bench.calls()["history"] <= 6


@pytest.mark.parametrize("fault", [FloodWait(30), TelegramTimeout(), TelegramUnavailable("away")])
async def test_a_fault_on_the_way_to_the_posts_is_not_an_empty_window(bench: Bench, fault: PassingFault) -> None:
    bench.telegram.write(120)
    bench.telegram.write(900, service=JOINED)
    await bench.seen(100)
    bench.telegram.faults["history"] = fault
    with pytest.raises(type(fault)):
        await bench.seen(200)
    bench.clock.now += TTL
    with pytest.raises(type(fault)):
        await bench.seen(100)


async def test_a_chat_with_nothing_but_service_messages_is_an_empty_one(bench: Bench) -> None:
    bench.telegram.write(300, service=JOINED)
    window = await bench.seen(400)
    assert (window.reached_start, window.stale) == (True, None)


# The disk


async def test_a_full_disk_serves_what_telegram_said_and_keeps_what_was_stored(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.telegram.write(20)
    await bench.seen()
    (pages,) = await bench.database.read(lambda c: c.execute("PRAGMA page_count").fetchone())
    await bench.database.read(lambda c: c.execute(f"PRAGMA max_page_count = {pages}").fetchall())
    bench.telegram.write(180)
    bench.clock.now += TTL
    with caplog.at_level(logging.WARNING):
        window = await bench.seen(100)
        bench.clock.now += TTL
        await bench.seen(100)
    assert ids(window)[0] == 201
    assert ["full" in record.getMessage() for record in caplog.records] == [True]
    with sqlite3.connect(bench.path) as connection:
        assert connection.execute("SELECT max(id) FROM messages").fetchone() == (21,)


@pytest.mark.parametrize("evicted", [False, True])
async def test_what_a_full_disk_did_not_take_leaves_no_gap_when_it_takes_data_again(
    bench: Bench, evicted: bool
) -> None:
    bench.telegram.write(20)
    await bench.seen()
    (pages,) = await bench.database.read(lambda c: c.execute("PRAGMA page_count").fetchone())
    await bench.database.read(lambda c: c.execute(f"PRAGMA max_page_count = {pages}").fetchall())
    bench.telegram.write(180)
    bench.clock.now += TTL
    await bench.seen(100)
    await bench.database.read(lambda c: c.execute("PRAGMA max_page_count = 1000000").fetchall())
    if evicted:
        for number in range(2, 30):
            other = Channel(id=-1000000000000 - number, kind=ChannelKind.CHANNEL, title=f"Other {number}")
            bench.telegram.add(other, 150)
            await bench.history.window(other.id, 100)
    pushed = bench.telegram.write(1)
    await bench.history.apply(NEWS.id, changed=[bench.telegram.posts[NEWS.id][pushed[0]]])
    assert ids(await bench.seen(60)) == list(range(202, 142, -1))
    bench.fresh_history()
    assert ids(await bench.seen(60)) == list(range(202, 142, -1))


async def test_counters_that_a_full_disk_did_not_take_are_stored_with_the_next_change(bench: Bench) -> None:
    bench.telegram.write(20)
    await bench.seen()
    (pages,) = await bench.database.read(lambda c: c.execute("PRAGMA page_count").fetchone())
    await bench.database.read(lambda c: c.execute(f"PRAGMA max_page_count = {pages}").fetchall())
    posts = bench.telegram.posts[NEWS.id]
    large = {number: Reaction(count=number, emoji="x" * 5000) for number in range(2, 22)}
    for number, reaction in large.items():
        bench.telegram.edit(number, reactions=(reaction,))
    await bench.history.apply(NEWS.id, changed=[posts[number] for number in large])
    await bench.database.read(lambda c: c.execute("PRAGMA max_page_count = 1000000").fetchall())
    (pushed,) = bench.telegram.write(1)
    await bench.history.apply(NEWS.id, changed=[posts[pushed]])
    bench.fresh_history()
    stored = (await bench.seen()).messages[1:]
    assert {message.id: message.reactions for message in stored} == {
        number: (reaction,) for number, reaction in large.items()
    }


async def test_a_database_removed_while_running_is_made_anew_and_filled(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.telegram.write(20)
    await bench.seen()
    for path in bench.path.parent.glob("bridge.db*"):
        path.unlink()
    bench.telegram.write(1)
    bench.clock.now += TTL
    with caplog.at_level(logging.WARNING):
        assert ids(await bench.seen())[0] == 22
    assert ["removed or replaced" in record.getMessage() for record in caplog.records] == [True]
    bench.calls()
    bench.fresh_history()
    await bench.seen()
    assert bench.calls() == {"resolve": 1, "full": 1}


async def test_a_database_that_fails_altogether_still_leaves_telegram(bench: Bench) -> None:
    bench.telegram.write(20)
    await bench.database.close()
    with pytest.raises(StorageUnavailable):
        await bench.database.read(lambda _: None)
    assert len((await bench.seen()).messages) == 20


async def test_a_database_damaged_while_running_costs_a_fetch_and_nothing_else(bench: Bench) -> None:
    bench.telegram.write(100)
    await bench.seen(100)
    await bench.database.read(lambda c: c.execute("PRAGMA cache_size = 1").fetchall())
    connection = sqlite3.connect(bench.path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with bench.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (bench.path.stat().st_size - 4096))
    bench.fresh_history()
    bench.calls()
    assert len((await bench.seen(100)).messages) == 100
    assert bench.calls() == {"resolve": 1, "full": 1, "history": 1}
    bench.fresh_history()
    assert len((await bench.seen(100)).messages) == 100
    assert bench.calls() == {}


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE messages SET payload = x'c1' WHERE id = 5",
        "UPDATE windows SET model = 'another'; UPDATE channels SET model = 'another'",
    ],
)
async def test_rows_that_cannot_be_read_are_fetched_again(bench: Bench, harm: str) -> None:
    bench.telegram.write(20)
    before = await bench.seen()
    with sqlite3.connect(bench.path) as connection:
        connection.executescript(harm)
    bench.fresh_history()
    bench.calls()
    assert (await bench.seen()).messages == before.messages
    assert bench.calls()["history"] == 1
    bench.fresh_history()
    assert (await bench.seen()).messages == before.messages
    assert bench.calls() == {}


WRITER = """
import asyncio, os, signal, sys
from pathlib import Path
sys.path.insert(0, "tests")
from fake_telegram import FakeTelegram
from storage.database import Database
from storage.schema import MIGRATIONS
from tg_cache import History

async def main(path, statement, times):
    left = [times]

    def die_in_the_middle(executed):
        if round > 3 and executed.startswith(statement):
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

    telegram = FakeTelegram()
    database = await Database.open(Path(path), MIGRATIONS)
    history = History(database, telegram, history_ttl=0, channel_ttl=10**9, clock=lambda: float(round))
    round = 0
    await database.run(lambda connection: connection.set_trace_callback(die_in_the_middle))
    for round in range(1, 50):
        # In each round all posts say its number, and there is one post more and one less than before.
        telegram.write(2)
        telegram.posts[-1000000000001].pop(round, None)
        for post_id in telegram.posts[-1000000000001]:
            telegram.edit(post_id, signature=str(round))
        await history.window("news", 60)

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


@pytest.mark.parametrize(
    ("statement", "times"),
    [
        ("BEGIN", 3),
        ("INSERT INTO windows", 1),
        ("INSERT INTO messages", 1),
        ("INSERT INTO messages", 9),
        ("DELETE FROM messages", 2),
        ("COMMIT", 2),
    ],
)
async def test_a_process_killed_in_the_middle_of_a_write_leaves_the_old_window_or_the_new_one(
    tmp_path: Path, statement: str, times: int
) -> None:
    path = tmp_path / "bridge.db"
    killed = subprocess.run([sys.executable, "-c", WRITER, path, statement, str(times)], capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    telegram = FakeTelegram()
    telegram.faults = {name: TelegramUnavailable("offline") for name in ("resolve", "full", "history")}
    database = await Database.open(path, MIGRATIONS)
    history = History(database, telegram, history_ttl=0, channel_ttl=10**9)
    window = await history.window("news", 60)
    rounds = {int(message.signature) for message in window.messages}
    # The clock showed the round, and so many posts had been written and removed by then.
    assert rounds == {window.fetched_at}
    assert ids(window) == list(range(2 * int(window.fetched_at) + 1, int(window.fetched_at), -1))
    await database.close()


async def test_reading_and_writing_large_histories_is_not_the_loops_work(bench: Bench) -> None:
    bench.telegram.write(2000)
    await bench.seen(2000)
    bench.fresh_history()
    for post_id in range(1900, 2000):
        bench.telegram.edit(post_id, views=2)
    bench.clock.now += TTL
    # CPU time of this thread and of all threads, so that a busy machine makes no difference.
    loop, everything = time.thread_time(), time.process_time()
    await bench.seen(2000)
    loop, everything = time.thread_time() - loop, time.process_time() - everything
    assert loop < 0.05
    assert loop < everything / 3


async def test_windows_in_memory_are_bounded(bench: Bench) -> None:
    bench.history = History(
        bench.database, bench.telegram, history_ttl=TTL, channel_ttl=TTL, clock=bench.clock, max_memory_messages=250
    )
    for number in range(10, 20):
        bench.telegram.add(
            Channel(id=-1000000000000 - number, kind=ChannelKind.CHANNEL, title=f"C{number}", access_hash=number), 100
        )
        await bench.history.window(-1000000000000 - number, 100)
    stats = bench.history.stats()
    assert (stats.windows_in_memory, stats.messages_in_memory, stats.refreshes) == (2, 200, 10)
    bench.calls()
    assert len((await bench.history.window(-1000000000010, 100)).messages) == 100
    assert bench.calls() == {}
