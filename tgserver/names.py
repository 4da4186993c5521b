"""What chats are called, and what they may be called."""

from __future__ import annotations

import re

from pyrogram import raw

from tgserver.lines import one_line
from tgserver.world import Chat, World, key_of

LONGEST_TITLE = 255
_USERNAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,31}")


def renamed(world: World, chat: Chat, *, title: str | None, username: str | None) -> Chat:
    """The chat with another title or username ("" takes the username away, None leaves either), which it keeps.

    Raises ValueError for a title or username that it can't have; then nothing is changed.
    """
    if title is not None and (not title or len(title) > LONGEST_TITLE or one_line(title) != title):
        raise ValueError(f"a title is a line of 1 to {LONGEST_TITLE} characters")
    if username:
        _check_username(world, chat, username)
    if title is not None and isinstance(chat.peer, raw.types.User):
        chat.peer.first_name, chat.peer.last_name = title, None
    elif title is not None and not isinstance(chat.peer, raw.types.User):
        chat.peer.title = title
    if username is not None and not isinstance(chat.peer, raw.types.Chat):
        chat.peer.username = username or None
        chat.peer.usernames = None
    return chat


def _check_username(world: World, chat: Chat, username: str) -> None:
    if isinstance(chat.peer, raw.types.Chat):
        raise ValueError("a basic group has no username")
    if not _USERNAME.fullmatch(username):
        raise ValueError("a username is 3 to 32 of the letters a to z, digits and _, a letter first")
    owner = world.chat_named(username)
    if owner is not None and key_of(owner) != chat.key:
        raise ValueError(f"the username {username} belongs to {owner.id}")
