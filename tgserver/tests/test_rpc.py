"""Chats, messages, people and files, call by call."""

from __future__ import annotations

from typing import Any

import pytest
from pyrogram import Client, raw
from pyrogram.errors import FileIdInvalid, MsgIdInvalid, RPCError

from tgserver import Chat, ServedFile, Server
from tgserver.tests.conftest import BIG_FILE, FRIEND, GROUP, MIB, NEWS, ask, channel_message, kind
from tgserver.world import TLPeer

call = raw.functions
CHANNEL = raw.types.InputChannel(channel_id=NEWS, access_hash=77)
PEER = raw.types.InputPeerChannel(channel_id=NEWS, access_hash=77)


async def history(client: Client, peer: Any = PEER, **page: int) -> Any:
    """One page of a history."""
    arguments = {"offset_id": 0, "offset_date": 0, "add_offset": 0, "limit": 100, "max_id": 0, "min_id": 0, "hash": 0}
    return await ask(client, call.messages.GetHistory(peer=peer, **(arguments | page)))


@pytest.mark.parametrize(
    ("page", "ids"),
    [
        ({}, range(250, 150, -1)),
        ({"limit": 1000}, range(250, 150, -1)),
        ({"limit": 3}, [250, 249, 248]),
        ({"limit": 0}, []),
        ({"offset_id": 4}, [3, 2, 1]),
        ({"offset_id": 1}, []),
        ({"offset_id": 9999, "limit": 2}, [250, 249]),
        ({"offset_id": 100, "limit": 3, "add_offset": 10}, [89, 88, 87]),
        ({"offset_id": 100, "limit": 5, "add_offset": -3}, [102, 101, 100, 99, 98]),
        ({"offset_id": 249, "limit": 5, "add_offset": -5}, [250, 249]),
        ({"add_offset": 248}, [2, 1]),
        ({"min_id": 247}, [250, 249, 248]),
        ({"max_id": 250, "min_id": 247}, [249, 248]),
        ({"offset_date": 1_700_000_000 + 3}, [2, 1]),
        ({"offset_date": 1_600_000_000}, []),
    ],
)
async def test_a_page_of_history_holds_these_ids(client: Client, page: dict[str, int], ids: Any) -> None:
    answer = await history(client, **page)
    assert [message.id for message in answer.messages] == list(ids)
    assert (answer.count, answer.pts) == (250, 100)
    assert [chat.id for chat in answer.chats] == [NEWS]


async def test_the_same_pages_come_out_of_a_history_with_holes(client: Client, server: Server) -> None:
    server.delete("news", *range(11, 250, 2))
    answer = await history(client, offset_id=20, limit=8)
    assert [message.id for message in answer.messages] == [18, 16, 14, 12, 10, 9, 8, 7]
    assert answer.count == 130


async def test_the_client_pages_through_a_whole_history(client: Client, server: Server) -> None:
    ids = [message.id async for message in client.get_chat_history("news", limit=240)]
    assert ids == list(range(250, 10, -1))
    assert server.calls["messages.getHistory"] == 3


async def test_a_basic_group_has_plain_messages_and_their_senders(client: Client) -> None:
    answer = await history(client, raw.types.InputPeerChat(chat_id=GROUP))
    assert kind(answer) == "Messages"
    assert [message.id for message in answer.messages] == [5, 4, 3, 2, 1]
    assert [user.first_name for user in answer.users] == ["Ada"]
    answer = await history(client, raw.types.InputPeerChat(chat_id=GROUP), limit=2)
    assert kind(answer) == "MessagesSlice"
    assert (answer.count, len(answer.messages)) == (5, 2)


