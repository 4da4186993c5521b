"""Topics and comments are kept as channels are: asked for as seldom, stale before nothing, refused for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pyrogram import raw
from telegram_world import client_for, logged_in, until_state
from thread_world import COPY, FORUM, FORUM_ID, HARBOUR_ID, OARS, SAILS, TALK, TALK_ID, in_topic, thread_world

from errors import BridgeError, ChannelPrivate, FloodWait, TelegramTimeout, ThreadNotFound
from history.place import thread_id
from history.window import StaleReason, Window
from model.message import Reply
from model.thread import ThreadKey, ThreadKind
from storage.database import Database
from storage.schema import MIGRATIONS
from telegram_client import State, TelegramClient
from tg_cache import History
from tgserver import Server

TTL, INFO_TTL = 3600.0, 12 * 3600.0
SAILS_KEY = ThreadKey("boats", ThreadKind.TOPIC, SAILS)
COMMENTS_KEY = ThreadKey("harbour", ThreadKind.COMMENTS, 1)
FINDING = {"contacts.resolveUsername": 1, "channels.getFullChannel": 1}
CALLS = {*FINDING, "messages.getForumTopicsByID", "messages.getDiscussionMessage", "messages.getReplies"}
UNKNOWN = [
    (ThreadKey("boats", ThreadKind.TOPIC, 99), "Boats has no topic 99"),
    (ThreadKey("harbour_talk", ThreadKind.TOPIC, 1), "The chat is no group with topics"),
    (ThreadKey("harbour", ThreadKind.TOPIC, 1), "Harbour is no group with topics"),
    (ThreadKey("harbour", ThreadKind.COMMENTS, 2), "Harbour has no post 2, or the post has no comments"),
    (ThreadKey("harbour", ThreadKind.COMMENTS, 99), "Harbour has no post 99, or the post has no comments"),
    (ThreadKey("boats", ThreadKind.COMMENTS, 5), "Boats is no channel, so its posts have no comments"),
]


class Desk:
    """A history over a real connection, with the server and the clock in the test's hands."""

    def __init__(self, server: Server, client: TelegramClient, database: Database) -> None:
        self.server, self.now = server, 1_800_000_000.0
        self._client, self._database = client, database
        self.history = self.fresh_history()

    def fresh_history(self) -> History:
        """As after a restart: nothing in memory, the same database."""
        self.history = History(
            self._database,
            self._client,
            history_ttl=TTL,
            channel_ttl=INFO_TTL,
            clock=lambda: self.now,
            jitter=lambda: 1.0,
        )
        return self.history

    def asked(self) -> dict[str, int]:
        """The calls since this was last asked."""
        calls = {method: count for method, count in self.server.calls.items() if method in CALLS}
        self.server.forget_calls()
        return calls

    async def seen(self, key: ThreadKey = SAILS_KEY, count: int = 50) -> Window:
        return await self.history.window(key, count)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with Server(thread_world()) as server:
        client = client_for(server, await logged_in(server, tmp_path / "session"))
        await client.start()
        await until_state(client, State.READY)
        database = await Database.open(tmp_path / "bridge.db", MIGRATIONS)
        yield Desk(server, client, database)
        await client.stop()
        await database.close()


def ids(window: Window) -> list[int]:
    return [message.id for message in window.messages]


async def test_a_cold_topic_costs_four_calls_however_many_want_it_and_then_none(desk: Desk) -> None:
    windows = await asyncio.gather(*(desk.seen() for _ in range(10)))
    assert desk.asked() == FINDING | {"messages.getForumTopicsByID": 1, "messages.getReplies": 1}
    assert all(window == windows[0] for window in windows)
    assert ids(windows[0]) == list(range(263, 163, -2))
    assert (windows[0].channel.id, windows[0].reached_start) == (FORUM_ID, False)
    assert windows[0].thread is not None and windows[0].thread.title == "Sails & <ropes>"
    by_id = ThreadKey(FORUM_ID, ThreadKind.TOPIC, SAILS)
    assert await desk.seen(by_id) == windows[0]
    desk.fresh_history()
    assert await desk.seen() == await desk.seen(by_id) == await desk.history.window(SAILS_KEY, 50) == windows[0]
    assert desk.asked() == {}


