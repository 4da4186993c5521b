"""Photos."""

from __future__ import annotations

from model.attachment import LivePhoto, Photo
from model.message import Message
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet, size_attributes
from posts.plain import escape


def picture(sheet: Sheet, message: Message, media: Photo, kind: MediaKind) -> str:
    """The photo in its largest size."""
    return sheet.image(message, media.file, kind.one)


def live_photo(sheet: Sheet, message: Message, media: LivePhoto, kind: MediaKind) -> str:
    """The photo, and its film to unfold below."""
    film = media.video
    url = sheet.url(message, film.file)
    sheet.note_placeholder(url, film.thumb, film.file)
    url = escape(url)
    # The film's own first picture, since the photo above is from its middle; that one stands for the post.
    poster = f' poster="{escape(sheet.url(message, film.thumb))}"' if film.thumb is not None else ""
    size = size_attributes(film.width or film.file.width, film.height or film.file.height)
    return (
        f"{sheet.image(message, media.photo.file, kind.one)}<details><summary>See it move</summary>"
        f'<video controls loop preload="none"{size}{poster} src="{url}">'
        f'<a href="{url}">{kind.one}</a></video></details>'
    )