async def test_messages_bring_along_all_whom_they_refer_to(client: Client, server: Server) -> None:
    world = server.world
    for user_id in (11, 12, 13, 14, 15):
        world.add_user(raw.types.User(id=user_id, access_hash=1, first_name=f"u{user_id}"))
    for channel_id in (21, 22):
        world.add_chat(
            Chat(
                peer=raw.types.Channel(
                    id=channel_id, access_hash=1, title=f"c{channel_id}", photo=raw.types.ChatPhotoEmpty(), date=1
                )
            )
        )
    world.chats["channel", NEWS].messages[251] = channel_message(
        251,
        "all of them",
        from_id=raw.types.PeerUser(user_id=11),
        via_bot_id=12,
        fwd_from=raw.types.MessageFwdHeader(
            date=1,
            from_id=raw.types.PeerChannel(channel_id=21),
            saved_from_peer=raw.types.PeerUser(user_id=13),
            saved_from_msg_id=1,
        ),
        reply_to=raw.types.MessageReplyHeader(reply_to_msg_id=1, reply_to_peer_id=raw.types.PeerChannel(channel_id=22)),
        entities=[raw.types.MessageEntityMentionName(offset=0, length=3, user_id=14)],
    )
    world.chats["channel", NEWS].messages[252] = raw.types.MessageService(
        id=252,
        peer_id=raw.types.PeerChannel(channel_id=NEWS),
        date=1,
        action=raw.types.MessageActionChatAddUser(users=[15, 9999]),
    )
    answer = await history(client, limit=2)
    assert {user.id for user in answer.users} == {11, 12, 13, 14, 15}
    assert {chat.id for chat in answer.chats} == {NEWS, 21, 22}


