"""One download at full speed, timed: its first byte and its end."""

from __future__ import annotations

import asyncio
import socket
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from bench.load import LoadFailed

BUFFER_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Transfer:
    """Seconds from the request to the first byte of the body and to its last, and the body's size in bytes."""

    first_byte_s: float
    total_s: float
    size: int


async def download(url: str) -> Transfer:
    """GET the URL with a blocking socket in a thread, which is faster than the server. Raises LoadFailed unless 200."""
    return await asyncio.to_thread(_download, url)


def _download(url: str) -> Transfer:
    parts = urlsplit(url)
    assert parts.hostname is not None
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    request = f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n"
    buffer = bytearray(BUFFER_BYTES)
    with socket.create_connection((parts.hostname, parts.port or 80), timeout=120) as connection:
        began = time.perf_counter()
        connection.sendall(request.encode())
        head = b""
        while b"\r\n\r\n" not in head:
            received = connection.recv(65536)
            if not received:
                raise LoadFailed(f"{url}: the connection ended before its answer")
            head += received
        head, _, body = head.partition(b"\r\n\r\n")
        if b" 200 " not in head.splitlines()[0]:
            raise LoadFailed(f"{url}: {head.splitlines()[0].decode('latin-1')}")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        size = len(body)
        first = time.perf_counter() if size else 0.0
        while size < length and (count := connection.recv_into(buffer)):
            first = first or time.perf_counter()
            size += count
        ended = time.perf_counter()
    if size != length:
        raise LoadFailed(f"{url}: {size} of {length} bytes came")
    return Transfer(first - began, ended - began, size)
