"""The encryption of messages once an auth key is agreed.

See https://core.telegram.org/mtproto/description#encrypted-message.
"""

from __future__ import annotations

import secrets
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from pyrogram.crypto import aes
from pyrogram.crypto.mtproto import kdf

_HEADER = struct.Struct("<q8sqii")


class EnvelopeError(Exception):
    """A packet that the auth key it names did not encrypt, or that is cut short."""


@dataclass(slots=True, frozen=True)
class ClientMessage:
    """What a client's packet holds. `body` is TL, not yet parsed."""

    salt: int
    session_id: bytes
    message_id: int
    seq_no: int
    body: bytes


def unseal(packet: bytes, auth_key: bytes) -> ClientMessage:
    """Decrypt a client's packet and check it. Raises EnvelopeError."""
    message_key, encrypted = packet[8:24], packet[24:]
    if len(encrypted) < _HEADER.size or len(encrypted) % 16:
        raise EnvelopeError(f"encrypted data of {len(encrypted)} bytes")
    data = aes.ige256_decrypt(encrypted, *kdf(auth_key, message_key, True))
    if sha256(auth_key[88:120] + data).digest()[8:24] != message_key:
        raise EnvelopeError("a message key that does not fit its message")
    salt, session_id, message_id, seq_no, length = _HEADER.unpack_from(data)
    if not 12 <= len(data) - _HEADER.size - length <= 1024:
        raise EnvelopeError("a padding of a wrong length")
    return ClientMessage(salt, session_id, message_id, seq_no, data[_HEADER.size : _HEADER.size + length])


def seal(
    parts: Sequence[bytes],
    auth_key: bytes,
    key_id: bytes,
    *,
    salt: int,
    session_id: bytes,
    message_id: int,
    seq_no: int,
) -> bytes:
    """Encrypt the TL body that `parts` make together into a packet for the client."""
    length = sum(map(len, parts))
    padding = secrets.token_bytes(-(_HEADER.size + length + 12) % 16 + 12)
    data = b"".join([_HEADER.pack(salt, session_id, message_id, seq_no, length), *parts, padding])
    digest = sha256(auth_key[96:128])
    digest.update(data)
    message_key = digest.digest()[8:24]
    return b"".join([key_id, message_key, aes.ige256_encrypt(data, *kdf(auth_key, message_key, False))])
