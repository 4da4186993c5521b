"""Which chats the account has joined, and which folders they are in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pyrogram import raw
from telegram_world import GROUP_ID, HIDDEN_ID, NEWS_ID, channel, client_for, logged_in, small_world, until_state

from telegram.dialogs import DIALOGS_PAGE, Listing
from telegram.folders import sort_chats
from telegram_client import State, TelegramClient
from tgserver import Server

PHOTO = raw.types.ChatPhotoEmpty()


def tl_channel(number: int, **fields: Any) -> raw.types.Channel:
    return raw.types.Channel(id=number, access_hash=number, title=f"c{number}", photo=PHOTO, date=1, **fields)


def tl_group(number: int, **fields: Any) -> raw.types.Chat:
    return raw.types.Chat(id=number, title=f"g{number}", photo=PHOTO, participants_count=1, date=1, version=1, **fields)


def marked(number: int) -> int:
    return -(10**12) - number


# Two broadcasts (the second archived), a supergroup, a basic group, a friend.
LISTING = Listing(
    {
        marked(1): tl_channel(1, broadcast=True),
        marked(2): tl_channel(2, broadcast=True),
        marked(3): tl_channel(3, megagroup=True),
        -4: tl_group(4),
        5: raw.types.User(id=5, access_hash=5, first_name="Ada"),
    },
    {marked(1): False, marked(2): True, marked(3): False, -4: False, 5: False},
)


def named(number: int) -> raw.types.InputPeerChannel:
    return raw.types.InputPeerChannel(channel_id=number, access_hash=number)


def folder(title: str = "Reading", **rules: Any) -> raw.types.DialogFilter:
    text = raw.types.TextWithEntities(text=title, entities=[])
    none: dict[str, Any] = {"pinned_peers": [], "include_peers": [], "exclude_peers": []}
    return raw.types.DialogFilter(id=7, title=text, **(none | rules))


@pytest.mark.parametrize(
    ("rules", "ids"),
    [
        ({"include_peers": [named(2), named(1)]}, (marked(2), marked(1))),
        ({"include_peers": [named(1)], "pinned_peers": [named(3), named(1)]}, (marked(3), marked(1))),
        ({"include_peers": [raw.types.InputPeerChat(chat_id=4)]}, (-4,)),
        ({"broadcasts": True}, (marked(1), marked(2))),
        ({"broadcasts": True, "exclude_archived": True}, (marked(1),)),
        # What is named is in the folder, also from the archive.
        ({"broadcasts": True, "exclude_archived": True, "include_peers": [named(2)]}, (marked(2), marked(1))),
        ({"groups": True}, (marked(3), -4)),
        ({"groups": True, "exclude_peers": [named(3)]}, (-4,)),
        # Reading in Telegram is another matter.
        ({"groups": True, "exclude_read": True, "exclude_muted": True}, (marked(3), -4)),
        # Nobody joins a friend, and who has left a channel is not in it.
        ({"include_peers": [raw.types.InputPeerUser(user_id=5, access_hash=5), named(99), named(1)]}, (marked(1),)),
        ({"include_peers": [raw.types.InputPeerSelf(), named(1)]}, (marked(1),)),
    ],
)
def test_a_folder_holds_what_it_names_and_what_its_rules_take_in(rules: dict[str, Any], ids: tuple[int, ...]) -> None:
    (found,) = sort_chats(LISTING, [folder(**rules)]).folders
    assert (found.title, found.chat_ids) == ("Reading", ids)


@pytest.mark.parametrize(
    "nothing",
    [
        raw.types.DialogFilterDefault(),
        folder(),
        folder(contacts=True, bots=True, non_contacts=True),
        folder(include_peers=[named(99)]),
    ],
)
def test_a_folder_without_channels_and_groups_is_none(nothing: raw.base.DialogFilter) -> None:
    assert sort_chats(LISTING, [nothing]).folders == ()


def test_a_shared_folder_holds_what_it_names() -> None:
    title = raw.types.TextWithEntities(text=" Shared ", entities=[])
    shared = raw.types.DialogFilterChatlist(id=3, title=title, pinned_peers=[named(2)], include_peers=[named(1)])
    (found,) = sort_chats(LISTING, [shared]).folders
    assert (found.title, found.chat_ids) == ("Shared", (marked(2), marked(1)))


def test_a_folder_whose_title_is_nothing_but_space_has_a_name() -> None:
    assert sort_chats(LISTING, [folder(" ", groups=True)]).folders[0].title == "Folder 7"


def test_joined_is_what_the_account_is_in() -> None:
    newer = raw.types.InputChannel(channel_id=1, access_hash=1)
    listing = Listing(
        {
            **LISTING.peers,
            marked(6): tl_channel(6, left=True),
            -7: tl_group(7, left=True),
            -8: tl_group(8, deactivated=True, migrated_to=newer),
            # Named by a message, but no dialog.
            marked(9): tl_channel(9, broadcast=True),
        },
        {**LISTING.archived, marked(6): False, -7: False, -8: False, marked(10): False},
    )
    channels = sort_chats(listing, []).channels
    assert [(chat.id, chat.title, chat.access_hash) for chat in channels] == [
        (marked(1), "c1", 1),
        (marked(2), "c2", 2),
        (marked(3), "c3", 3),
        (-4, "g4", 0),
    ]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server(small_world()) as running:
        with running.trust():
            yield running


@pytest.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[TelegramClient]:
    client = client_for(server, await logged_in(server, tmp_path))
    await client.start()
    await until_state(client, State.READY)
    yield client
    await client.stop()


async def test_telegram_is_asked_for_the_chats_once_and_for_the_folders_each_time(
    client: TelegramClient, server: Server
) -> None:
    server.add_folder("Quiet", HIDDEN_ID)
    joined = await client.joined()
    assert [chat.id for chat in joined.channels] == [GROUP_ID, HIDDEN_ID, NEWS_ID]
    assert [(each.title, each.chat_ids) for each in joined.folders] == [("Quiet", (HIDDEN_ID,))]
    server.add_folder("All news", "news")
    assert [each.title for each in (await client.joined()).folders] == ["Quiet", "All news"]
    assert (server.calls["messages.getDialogs"], server.calls["messages.getDialogFilters"]) == (1, 2)


async def test_the_chats_of_all_pages_are_found(client: TelegramClient, server: Server) -> None:
    for number in range(5001, 5001 + DIALOGS_PAGE + 20):
        chat = server.add_chat(channel(number, f"Number {number}", None))
        chat.messages[1] = raw.types.Message(id=1, peer_id=chat.tl_peer, date=1_600_000_000 + number, message="x")
    assert len((await client.joined()).channels) == DIALOGS_PAGE + 20 + 3
    assert server.calls["messages.getDialogs"] == 2
