"""The server's RSA key, by which a client knows whom it makes an auth key with."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha1

from pyrogram.crypto import rsa as client_keys
from pyrogram.raw.core import Bytes

EXPONENT = 65537
KEY_BYTES = 256
# Four primes of 512 bits instead of two of 1024 (RFC 8017 allows it): found ten times faster,
# and a key that guards loopback traffic for the length of a test needs no more.
_PRIMES, _PRIME_BITS = 4, 512
_SMALL_PRIMES = [n for n in range(3, 2000, 2) if all(n % d for d in range(3, math.isqrt(n) + 1, 2))]


@dataclass(slots=True, frozen=True)
class PublicKey:
    """Modulus and exponent of a server's RSA key."""

    n: int
    e: int = EXPONENT

    @property
    def fingerprint(self) -> int:
        """The key's name in the handshake: the last 64 bits of the SHA-1 of its TL form, signed."""
        parts = (number.to_bytes((number.bit_length() + 7) // 8, "big") for number in (self.n, self.e))
        digest = sha1(b"".join(bytes(Bytes(part)) for part in parts)).digest()
        return int.from_bytes(digest[-8:], "little", signed=True)

    @contextmanager
    def trusted(self) -> Iterator[None]:
        """Let Kurigram clients of this process accept the key while the context lasts."""
        fingerprint = self.fingerprint
        client_keys.server_public_keys[fingerprint] = client_keys.PublicKey(m=self.n, e=self.e)
        try:
            yield
        finally:
            client_keys.server_public_keys.pop(fingerprint, None)


@dataclass(slots=True, frozen=True)
class RsaKey:
    """A private RSA key of 2048 bits."""

    public: PublicKey
    d: int

    @classmethod
    def generate(cls) -> RsaKey:
        """Make a new key. Takes about 0.1 s."""
        while True:
            primes = {_random_prime() for _ in range(_PRIMES)}
            if len(primes) == _PRIMES:
                break
        phi = math.prod(prime - 1 for prime in primes)
        return cls(PublicKey(math.prod(primes)), pow(EXPONENT, -1, phi))

    def decrypt(self, data: bytes) -> bytes:
        """The 256 bytes that were encrypted with the public key."""
        return pow(int.from_bytes(data, "big"), self.d, self.public.n).to_bytes(KEY_BYTES, "big")


def _random_prime() -> int:
    # The three top bits make the product of four exactly 2048 bits long.
    top = 0b111 << (_PRIME_BITS - 3)
    while True:
        candidate = secrets.randbits(_PRIME_BITS) | top | 1
        if any(candidate % prime == 0 for prime in _SMALL_PRIMES):
            continue
        if math.gcd(candidate - 1, EXPONENT) == 1 and _is_prime(candidate):
            return candidate


def _is_prime(number: int, rounds: int = 12) -> bool:
    """Miller-Rabin."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(rounds):
        power = pow(secrets.randbelow(number - 3) + 2, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True
