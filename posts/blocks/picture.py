"""A photo."""

from __future__ import annotations

from model.media import Photo
from model.message import Message
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet


def picture(sheet: Sheet, message: Message, media: Photo, kind: MediaKind) -> str:
    """The photo in its largest size."""
    return sheet.image(message, media.file, kind.one)
