"""What a path names: a channel in any spelling, perhaps a post, perhaps the token."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from errors import BadParameter
from model.channel_key import LINK_HOSTS
from routes.thread_paths import ThreadPart, parse_message_id, take_thread


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a path such as `/html/t.me/name/12/TOKEN`. `post_id`, `thread` and `token` are None if absent."""

    channel: str
    post_id: int | None = None
    thread: ThreadPart | None = None
    token: str | None = None


def parse_target(path: str, *, is_token: Callable[[str], bool], with_post: bool, with_thread: bool = False) -> Target:
    """Take apart what follows the route's name.

    The channel is one segment, or a link to it (`https://t.me/name`, `t.me/c/123`). With `with_post` a message id
    may follow, `with_thread` a topic or a post's comments; one more segment is the token. `is_token` tells whether a
    segment is the configured token, since that one may consist of digits. Raises BadParameter for anything else.
    """
    segments = [segment for segment in path.split("/") if segment]
    if segments and segments[0].lower() in {"https:", "http:"}:
        del segments[0]
    taken = _channel_segments(segments)
    if not segments or taken > len(segments):
        raise BadParameter("channel", "a channel's name, id or t.me link is missing")
    channel, rest = "/".join(segments[:taken]), segments[taken:]
    thread = take_thread(rest, is_token=is_token, with_post=with_post) if with_thread else None
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


def _channel_segments(segments: list[str]) -> int:
    """How many leading segments name the channel."""
    if not segments or segments[0].lower() not in LINK_HOSTS:
        return 1
    return 3 if len(segments) > 1 and segments[1].lower() in {"c", "s", "joinchat"} else 2
