"""Files that Telegram has handed to a delivery network: keys, decryption, and proof that nothing was changed.

See https://core.telegram.org/cdn. The network's servers are not trusted: they hold encrypted bytes, and what they send
counts only if its hashes, which come from Telegram itself, are right.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1, sha256

from pyrogram import raw
from pyrogram.crypto import aes, rsa
from pyrogram.raw.core import Bytes

from errors import TelegramUnavailable

_BLOCK = 16
# DER (X.690): the tags of a sequence and of a whole number.
_SEQUENCE, _INTEGER = 0x30, 0x02


class BadDelivery(TelegramUnavailable):
    """The delivery network has sent other bytes than Telegram's hashes promise, or Telegram gives no hashes."""


@dataclass(slots=True)
class Redirect:
    """Where a file is delivered from, and how to read what comes: an `upload.fileCdnRedirect`.

    `home` is the data center that has the file itself. `hashes` are known by where their range begins.
    """

    home: int
    dc_id: int
    token: bytes
    key: bytes
    iv: bytes
    hashes: dict[int, raw.base.FileHash] = field(default_factory=dict)

    @classmethod
    def of(cls, answer: raw.types.upload.FileCdnRedirect, home: int) -> Redirect:
        """From Telegram's answer, given by the data center `home`."""
        redirect = cls(home, answer.dc_id, answer.file_token, answer.encryption_key, answer.encryption_iv)
        redirect.learn(answer.file_hashes)
        return redirect

    def learn(self, hashes: Iterable[raw.base.FileHash]) -> None:
        """Remember more hashes."""
        self.hashes.update((entry.offset, entry) for entry in hashes)

    def unproven(self, offset: int, length: int) -> int | None:
        """The first byte of a part for which there is no hash, None if all can be proven.

        Raises BadDelivery if a hash is for a range that does not lie within the part.
        """
        position, end = offset, offset + length
        while position < end:
            entry = self.hashes.get(position)
            if entry is None:
                return position
            if entry.limit <= 0:
                raise BadDelivery("Telegram gave a hash of no bytes")
            position += entry.limit
        return None

    def open(self, data: bytes, offset: int, limit: int) -> bytes:
        """Decrypt the part that came for `limit` bytes from `offset` on, and prove it. Blocks.

        Raises BadDelivery.
        """
        plain = self.decrypt(data, offset)
        position, end = offset, offset + len(plain)
        while position < end:
            entry = self.hashes[position]
            stop = position + entry.limit
            # Only at the end of the file may there be less than the range.
            whole = stop <= end or len(plain) < limit
            if not whole or sha256(plain[position - offset : stop - offset]).digest() != entry.hash:
                raise BadDelivery("The delivery network sent other bytes of a file than Telegram has", 5)
            position = stop
        return plain

    def decrypt(self, data: bytes, offset: int) -> bytes:
        """AES-256-CTR; the counter's last four bytes say at which block of the file the part begins."""
        if not data:
            return b""
        counter = bytearray(self.iv[:-4] + (offset // _BLOCK).to_bytes(4, "big"))
        plain: bytes = aes.ctr256_decrypt(data, self.key, counter)
        return plain


@contextmanager
def trusted_keys(config: raw.types.CdnConfig, dc_id: int) -> Iterator[None]:
    """Let Kurigram exchange keys with a delivery network's server; only inside, as it knows one list for all servers.

    Raises TelegramUnavailable if Telegram vouches for none of its keys.
    """
    known = rsa.server_public_keys
    added = {}
    for entry in config.public_keys:
        if entry.dc_id == dc_id:
            modulus, exponent = read_public_key(entry.public_key)
            added[fingerprint(modulus, exponent)] = rsa.PublicKey(m=modulus, e=exponent)
    if not added:
        raise TelegramUnavailable(f"Telegram names no key of its delivery network's server {dc_id}")
    added = {name: key for name, key in added.items() if name not in known}
    known.update(added)
    try:
        yield
    finally:
        for name in added:
            known.pop(name, None)


def read_public_key(text: str) -> tuple[int, int]:
    """Modulus and exponent of an RSA key in PEM, as PKCS #1 has it (RFC 8017 A.1.1). Raises TelegramUnavailable."""
    lines = [line.strip() for line in text.strip().splitlines()]
    try:
        der = base64.b64decode("".join(line for line in lines if not line.startswith("-----")), validate=True)
        inside, rest = _der_value(der, _SEQUENCE)
        modulus, inside = _der_value(inside, _INTEGER)
        exponent, inside = _der_value(inside, _INTEGER)
    except (binascii.Error, ValueError, IndexError) as error:
        raise TelegramUnavailable("Telegram gave a key of its delivery network that can't be read") from error
    if rest or inside:
        raise TelegramUnavailable("Telegram gave a key of its delivery network that can't be read")
    return int.from_bytes(modulus, "big"), int.from_bytes(exponent, "big")


def fingerprint(modulus: int, exponent: int) -> int:
    """By which name a server offers the key: the last 64 bits of the SHA-1 of its TL form, signed."""
    parts = (number.to_bytes((number.bit_length() + 7) // 8, "big") for number in (modulus, exponent))
    digest = sha1(b"".join(bytes(Bytes(part)) for part in parts)).digest()
    return int.from_bytes(digest[-8:], "little", signed=True)


def _der_value(data: bytes, tag: int) -> tuple[bytes, bytes]:
    """The content of the first DER value, which must have that tag, and what follows it. Raises ValueError."""
    if data[0] != tag:
        raise ValueError(f"DER tag {data[0]:#x} instead of {tag:#x}")
    length, start = data[1], 2
    if length & 0x80:
        start += length & 0x7F
        length = int.from_bytes(data[2:start], "big")
    if len(data) < start + length:
        raise ValueError("DER value cut short")
    return data[start : start + length], data[start + length :]