async def test_a_message_that_no_client_could_read_is_refused_and_named(
    client: Client, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    # TL sends saved_from_peer and saved_from_msg_id together or not at all.
    header = raw.types.MessageFwdHeader(date=1, saved_from_peer=raw.types.PeerUser(user_id=13))
    broken = channel_message(251, "half a header", fwd_from=header)
    server.world.chats["channel", NEWS].messages[251] = broken
    with pytest.raises(MsgIdInvalid):
        await history(client, limit=1)
    assert "message 251 of chat 1001 can't be sent" in caplog.text
    with pytest.raises(ValueError, match="not complete"):
        server.post("news", broken)
    assert (await history(client, limit=1, offset_id=251)).messages[0].id == 250


async def test_views_without_forwards_can_be_read(client: Client, server: Server) -> None:
    server.world.chats["channel", NEWS].messages[251] = channel_message(251, "seen", views=9)
    message = (await history(client, limit=1)).messages[0]
    assert (message.views, message.forwards) == (9, 0)


async def test_single_messages_come_by_id_in_the_order_asked_for(client: Client, server: Server) -> None:
    server.world.chats["channel", NEWS].messages[250] = channel_message(
        250, "an answer", pinned=True, reply_to=raw.types.MessageReplyHeader(reply_to_msg_id=7)
    )
    answer = await ask(
        client,
        call.channels.GetMessages(
            channel=CHANNEL,
            id=[
                raw.types.InputMessageID(id=3),
                raw.types.InputMessageID(id=9999),
                raw.types.InputMessageID(id=0),
                raw.types.InputMessageReplyTo(id=250),
            ],
        ),
    )
    assert [(type(message).__name__, message.id) for message in answer.messages] == [
        ("Message", 3),
        ("MessageEmpty", 9999),
        ("MessageEmpty", 0),
        ("Message", 7),
    ]
    pinned = await ask(
        client,
        call.channels.GetMessages(channel=CHANNEL, id=[raw.types.InputMessagePinned(), raw.types.InputMessageID(id=1)]),
    )
    assert [message.id for message in pinned.messages] == [250, 1]
    only_pinned = await ask(client, call.channels.GetMessages(channel=CHANNEL, id=[raw.types.InputMessagePinned()]))
    assert [message.id for message in only_pinned.messages] == [250]


async def test_single_messages_of_a_basic_group(client: Client) -> None:
    answer = await ask(
        client, call.messages.GetMessages(id=[raw.types.InputMessageID(id=4), raw.types.InputMessageID(id=99)])
    )
    assert [(type(message).__name__, message.id) for message in answer.messages] == [
        ("Message", 4),
        ("MessageEmpty", 99),
    ]
    assert [chat.id for chat in answer.chats] == [GROUP]


LEFT = raw.types.InputChannel(channel_id=1, access_hash=1)


@pytest.mark.parametrize(
    ("query", "error"),
    [
        (call.contacts.ResolveUsername(username="nobody_here"), "USERNAME_NOT_OCCUPIED"),
        (call.contacts.ResolveUsername(username="secret"), "USERNAME_NOT_OCCUPIED"),
        (call.contacts.ResolveUsername(username="no spaces"), "USERNAME_INVALID"),
        (call.contacts.ResolveUsername(username="1digit"), "USERNAME_INVALID"),
        (call.contacts.ResolveUsername(username=""), "USERNAME_INVALID"),
        (call.channels.GetFullChannel(channel=raw.types.InputChannel(channel_id=5, access_hash=0)), "CHANNEL_INVALID"),
        (
            call.channels.GetFullChannel(channel=raw.types.InputChannel(channel_id=NEWS, access_hash=1)),
            "CHANNEL_INVALID",
        ),
        (call.channels.GetFullChannel(channel=raw.types.InputChannelEmpty()), "CHANNEL_INVALID"),
        (call.channels.GetChannels(id=[raw.types.InputChannel(channel_id=NEWS, access_hash=0)]), "CHANNEL_INVALID"),
        (call.channels.GetFullChannel(channel=LEFT), "CHANNEL_PRIVATE"),
        (call.channels.GetFullChannel(channel=raw.types.InputChannel(channel_id=2, access_hash=1)), "CHANNEL_PRIVATE"),
        (call.channels.GetMessages(channel=LEFT, id=[raw.types.InputMessageID(id=1)]), "CHANNEL_PRIVATE"),
        (call.messages.GetFullChat(chat_id=5), "CHAT_ID_INVALID"),
        (call.messages.GetChats(id=[GROUP, 5]), "CHAT_ID_INVALID"),
        (call.users.GetFullUser(id=raw.types.InputUser(user_id=FRIEND, access_hash=1)), "USER_ID_INVALID"),
        (call.messages.CheckChatInvite(hash=""), "INVITE_HASH_EMPTY"),
        (call.messages.CheckChatInvite(hash="nope"), "INVITE_HASH_EXPIRED"),
        (
            call.messages.GetStickerSet(stickerset=raw.types.InputStickerSetShortName(short_name="cats"), hash=0),
            "STICKERSET_INVALID",
        ),
    ],
)
async def test_what_is_not_there_is_refused_as_telegram_does(
    client: Client, server: Server, query: Any, error: str
) -> None:
    for number, private in ((1, False), (2, True)):
        server.add_chat(
            Chat(
                peer=raw.types.Channel(
                    id=number,
                    access_hash=1,
                    title="Gone",
                    photo=raw.types.ChatPhotoEmpty(),
                    date=1,
                    left=True,
                    username="secret" if private else None,
                ),
                private=private,
            )
        )
    with pytest.raises(RPCError) as caught:
        await ask(client, query)
    assert error == caught.value.ID


async def test_a_private_channel_is_told_of_as_forbidden(client: Client, server: Server) -> None:
    server.chat("news").private = True
    answer = await ask(client, call.channels.GetChannels(id=[CHANNEL]))
    assert isinstance(answer.chats[0], raw.types.ChannelForbidden)
    assert answer.chats[0].title == "News"


async def test_a_username_leads_to_its_owner_in_any_case(client: Client) -> None:
    found = await ask(client, call.contacts.ResolveUsername(username="NEWS"))
    assert (found.peer.channel_id, found.chats[0].id) == (NEWS, NEWS)
    found = await ask(client, call.contacts.ResolveUsername(username="ada_friend"))
    assert (found.peer.user_id, found.users[0].first_name) == (FRIEND, "Ada")


async def test_full_information_of_channels_groups_and_people(client: Client, server: Server) -> None:
    server.chat("news").messages[30].pinned = True  # type: ignore[union-attr]
    full = await ask(client, call.channels.GetFullChannel(channel=CHANNEL))
    assert (full.full_chat.about, full.full_chat.pts, full.full_chat.pinned_msg_id) == ("All the news", 100, 30)
    group = await ask(client, call.messages.GetFullChat(chat_id=GROUP))
    assert [member.user_id for member in group.full_chat.participants.participants] == [FRIEND]
    assert (await ask(client, call.messages.GetChats(id=[GROUP]))).chats[0].title == "Group"
    friend = await ask(client, call.users.GetFullUser(id=raw.types.InputUser(user_id=FRIEND, access_hash=33)))
    assert friend.users[0].first_name == "Ada"
    people = await ask(
        client, call.users.GetUsers(id=[raw.types.InputUserSelf(), raw.types.InputUser(user_id=FRIEND, access_hash=33)])
    )
    assert [user.first_name for user in people] == ["Local", "Ada"]
    assert [user.is_self for user in await ask(client, call.users.GetUsers(id=[raw.types.InputUserSelf()]))] == [True]


async def test_dialogs_come_newest_first_page_by_page(client: Client, server: Server) -> None:
    for number in range(1, 8):
        chat = server.add_chat(
            Chat(
                peer=raw.types.Channel(
                    id=number, access_hash=1, title=f"c{number}", photo=raw.types.ChatPhotoEmpty(), date=1
                )
            )
        )
        chat.messages[1] = raw.types.Message(id=1, peer_id=chat.tl_peer, date=100 * number, message="x")
    titles = [dialog.chat.title async for dialog in client.get_dialogs(limit=100)]
    assert titles == ["Group", "News", *(f"c{number}" for number in range(7, 0, -1))]
    first = await ask(
        client,
        call.messages.GetDialogs(offset_date=0, offset_id=0, offset_peer=raw.types.InputPeerEmpty(), limit=4, hash=0),
    )
    last = first.messages[-1]
    second = await ask(
        client,
        call.messages.GetDialogs(
            offset_date=last.date,
            offset_id=last.id,
            offset_peer=raw.types.InputPeerChannel(channel_id=last.peer_id.channel_id, access_hash=1),
            limit=100,
            hash=0,
        ),
    )
    assert (first.count, len(first.dialogs), len(second.dialogs)) == (9, 4, 5)
    assert {chat.title for chat in second.chats} == {f"c{number}" for number in range(1, 6)}


async def test_folders_hold_the_chats_that_were_sorted_into_them(client: Client, server: Server) -> None:
    assert (await ask(client, call.messages.GetDialogFilters())).filters == []
    server.add_folder("Reading", "news", server.chat(GROUP))
    server.add_folder("All groups").groups = True
    everything, reading, groups = (await ask(client, call.messages.GetDialogFilters())).filters
    assert kind(everything) == "DialogFilterDefault"
    assert (reading.id, reading.title.text, reading.groups) == (2, "Reading", False)
    assert [peer.write() for peer in reading.include_peers] == [
        PEER.write(),
        raw.types.InputPeerChat(chat_id=GROUP).write(),
    ]
    assert (groups.id, groups.title.text, groups.groups, groups.include_peers) == (3, "All groups", True, [])


@pytest.mark.parametrize("title", ["", "thirteen char", "two\nlines"])
def test_a_folder_has_a_title_that_telegram_takes(title: str) -> None:
    with pytest.raises(ValueError, match="1 to 12 characters"):
        Server().add_folder(title)


async def test_an_invitation_leads_into_a_chat(client: Client, server: Server) -> None:
    server.chat("news").invite_hash = "abc"
    joined = await ask(client, call.messages.CheckChatInvite(hash="abc"))
    assert joined.chat.title == "News"
    server.chat("news").peer.left = True  # type: ignore[union-attr]
    offered = await ask(client, call.messages.CheckChatInvite(hash="abc"))
    assert (offered.title, offered.participants_count, offered.broadcast) == ("News", 5, True)


def part(offset: int = 0, limit: int = MIB, precise: bool = False, **location: Any) -> call.upload.GetFile:
    fields: dict[str, Any] = {
        "id": 500,
        "access_hash": 501,
        "file_reference": b"first reference",
        "thumb_size": "",
    } | location
    return call.upload.GetFile(
        location=raw.types.InputDocumentFileLocation(**fields), offset=offset, limit=limit, precise=precise
    )


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        (part(), 0, MIB),
        (part(offset=3 * MIB), 3 * MIB, None),
        (part(offset=3 * MIB + 4096, limit=4096), 3 * MIB + 4096, 3 * MIB + 8192),
        (part(offset=100 * MIB), 0, 0),
        (part(offset=1024, limit=3072, precise=True), 1024, 4096),
        (part(offset=512 * 1024, limit=512 * 1024), 512 * 1024, MIB),
    ],
)
async def test_a_part_holds_just_its_bytes(client: Client, query: Any, start: int, end: int | None) -> None:
    answer = await ask(client, query)
    assert answer.bytes == BIG_FILE[start:end]


