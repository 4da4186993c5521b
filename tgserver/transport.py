"""The abridged MTProto transport: how packets are cut out of a TCP stream.

See https://core.telegram.org/mtproto/mtproto-transports#abridged.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

# The one address that anything here listens on or connects to.
HOST = "127.0.0.1"
TAG = 0xEF
_LONG = 0x7F
# The largest packet a client of this server can have reason to send, in bytes.
MAX_PACKET = 2 * 1024 * 1024


class TransportMismatch(Exception):
    """The peer speaks another transport, or sends nonsense. The connection is of no use."""


class PacketReader:
    """Cuts the packets of one connection out of the bytes as they arrive."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._tagged = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take bytes from the socket, give the packets that are complete with them.

        Raises TransportMismatch when the stream does not begin with the abridged tag, or
        announces a packet larger than MAX_PACKET.
        """
        buffer = self._buffer
        buffer += data
        if not self._tagged:
            if not buffer:
                return
            if buffer[0] != TAG:
                raise TransportMismatch(f"first byte {buffer[0]:#04x}: only the abridged transport is spoken")
            del buffer[0]
            self._tagged = True
        while buffer:
            start, length = 1, buffer[0] * 4
            if buffer[0] == _LONG:
                if len(buffer) < 4:
                    return
                start, length = 4, int.from_bytes(buffer[1:4], "little") * 4
            elif buffer[0] > _LONG:
                raise TransportMismatch("quick acknowledgements are not spoken")
            if length > MAX_PACKET:
                raise TransportMismatch(f"a packet of {length} bytes")
            if len(buffer) < start + length:
                return
            packet = bytes(buffer[start : start + length])
            del buffer[: start + length]
            yield packet


def header(length: int) -> bytes:
    """What goes before a packet of that many bytes (a multiple of 4)."""
    words = length // 4
    return bytes([words]) if words < _LONG else bytes([_LONG]) + words.to_bytes(3, "little")


def error_packet(code: int) -> bytes:
    """A transport error, such as -404 (auth key not found) or -429 (too many requests)."""
    return struct.pack("<i", code)
