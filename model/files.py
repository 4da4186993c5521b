"""Which files a message carries."""

from __future__ import annotations

from collections.abc import Iterator

from model.media import Audio, Document, FileRef, Photo, Sticker, Video, WebPage
from model.message import Message


def files_of(message: Message) -> Iterator[FileRef]:
    """Every file of the message that can be fetched: the media itself, its thumbnail, a preview's photo."""
    media = message.media
    if isinstance(media, Photo | Video | Audio | Sticker | Document):
        yield media.file
        if media.thumb is not None:
            yield media.thumb
    elif isinstance(media, WebPage) and media.photo is not None:
        yield media.photo


def find_file(message: Message, unique_id: str) -> FileRef | None:
    """The file of the message with that unique id, or None."""
    return next((file for file in files_of(message) if file.unique_id == unique_id), None)