@pytest.mark.parametrize(
    ("query", "error"),
    [
        (part(offset=1), "OFFSET_INVALID"),
        (part(offset=1024), "OFFSET_INVALID"),
        (part(offset=512, precise=True), "OFFSET_INVALID"),
        (part(offset=-4096), "OFFSET_INVALID"),
        (part(limit=0), "LIMIT_INVALID"),
        (part(limit=1000), "LIMIT_INVALID"),
        (part(limit=12 * 1024), "LIMIT_INVALID"),
        (part(limit=2 * MIB), "LIMIT_INVALID"),
        (part(offset=512 * 1024), "LIMIT_INVALID"),
        (part(offset=MIB - 1024, limit=2048, precise=True), "LIMIT_INVALID"),
        (part(access_hash=1), "FILE_ID_INVALID"),
        (part(id=1), "FILE_ID_INVALID"),
        (part(thumb_size="m"), "FILE_ID_INVALID"),
        (part(file_reference=b"old"), "FILE_REFERENCE_EXPIRED"),
        (part(file_reference=b""), "FILE_REFERENCE_EMPTY"),
        (part(id=600, access_hash=601), "FILE_MIGRATE_X"),
    ],
)
async def test_a_part_that_breaks_the_rules_is_refused(client: Client, query: Any, error: str) -> None:
    with pytest.raises(RPCError) as caught:
        await ask(client, query)
    assert error == caught.value.ID


