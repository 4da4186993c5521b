"""The MIME type of a file: libmagic's word, and Telegram's where it knows better."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Protocol

# How much of a file's beginning is looked at, in bytes.
HEAD_BYTES = 64 * 1024

UNKNOWN = "application/octet-stream"
_ZIP = frozenset({"application/zip", UNKNOWN})
_MP4 = frozenset({"video/mp4", "audio/mp4", "audio/x-m4a", "video/x-m4v", "video/quicktime", UNKNOWN})
_OGG = frozenset({"application/ogg", "audio/ogg", "video/ogg", UNKNOWN})
_MATROSKA = frozenset({"video/x-matroska", "video/webm", "audio/webm", UNKNOWN})

# Telegram's type -> what libmagic may have found for it to be believed. Only types that are harmless to name stand
# here: what the uploader says is never enough to make a file HTML, SVG or a script.
_BELIEVED: dict[str, frozenset[str]] = {
    "application/x-tgsticker": frozenset({"application/gzip", "application/x-gzip"}),
    "audio/ogg": _OGG,
    "audio/opus": _OGG,
    "video/ogg": _OGG,
    "video/webm": _MATROSKA,
    "audio/webm": _MATROSKA,
    "video/x-matroska": _MATROSKA,
    "video/mp4": _MP4,
    "audio/mp4": _MP4,
    "audio/x-m4a": _MP4,
    "video/quicktime": _MP4,
    # Without an ID3 tag libmagic often does not know MPEG audio and raw AAC.
    "audio/mpeg": frozenset({UNKNOWN}),
    "audio/mp3": frozenset({UNKNOWN}),
    "audio/aac": frozenset({UNKNOWN}),
    "audio/flac": frozenset({"audio/x-flac", UNKNOWN}),
    "image/webp": frozenset({UNKNOWN}),
    "application/epub+zip": _ZIP,
    "application/vnd.android.package-archive": _ZIP | {"application/java-archive"},
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": _ZIP,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": _ZIP,
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": _ZIP,
    "application/vnd.oasis.opendocument.text": _ZIP,
}
_PICTURES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/bmp"})
# libmagic's and uploaders' own names for types that have a usual one.
_USUAL_NAMES = {
    "application/x-gzip": "application/gzip",
    "application/x-empty": UNKNOWN,
    "audio/mp3": "audio/mpeg",
    "audio/x-flac": "audio/flac",
    "audio/x-wav": "audio/wav",
}


def mime_of(head: bytes, telegram_type: str) -> str:
    """The type of the file that begins with `head` and that Telegram calls `telegram_type` ("" if it does not).

    Blocks for a fraction of a millisecond, the first time for longer: meant for a thread.
    """
    found = _magic().from_buffer(head[:HEAD_BYTES])
    claimed = telegram_type.partition(";")[0].strip().lower()
    believed = found in _BELIEVED.get(claimed, ())
    mime_type = claimed if believed else found
    return _USUAL_NAMES.get(mime_type, mime_type)


def believed_unseen(telegram_type: str) -> str:
    """The type that a file most likely has, if Telegram calls it that and nobody has seen a byte of it.

    "" for a type that is not among those which are harmless to name, whatever the file turns out to be.
    """
    claimed = telegram_type.partition(";")[0].strip().lower()
    if claimed not in _BELIEVED and claimed not in _PICTURES:
        return ""
    return _USUAL_NAMES.get(claimed, claimed)


def load() -> None:
    """Load libmagic and its database, so that no file has to wait for it; blocks for about 0.1 s."""
    _magic()


class _Sniffer(Protocol):
    def from_buffer(self, buf: bytes) -> str: ...


@cache
def _magic() -> _Sniffer:
    """libmagic with its own database. Loaded when needed, so that importing this module costs nothing."""
    # pylibmagic puts the shared library where the import of magic finds it, so the order counts.
    import_module("pylibmagic")
    sniffer: _Sniffer = import_module("magic").Magic(mime=True)
    return sniffer
