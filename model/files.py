"""Which files a message carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from model import rich
from model.attachment import Attachment, Audio, Document, FileRef, LivePhoto, Photo, Sticker, Video
from model.media import Media, WebPage
from model.message import Message
from model.poll import Poll
from model.special import Game, Invoice, PaidMedia, PaidPreview, Story

_ATTACHMENTS = (Photo, LivePhoto, Video, Audio, Sticker, Document)


def attachments_of(media: Media) -> Iterator[Attachment]:
    """The media itself if it is a file, else the files that stand in it."""
    if isinstance(media, _ATTACHMENTS):
        yield media
    elif isinstance(media, Poll):
        for one in (media.media, *(option.media for option in media.options), media.solution_media):
            if isinstance(one, _ATTACHMENTS):
                yield one
    elif isinstance(media, PaidMedia):
        for item in media.items:
            if not isinstance(item, PaidPreview):
                yield item
    elif isinstance(media, Invoice | Story):
        if media.media is not None and not isinstance(media.media, PaidPreview):
            yield media.media
    elif isinstance(media, rich.Rich):
        yield from _in_blocks(media.blocks)


def files_of(message: Message) -> Iterator[FileRef]:
    """Every file of the message that can be fetched: the media itself, its thumbnail, a preview's photo."""
    media = message.media
    if media is None:
        return
    if isinstance(media, WebPage | Game):
        if media.photo is not None:
            yield media.photo
        return
    for attachment in attachments_of(media):
        for part in (attachment.photo, attachment.video) if isinstance(attachment, LivePhoto) else (attachment,):
            yield part.file
            if part.thumb is not None:
                yield part.thumb


def find_file(message: Message, unique_id: str) -> FileRef | None:
    """The file of the message with that unique id, or None."""
    return next((file for file in files_of(message) if file.unique_id == unique_id), None)


def _in_blocks(blocks: Iterable[rich.Block]) -> Iterator[Attachment]:
    for block in blocks:
        if isinstance(block, rich.Figure):
            yield block.media
        elif isinstance(block, rich.Quote | rich.Collage | rich.Details):
            yield from _in_blocks(block.blocks)
        elif isinstance(block, rich.List):
            for item in block.items:
                yield from _in_blocks(item.blocks)