async def test_a_chat_photo_comes_in_two_sizes(client: Client, server: Server) -> None:
    server.world.add_file(ServedFile(9, 0, b"", 5, b"small", thumb_size="a"))
    server.world.add_file(ServedFile(9, 0, b"", 3, b"big", thumb_size="c"))
    for big, content in ((False, b"small"), (True, b"big")):
        answer = await ask(
            client,
            call.upload.GetFile(
                location=raw.types.InputPeerPhotoFileLocation(peer=PEER, photo_id=9, big=big), offset=0, limit=MIB
            ),
        )
        assert answer.bytes == content


async def test_a_file_that_was_deleted_or_replaced_is_gone_for_clients(
    client: Client, server: Server, caplog: pytest.LogCaptureFixture, tmp_path: Any
) -> None:
    path = tmp_path / "file"
    server.world.add_file(ServedFile(500, 501, b"first reference", 5000, path))
    for content in (b"a" * 5000, b"replaced", b"b" * 5001, None):
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        if content == b"a" * 5000:
            assert (await ask(client, part())).bytes == content
        else:
            with pytest.raises(FileIdInvalid):
                await ask(client, part())
    assert "has 8 bytes now, not 5000" in caplog.text


@pytest.mark.parametrize(("dates", "texts"), [(0, 130), (1_700_000_000, 130), (0, 0), (0, 50)])
async def test_dialogs_that_no_date_tells_apart_are_all_found_page_by_page(
    client: Client, server: Server, dates: int, texts: int
) -> None:
    server.world.chats.clear()
    for number in range(1, 131):
        peer = raw.types.Channel(id=number, access_hash=1, title=f"c{number}", photo=raw.types.ChatPhotoEmpty(), date=1)
        chat = server.add_chat(Chat(peer))
        if number <= texts:
            chat.messages[1] = raw.types.Message(id=1, peer_id=chat.tl_peer, date=dates, message="x")
    seen: list[int] = []
    offset: tuple[int, int, raw.base.InputPeer] = (0, 0, raw.types.InputPeerEmpty())
    for _ in range(9):
        page = await ask(
            client,
            call.messages.GetDialogs(
                offset_date=offset[0], offset_id=offset[1], offset_peer=offset[2], limit=50, hash=0
            ),
        )
        if not page.dialogs:
            break
        seen += [dialog.peer.channel_id for dialog in page.dialogs]
        last = page.dialogs[-1]
        date = next((entry.date for entry in page.messages if entry.peer_id == last.peer), 0)
        offset = (date, last.top_message, raw.types.InputPeerChannel(channel_id=last.peer.channel_id, access_hash=1))
    assert sorted(seen) == list(range(1, 131))
    assert (page.count, len(seen)) == (130, 130)


