"""TL photos and documents as the model's attachments."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from pyrogram import raw

from model.attachment import (
    Audio,
    Document,
    FileLocation,
    FileRef,
    LivePhoto,
    Photo,
    Sticker,
    Video,
    VideoKind,
)
from telegram.adapter_peers import unique_file_id

# Small sizes, the better one first (320 and 100 pixels).
_PLACEHOLDER_SIZES = ("m", "s")
# A poster need not be larger than this many pixels.
_POSTER_AREA = 1280 * 1280
# What shines through a transparent picture stays in sight.
_OPAQUE = "image/jpeg"


class _Size(NamedTuple):
    """One size of a photo that can be fetched. `size` in bytes."""

    type: str
    width: int
    height: int
    size: int

    @property
    def area(self) -> int:
        return self.width * self.height


def _sizes(sizes: Iterable[raw.base.PhotoSize] | None) -> list[_Size]:
    """The sizes that can be fetched, from small to large. Inline previews have no file of their own."""
    found = []
    for size in sizes or ():
        if isinstance(size, raw.types.PhotoSize):
            found.append(_Size(size.type, size.w, size.h, size.size))
        elif isinstance(size, raw.types.PhotoSizeProgressive):
            # Each number is where one more pass of the progressive JPEG ends; the last is the whole file.
            found.append(_Size(size.type, size.w, size.h, max(size.sizes, default=0)))
        elif isinstance(size, raw.types.PhotoCachedSize):
            found.append(_Size(size.type, size.w, size.h, len(size.bytes)))
    return sorted(found, key=lambda size: size.area)


def _stripped(sizes: Iterable[raw.base.PhotoSize] | None) -> bytes:
    """The picture's stripped thumbnail, b"" without one."""
    return next((size.bytes for size in sizes or () if isinstance(size, raw.types.PhotoStrippedSize)), b"")


def _size_file(photo: raw.types.Photo, size: _Size, *, main: bool, stripped: bool = True) -> FileRef:
    return FileRef(
        location=FileLocation.PHOTO,
        id=photo.id,
        access_hash=photo.access_hash,
        file_reference=photo.file_reference,
        dc_id=photo.dc_id,
        unique_id=unique_file_id(photo.id, "" if main else size.type),
        size=size.size,
        thumb_type=size.type,
        mime_type="image/jpeg",
        width=size.width,
        height=size.height,
        date=photo.date,
        stripped=_stripped(photo.sizes) if stripped else b"",
    )


def photo_file(photo: raw.base.Photo | None) -> FileRef | None:
    """The photo's largest size; None if there is none that can be fetched."""
    if not isinstance(photo, raw.types.Photo):
        return None
    sizes = _sizes(photo.sizes)
    return _size_file(photo, sizes[-1], main=True) if sizes else None


def to_photo(photo: raw.base.Photo | None, *, spoiler: bool = False) -> Photo | None:
    """The photo with a placeholder; None if it is gone."""
    main = photo_file(photo)
    if main is None or not isinstance(photo, raw.types.Photo):
        return None
    by_type = {size.type: size for size in _sizes(photo.sizes) if size.type != main.thumb_type}
    thumb = next((by_type[kind] for kind in _PLACEHOLDER_SIZES if kind in by_type), None)
    return Photo(
        file=main,
        thumb=None if thumb is None else _size_file(photo, thumb, main=False, stripped=False),
        spoiler=spoiler,
    )


def to_live_photo(photo: Photo, film: raw.base.Document | None) -> Photo | LivePhoto:
    """The photo with its film, if that is there."""
    video = to_document(film)
    return LivePhoto(photo=photo, video=video) if isinstance(video, Video) else photo


class _Attributes(NamedTuple):
    """A document's attributes, each at most once."""

    name: str = ""
    image: raw.types.DocumentAttributeImageSize | None = None
    video: raw.types.DocumentAttributeVideo | None = None
    audio: raw.types.DocumentAttributeAudio | None = None
    sticker: raw.types.DocumentAttributeSticker | raw.types.DocumentAttributeCustomEmoji | None = None
    animated: bool = False


