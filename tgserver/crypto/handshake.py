"""How a client and this server agree on an auth key.

See https://core.telegram.org/mtproto/auth_key. Both the plain SHA-1 padding of the encrypted
part and inner data with or without a DC are taken; RSA_PAD is not.
"""

from __future__ import annotations

import secrets
import struct
import time
from hashlib import sha1

from pyrogram import raw
from pyrogram.crypto import aes
from pyrogram.crypto.prime import CURRENT_DH_PRIME

from tgserver.crypto.rsa import KEY_BYTES, RsaKey
from tgserver.tl import TL, Unparsable, parse

_P, _Q = 65537, 65539
_G = 3
# A short exponent is as hard to find as the auth key's cipher is to break, and four times faster.
_EXPONENT_BITS = 512
_MARGIN = 1 << (2048 - 64)

METHODS: dict[type[TL], str] = {
    raw.functions.ReqPq: "req_pq",
    raw.functions.ReqPqMulti: "req_pq_multi",
    raw.functions.ReqDHParams: "req_DH_params",
    raw.functions.SetClientDHParams: "set_client_DH_params",
}


class HandshakeError(Exception):
    """The client broke the rules of the key exchange; its connection is to be closed."""


def read_plain(packet: bytes) -> TL:
    """The object in an unencrypted packet. Raises HandshakeError if there is none."""
    if len(packet) < 24:
        raise HandshakeError("an unencrypted packet shorter than its header")
    (length,) = struct.unpack_from("<i", packet, 16)
    if length < 4 or 20 + length > len(packet):
        raise HandshakeError(f"an unencrypted message of {length} bytes in a packet of {len(packet)}")
    try:
        return parse(packet[20 : 20 + length])
    except Unparsable as error:
        raise HandshakeError(str(error)) from error


def write_plain(body: TL) -> bytes:
    """An unencrypted packet with the object, as the answer to a client's."""
    data = body.write()
    message_id = int(time.time() * 2**32) & ~3 | 1
    return struct.pack("<qqi", 0, message_id, len(data)) + data


class Handshake:
    """One key exchange on one connection. `auth_key` is there once it is complete."""

    def __init__(self, key: RsaKey) -> None:
        self._key = key
        self._nonce = 0
        self._server_nonce = 0
        self._new_nonce = b""
        self._secret = 0
        self.auth_key: bytes | None = None

    def answer(self, request: TL) -> TL:
        """The server's answer to one step. Raises HandshakeError."""
        if isinstance(request, raw.functions.ReqPqMulti | raw.functions.ReqPq):
            return self._start(request.nonce)
        if isinstance(request, raw.functions.ReqDHParams):
            return self._send_parameters(request)
        if isinstance(request, raw.functions.SetClientDHParams):
            return self._finish(request)
        raise HandshakeError(f"{request.QUALNAME} in a key exchange")

    def _start(self, nonce: int) -> raw.types.ResPQ:
        self._nonce = nonce
        self._server_nonce = int.from_bytes(secrets.token_bytes(16), "little", signed=True)
        return raw.types.ResPQ(
            nonce=nonce,
            server_nonce=self._server_nonce,
            pq=(_P * _Q).to_bytes(8, "big"),
            server_public_key_fingerprints=[self._key.public.fingerprint],
        )

    def _send_parameters(self, request: raw.functions.ReqDHParams) -> raw.types.ServerDHParamsOk:
        self._check_nonces(request.nonce, request.server_nonce)
        if (int.from_bytes(request.p, "big"), int.from_bytes(request.q, "big")) != (_P, _Q):
            raise HandshakeError("wrong factors of pq")
        if request.public_key_fingerprint != self._key.public.fingerprint:
            raise HandshakeError("an RSA key that is not this server's")
        if len(request.encrypted_data) != KEY_BYTES:
            raise HandshakeError("RSA data of a wrong length")
        inner = _read_hashed(self._key.decrypt(request.encrypted_data)[1:])
        if not isinstance(inner, raw.types.PQInnerData | raw.types.PQInnerDataDc):
            raise HandshakeError("no p_q_inner_data")
        self._check_nonces(inner.nonce, inner.server_nonce)
        self._new_nonce = inner.new_nonce.to_bytes(32, "little", signed=True)

        self._secret = secrets.randbits(_EXPONENT_BITS) | 1 << (_EXPONENT_BITS - 1)
        answer = raw.types.ServerDHInnerData(
            nonce=self._nonce,
            server_nonce=self._server_nonce,
            g=_G,
            dh_prime=CURRENT_DH_PRIME.to_bytes(256, "big"),
            g_a=pow(_G, self._secret, CURRENT_DH_PRIME).to_bytes(256, "big"),
            server_time=int(time.time()),
        ).write()
        hashed = sha1(answer).digest() + answer
        hashed += secrets.token_bytes(-len(hashed) % 16)
        return raw.types.ServerDHParamsOk(
            nonce=self._nonce,
            server_nonce=self._server_nonce,
            encrypted_answer=aes.ige256_encrypt(hashed, *self._temporary_key()),
        )

    def _finish(self, request: raw.functions.SetClientDHParams) -> raw.types.DhGenOk:
        self._check_nonces(request.nonce, request.server_nonce)
        if not self._secret:
            raise HandshakeError("set_client_DH_params before req_DH_params")
        if not request.encrypted_data or len(request.encrypted_data) % 16:
            raise HandshakeError("client_DH_inner_data of a wrong length")
        inner = _read_hashed(aes.ige256_decrypt(request.encrypted_data, *self._temporary_key()))
        if not isinstance(inner, raw.types.ClientDHInnerData):
            raise HandshakeError("no client_DH_inner_data")
        self._check_nonces(inner.nonce, inner.server_nonce)
        g_b = int.from_bytes(inner.g_b, "big")
        if not _MARGIN < g_b < CURRENT_DH_PRIME - _MARGIN:
            raise HandshakeError("g_b out of range")
        self.auth_key = pow(g_b, self._secret, CURRENT_DH_PRIME).to_bytes(256, "big")
        proof = sha1(self._new_nonce + b"\x01" + sha1(self.auth_key).digest()[:8]).digest()[-16:]
        return raw.types.DhGenOk(
            nonce=self._nonce,
            server_nonce=self._server_nonce,
            new_nonce_hash1=int.from_bytes(proof, "little", signed=True),
        )

    def _check_nonces(self, nonce: int, server_nonce: int) -> None:
        if (nonce, server_nonce) != (self._nonce, self._server_nonce):
            raise HandshakeError("nonces of another key exchange")

    def _temporary_key(self) -> tuple[bytes, bytes]:
        server = self._server_nonce.to_bytes(16, "little", signed=True)
        new = self._new_nonce
        both = sha1(server + new).digest()
        key = sha1(new + server).digest() + both[:12]
        return key, both[12:] + sha1(new + new).digest() + new[:4]


def _read_hashed(data: bytes) -> TL:
    """The object behind its SHA-1 and before its padding."""
    try:
        inner = parse(data[20:])
    except Unparsable as error:
        raise HandshakeError(str(error)) from error
    if sha1(inner.write()).digest() != data[:20]:
        raise HandshakeError("encrypted data with a wrong SHA-1")
    return inner
