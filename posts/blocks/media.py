"""The media of a post."""

from __future__ import annotations

from collections.abc import Sequence

from model.attachment import Attachment
from model.message import Message
from posts.blocks.attachment import attachment
from posts.blocks.kind import Place
from posts.blocks.sheet import Sheet
from posts.kinds import kind_of


def media_blocks(sheet: Sheet, messages: Sequence[Message]) -> dict[Place, str]:
    """All media, by their place in the body, in the messages' order; files to look at or hear as a group."""
    blocks: dict[Place, list[str]] = {}
    for message in messages:
        media = message.media
        if media is None:
            continue
        if isinstance(media, Attachment):
            blocks.setdefault(Place.MEDIA, []).append(attachment(sheet, message, media))
        else:
            kind = kind_of(media)
            blocks.setdefault(kind.place, []).append(kind.block(sheet, message, media, kind))
    placed = {place: "".join(htmls) for place, htmls in blocks.items()}
    if len(blocks.get(Place.MEDIA, ())) > 1:
        placed[Place.MEDIA] = f'<div class="album">{placed[Place.MEDIA]}</div>'
    return placed