async def test_a_dialog_that_moved_up_does_not_repeat_the_pages_before(client: Client, server: Server) -> None:
    news = server.chat("news")
    top = news.top_message()
    assert top is not None
    offset = raw.types.InputPeerChannel(channel_id=NEWS, access_hash=77)
    server.post("news", "newer")
    query = call.messages.GetDialogs(offset_date=top.date, offset_id=top.id, offset_peer=offset, limit=9, hash=0)
    assert (await ask(client, query)).dialogs == []


async def test_a_joined_chat_without_messages_is_a_dialog_and_a_mentioned_one_is_not(
    client: Client, server: Server
) -> None:
    for number, mentioned in ((31, False), (32, True)):
        peer = raw.types.Chat(
            id=number, title=f"g{number}", photo=raw.types.ChatPhotoEmpty(), participants_count=1, date=1, version=1
        )
        server.add_chat(Chat(peer, mentioned=mentioned))
    assert [dialog.chat.title async for dialog in client.get_dialogs()] == ["Group", "News", "g31"]


async def test_a_user_a_group_and_a_channel_may_have_one_number(client: Client, server: Server) -> None:
    photo = raw.types.ChatPhotoEmpty()
    peers: list[TLPeer] = [
        server.world.add_user(raw.types.User(id=44, first_name="user")),
        raw.types.Chat(id=44, title="group", photo=photo, participants_count=1, date=1, version=1),
        raw.types.Channel(id=44, title="channel", photo=photo, date=1, broadcast=True),
    ]
    for peer in peers:
        chat = server.add_chat(Chat(peer))
        chat.messages[7] = raw.types.Message(id=7, peer_id=chat.tl_peer, date=9, message=kind(peer))
    inputs: list[tuple[int, Any]] = [
        (44, raw.types.InputPeerUser(user_id=44, access_hash=44)),
        (-44, raw.types.InputPeerChat(chat_id=44)),
        (-1_000_000_000_044, raw.types.InputPeerChannel(channel_id=44, access_hash=44)),
    ]
    for peer, (marked, named) in zip(peers, inputs, strict=True):
        page = call.messages.GetHistory(
            peer=named, offset_id=0, offset_date=0, add_offset=0, limit=9, max_id=0, min_id=0, hash=0
        )
        (message,) = (await ask(client, page)).messages
        assert message.message == kind(peer)
        assert server.chat(marked).peer is peer
    assert (server.chat(44).key, server.chat(NEWS).key) == (("user", 44), ("channel", NEWS))
