"""The media of a post."""

from __future__ import annotations

from collections.abc import Sequence

from model.media import Audio, Document, Media, Photo, Video
from model.message import Message
from posts.blocks.kind import MediaKind, Place
from posts.blocks.sheet import Sheet
from posts.kinds import describe, kind_of
from posts.post import Enclosure


def media_blocks(sheet: Sheet, messages: Sequence[Message], place: Place) -> str:
    """All media that stand at that place of the body, in the messages' order; files to look at or hear as a group."""
    blocks = []
    for message in messages:
        media = message.media
        if media is None or (kind := kind_of(media)).place is not place:
            continue
        html = kind.block(sheet, message, media, kind)
        if place is Place.MEDIA:
            html = _framed(html, kind, media)
        if kind.enclosure:
            _enclose(sheet, message, kind, media)
        blocks.append(html)
    if len(blocks) > 1 and place is Place.MEDIA:
        return f'<div class="album">{"".join(blocks)}</div>'
    return "".join(blocks)


def _framed(html: str, kind: MediaKind, media: Media) -> str:
    frame = f'<div class="media {kind.name}">{html}</div>'
    if isinstance(media, Photo | Video | Document) and media.spoiler:
        return f'<details class="spoiler"><summary>Spoiler: {kind.noun}</summary>{frame}</details>'
    return frame


def _enclose(sheet: Sheet, message: Message, kind: MediaKind, media: Media) -> None:
    if not isinstance(media, Video | Audio | Document):
        return
    sheet.enclosures.append(
        Enclosure(
            url=sheet.url(message, media.file),
            mime_type=media.file.mime_type or kind.enclosure,
            size=max(media.file.size, 0),
            duration=0 if isinstance(media, Document) else max(media.duration, 0),
            title=describe(media),
        )
    )
