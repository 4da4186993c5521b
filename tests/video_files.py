"""Videos of any length on the wire, made from a short one."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl"}


def stretched(video: bytes, padding: int) -> bytes:
    """An MP4 that plays the same, with so many bytes that nobody plays in the middle of its samples.

    So its end lies far behind its beginning, as in a long film.
    """
    tables = [(start, end) for kind, start, end in _boxes(video, 0, len(video)) if kind == b"stco"]
    offsets = sorted(offset for start, end in tables for offset in _chunk_offsets(video, start, end))
    cut = offsets[len(offsets) // 2]
    changed = bytearray(video)
    for start, end in tables:
        moved = [offset + padding * (offset >= cut) for offset in _chunk_offsets(video, start, end)]
        struct.pack_into(f">{len(moved)}I", changed, start + 8, *moved)
    for kind, start, _ in _boxes(video, 0, len(video)):
        if kind == b"mdat" and start <= cut:
            (size,) = struct.unpack_from(">I", video, start - 8)
            struct.pack_into(">I", changed, start - 8, size + padding)
    return bytes(changed[:cut]) + bytes(padding) + bytes(changed[cut:])


def _boxes(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Each box as its kind and the extent of its content, those in containers too (ISO/IEC 14496-12 4.2)."""
    while start < end:
        size, kind = struct.unpack_from(">I4s", data, start)
        yield kind, start + 8, start + size
        if kind in _CONTAINERS:
            yield from _boxes(data, start + 8, start + size)
        start += size


def _chunk_offsets(data: bytes, start: int, end: int) -> list[int]:
    (count,) = struct.unpack_from(">I", data, start + 4)
    assert start + 8 + 4 * count == end
    return list(struct.unpack_from(f">{count}I", data, start + 8))
