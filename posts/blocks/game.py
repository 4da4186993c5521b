"""Bots' games."""

from __future__ import annotations

from model.message import Message
from model.special import Game
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet
from posts.identity import post_link
from posts.plain import escape, one_line

_LARGEST_IMAGE = 320


def game(sheet: Sheet, message: Message, media: Game, kind: MediaKind) -> str:
    """Title, description, picture, and where to play."""
    title = one_line(media.title) or kind.one
    lines = [f"<p>{kind.icon} <b>{escape(title)}</b></p>"]
    if description := one_line(media.description):
        lines.append(f"<p>{escape(description)}</p>")
    if media.photo is not None:
        lines.append(f"<p>{sheet.image(message, media.photo, title, largest=_LARGEST_IMAGE)}</p>")
    lines.append(f'<p><a href="{escape(post_link(sheet.channel, message.id, sheet.options))}">Play in Telegram</a></p>')
    return f'<div class="card {kind.name}" dir="auto">{"".join(lines)}</div>'
