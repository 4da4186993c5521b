"""A file, wherever in a post it stands."""

from __future__ import annotations

import re

from model.attachment import Attachment, Audio, Document, LivePhoto, Photo, Video
from model.message import Message
from posts.attachment_kinds import attachment_kind, describe_attachment
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet
from posts.post import Enclosure

_MIME_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)


def attachment(sheet: Sheet, message: Message, media: Attachment) -> str:
    """The file in its frame, noted as an enclosure if it is one.

    A spoiler is folded, and its pictures are none of the post's: readers would show them in their lists.
    """
    kind = attachment_kind(media)
    shown = len(sheet.images)
    html = f'<div class="media {kind.name}">{kind.block(sheet, message, media, kind)}</div>'
    if kind.enclosure:
        _enclose(sheet, message, kind, media)
    if _is_spoiler(media):
        del sheet.images[shown:]
        return f'<details class="spoiler"><summary>Spoiler: {kind.noun}</summary>{html}</details>'
    return html


def _is_spoiler(media: Attachment) -> bool:
    if isinstance(media, LivePhoto):
        return media.photo.spoiler
    return isinstance(media, Photo | Video | Document) and media.spoiler


def _enclose(sheet: Sheet, message: Message, kind: MediaKind, media: Attachment) -> None:
    if not isinstance(media, Video | Audio | Document):
        return
    mime_type = media.file.mime_type
    sheet.enclosures.append(
        Enclosure(
            url=sheet.url(message, media.file),
            mime_type=mime_type if _MIME_TYPE.fullmatch(mime_type) else kind.enclosure,
            size=max(media.file.size, 0),
            duration=0 if isinstance(media, Document) else max(media.duration, 0),
            title=describe_attachment(media),
        )
    )
