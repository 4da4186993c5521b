"""What a path names: a channel in any spelling, perhaps a post, perhaps the token."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from errors import BadParameter
from model.channel_key import LINK_HOSTS, split_channels
from routes.thread_paths import ThreadPart, parse_message_id, take_thread

FOLDER = "folder"
"""What stands in a path before the name of one of the account's folders."""

# In characters; Telegram's have twelve.
_LONGEST_FOLDER = 100
# Behind it an address begins as it would without.
_SCHEME = re.compile(r"(^|\+)https?:/+", re.IGNORECASE)


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a path such as `/html/t.me/name/12/TOKEN`.

    `channel` may name several with `+` between them. It is empty where a `folder` is named, which is empty otherwise.
    `post_id` and `token` are None if absent.
    """

    channel: str = ""
    folder: str = ""
    post_id: int | None = None
    thread: ThreadPart | None = None
    token: str | None = None


def parse_target(path: str, *, is_token: Callable[[str], bool], with_post: bool, with_feeds: bool = False) -> Target:
    """Take apart what follows the route's name.

    The channel is one segment, or a link to it (`https://t.me/name`, `t.me/c/123`). With `with_post` a message id
    may follow. With `with_feeds` it may be all that has feeds: a topic or a post's comments may follow, or it is a
    folder's name behind `folder/`, which may have slashes. One more segment is the token. `is_token` tells whether a
    segment is the configured token, since that one may consist of digits. Raises BadParameter for anything else.
    """
    segments = [segment for segment in _SCHEME.sub(r"\1", path).split("/") if segment]
    if with_feeds and segments[:1] == [FOLDER] and segments[1:] and not is_token("/".join(segments[1:])):
        return _folder(segments[1:], is_token)
    taken = _channel_segments(segments)
    if not segments or taken > len(segments):
        raise BadParameter("channel", "a channel's name, id or t.me link is missing")
    channel, rest = "/".join(segments[:taken]), segments[taken:]
    thread = take_thread(rest, is_token=is_token, with_post=with_post) if with_feeds else None
    post_id = None
    if with_post and thread is None and rest and _is_number(rest[0]) and not (len(rest) == 1 and is_token(rest[0])):
        post_id = parse_post_id(rest.pop(0))
    if len(rest) > 1 and is_token("/".join(rest)):
        rest = ["/".join(rest)]
    if len(rest) > 1:
        raise BadParameter("path", f"{path[:200]!r} has more parts than a channel, a post id and a token")
    return Target(channel=channel, post_id=post_id, thread=thread, token=rest[0] if rest else None)


def parse_post_id(text: str) -> int:
    """A message id from a path. Raises BadParameter."""
    return parse_message_id("post_id", text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _folder(segments: list[str], is_token: Callable[[str], bool]) -> Target:
    """A folder by its name, and perhaps the token behind it."""
    for taken in range(1, len(segments)):
        token = "/".join(segments[taken:])
        if is_token(token):
            return msgspec.structs.replace(_folder(segments[:taken], lambda text: False), token=token)
    name = "/".join(segments)
    if len(name) > _LONGEST_FOLDER:
        raise BadParameter("folder", f"must have at most {_LONGEST_FOLDER} characters, has {len(name)}")
    return Target(folder=name)


def _channel_segments(segments: list[str]) -> int:
    """How many leading segments name the channel, or all the channels."""
    taken = _segments_of_one(segments)
    while 0 < taken <= len(segments):
        *before, last = split_channels(f"/{segments[taken - 1]}")
        if not before:
            break
        # What begins behind the last plus may go on in the segments that follow.
        more = _segments_of_one([last, *segments[taken : taken + 1]]) - 1
        if not more:
            break
        taken += more
    return taken


def _segments_of_one(segments: list[str]) -> int:
    if not segments or segments[0].lower() not in LINK_HOSTS:
        return 1
    return 3 if len(segments) > 1 and segments[1].lower() in {"c", "s", "joinchat"} else 2
