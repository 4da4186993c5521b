"""The delivery network: a data center that keeps encrypted copies of files, and what Telegram itself says of them.

See https://core.telegram.org/cdn.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from pyrogram import raw

from tgserver.crypto.rsa import PublicKey, RsaKey
from tgserver.world import ServedFile

# The ranges that are hashed, and how many hashes come in one answer.
HASHED_BYTES = 128 * 1024
HASHES = 10
_REDIRECT_HASHES = 2


@dataclass(slots=True)
class Delivery:
    """One file under one token. `kept` is whether the network has its bytes at present."""

    file: ServedFile
    token: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    iv: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    request_token: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    kept: bool = False

    def hashes(self, offset: int, count: int = HASHES) -> list[raw.types.FileHash]:
        """The hashes of up to `count` ranges from the one that holds `offset`. Raises OSError."""
        start = offset - offset % HASHED_BYTES
        starts = range(start, min(self.file.size, start + count * HASHED_BYTES), HASHED_BYTES)
        return [self._hash(begin) for begin in starts]

    def _hash(self, begin: int) -> raw.types.FileHash:
        data = self.file.read(begin, HASHED_BYTES)
        return raw.types.FileHash(offset=begin, limit=HASHED_BYTES, hash=sha256(data).digest())


class DeliveryNetwork:
    """Which files the network at data center `dc_id` delivers, and the levers for what goes wrong there.

    `tampering` makes it change the bytes that it sends.
    """

    def __init__(self, dc_id: int) -> None:
        self.dc_id = dc_id
        self.tampering = False
        self._file_ids: set[int] = set()
        self._deliveries: dict[bytes, Delivery] = {}

    @cached_property
    def rsa_key(self) -> RsaKey:
        """The network's own key, which help.getCdnConfig vouches for."""
        return RsaKey.generate()

    def deliver(self, file_ids: Iterable[int]) -> None:
        """Redirect clients that support it to the network for these files."""
        self._file_ids.update(file_ids)

    def stop_delivering(self) -> None:
        """Give out no more redirects; those that were given stay good."""
        self._file_ids.clear()

    def evict(self) -> None:
        """Let the network lose all bytes: CdnFileReuploadNeeded."""
        for delivery in self._deliveries.values():
            delivery.kept = False

    def expire_tokens(self) -> None:
        """Make all tokens that were given out invalid: FILE_TOKEN_INVALID."""
        self._deliveries.clear()

    def delivery_of(self, file: ServedFile) -> Delivery | None:
        """How that file is delivered, None if it is not."""
        if file.id not in self._file_ids:
            return None
        for delivery in self._deliveries.values():
            if delivery.file is file:
                return delivery
        delivery = Delivery(file)
        self._deliveries[delivery.token] = delivery
        return delivery

    def by_token(self, token: bytes) -> Delivery | None:
        """The delivery with that token, None if it is not valid."""
        return self._deliveries.get(token)

    def redirect(self, delivery: Delivery) -> raw.types.upload.FileCdnRedirect:
        """The answer that sends a client to the network."""
        return raw.types.upload.FileCdnRedirect(
            dc_id=self.dc_id,
            file_token=delivery.token,
            encryption_key=delivery.key,
            encryption_iv=delivery.iv,
            file_hashes=list(delivery.hashes(0, _REDIRECT_HASHES)),
        )

    def config(self) -> raw.types.CdnConfig:
        """The answer of help.getCdnConfig."""
        return raw.types.CdnConfig(
            public_keys=[raw.types.CdnPublicKey(dc_id=self.dc_id, public_key=pem(self.rsa_key.public))]
        )


def pem(key: PublicKey) -> str:
    """An RSA key as text: PKCS #1 (RFC 8017 A.1.1) in PEM."""
    body = base64.encodebytes(_der(0x30, _der_integer(key.n) + _der_integer(key.e))).decode()
    return f"-----BEGIN RSA PUBLIC KEY-----\n{body}-----END RSA PUBLIC KEY-----"


def _der_integer(number: int) -> bytes:
    # One bit more than the number has: the first says whether it is negative.
    return _der(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def _der(tag: int, content: bytes) -> bytes:
    length = len(content)
    if length < 0x80:
        return bytes([tag, length]) + content
    size = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(size)]) + size + content
