"""What is pushed to whom, and what a difference tells."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pyrogram import Client, raw
from pyrogram.errors import PersistentTimestampEmpty, PersistentTimestampInvalid
from pyrogram.handlers import RawUpdateHandler

from tgserver import Chat, Server
from tgserver.tests.conftest import FRIEND, GROUP, NEWS, MakeClient, ask, channel_message, kind

CHANNEL = raw.types.InputChannel(channel_id=NEWS, access_hash=77)


class Inbox:
    """The updates that a client gets."""

    def __init__(self, client: Client) -> None:
        self.updates: asyncio.Queue[Any] = asyncio.Queue()
        self.chats: dict[int, Any] = {}
        self.users: dict[int, Any] = {}
        client.dispatcher.update_parsers = {}
        client.add_handler(RawUpdateHandler(self._take))

    async def _take(self, _: Client, update: Any, users: dict[int, Any], chats: dict[int, Any]) -> None:
        self.users |= users
        self.chats |= chats
        self.updates.put_nowait(update)

    async def next(self) -> Any:
        """The next update."""
        return await asyncio.wait_for(self.updates.get(), 2)

    async def silent(self) -> bool:
        """Whether nothing more comes for a while."""
        await asyncio.sleep(0.1)
        return self.updates.empty()


@pytest.fixture
async def inbox(client: Client) -> AsyncIterator[Inbox]:
    yield Inbox(client)


async def test_posts_edits_and_deletions_are_pushed_in_order(server: Server, inbox: Inbox) -> None:
    server.post("news", "new", entities=[raw.types.MessageEntityBold(offset=0, length=3)])
    server.edit("news", 251, "newer")
    server.delete("news", 251, 1)
    new, edited, deleted = [await inbox.next() for _ in range(3)]
    assert kind(new) == "UpdateNewChannelMessage"
    assert (new.message.id, new.message.message, new.message.post, new.pts) == (251, "new", True, 101)
    assert new.message.entities == [raw.types.MessageEntityBold(offset=0, length=3)]
    assert kind(edited) == "UpdateEditChannelMessage"
    assert (edited.message.message, edited.message.edit_date is not None, edited.pts) == ("newer", True, 102)
    assert kind(deleted) == "UpdateDeleteChannelMessages"
    assert (deleted.messages, deleted.pts, deleted.pts_count) == ([251, 1], 104, 2)
    assert inbox.chats[NEWS].title == "News"


async def test_a_pushed_message_brings_its_sender(server: Server, inbox: Inbox) -> None:
    server.post("news", channel_message(300, "by Ada", from_id=raw.types.PeerUser(user_id=FRIEND)))
    assert (await inbox.next()).message.id == 300
    assert inbox.users[FRIEND].first_name == "Ada"


async def test_the_edit_is_what_is_served_and_the_pushed_message_stays_as_it_was(server: Server, inbox: Inbox) -> None:
    posted = server.post("news", "first")
    edited = server.edit("news", posted.id, "second")
    assert isinstance(posted, raw.types.Message)
    assert posted.message == "first"
    assert server.chat("news").messages[posted.id] is edited


async def test_pushes_can_be_lost_or_doubled_and_pts_goes_on(server: Server, inbox: Inbox) -> None:
    server.post("news", "lost", copies=0)
    server.post("news", "twice", copies=2)
    server.fault("lose", "push", times=1)
    server.post("news", "lost too")
    server.fault("double", "push", times=1)
    server.post("news", "twice too")
    assert [(await inbox.next()).pts for _ in range(4)] == [102, 102, 104, 104]
    assert await inbox.silent()


async def test_a_channel_can_be_said_to_have_changed_too_much(server: Server, inbox: Inbox) -> None:
    server.push_too_long("news")
    update = await inbox.next()
    assert kind(update) == "UpdateChannelTooLong"
    assert (update.channel_id, update.pts) == (NEWS, 100)


async def test_nothing_is_pushed_of_chats_that_the_account_is_not_in(server: Server, inbox: Inbox) -> None:
    server.chat("news").peer.left = True  # type: ignore[union-attr]
    server.post("news", "unseen")
    assert await inbox.silent()


async def test_group_messages_are_pushed_in_the_common_box(server: Server, inbox: Inbox) -> None:
    server.post(GROUP, "hello")
    server.delete(GROUP, 1)
    new, deleted = await inbox.next(), await inbox.next()
    assert kind(new) == "UpdateNewMessage"
    assert kind(deleted) == "UpdateDeleteMessages"
    assert (new.pts, deleted.pts) == (2, 3)


async def test_only_main_sessions_that_want_updates_get_them(server: Server, make_client: MakeClient) -> None:
    deaf = await make_client(no_updates=True)
    other = await make_client(session_string=server.session_string(server.add_account(raw.types.User(id=9))))
    listening = Inbox(other)
    ignored: list[object] = []
    deaf.handle_updates = ignored.append  # type: ignore[assignment, method-assign]
    media = await other.get_session(2, is_media=True)
    await media.invoke(raw.functions.updates.GetState())
    server.post("news", "to one only")
    assert (await listening.next()).message.message == "to one only"
    assert await listening.silent()
    assert ignored == []


async def test_updates_go_on_after_a_reconnect(server: Server, client: Client, inbox: Inbox) -> None:
    server.drop_connections(abort=True)
    async with asyncio.timeout(5):
        while server.calls["initConnection"] < 2:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    server.post("news", "still here")
    assert (await inbox.next()).message.message == "still here"


async def difference(client: Client, pts: int, limit: int = 100) -> Any:
    return await ask(
        client,
        raw.functions.updates.GetChannelDifference(
            channel=CHANNEL, filter=raw.types.ChannelMessagesFilterEmpty(), pts=pts, limit=limit
        ),
    )


async def test_a_difference_tells_what_was_missed(server: Server, client: Client) -> None:
    empty = await difference(client, 100)
    assert kind(empty) == "ChannelDifferenceEmpty"
    assert (empty.pts, empty.final) == (100, True)
    server.post("news", "stays", copies=0)
    server.post("news", "goes", copies=0)
    server.edit("news", 251, "stays, edited", copies=0)
    server.edit("news", 5, "old one, edited", copies=0)
    server.edit("news", 5, "old one, edited twice", copies=0)
    server.delete("news", 252, 6, copies=0)
    missed = await difference(client, 100)
    assert (missed.pts, missed.final) == (107, True)
    assert [message.message for message in missed.new_messages] == ["stays, edited"]
    edit, deletion = missed.other_updates
    assert (edit.message.message, deletion.messages) == ("old one, edited twice", [252, 6])
    assert [chat.id for chat in missed.chats] == [NEWS]
    later = await difference(client, 102)
    assert later.new_messages == []
    assert len(later.other_updates) == 3


async def test_a_long_difference_comes_in_slices(server: Server, client: Client) -> None:
    for number in range(5):
        server.post("news", f"{number}", copies=0)
    first = await difference(client, 100, limit=3)
    assert (first.final, first.pts, len(first.new_messages)) == (False, 103, 3)
    rest = await difference(client, first.pts, limit=3)
    assert (rest.final, rest.pts, [message.message for message in rest.new_messages]) == (True, 105, ["3", "4"])


async def test_a_gap_from_before_the_servers_memory_is_too_long(server: Server, client: Client) -> None:
    server.post("news", "new", copies=0)
    answer = await difference(client, 99)
    assert kind(answer) == "ChannelDifferenceTooLong"
    assert (answer.dialog.pts, answer.dialog.top_message, answer.messages[0].id) == (101, 251, 251)
    server.fault("too_long", "updates.getChannelDifference", times=1)
    assert kind(await difference(client, 100)) == "ChannelDifferenceTooLong"
    assert kind(await difference(client, 100)) == "ChannelDifference"


async def test_a_pts_that_never_was_is_refused(client: Client) -> None:
    with pytest.raises(PersistentTimestampInvalid):
        await difference(client, 101)
    with pytest.raises(PersistentTimestampEmpty):
        await difference(client, 0)


async def test_the_common_difference_names_groups_messages_and_changed_channels(server: Server, client: Client) -> None:
    async def common(pts: int, date: int) -> Any:
        return await ask(client, raw.functions.updates.GetDifference(pts=pts, date=date, qts=0))

    state = await ask(client, raw.functions.updates.GetState())
    assert isinstance(await common(state.pts, state.date), raw.types.updates.DifferenceEmpty)
    server.post(GROUP, "to the group", copies=0)
    server.post("news", "to the channel", copies=0)
    answer = await common(state.pts, state.date)
    assert [message.message for message in answer.new_messages] == ["to the group"]
    assert [(update.channel_id, update.pts) for update in answer.other_updates] == [(NEWS, 101)]
    assert answer.state.pts == state.pts + 1


async def test_chats_can_be_added_and_renamed_while_the_server_runs(server: Server, client: Client) -> None:
    server.rename("news", title="Old news", username="oldnews")
    found = await ask(client, raw.functions.contacts.ResolveUsername(username="oldnews"))
    assert found.chats[0].title == "Old news"
    server.add_chat(
        Chat(
            peer=raw.types.Channel(
                id=8, access_hash=1, title="Fresh", photo=raw.types.ChatPhotoEmpty(), date=1, username="news"
            )
        )
    )
    found = await ask(client, raw.functions.contacts.ResolveUsername(username="news"))
    assert found.peer.channel_id == 8
    server.rename(8, username="")
    with pytest.raises(KeyError):
        server.chat("news")


async def test_deleted_ids_are_not_given_again(server: Server) -> None:
    server.delete("news", 250)
    assert server.post("news", "next").id == 251
    with pytest.raises(KeyError):
        server.delete("news", 250)
    with pytest.raises(KeyError):
        server.edit("news", 250, "gone")
