"""Footers join a document, and a document gets its validator."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import chain, zip_longest


def assemble(pieces: Sequence[bytes], footers: Sequence[str]) -> tuple[bytes, str]:
    """The document, of the pieces (in UTF-8) with a footer between each two, and its entity tag.

    The tag is made of the pieces alone: documents that differ in nothing but footers share it, so that views and
    reactions do not make a reader fetch a feed again. Raises ValueError if there is not one footer less than pieces.
    """
    if len(pieces) != len(footers) + 1:
        raise ValueError(f"{len(footers)} footers between {len(pieces)} pieces")
    body = b"".join(chain.from_iterable(zip_longest(pieces, (footer.encode() for footer in footers), fillvalue=b"")))
    return body, entity_tag(pieces)


def entity_tag(pieces: Sequence[bytes]) -> str:
    """The weak entity tag (RFC 9110, 8.8.1) of a content in pieces: quoted, 128 bits, equal in every process."""
    digest = sha256()
    for piece in pieces:
        digest.update(piece)
        # No document holds this byte, so the places of the footers count as well.
        digest.update(b"\0")
    return f'W/"{digest.hexdigest()[:32]}"'
