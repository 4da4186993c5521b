"""What a path names: a channel in any spelling, perhaps a post, perhaps the token."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from errors import BadParameter
from model.channel_key import LINK_HOSTS
from model.message import LARGEST_ID


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a path such as `/html/t.me/name/12/TOKEN`. `post_id` and `token` are None if absent."""

    channel: str
    post_id: int | None = None
    token: str | None = None


def parse_target(path: str, *, is_token: Callable[[str], bool], with_post: bool) -> Target:
    """Take apart what follows the route's name.

    The channel is one segment, or a link to it (`https://t.me/name`, `t.me/c/123`). With `with_post` a message id
    may follow; one more segment is the token. `is_token` tells whether a segment is the configured token, since
    that one may consist of digits. Raises BadParameter for anything else.
    """
    segments = [segment for segment in path.split("/") if segment]
    if segments and segments[0].lower() in {"https:", "http:"}:
        del segments[0]
    taken = _channel_segments(segments)
    if not segments or taken > len(segments):
        raise BadParameter("channel", "a channel's name, id or t.me link is missing")
    channel, rest = "/".join(segments[:taken]), segments[taken:]
    post_id = None
    if with_post and rest and _is_number(rest[0]) and not (len(rest) == 1 and is_token(rest[0])):
        post_id = parse_post_id(rest.pop(0))
    if len(rest) > 1 and is_token("/".join(rest)):
        rest = ["/".join(rest)]
    if len(rest) > 1:
        raise BadParameter("path", f"{path[:200]!r} has more parts than a channel, a post id and a token")
    return Target(channel=channel, post_id=post_id, token=rest[0] if rest else None)


def parse_post_id(text: str) -> int:
    """A message id from a path. Raises BadParameter."""
    # int() of a very long text takes long, and its limit is another fault.
    if not _is_number(text) or len(text) > 10 or not 1 <= int(text) <= LARGEST_ID:
        raise BadParameter("post_id", f"must be a number from 1 to {LARGEST_ID}, got {text[:40]!r}")
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _channel_segments(segments: list[str]) -> int:
    """How many leading segments name the channel."""
    if not segments or segments[0].lower() not in LINK_HOSTS:
        return 1
    return 3 if len(segments) > 1 and segments[1].lower() in {"c", "s", "joinchat"} else 2