async def test_a_topic_goes_back_to_its_first_message(desk: Desk) -> None:
    window = await desk.seen(count=200)
    assert ids(window) == list(range(263, 4, -2))
    assert window.reached_start
    assert desk.asked()["messages.getReplies"] == 2


async def test_the_topics_of_a_group_and_the_group_itself_are_kept_apart(desk: Desk) -> None:
    general = await desk.seen(ThreadKey("boats", ThreadKind.TOPIC, 1), 3)
    oars = await desk.seen(ThreadKey("boats", ThreadKind.TOPIC, OARS))
    assert (ids(general), ids(oars), ids(await desk.seen(count=2))) == ([264, 262, 260], [4], [263, 261])
    assert ids(await desk.history.window("boats", 3)) == [264, 263, 262]
    assert general.thread is not None and general.thread.title == "General"
    assert len({window.place.id for window in (general, oars)} | {FORUM_ID}) == 3
    assert desk.asked()["messages.getForumTopicsByID"] == 3


async def test_comments_are_messages_of_the_group_and_no_answers_to_the_post(desk: Desk) -> None:
    window = await desk.seen(COMMENTS_KEY)
    assert desk.asked() == FINDING | {"messages.getDiscussionMessage": 1, "messages.getReplies": 1}
    assert ids(window) == [16, 13, 12]
    assert [message.reply for message in window.messages] == [None, Reply(message_id=12), None]
    assert (window.channel.id, window.channel.title, window.channel.username) == (
        TALK_ID,
        "Harbour Talk",
        "harbour_talk",
    )
    assert window.thread is not None and window.thread.chat.id == HARBOUR_ID
    assert [root.id for root in window.thread.roots] == [COPY]
    desk.fresh_history()
    assert await desk.seen(COMMENTS_KEY) == window
    assert desk.asked() == {}


async def test_comments_can_be_read_where_the_group_can_not(desk: Desk) -> None:
    desk.server.chat(TALK).private = True
    assert ids(await desk.seen(COMMENTS_KEY)) == [16, 13, 12]


async def test_what_is_out_of_date_costs_one_call_and_brings_what_is_new_and_gone(desk: Desk) -> None:
    before = await desk.seen()
    desk.server.post(
        FORUM,
        raw.types.Message(
            id=265, peer_id=raw.types.PeerChannel(channel_id=FORUM), date=1, message="new", reply_to=in_topic(SAILS)
        ),
    )
    desk.server.delete(FORUM, 261)
    desk.asked()
    desk.now += TTL
    after = await desk.seen()
    assert desk.asked() == {"messages.getReplies": 1}
    assert ids(after)[:3] == [265, 263, 259]
    assert after.version > before.version


async def test_a_new_title_shows_when_the_old_one_is_out_of_date(desk: Desk) -> None:
    await desk.seen()
    desk.server.post(
        FORUM,
        raw.types.MessageService(
            id=265,
            peer_id=raw.types.PeerChannel(channel_id=FORUM),
            date=1,
            action=raw.types.MessageActionTopicEdit(title="Ropes"),
            reply_to=in_topic(SAILS),
        ),
    )
    desk.asked()
    desk.now += INFO_TTL
    window = await desk.seen()
    assert window.thread is not None and window.thread.title == "Ropes"
    assert desk.asked() == FINDING | {"messages.getForumTopicsByID": 1, "messages.getReplies": 1}


