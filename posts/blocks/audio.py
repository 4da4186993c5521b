"""Music and voice messages."""

from __future__ import annotations

from model.media import Audio
from model.message import Message
from posts.blocks.kind import MediaKind
from posts.blocks.names import direction, isolated
from posts.blocks.sheet import Sheet
from posts.plain import escape, one_line
from posts.wording import duration, file_size

_LARGEST_COVER = 320


def audio(sheet: Sheet, message: Message, media: Audio, kind: MediaKind) -> str:
    """What it is, the cover, and a player with a link for readers without players."""
    names = [name for part in (media.performer, media.title) if (name := one_line(part))]
    label = kind.one if media.voice else " – ".join(names) or one_line(media.file.file_name) or kind.one
    about = ", ".join(filter(None, (isolated(label), duration(media.duration))))
    cover = ""
    if media.thumb is not None:
        cover = f"<p>{sheet.image(message, media.thumb, 'Cover', largest=_LARGEST_COVER)}</p>"
    url = escape(sheet.url(message, media.file))
    size = file_size(media.file.size)
    link = f"Listen ({size})" if size else "Listen"
    return (
        f'<p dir="{direction(label)}">{kind.icon} {about}</p>{cover}'
        f'<audio controls preload="none" src="{url}"><a href="{url}">{link}</a></audio>'
    )
