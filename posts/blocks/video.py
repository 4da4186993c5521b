"""Videos of every kind."""

from __future__ import annotations

from model.media import Video, VideoKind
from model.message import Message
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet, size_attributes
from posts.plain import escape
from posts.wording import duration, file_size


def video(sheet: Sheet, message: Message, media: Video, kind: MediaKind) -> str:
    """A player that loads nothing before it is asked to, with a link for readers without players.

    The poster, if there is one, counts among the post's images. GIFs repeat.
    """
    width, height = media.width or media.file.width, media.height or media.file.height
    poster = sheet.poster(message, media.thumb)
    loop = " loop" if media.kind is VideoKind.ANIMATION else ""
    url = sheet.url(message, media.file)
    sheet.note_placeholder(url, media.thumb, media.file)
    url = escape(url)
    about = ", ".join(filter(None, (kind.one, duration(media.duration), file_size(media.file.size))))
    return (
        f'<video controls preload="none"{loop}{size_attributes(width, height)}{poster} src="{url}">'
        f'<a href="{url}">{about}</a></video>'
    )
