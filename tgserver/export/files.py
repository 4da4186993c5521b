"""Files of an export: found inside its folder, never outside, and served as photos and documents."""

from __future__ import annotations

import mimetypes
import os
from dataclasses import dataclass
from pathlib import Path

from pyrogram import raw

from tgserver.export.errors import ExportError
from tgserver.export.identity import stable_bytes, stable_id
from tgserver.export.imagesize import image_size
from tgserver.export.scope import Scope
from tgserver.export.values import Json, as_int, as_text, count, timestamp
from tgserver.world import DEFAULT_DC, ServedFile, World

# An own table: the default one reads files of the system, and so differs between machines.
_MIME_TYPES = mimetypes.MimeTypes()
_MIME_EXTRA = {
    ".webp": "image/webp",
    ".tgs": "application/x-tgsticker",
    ".webm": "video/webm",
    ".ogg": "audio/ogg",
    ".oga": "audio/ogg",
    ".opus": "audio/ogg",
    ".m4a": "audio/mp4",
    ".flac": "audio/flac",
    ".mkv": "video/x-matroska",
}

# The longest side up to which Telegram gives a photo size each letter; above, it is a "w".
_PHOTO_LETTERS = ((320, "m"), (800, "x"), (1280, "y"))
_LARGEST_LETTER = "w"
_PREVIEW_SIDE = 320

THUMB = "m"
STRIPPED = "i"
CHAT_PHOTO_SIZES = (("a", 160), ("c", 640))


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file of the export with its size in bytes."""

    path: Path
    size: int


def find_file(scope: Scope, value: object) -> LocalFile | None:
    """The file that an export names, by its path relative to the folder.

    `None` if the export says that it left the file out (a sentence in parentheses), if the file is not
    there, or if the path leads out of the folder (absolute, `..`, a symlink): such a file is not served.
    """
    written = as_text(value)
    root = scope.root
    if root is None or not written or written.startswith("(") or "\0" in written:
        return None
    try:
        path = Path(os.path.realpath(root / written))
        if not path.is_relative_to(root) or not path.is_file():
            return None
        return LocalFile(path, path.stat().st_size)
    except OSError:
        return None


def named_file(scope: Scope, value: str, where: str) -> LocalFile:
    """The file that a `bridge` object names; `ExportError` if it is not there, since that is a slip."""
    found = find_file(scope, value)
    if found is None:
        raise ExportError(f"{where}: bridge names the file {value!r}, which is not in the export's folder")
    return found


def access_hash(file_id: int) -> int:
    """The access hash of the photo or document with that id."""
    return stable_id("access", file_id)


def mime_type_of(name: str) -> str:
    """The MIME type by a file name's extension."""
    suffix = Path(name).suffix.lower()
    guessed = _MIME_EXTRA.get(suffix) or _MIME_TYPES.guess_type(f"file{suffix}")[0]
    return guessed or "application/octet-stream"


def photo_letter(width: int, height: int) -> str:
    """The TL type of a photo size with these pixels."""
    longest = max(width, height)
    return next((letter for side, letter in _PHOTO_LETTERS if longest <= side), _LARGEST_LETTER)


def build_photo(
    scope: Scope, message_id: int, role: str, file: object, data: Json, *, stripped: bytes = b""
) -> raw.types.Photo:
    """A photo and its served bytes.

    Width and height come from `data`, else from the picture. A picture larger than a preview gets a
    second, small size, which serves the same bytes: there is no image library here that would shrink
    them. A photo whose file is missing keeps the sizes that the export tells and is not served.
    """
    photo_id = scope.id_for(message_id, f"{role} {as_text(file)}")
    found = find_file(scope, file)
    measured = image_size(found.path) if found and not (data.get("width") and data.get("height")) else None
    width, height = measured or (count(data.get("width")), count(data.get("height")))
    size = found.size if found else count(data.get("photo_file_size"))
    letter = photo_letter(width, height) if width and height else "y"
    sizes: list[raw.base.PhotoSize] = [raw.types.PhotoSize(type=letter, w=width, h=height, size=size)]
    letters = [letter]
    if max(width, height) > _PREVIEW_SIDE:
        small_width, small_height = scaled(width, height, _PREVIEW_SIDE)
        letters.append(THUMB)
        sizes.insert(0, raw.types.PhotoSize(type=THUMB, w=small_width, h=small_height, size=size))
    sizes[:0] = _stripped(stripped)
    if found:
        for letter in letters:
            serve(scope.world, found, photo_id, letter)
    return raw.types.Photo(
        id=photo_id,
        access_hash=access_hash(photo_id),
        file_reference=stable_bytes(photo_id),
        date=timestamp(data),
        sizes=sizes,
        dc_id=DEFAULT_DC,
    )


def build_document(
    scope: Scope,
    message_id: int,
    file: object,
    data: Json,
    *,
    mime_type: str,
    attributes: list[raw.base.DocumentAttribute],
    thumb: object = None,
    stripped: bytes = b"",
) -> raw.types.Document:
    """A document, its served bytes and its thumb's. A missing file keeps the size that the export tells."""
    document_id = scope.id_for(message_id, f"file {as_text(file)}")
    found = find_file(scope, file)
    if found:
        serve(scope.world, found, document_id, "", mime_type)
    return raw.types.Document(
        id=document_id,
        access_hash=access_hash(document_id),
        file_reference=stable_bytes(document_id),
        date=timestamp(data),
        mime_type=mime_type,
        size=found.size if found else max(0, as_int(data.get("file_size"))),
        dc_id=DEFAULT_DC,
        attributes=attributes,
        thumbs=[*_stripped(stripped), *_thumbs(scope, document_id, thumb)] or None,
    )


def build_chat_photo(scope: Scope, file: LocalFile) -> raw.types.Photo:
    """A chat's own photo, in the two sizes that Telegram keeps of one ("a" small, "c" large)."""
    photo_id = scope.id_for(0, f"chat photo {file.path.name}")
    sizes: list[raw.base.PhotoSize] = []
    for letter, side in CHAT_PHOTO_SIZES:
        sizes.append(raw.types.PhotoSize(type=letter, w=side, h=side, size=file.size))
        serve(scope.world, file, photo_id, letter)
    return raw.types.Photo(
        id=photo_id,
        access_hash=access_hash(photo_id),
        file_reference=stable_bytes(photo_id),
        date=0,
        sizes=sizes,
        dc_id=DEFAULT_DC,
    )


def scaled(width: int, height: int, side: int) -> tuple[int, int]:
    """Width and height with the longest side being `side`."""
    longest = max(width, height)
    return max(1, width * side // longest), max(1, height * side // longest)


def serve(world: World, file: LocalFile, file_id: int, thumb_size: str, mime_type: str | None = None) -> None:
    """Make the bytes available under the id and TL thumb type."""
    world.add_file(
        ServedFile(
            id=file_id,
            access_hash=access_hash(file_id),
            file_reference=stable_bytes(file_id),
            size=file.size,
            content=file.path,
            thumb_size=thumb_size,
            mime_type=mime_type or mime_type_of(file.path.name),
        )
    )


def _stripped(stripped: bytes) -> list[raw.base.PhotoSize]:
    return [raw.types.PhotoStrippedSize(type=STRIPPED, bytes=stripped)] if stripped else []


def _thumbs(scope: Scope, document_id: int, thumb: object) -> list[raw.base.PhotoSize]:
    found = find_file(scope, thumb)
    if found is None:
        return []
    width, height = image_size(found.path) or (0, 0)
    serve(scope.world, found, document_id, THUMB)
    return [raw.types.PhotoSize(type=THUMB, w=width, h=height, size=found.size)]
