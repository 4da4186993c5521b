"""Topics and comments in paths: `/rss/{group}/topic/{id}` and `/rss/{channel}/{post_id}/comments`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from errors import BadParameter
from model.message import LARGEST_ID
from model.thread import ThreadKey, ThreadKind


class ThreadPart(NamedTuple):
    """What a path names of a chat's threads."""

    kind: ThreadKind
    root_id: int

    def of(self, chat: str | int) -> ThreadKey:
        """That thread of the chat under a key of `parse_channel_key`."""
        return ThreadKey(chat, self.kind, self.root_id)


def take_thread(segments: list[str], *, is_token: Callable[[str], bool], with_post: bool) -> ThreadPart | None:
    """The thread that the segments behind a channel begin with, which are taken away; None if they name none.

    What may as well be the token is the token, which may stand behind a post's id if there is one `with_post`. Raises
    BadParameter for an id out of range.
    """
    if len(segments) < 2 or is_token("/".join(segments)):
        return None
    first, second = segments[:2]
    if first == ThreadKind.TOPIC:
        kind, number, name = ThreadKind.TOPIC, second, "topic"
    elif second == ThreadKind.COMMENTS and first.isascii() and first.isdigit():
        if with_post and is_token("/".join(segments[1:])):
            return None
        kind, number, name = ThreadKind.COMMENTS, first, "post_id"
    else:
        return None
    del segments[:2]
    return ThreadPart(kind, parse_message_id(name, number))


def parse_message_id(name: str, text: str) -> int:
    """The id of a message from a path, in the part of that name. Raises BadParameter."""
    # int() of a very long text takes long, and its limit is another fault.
    if not (text.isascii() and text.isdigit()) or len(text) > 10 or not 1 <= int(text) <= LARGEST_ID:
        raise BadParameter(name, f"must be a number from 1 to {LARGEST_ID}, got {text[:40]!r}")
    return int(text)
