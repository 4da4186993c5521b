"""Throws of dice."""

from __future__ import annotations

from model.message import Message
from model.special import Dice
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet
from posts.plain import escape, one_line


def dice(sheet: Sheet, message: Message, media: Dice, kind: MediaKind) -> str:
    """The emoji and the value that came up."""
    emoji = escape(one_line(media.emoji) or kind.one)
    value = f" <b>{media.value}</b>" if media.value else ""
    return f'<p class="{kind.name}">{emoji}{value}</p>'
