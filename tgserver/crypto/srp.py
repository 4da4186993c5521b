"""Checks a cloud password without ever seeing it (SRP, https://core.telegram.org/api/srp)."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256

from pyrogram import raw
from pyrogram.crypto.prime import CURRENT_DH_PRIME
from pyrogram.utils import compute_password_hash

Algorithm = raw.types.PasswordKdfAlgoSHA256SHA256PBKDF2HMACSHA512iter100000SHA256ModPow
_G = 3
_P_BYTES = CURRENT_DH_PRIME.to_bytes(256, "big")
_G_BYTES = _G.to_bytes(256, "big")


def _sha(*parts: bytes) -> bytes:
    return sha256(b"".join(parts)).digest()


class PasswordVerifier:
    """What a server keeps of a password. Making one takes about 0.1 s."""

    def __init__(self, password: str) -> None:
        self.algorithm = Algorithm(salt1=secrets.token_bytes(16), salt2=secrets.token_bytes(16), g=_G, p=_P_BYTES)
        exponent = int.from_bytes(compute_password_hash(self.algorithm, password), "big")
        self._verifier = pow(_G, exponent, CURRENT_DH_PRIME)

    def challenge(self) -> PasswordChallenge:
        """A new challenge for one attempt."""
        return PasswordChallenge(self.algorithm, self._verifier)


class PasswordChallenge:
    """One attempt: `srp_id` and `srp_b` go to the client, its proof comes back."""

    def __init__(self, algorithm: Algorithm, verifier: int) -> None:
        self._algorithm, self._verifier = algorithm, verifier
        self.srp_id = secrets.randbits(63)
        self._secret = secrets.randbits(512)
        multiplier = int.from_bytes(_sha(_P_BYTES, _G_BYTES), "big")
        public = (multiplier * verifier + pow(_G, self._secret, CURRENT_DH_PRIME)) % CURRENT_DH_PRIME
        self.srp_b = public.to_bytes(256, "big")

    def accepts(self, client_a: bytes, proof: bytes) -> bool:
        """Whether the client that sent A and M1 knows the password."""
        a = int.from_bytes(client_a, "big")
        if not 0 < a < CURRENT_DH_PRIME:
            return False
        scrambler = int.from_bytes(_sha(client_a, self.srp_b), "big")
        shared = pow(a * pow(self._verifier, scrambler, CURRENT_DH_PRIME), self._secret, CURRENT_DH_PRIME)
        prime_and_g = bytes(x ^ y for x, y in zip(_sha(_P_BYTES), _sha(_G_BYTES), strict=True))
        expected = _sha(
            prime_and_g,
            _sha(self._algorithm.salt1),
            _sha(self._algorithm.salt2),
            client_a,
            self.srp_b,
            _sha(shared.to_bytes(256, "big")),
        )
        return hmac.compare_digest(expected, proof)
