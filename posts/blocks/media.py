"""The media of a post."""

from __future__ import annotations

import re
from collections.abc import Sequence

from model.media import Audio, Document, Media, Photo, Video
from model.message import Message
from posts.blocks.kind import MediaKind, Place
from posts.blocks.sheet import Sheet
from posts.kinds import describe, kind_of
from posts.post import Enclosure

_MIME_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)


def media_blocks(sheet: Sheet, messages: Sequence[Message]) -> dict[Place, str]:
    """All media, by their place in the body, in the messages' order; files to look at or hear as a group."""
    blocks: dict[Place, list[str]] = {}
    for message in messages:
        media = message.media
        if media is None:
            continue
        kind = kind_of(media)
        html = kind.block(sheet, message, media, kind)
        if kind.place is Place.MEDIA:
            html = _framed(html, kind, media)
        if kind.enclosure:
            _enclose(sheet, message, kind, media)
        blocks.setdefault(kind.place, []).append(html)
    placed = {place: "".join(htmls) for place, htmls in blocks.items()}
    if len(blocks.get(Place.MEDIA, ())) > 1:
        placed[Place.MEDIA] = f'<div class="album">{placed[Place.MEDIA]}</div>'
    return placed


def _framed(html: str, kind: MediaKind, media: Media) -> str:
    frame = f'<div class="media {kind.name}">{html}</div>'
    if isinstance(media, Photo | Video | Document) and media.spoiler:
        return f'<details class="spoiler"><summary>Spoiler: {kind.noun}</summary>{frame}</details>'
    return frame


def _enclose(sheet: Sheet, message: Message, kind: MediaKind, media: Media) -> None:
    if not isinstance(media, Video | Audio | Document):
        return
    mime_type = media.file.mime_type
    sheet.enclosures.append(
        Enclosure(
            url=sheet.url(message, media.file),
            mime_type=mime_type if _MIME_TYPE.fullmatch(mime_type) else kind.enclosure,
            size=max(media.file.size, 0),
            duration=0 if isinstance(media, Document) else max(media.duration, 0),
            title=describe(media),
        )
    )
