"""Documents compressed for the way (RFC 9110 8.4.1, 12.5.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor

import brotli
import msgspec
from isal import isal_zlib

from feeds.feed import Document

# Intel's implementation, which takes less than half the time of zlib's level 3 for a fiftieth more.
_GZIP_LEVEL = isal_zlib.ISAL_BEST_COMPRESSION
# Deflate's largest window, with gzip's header and check sum around it, as in zlib.
_GZIP_FORMAT = 31
# For a tenth to a sixth less than gzip's; twice the time would save another twentieth.
_BROTLI_QUALITY = 3
# The old name, to be taken for the same (RFC 9110 8.4.1.3).
_ALIASES = {"x-gzip": "gzip"}


class Brotli:
    """A body in brotli (RFC 7932), made in `threads` when it is first wanted, and kept.

    Most readers take gzip, and a feed that changes is to be ready soon, so it is not made ahead. It never takes more
    than `most_bytes`.
    """

    __slots__ = ("_body", "_made", "_most_bytes", "_threads")

    def __init__(self, body: bytes, most_bytes: int, threads: Executor) -> None:
        self._body = body
        self._most_bytes = most_bytes
        self._threads = threads
        self._made: asyncio.Future[bytes | None] | None = None

    async def get(self) -> bytes | None:
        """The body, made once for all who ask; None if it would be too large to be worth it."""
        if self._made is None:
            self._made = asyncio.get_running_loop().run_in_executor(self._threads, self._make)
        # Who asks may leave; the others still want it.
        return await asyncio.shield(self._made)

    def _make(self) -> bytes | None:
        made: bytes = brotli.compress(self._body, quality=_BROTLI_QUALITY)
        return made if len(made) <= self._most_bytes else None


class Encoded(msgspec.Struct, frozen=True, kw_only=True):
    """A document, and its body in gzip, and perhaps in brotli."""

    document: Document
    gzipped: bytes
    brotli: Brotli | None = None

    @property
    def size(self) -> int:
        """How many bytes it takes in memory at most."""
        # Brotli is kept only if it is no larger than gzip.
        return len(self.document.body) + len(self.gzipped) * (1 if self.brotli is None else 2)


def encode(document: Document, threads: Executor | None = None) -> Encoded:
    """The document with its body in gzip; the same bytes each time. Takes about 1 ms for 350 KB.

    With `threads` it can be had in brotli, too, which is worth it for documents that are kept.
    """
    gzipped = isal_zlib.compress(document.body, _GZIP_LEVEL, _GZIP_FORMAT)
    later = None if threads is None else Brotli(document.body, len(gzipped), threads)
    return Encoded(document=document, gzipped=gzipped, brotli=later)


def accepts_gzip(headers: Sequence[str]) -> bool:
    """Whether a client with these Accept-Encoding headers is better served with gzip than with the plain document.

    It is not if it sends none, refuses gzip (`q=0`) or likes the plain document more. What can't be read counts as
    refused.
    """
    weights = _weights(headers)
    wanted = weights.get("gzip", weights.get("*", 0.0))
    return wanted > 0 and wanted >= weights.get("identity", 0.0)


def prefers_brotli(headers: Sequence[str]) -> bool:
    """Whether a client with these Accept-Encoding headers is best served with brotli: it names it, and likes none more.

    `*` does not count: who has not heard of brotli may say that, too.
    """
    # Most clients don't name it, and most requests are answered in less time than all of it takes.
    if not any("br" in header.lower() for header in headers):
        return False
    weights = _weights(headers)
    wanted = weights.get("br", 0.0)
    return wanted > 0 and wanted >= max(weights.get("gzip", 0.0), weights.get("identity", 0.0))


def _weights(headers: Sequence[str]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for item in ",".join(headers).lower().split(","):
        coding, *parameters = (part.strip() for part in item.split(";"))
        weights[_ALIASES.get(coding, coding)] = _weight(parameters)
    return weights


def _weight(parameters: Sequence[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