def _attributes(document: raw.types.Document) -> _Attributes:
    found = _Attributes()
    for attribute in document.attributes:
        if isinstance(attribute, raw.types.DocumentAttributeFilename):
            found = found._replace(name=attribute.file_name)
        elif isinstance(attribute, raw.types.DocumentAttributeImageSize):
            found = found._replace(image=attribute)
        elif isinstance(attribute, raw.types.DocumentAttributeVideo):
            found = found._replace(video=attribute)
        elif isinstance(attribute, raw.types.DocumentAttributeAudio):
            found = found._replace(audio=attribute)
        elif isinstance(attribute, raw.types.DocumentAttributeSticker | raw.types.DocumentAttributeCustomEmoji):
            found = found._replace(sticker=attribute)
        elif isinstance(attribute, raw.types.DocumentAttributeAnimated):
            found = found._replace(animated=True)
    return found


def document_thumb(document: raw.types.Document, mime_type: str = "image/jpeg") -> FileRef | None:
    """The document's largest thumbnail; None without one. `mime_type` is what it is known to be."""
    sizes = _sizes(document.thumbs)
    if not sizes:
        return None
    size = sizes[-1]
    return FileRef(
        location=FileLocation.DOCUMENT,
        id=document.id,
        access_hash=document.access_hash,
        file_reference=document.file_reference,
        dc_id=document.dc_id,
        unique_id=unique_file_id(document.id, size.type),
        size=size.size,
        thumb_type=size.type,
        mime_type=mime_type,
        width=size.width,
        height=size.height,
        date=document.date,
        stripped=_stripped(document.thumbs) if mime_type == _OPAQUE else b"",
    )


def _poster(cover: raw.base.Photo | None) -> FileRef | None:
    """A video's own cover in the largest sensible size."""
    if not isinstance(cover, raw.types.Photo):
        return None
    sizes = _sizes(cover.sizes)
    fitting = [size for size in sizes if size.area <= _POSTER_AREA] or sizes[:1]
    return _size_file(cover, fitting[-1], main=False) if fitting else None


def to_document(
    document: raw.base.Document | None, *, spoiler: bool = False, cover: raw.base.Photo | None = None
) -> Video | Audio | Sticker | Document | None:
    """What kind of file the document is; None if it is gone. `cover` is a video's own poster."""
    if not isinstance(document, raw.types.Document):
        return None
    found = _attributes(document)
    shape = found.video or found.image
    width, height = (shape.w, shape.h) if shape else (0, 0)
    opaque = found.sticker is None and (found.video is not None or document.mime_type == _OPAQUE)
    file = FileRef(
        location=FileLocation.DOCUMENT,
        id=document.id,
        access_hash=document.access_hash,
        file_reference=document.file_reference,
        dc_id=document.dc_id,
        unique_id=unique_file_id(document.id),
        size=document.size,
        mime_type=document.mime_type,
        file_name=found.name,
        width=width,
        height=height,
        date=document.date,
        stripped=_stripped(document.thumbs) if opaque else b"",
    )
    if found.sticker is not None:
        return Sticker(
            file=file, emoji=found.sticker.alt, thumb=document_thumb(document, "image/webp"), width=width, height=height
        )
    thumb = document_thumb(document)
    if found.animated or found.video is not None:
        return Video(
            file=file,
            kind=_video_kind(found),
            thumb=_poster(cover) or thumb,
            width=width,
            height=height,
            duration=_seconds(found.video.duration) if found.video else 0,
            spoiler=spoiler,
            streamable=bool(found.video and found.video.supports_streaming),
        )
    if found.audio is not None:
        return Audio(
            file=file,
            voice=bool(found.audio.voice),
            duration=found.audio.duration,
            title=found.audio.title or "",
            performer=found.audio.performer or "",
            thumb=thumb,
        )
    return Document(file=file, thumb=thumb, width=width, height=height, spoiler=spoiler)


def _video_kind(found: _Attributes) -> VideoKind:
    if found.video is not None and found.video.round_message:
        return VideoKind.ROUND
    return VideoKind.ANIMATION if found.animated else VideoKind.VIDEO


def _seconds(duration: float) -> float:
    return duration if math.isfinite(duration) and duration > 0 else 0
