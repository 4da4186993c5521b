"""TL photos and documents, and the files that the model makes of them."""

from __future__ import annotations

from typing import Any

from pyrogram import raw
from pyrogram.file_id import FileUniqueId, FileUniqueType

from model.attachment import FileLocation, FileRef

T = raw.types

STRIPPED = T.PhotoStrippedSize(type="i", bytes=b"\x01\x02\x03")
UNIQUE = FileUniqueId(file_unique_type=FileUniqueType.DOCUMENT, media_id=77).encode()


def tl_photo(*sizes: Any) -> raw.types.Photo:
    return T.Photo(id=77, access_hash=-5, file_reference=b"ref", date=9, sizes=list(sizes), dc_id=4)


def photo_file(kind: str, side: int, size: int, *, main: bool = True, stripped: bytes = b"") -> FileRef:
    return FileRef(
        location=FileLocation.PHOTO,
        id=77,
        access_hash=-5,
        file_reference=b"ref",
        dc_id=4,
        unique_id=UNIQUE if main else f"{UNIQUE}-{kind}",
        size=size,
        thumb_type=kind,
        mime_type="image/jpeg",
        width=side,
        height=side,
        date=9,
        stripped=stripped,
    )


def square(kind: str, side: int, size: int) -> raw.types.PhotoSize:
    return T.PhotoSize(type=kind, w=side, h=side, size=size)


def tl_document(mime: str, *attributes: Any, thumbs: list[Any] | None = None) -> raw.types.Document:
    return T.Document(
        id=77,
        access_hash=-5,
        file_reference=b"ref",
        date=9,
        mime_type=mime,
        size=5_000_000_000,
        dc_id=4,
        attributes=list(attributes),
        thumbs=thumbs,
    )


def document_file(mime: str, name: str = "", width: int = 0, height: int = 0, *, stripped: bytes = b"") -> FileRef:
    return FileRef(
        location=FileLocation.DOCUMENT,
        id=77,
        access_hash=-5,
        file_reference=b"ref",
        dc_id=4,
        unique_id=UNIQUE,
        size=5_000_000_000,
        mime_type=mime,
        file_name=name,
        width=width,
        height=height,
        date=9,
        stripped=stripped,
    )


def thumb_file(kind: str, side: int, size: int, mime: str = "image/jpeg", *, stripped: bytes = b"") -> FileRef:
    return FileRef(
        location=FileLocation.DOCUMENT,
        id=77,
        access_hash=-5,
        file_reference=b"ref",
        dc_id=4,
        unique_id=f"{UNIQUE}-{kind}",
        size=size,
        thumb_type=kind,
        mime_type=mime,
        width=side,
        height=side,
        date=9,
        stripped=stripped,
    )


def named(name: str) -> raw.types.DocumentAttributeFilename:
    return T.DocumentAttributeFilename(file_name=name)


def shape(width: int, height: int) -> raw.types.DocumentAttributeImageSize:
    return T.DocumentAttributeImageSize(w=width, h=height)
