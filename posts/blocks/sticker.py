"""Stickers."""

from __future__ import annotations

import msgspec

from model.media import Sticker
from model.message import Message
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet, size_attributes
from posts.plain import escape, one_line

_LARGEST = 256


def sticker(sheet: Sheet, message: Message, media: Sticker, kind: MediaKind) -> str:
    """An image, a silent film that plays for ever, or an animation's thumbnail; without a picture the emoji."""
    emoji = one_line(media.emoji)
    name = f"{kind.one} {emoji}" if emoji else kind.one
    if media.file.mime_type.startswith("video/"):
        url = escape(sheet.url(message, media.file))
        size = size_attributes(media.width or media.file.width, media.height or media.file.height, _LARGEST)
        poster = sheet.poster(message, media.thumb)
        # Played as Telegram does: it is short, has no sound, and nobody would look for its controls.
        return (
            f'<video autoplay loop muted playsinline{size}{poster} src="{url}">'
            f'<a href="{url}">{escape(name)}</a></video>'
        )
    # The animation format, gzipped Lottie, is known to no browser.
    shown = media.thumb if media.file.mime_type == "application/x-tgsticker" else media.file
    if shown is None:
        return f"<p>{escape(name)}</p>"
    if not shown.width and shown is media.file:
        shown = msgspec.structs.replace(shown, width=media.width, height=media.height)
    return sheet.image(message, shown, name, largest=_LARGEST)
