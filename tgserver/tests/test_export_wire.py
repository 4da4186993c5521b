"""A loaded export as the unmodified client sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyrogram import Client, raw

from tgserver import Server, World
from tgserver.export import build_message, load_export
from tgserver.tests.conftest import MakeClient
from tgserver.tests.export_builders import CHANNEL, chat_data, message, png, service, write_export

T = raw.types
POLL = {"question": "Tea?", "answers": [{"text": "Yes", "voters": 2}, {"text": "No", "voters": 0}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An export with a file, a quiz, a forward, a service message and a chat photo."""
    export = write_export(
        tmp_path / "export",
        chat_data(
            service(1, action="create_channel", title="Harbour", actor_id=f"channel{CHANNEL}"),
            message(2, file="plan.bin", file_name="план.bin", thumbnail="t.png", bridge={"views": 3}),
            message(3, poll=POLL, bridge={"poll": {"quiz": True, "correct": [0], "solution": "Always"}}),
            message(4, text="Seen", forwarded_from="Other", forwarded_from_id="channel12"),
            message(5, photo="t.png", bridge={"comments": {"count": 2}}),
            bridge={"username": "harbour", "photo": "t.png"},
        ),
    )
    (export / "plan.bin").write_bytes(bytes(range(256)) * 5000)
    (export / "t.png").write_bytes(png(640, 400))
    return export


@pytest.fixture
def world(folder: Path) -> World:
    """The world of the export alone; the server's fixture takes it."""
    world = World()
    load_export(folder, world)
    return world


async def history(client: Client) -> list[Any]:
    """The channel's messages, newest first."""
    peer: Any = await client.resolve_peer("harbour")
    answer: Any = await client.invoke(
        raw.functions.messages.GetHistory(
            peer=peer, offset_id=0, offset_date=0, add_offset=0, limit=100, max_id=0, min_id=0, hash=0
        )
    )
    return list(answer.messages)


async def test_the_client_reads_each_message_as_it_was_exported(client: Client) -> None:
    photo, forward, poll, file, created = await history(client)
    assert [item.id for item in (photo, forward, poll, file, created)] == [5, 4, 3, 2, 1]
    assert (photo.media.photo.sizes[-1].w, photo.replies.replies) == (640, 2)
    assert forward.fwd_from.from_id == T.PeerChannel(channel_id=12)
    assert [answer.voters for answer in poll.media.results.results] == [2, 0]
    assert poll.media.results.solution == "Always"
    assert (file.views, file.media.document.attributes[0].file_name) == (3, "план.bin")
    assert created.action.title == "Harbour"


async def test_the_client_downloads_files_thumbnails_and_the_chats_photo(
    client: Client, folder: Path, tmp_path: Path
) -> None:
    shown: Any = await client.get_messages("harbour", 2)
    chat: Any = await client.get_chat("harbour")
    for wanted, file in [
        (shown, "plan.bin"),
        (shown.document.thumbs[0].file_id, "t.png"),
        (chat.photo.big_file_id, "t.png"),
        (chat.photo.small_file_id, "t.png"),
    ]:
        saved: Any = await client.download_media(wanted, file_name=str(tmp_path / "saved"))
        assert Path(saved).read_bytes() == (folder / file).read_bytes()


async def test_a_poll_can_still_be_edited_on_the_server(client: Client, server: Server) -> None:
    server.edit("harbour", 3, "Vote!")
    poll = (await history(client))[2]
    assert (poll.message, [answer.voters for answer in poll.media.results.results]) == ("Vote!", [2, 0])


async def test_a_message_in_the_exports_form_can_be_posted(
    make_client: MakeClient, server: Server, folder: Path
) -> None:
    client = await make_client()
    chat = server.chat("harbour")
    data = {"date_unixtime": "1704070000", "photo": "t.png", "text": [{"type": "bold", "text": "New"}]}
    server.post("harbour", build_message(chat, data, folder, server.world))
    newest = (await history(client))[0]
    assert (newest.id, newest.message, type(newest.entities[0])) == (6, "New", T.MessageEntityBold)
