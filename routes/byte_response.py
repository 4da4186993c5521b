"""Sending a file's bytes: the whole, one range, or several as multipart/byteranges (RFC 9110 14.6, 15.3.7)."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing

from starlette.types import Receive, Scope, Send

from errors import BridgeError
from media_cache.shared_file import CHUNK_BYTES, Chunk
from routes.ranges import ByteRange

log = logging.getLogger(__name__)

ReadBytes = Callable[[int, int], AsyncGenerator[Chunk, None]]
"""Gives the bytes [start, end) of a file in chunks. Raises BridgeError."""

ReadAtOnce = Callable[[int, int], Chunk | None]
"""Gives so many bytes from an offset, or None if they can't be had without waiting."""

Header = tuple[bytes, bytes]

# Answers up to this size are over before it is worth to watch for the client's leaving.
_SHORT = 1024 * 1024
# So many chunks or ranges are sent before all else has its turn. A client on a fast network takes bytes as quickly as
# they are read, so that sending need not wait for it even once: a whole file would go out in one turn of the loop.
_CHUNKS_A_TURN = 4


class ByteResponse:
    """Streams a file of known size, read as the client takes it; an ASGI application.

    If the file fails in the middle, the answer stays incomplete, so that the server cuts the connection and the client
    knows.
    """

    __slots__ = ("_headers", "_length", "_pieces", "_read", "_read_at_once", "_status")

    def __init__(
        self,
        read: ReadBytes,
        size: int,
        mime_type: str,
        headers: Iterable[Header],
        ranges: Sequence[ByteRange] | None,
        read_at_once: ReadAtOnce | None = None,
    ) -> None:
        """`ranges`: None for the whole file (200), else one or more ranges of it (206).

        `headers` are all but those that tell of the body, with lower-case names. `read_at_once` serves what fits into
        one chunk, if it can, with less ado than `read`.
        """
        self._read = read
        self._read_at_once = read_at_once
        # What is sent, in order: literal bytes, and ranges of the file.
        self._pieces: list[bytes | ByteRange]
        content_type = mime_type
        self._headers = [*headers]
        self._status = 206
        if ranges is None:
            self._status = 200
            self._pieces = [ByteRange(0, size)] if size else []
        elif len(ranges) == 1:
            self._pieces = [ranges[0]]
            self._headers.append((b"content-range", ranges[0].content_range(size).encode()))
        else:
            boundary = secrets.token_hex(16)
            content_type = f"multipart/byteranges; boundary={boundary}"
            self._pieces = _multipart(ranges, size, mime_type, boundary)
        self._length = sum(len(piece) if isinstance(piece, bytes) else piece.length for piece in self._pieces)
        self._headers += [
            (b"content-type", content_type.encode("latin-1")),
            (b"content-length", str(self._length).encode()),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send headers and, unless asked by HEAD, the bytes."""
        start = {"type": "http.response.start", "status": self._status, "headers": self._headers}
        if scope["method"] == "HEAD" or not self._length:
            await send(start)
            await send({"type": "http.response.body", "body": b""})
            return
        if (body := self._whole_body()) is not None:
            await send(start)
            await send({"type": "http.response.body", "body": body})
            return
        gone = asyncio.ensure_future(disconnect(receive)) if self._length > _SHORT else None
        try:
            await send(start)
            await self._send_pieces(send, gone)
        except BridgeError as fault:
            log.warning("%s was cut off: %s", scope["path"], fault)
        finally:
            if gone is not None:
                gone.cancel()

    def _whole_body(self) -> Chunk | None:
        """The body, if it is one short stretch of the file that can be had at once."""
        if self._read_at_once is None or self._length > CHUNK_BYTES or len(self._pieces) != 1:
            return None
        piece = self._pieces[0]
        return piece if isinstance(piece, bytes) else self._read_at_once(piece.start, piece.length)

    async def _send_pieces(self, send: Send, gone: asyncio.Future[None] | None) -> None:
        left = self._length
        async with aclosing(self._chunks()) as chunks:
            number = 0
            async for chunk in chunks:
                left -= len(chunk)
                await send({"type": "http.response.body", "body": chunk, "more_body": left > 0})
                if gone is not None and gone.done():
                    return
                number += 1
                if number % _CHUNKS_A_TURN == 0:
                    await asyncio.sleep(0)

    async def _chunks(self) -> AsyncGenerator[Chunk, None]:
        for piece in self._pieces:
            if isinstance(piece, bytes):
                yield piece
                continue
            async with aclosing(self._read(piece.start, piece.end)) as chunks:
                async for chunk in chunks:
                    yield chunk


def _multipart(ranges: Sequence[ByteRange], size: int, mime_type: str, boundary: str) -> list[bytes | ByteRange]:
    pieces: list[bytes | ByteRange] = []
    line_end = ""
    for item in ranges:
        head = (
            f"{line_end}--{boundary}\r\nContent-Type: {mime_type}\r\nContent-Range: {item.content_range(size)}\r\n\r\n"
        )
        pieces += [head.encode("latin-1"), item]
        line_end = "\r\n"
    return [*pieces, f"\r\n--{boundary}--\r\n".encode()]


async def disconnect(receive: Receive) -> None:
    """Return when the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass
