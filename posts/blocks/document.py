"""Files."""

from __future__ import annotations

from model.media import Document
from model.message import Message
from posts.blocks.kind import MediaKind
from posts.blocks.names import direction, isolated
from posts.blocks.sheet import Sheet
from posts.plain import escape, one_line
from posts.wording import file_size

_LARGEST_THUMB = 320
# An image that was sent as a file and is larger than this (bytes) is shown by its thumbnail.
_LARGEST_SHOWN_IMAGE = 5 * 1024 * 1024


def document(sheet: Sheet, message: Message, media: Document, kind: MediaKind) -> str:
    """The thumbnail, and a link with name and size."""
    line = _file_line(sheet, message, media, kind)
    if media.thumb is None:
        return line
    return f"<p>{sheet.image(message, media.thumb, 'First page', largest=_LARGEST_THUMB)}</p>{line}"


def image_document(sheet: Sheet, message: Message, media: Document, kind: MediaKind) -> str:
    """The image, and a link with name and size."""
    shown = media.file
    if media.thumb is not None and media.file.size > _LARGEST_SHOWN_IMAGE:
        shown = media.thumb
    name = one_line(media.file.file_name) or kind.one
    return f"<p>{sheet.image(message, shown, name)}</p>{_file_line(sheet, message, media, kind)}"


def _file_line(sheet: Sheet, message: Message, media: Document, kind: MediaKind) -> str:
    name = one_line(media.file.file_name) or kind.one
    size = file_size(media.file.size)
    link = f'<a href="{escape(sheet.url(message, media.file))}">{isolated(name)}</a>'
    return f'<p dir="{direction(name)}">{kind.icon} {link}{f" (<bdi>{size}</bdi>)" if size else ""}</p>'
