"""The way to a post's discussion."""

from __future__ import annotations

from model.message import Message
from posts.blocks.sheet import Sheet
from posts.identity import post_link
from posts.plain import escape


def comments_url(sheet: Sheet, message: Message) -> str:
    """Where the comments are; "" for a post without a discussion."""
    return "" if message.comments is None else f"{post_link(sheet.channel, message.id, sheet.options)}?comment=1"


def comments(sheet: Sheet, message: Message) -> str:
    """A link without the count: that changes all the time, and belongs into the footer."""
    url = comments_url(sheet, message)
    return f'<p class="comments"><a href="{escape(url)}">💬 Comments</a></p>' if url else ""
