"""Which chats there are to subscribe to, and how that is remembered."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fake_telegram import NEWS, FakeTelegram

from errors import FloodWait, Overloaded, PassingFault, StorageUnavailable, TelegramTimeout
from history.subscriptions import JOINED_TTL_S, POLLED_WITHIN_S, SubscriptionList
from history.waiting import Patience
from history.window import StaleReason
from model.channel import Channel, ChannelKind
from model.folder import Folder, JoinedChats
from storage.database import Database
from storage.schema import MIGRATIONS
from tg_cache import History
from tg_throttle import Priority


def joined(number: int, title: str) -> Channel:
    return Channel(id=-(10**12) - number, kind=ChannelKind.CHANNEL, title=title)


ZEBRA, APPLE = joined(8, "Zebra"), joined(9, "apple")
CHATS = JoinedChats(channels=(ZEBRA, APPLE), folders=(Folder(title="Fruit", chat_ids=(APPLE.id,)),))


class Account:
    """A Telegram that knows which chats the account has joined, counts who asks, and fails when told to."""

    def __init__(self) -> None:
        self.chats = CHATS
        self.calls = 0
        self.fault: PassingFault | None = None
        self.hold: asyncio.Event | None = None

    async def joined(self, *, priority: Priority) -> JoinedChats:
        self.calls += 1
        await asyncio.sleep(0)
        if self.hold is not None:
            await self.hold.wait()
        if self.fault is not None:
            raise self.fault
        return self.chats


class Bench:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.account = Account()
        self.now = 1_000_000.0
        self.list = self.restarted()

    def restarted(self, patience: Patience | None = None) -> SubscriptionList:
        return SubscriptionList(
            self.database,
            self.account,
            patience=patience or Patience(),
            queue_wait=lambda: 3.0,
            clock=lambda: self.now,
        )

    async def poll(self, channel: Channel = NEWS) -> None:
        """Have the chat's history stored, as of now."""
        telegram = FakeTelegram()
        telegram.add(channel, 3)
        history = History(self.database, telegram, history_ttl=60, channel_ttl=60, clock=lambda: self.now)
        await history.window(channel.id, 10)

    async def titles(self) -> list[str]:
        return [channel.title for channel in (await self.list.current()).channels]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    database = await Database.open(tmp_path / "bridge.db", MIGRATIONS)
    yield Bench(database)
    await database.close()


async def test_all_that_is_joined_is_there_by_title_with_the_folders(bench: Bench) -> None:
    found = await bench.list.current()
    assert found.channels == (APPLE, ZEBRA)
    assert found.folders == CHATS.folders
    assert (found.fetched_at, found.stale) == (bench.now, None)


async def test_what_is_polled_is_there_for_thirty_days(bench: Bench) -> None:
    await bench.poll()
    assert await bench.titles() == ["apple", "News", "Zebra"]
    bench.now += POLLED_WITHIN_S
    assert await bench.titles() == ["apple", "News", "Zebra"]
    bench.now += 1
    assert await bench.titles() == ["apple", "Zebra"]


async def test_a_chat_that_is_joined_and_polled_is_there_once_with_its_newest_name_and_its_description(
    bench: Bench,
) -> None:
    await bench.poll(ZEBRA)
    renamed = Channel(id=ZEBRA.id, kind=ChannelKind.CHANNEL, title="Horse", username="horse")
    bench.account.chats = JoinedChats(channels=(renamed,))
    (found,) = (await bench.list.current()).channels
    assert (found.title, found.username, found.about) == ("Horse", "horse", "All about it")


async def test_telegram_is_asked_again_after_a_while_also_by_another_process(bench: Bench) -> None:
    await asyncio.gather(*(bench.list.current() for _ in range(10)))
    bench.list = bench.restarted()
    bench.account.chats = JoinedChats(channels=(ZEBRA,))
    bench.now += JOINED_TTL_S - 1
    assert await bench.titles() == ["apple", "Zebra"]
    assert bench.account.calls == 1
    bench.now += 1
    assert await bench.titles() == ["Zebra"]
    assert bench.account.calls == 2
    # The clock was set back: what is from the future is not fresh.
    bench.now -= 1000
    await bench.titles()
    assert bench.account.calls == 3


@pytest.mark.parametrize(
    ("fault", "reason"), [(FloodWait(30), StaleReason.FLOOD), (TelegramTimeout("late"), StaleReason.TIMEOUT)]
)
async def test_the_list_is_as_it_was_while_telegram_can_not_be_asked(
    bench: Bench, fault: PassingFault, reason: StaleReason
) -> None:
    began = bench.now
    await bench.list.current()
    bench.now += JOINED_TTL_S
    bench.account.fault = fault
    found = await bench.list.current()
    assert (found.channels, found.stale, found.fetched_at) == ((APPLE, ZEBRA), reason, began)


async def test_a_list_without_what_is_joined_does_not_pass_for_a_whole_one(bench: Bench) -> None:
    await bench.poll()
    bench.account.fault = FloodWait(30)
    with pytest.raises(FloodWait):
        await bench.list.current()


async def test_nobody_waits_for_long(bench: Bench) -> None:
    await bench.list.current()
    bench.now += JOINED_TTL_S
    bench.account.hold = asyncio.Event()
    bench.list = bench.restarted(Patience(with_stored=0.01, without=0.02))
    assert (await bench.list.current()).stale is StaleReason.BUSY
    await bench.database.run(lambda connection: connection.execute("DELETE FROM joined_chats") and None)
    with pytest.raises(Overloaded) as away:
        await bench.list.current()
    assert away.value.retry_after == 6.0
    bench.account.hold.set()


@pytest.mark.parametrize(
    "damage", ["UPDATE joined_chats SET payload = x'c1'", "UPDATE joined_chats SET model = 'another'"]
)
async def test_a_row_that_can_not_be_read_is_fetched_again(bench: Bench, damage: str) -> None:
    await bench.list.current()

    def break_it(connection: sqlite3.Connection) -> None:
        connection.execute(damage)

    await bench.database.run(break_it)
    assert await bench.titles() == ["apple", "Zebra"]
    assert bench.account.calls == 2


async def test_without_the_disk_there_is_no_list(bench: Bench) -> None:
    await bench.database.close()
    with pytest.raises(StorageUnavailable):
        await bench.list.current()
