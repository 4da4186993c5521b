"""What only Telegram can show."""

from __future__ import annotations

from model.media import Unsupported
from model.message import Message
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet
from posts.identity import post_link
from posts.plain import escape, one_line


def unsupported(sheet: Sheet, message: Message, media: Unsupported, kind: MediaKind) -> str:
    """What kind it is, and where to see it."""
    words = one_line(media.kind)
    return notice(sheet, message, f"{words[:1].upper()}{words[1:]}" if words else "This message")


def notice(sheet: Sheet, message: Message, subject: str) -> str:
    """A line saying that the subject (plain text) is to be seen in Telegram, with the link."""
    link = escape(post_link(sheet.channel, message.id, sheet.options))
    return f'<p class="unsupported" dir="auto">{escape(subject)}: <a href="{link}">see it in Telegram</a></p>'
