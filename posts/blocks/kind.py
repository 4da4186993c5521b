"""What the bridge knows of a kind of media."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

from model.message import Message
from posts.blocks.sheet import Sheet


class Place(IntEnum):
    """Where in a post's body a kind stands."""

    MEDIA = 0
    RICH = 1
    POLL = 2
    SPECIAL = 3
    PREVIEW = 4


class MediaKind(NamedTuple):
    """A row of the table in `posts.kinds`.

    `one` and `many` name the kind in titles and labels ("" for one that gives no title), `icon` marks it in text.
    `block` renders it: called with the sheet, the message, its media (each block takes its own type) and this row.
    `visual`: it always is something to look at. `flag` is the flag that it brings, or "". `enclosure` is "" for what
    readers are not offered to download, else the MIME type to name when Telegram tells none.
    """

    name: str
    one: str
    many: str
    icon: str
    block: Callable[[Sheet, Message, Any, MediaKind], str]
    place: Place
    visual: bool
    flag: str
    enclosure: str

    @property
    def noun(self) -> str:
        """`one` as it stands inside a sentence."""
        return self.one if self.one.isupper() else self.one.lower()
