"""Width and height of a picture from its first bytes: PNG, GIF, JPEG, WebP, BMP."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

# Frame headers (ITU T.81 table B.1); C4, C8 and CC are no frames.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})


def image_size(path: Path) -> tuple[int, int] | None:
    """(width, height) in pixels, `None` if the file is no picture of a known kind or can't be read."""
    try:
        with path.open("rb") as source:
            return _read(source)
    except (OSError, struct.error, IndexError):
        return None


def _read(source: BinaryIO) -> tuple[int, int] | None:
    head = source.read(32)
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return struct.unpack(">II", head[16:24])
    if head[:6] in (b"GIF87a", b"GIF89a"):
        return struct.unpack("<HH", head[6:10])
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _webp(head)
    if head.startswith(b"BM"):
        width, height = struct.unpack("<ii", head[18:26])
        return abs(width), abs(height)
    if head.startswith(b"\xff\xd8"):
        return _jpeg(source)
    return None


def _webp(head: bytes) -> tuple[int, int] | None:
    chunk = head[12:16]
    if chunk == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if chunk == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 ":
        width, height = struct.unpack("<HH", head[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg(source: BinaryIO) -> tuple[int, int] | None:
    source.seek(2)
    while True:
        if source.read(1)[0] != 0xFF:
            return None
        marker = source.read(1)[0]
        while marker == 0xFF:
            marker = source.read(1)[0]
        if marker in _JPEG_ALONE:
            continue
        (length,) = struct.unpack(">H", source.read(2))
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">xHH", source.read(5))
            return width, height
        if marker == 0xDA:
            return None
        source.seek(max(0, length - 2), 1)
