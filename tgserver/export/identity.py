"""Ids that an export does not hold, derived so that each load of the same export gives the same ones."""

from __future__ import annotations

from hashlib import blake2b


def _digest(parts: tuple[object, ...], size: int) -> bytes:
    written = "\0".join(str(part) for part in parts)
    return blake2b(written.encode("utf-8", "replace"), digest_size=size).digest()


def stable_id(*parts: object, bits: int = 63) -> int:
    """A positive id of at most `bits` bits, the same for the same parts."""
    return (int.from_bytes(_digest(parts, 8)) >> (64 - bits)) or 1


def stable_bytes(*parts: object) -> bytes:
    """16 bytes, the same for the same parts; used as file reference."""
    return _digest(("bytes", *parts), 16)
