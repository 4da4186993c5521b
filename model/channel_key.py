"""How people write the name of a chat: parsed to one key, whatever the spelling."""

from __future__ import annotations

import re

from errors import BadParameter

LINK_HOSTS = frozenset({"t.me", "www.t.me", "telegram.me", "www.telegram.me", "telegram.dog", "www.telegram.dog"})
"""The hosts of Telegram's own links, in lower case."""

MOST_TOGETHER = 50
"""The most chats that one feed has the posts of."""

# A channel's marked id is this minus its bare id, which gives the -100... of bots and links.
_CHANNEL_MARK = -(10**12)
_LARGEST_BARE_ID = 10**12
_USERNAME = re.compile(r"[a-z][a-z0-9_]{1,31}", re.ASCII)
_ID = re.compile(r"-?[1-9][0-9]{0,15}", re.ASCII)
# Between two chats. Behind a slash it is the beginning of an invitation.
_PLUS = re.compile(r"(?<!/)\+")
_INVITE = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)
_SHAPES = "must be a username (name or @name), a chat's id (-100...) or a link (t.me/name, t.me/c/123)"


def parse_channel_key(text: str) -> str | int:
    """The one key for all spellings of a chat.

    Gives a username in lower case without `@`, a marked id (-100... for channels, as in `Channel.id`), or `+HASH`
    of an invitation link. A message's number behind a link's name and a link's query are ignored. Raises
    BadParameter for anything else.
    """
    name = text.strip()
    link = name.removeprefix("https://").removeprefix("http://")
    host, slash, path = link.partition("/")
    if slash and host.lower() in LINK_HOSTS:
        return _linked(re.split(r"[?#]", path, maxsplit=1)[0].strip("/").split("/"), text)
    if _ID.fullmatch(name):
        return int(name)
    return _username(name.removeprefix("@"), text)


def parse_channel_keys(text: str) -> tuple[str | int, ...]:
    """The keys of the chats that are written with `+` between them, each once, in their order.

    A plus behind a slash belongs to an invitation (`t.me/+hash`). Raises BadParameter, also for more of them than
    `MOST_TOGETHER`.
    """
    parts = split_channels(text)
    if len(parts) > MOST_TOGETHER:
        raise BadParameter("channel", f"at most {MOST_TOGETHER} channels make one feed, got {len(parts)}")
    return tuple(dict.fromkeys(map(parse_channel_key, parts)))


def spelling(key: str | int) -> str:
    """A key as people write it: `parse_channel_key` gives it back."""
    return f"t.me/{key}" if str(key).startswith("+") else str(key)


def split_channels(text: str) -> list[str]:
    """The spellings of the chats in such a text; none of them need be that of a chat."""
    return _PLUS.split(text)


def _linked(segments: list[str], text: str) -> str | int:
    head, *rest = segments
    if head == "c" and rest:
        if _ID.fullmatch(rest[0]) and 0 < int(rest[0]) < _LARGEST_BARE_ID:
            return _CHANNEL_MARK - int(rest[0])
        raise _unknown(text)
    if head == "s" and rest:
        return _username(rest[0], text)
    invite = head[1:] if head.startswith("+") else rest[0] if head == "joinchat" and rest else ""
    if invite:
        if _INVITE.fullmatch(invite):
            return f"+{invite}"
        raise _unknown(text)
    return _username(head, text)


def _username(name: str, text: str) -> str:
    if _USERNAME.fullmatch(lower := name.lower()) and name.isascii():
        return lower
    raise _unknown(text)


def _unknown(text: str) -> BadParameter:
    return BadParameter("channel", f"{_SHAPES}, got {text[:60]!r}")
