"""A part of a chat's messages: the topic of a forum, or the comments on a channel's post."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec

from model.channel import Channel
from model.message import Message

GENERAL_TOPIC = 1
"""The id of the topic that every forum has."""


class ThreadKind(StrEnum):
    """What holds the messages together. The words stand in addresses."""

    TOPIC = "topic"
    COMMENTS = "comments"


class ThreadKey(NamedTuple):
    """Which thread is meant: of the chat under a key of `parse_channel_key`, the topic or the post with that id."""

    chat: str | int
    kind: ThreadKind
    root_id: int


class Thread(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A thread as Telegram tells of it.

    `chat` is the forum, or the channel of the post: the one to ask. `home` is the chat that the messages are in: the
    forum itself, or the channel's discussion group. `title` is the topic's, "" for comments. `roots` is the post as it
    stands in the discussion group, several messages for an album; a topic has none.
    """

    kind: ThreadKind
    root_id: int
    chat: Channel
    home: Channel
    title: str = ""
    roots: tuple[Message, ...] = ()

    @property
    def name(self) -> str:
        """What names the thread for ever: as it follows a route in addresses, with the chat's id."""
        return thread_name(str(self.chat.id), self.kind, self.root_id)


def thread_name(chat: str, kind: ThreadKind, root_id: int) -> str:
    """A thread as addresses name it, of a chat that is written so."""
    return f"{chat}/topic/{root_id}" if kind is ThreadKind.TOPIC else f"{chat}/{root_id}/comments"