@pytest.mark.parametrize(("key", "line"), UNKNOWN, ids=[line for _, line in UNKNOWN])
async def test_what_is_not_there_is_told_in_one_line_and_not_asked_for_again(
    desk: Desk, key: ThreadKey, line: str
) -> None:
    with pytest.raises(ThreadNotFound, match=f"^{line}$"):
        await desk.seen(key)
    desk.asked()
    for _ in range(3):
        with pytest.raises(ThreadNotFound, match=f"^{line}$"):
            await desk.seen(key)
    assert desk.asked() == {}


async def test_a_topic_that_is_opened_later_is_found_when_the_refusal_is_over(desk: Desk) -> None:
    key = ThreadKey("boats", ThreadKind.TOPIC, 265)
    with pytest.raises(ThreadNotFound):
        await desk.seen(key)
    opening = raw.types.MessageActionTopicCreate(title="Anchors", icon_color=1)
    peer = raw.types.PeerChannel(channel_id=FORUM)
    desk.server.post(FORUM, raw.types.MessageService(id=265, peer_id=peer, date=1, action=opening))
    desk.now += 61
    assert ids(await desk.seen(key)) == []


async def test_a_topic_that_is_deleted_is_gone_though_it_is_stored(desk: Desk) -> None:
    await desk.seen(ThreadKey("boats", ThreadKind.TOPIC, OARS))
    desk.server.delete(FORUM, OARS, 4)
    desk.now += TTL
    for _ in range(2):
        with pytest.raises(ThreadNotFound):
            await desk.seen(ThreadKey("boats", ThreadKind.TOPIC, OARS))
    assert desk.asked()["messages.getReplies"] == 2


@pytest.mark.parametrize(
    ("method", "error", "fault", "reason"),
    [
        ("messages.getReplies", "FLOOD_WAIT_30", FloodWait, StaleReason.FLOOD),
        ("messages.getReplies", "RPC_CALL_FAIL", BridgeError, StaleReason.UNAVAILABLE),
        ("messages.getForumTopicsByID", "RPC_CALL_FAIL", BridgeError, StaleReason.UNAVAILABLE),
    ],
)
async def test_a_passing_fault_is_one_and_what_is_stored_is_served(
    desk: Desk, method: str, error: str, fault: type[BridgeError], reason: StaleReason
) -> None:
    stored = await desk.seen()
    desk.now += INFO_TTL
    desk.server.fail(method, error)
    stale = await desk.seen()
    assert (stale.stale, ids(stale)) == (reason, ids(stored))
    with pytest.raises(fault):
        await desk.seen(ThreadKey("boats", ThreadKind.TOPIC, OARS))


async def test_what_telegram_does_not_answer_is_not_asked_for_at_each_poll(desk: Desk) -> None:
    desk.server.fault("hang", "messages.getReplies")
    for _ in range(3):
        with pytest.raises(TelegramTimeout):
            await desk.seen()
    assert desk.asked()["messages.getReplies"] == 1
    desk.server.faults.clear()
    desk.now += 61
    assert len(ids(await desk.seen())) == 50


async def test_a_channel_that_is_barred_has_no_comments_for_us(desk: Desk) -> None:
    await desk.history.channel("harbour")
    desk.server.chat("harbour").private = True
    for _ in range(2):
        with pytest.raises(ChannelPrivate):
            await desk.seen(COMMENTS_KEY)


async def test_an_access_hash_that_is_out_of_date_is_renewed(desk: Desk) -> None:
    await desk.history.channel("boats")
    peer = desk.server.chat("boats").peer
    assert isinstance(peer, raw.types.Channel)
    peer.access_hash = 4711
    assert len(ids(await desk.seen())) == 50


def test_threads_have_numbers_that_are_no_chats_and_stay() -> None:
    assert thread_id("-1000000005005/topic/2") == -5_884_341_982_453_922_525
    numbers = {thread_id(f"-1000000005005/topic/{number}") for number in range(1000)}
    assert len(numbers) == 1000
    assert all(-(2**63) <= number < -(2**61) for number in numbers)
