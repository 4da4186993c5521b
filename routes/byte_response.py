"""Sending a file's bytes: the whole, one range, or several as multipart/byteranges (RFC 9110 14.6, 15.3.7)."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from errors import BridgeError
from routes.ranges import ByteRange

log = logging.getLogger(__name__)

ReadBytes = Callable[[int, int], AsyncGenerator[bytes, None]]
"""Gives the bytes [start, end) of a file in chunks. Raises BridgeError."""

# Answers up to this size are over before it is worth to watch for the client's leaving.
_SHORT = 1024 * 1024


class ByteResponse(Response):
    """Streams a file of known size, read as the client takes it.

    If the file fails in the middle, the answer stays incomplete, so that the server cuts the connection and the client
    knows.
    """

    def __init__(
        self,
        read: ReadBytes,
        size: int,
        mime_type: str,
        headers: Mapping[str, str],
        ranges: Sequence[ByteRange] | None,
    ) -> None:
        """`ranges`: None for the whole file (200), else one or more ranges of it (206)."""
        self._read = read
        # What is sent, in order: literal bytes, and ranges of the file.
        self._pieces: list[bytes | ByteRange]
        extra = {"Content-Type": mime_type}
        if ranges is None:
            status = 200
            self._pieces = [ByteRange(0, size)] if size else []
        elif len(ranges) == 1:
            status = 206
            self._pieces = [ranges[0]]
            extra["Content-Range"] = ranges[0].content_range(size)
        else:
            status = 206
            boundary = secrets.token_hex(16)
            extra["Content-Type"] = f"multipart/byteranges; boundary={boundary}"
            self._pieces = _multipart(ranges, size, mime_type, boundary)
        self._length = sum(len(piece) if isinstance(piece, bytes) else piece.length for piece in self._pieces)
        extra["Content-Length"] = str(self._length)
        super().__init__(None, status, {**headers, **extra})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send headers and, unless asked by HEAD, the bytes."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        if scope["method"] == "HEAD" or not self._length:
            await send(start)
            await send({"type": "http.response.body", "body": b""})
            return
        gone = asyncio.ensure_future(_disconnect(receive)) if self._length > _SHORT else None
        try:
            await send(start)
            await self._send_pieces(send, gone)
        except BridgeError as fault:
            log.warning("%s was cut off: %s", scope["path"], fault)
        finally:
            if gone is not None:
                gone.cancel()

    async def _send_pieces(self, send: Send, gone: asyncio.Future[None] | None) -> None:
        left = self._length
        for piece in self._pieces:
            if isinstance(piece, bytes):
                left -= len(piece)
                await send({"type": "http.response.body", "body": piece, "more_body": left > 0})
                continue
            async with aclosing(self._read(piece.start, piece.end)) as chunks:
                async for chunk in chunks:
                    left -= len(chunk)
                    await send({"type": "http.response.body", "body": chunk, "more_body": left > 0})
                    if gone is not None and gone.done():
                        return


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


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
