"""Content-Disposition of a file whose name comes from a stranger."""

from __future__ import annotations

import mimetypes
import re
import unicodedata
from functools import lru_cache
from urllib.parse import quote

# What browsers show without running anything. Everything else, SVG, HTML, XML and PDF first of all, is saved.
INLINE_TYPES = frozenset(
    {
        "image/jpeg",
        "image/png",
        "image/gif",
        "image/webp",
        "image/avif",
        "image/bmp",
        "audio/mpeg",
        "audio/mp4",
        "audio/x-m4a",
        "audio/aac",
        "audio/ogg",
        "audio/opus",
        "audio/flac",
        "audio/x-flac",
        "audio/wav",
        "audio/x-wav",
        "audio/webm",
        "video/mp4",
        "video/webm",
        "video/ogg",
        "video/quicktime",
        "video/x-m4v",
    }
)

_LONGEST_NAME = 200
_LONGEST_SUFFIX = 20
# RFC 8187 attr-char besides letters and digits.
_ATTR_CHARS = "!#$&+-.^_`|~"
# Quote and backslash need escaping that clients get wrong, `%` some clients decode (RFC 6266 appendix D).
_NOT_PLAIN = re.compile(r'[^\x20-\x7e]|["\\%]')
# Controls, lone surrogates, zero-width space, byte order mark, and the direction marks that make `exe.txt` of
# `txt.exe`. Zero-width joiners stay: scripts and emoji need them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
# The names that systems give to types differ; these are the usual ones.
_SUFFIXES = {
    "image/jpeg": ".jpg",
    "image/webp": ".webp",
    "audio/ogg": ".ogg",
    "audio/mpeg": ".mp3",
    "audio/mp4": ".m4a",
    "audio/x-m4a": ".m4a",
    "video/mp4": ".mp4",
    "video/quicktime": ".mov",
    "application/x-tgsticker": ".tgs",
    "application/octet-stream": ".bin",
}


@lru_cache(maxsize=1024)
def content_disposition(mime_type: str, file_name: str, stem: str) -> str:
    """The header's value (RFC 6266): inline for harmless types, else attachment, with the file's name.

    `file_name` may hold anything; path parts, control and direction characters go. When nothing is left, the name is
    `stem` with the suffix of the type. The value is ASCII and has no control characters.
    """
    kind = "inline" if mime_type in INLINE_TYPES else "attachment"
    name = clean_name(file_name) or stem + suffix_of(mime_type)
    plain = _NOT_PLAIN.sub("_", name)
    value = f'{kind}; filename="{plain}"'
    if plain != name:
        value += f"; filename*=UTF-8''{quote(name, safe=_ATTR_CHARS)}"
    return value


def clean_name(file_name: str) -> str:
    """The last path part of a name, without what may not stand in one; "" if nothing usable is left."""
    name = file_name.replace("\\", "/").rsplit("/", 1)[-1]
    name = _UNSEEN.sub("", name)
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not name.strip(". "):
        return ""
    return _shortened(name)


def suffix_of(mime_type: str) -> str:
    """The usual file name suffix of a type, with its dot."""
    return _SUFFIXES.get(mime_type) or mimetypes.guess_extension(mime_type) or ".bin"


def _shortened(name: str) -> str:
    """At most 200 bytes of UTF-8, cut before the suffix and between characters."""
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    stem, dot, suffix = name.rpartition(".")
    if not stem or len(suffix.encode()) > _LONGEST_SUFFIX:
        stem, dot, suffix = name, "", ""
    room = _LONGEST_NAME - len((dot + suffix).encode())
    return stem.encode()[:room].decode("utf-8", "ignore") + dot + suffix
