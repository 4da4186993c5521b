from __future__ import annotations

import pytest
from pyrogram import raw

from tgserver import Chat, World
from tgserver.names import renamed


@pytest.fixture
def world() -> World:
    world = World()
    for number, name in [(1, "first"), (2, "second")]:
        photo = raw.types.ChatPhotoEmpty()
        peer = raw.types.Channel(id=number, title=name, photo=photo, date=0, access_hash=number, username=name)
        world.add_chat(Chat(peer))
    return world


def test_a_chat_gets_a_new_title_and_username_and_loses_the_username(world: World) -> None:
    chat = world.chat("first")
    renamed(world, chat, title="New", username="newer")
    assert (chat.peer.title, chat.peer.username) == ("New", "newer")  # type: ignore[union-attr]
    renamed(world, chat, title=None, username="")
    assert (chat.peer.title, chat.peer.username) == ("New", None)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("title", "username"), [("", None), ("two\nlines", None), ("x" * 256, None), ("Fine", "second"), ("Fine", "1st")]
)
def test_a_name_that_it_cannot_have_changes_nothing(world: World, title: str, username: str | None) -> None:
    chat = world.chat("first")
    with pytest.raises(ValueError, match=r"title|username"):
        renamed(world, chat, title=title, username=username)
    assert (chat.peer.title, chat.peer.username) == ("first", "first")  # type: ignore[union-attr]
