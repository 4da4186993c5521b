"""Framing, key exchange and encryption, without a network."""

from __future__ import annotations

import secrets
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyrogram import raw
from pyrogram.crypto import mtproto
from pyrogram.raw.core import Message

from tgserver import transport
from tgserver.crypto.envelope import EnvelopeError, seal, unseal
from tgserver.crypto.handshake import Handshake, HandshakeError, read_plain, write_plain
from tgserver.crypto.rsa import KEY_BYTES, RsaKey
from tgserver.errors import error_code
from tgserver.tl import bytes_padding, bytes_prefix, elements, method_name, parse

KEY = bytes(range(256))


@settings(deadline=None)
@given(st.lists(st.integers(1, 200), max_size=4), st.integers(1, 700))
def test_packets_come_out_whole_however_the_stream_is_cut(words: list[int], cut: int) -> None:
    packets = [bytes([number + 1]) * 4 * count for number, count in enumerate(words)]
    stream = b"\xef" + b"".join(transport.header(len(packet)) + packet for packet in packets)
    reader = transport.PacketReader()
    seen = [packet for start in range(0, len(stream), cut) for packet in reader.feed(stream[start : start + cut])]
    assert seen == packets


@pytest.mark.parametrize(
    ("stream", "why"),
    [(b"\xee\xee\xee\xee", "abridged"), (b"\xef\x81", "acknowledgements"), (b"\xef\x7f\xff\xff\xff", "bytes")],
)
def test_another_transport_is_refused(stream: bytes, why: str) -> None:
    with pytest.raises(transport.TransportMismatch, match=why):
        list(transport.PacketReader().feed(stream))


def packed(body: Any) -> bytes:
    """A packet as Kurigram sends it."""
    message = Message(body, 4, 1, len(body.write()))
    return mtproto.pack(message, 9, b"session!", KEY, b"key's id")


def test_what_the_client_packs_is_unsealed() -> None:
    ping = raw.functions.Ping(ping_id=77)
    message = unseal(packed(ping), KEY)
    assert (message.salt, message.session_id, message.message_id, message.seq_no) == (9, b"session!", 4, 1)
    assert parse(message.body) == ping


@pytest.mark.parametrize("position", [8, 23, 24, 50, -1])
def test_a_packet_that_was_tampered_with_is_refused(position: int) -> None:
    packet = bytearray(packed(raw.functions.Ping(ping_id=77)))
    packet[position] ^= 1
    with pytest.raises(EnvelopeError):
        unseal(bytes(packet), KEY)
    with pytest.raises(EnvelopeError):
        unseal(bytes(packet[:30]), KEY)


@settings(deadline=None)
@given(st.integers(0, 300))
def test_what_is_sealed_the_client_unpacks(size: int) -> None:
    body = raw.types.upload.File(type=raw.types.storage.FileUnknown(), mtime=0, bytes=b"x" * size)
    written = body.write()
    packet = seal([written[:5], written[5:]], KEY, b"key's id", salt=1, session_id=b"session!", message_id=5, seq_no=1)
    assert mtproto.unpack(BytesIO(packet), b"session!", KEY, b"key's id").body == body


@settings(deadline=None)
@given(st.integers(0, 300))
def test_strings_of_bytes_are_framed_as_kurigram_does(size: int) -> None:
    content = b"x" * size
    written = raw.types.auth.LoggedOut(future_auth_token=content).write()[8:]
    assert bytes_prefix(size) + content + bytes_padding(size) == written


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (raw.functions.messages.GetHistory, "messages.getHistory"),
        (raw.functions.Ping, "ping"),
        (raw.functions.PingDelayDisconnect, "ping_delay_disconnect"),
        (raw.functions.InvokeWithLayer, "invokeWithLayer"),
        (raw.functions.InitConnection, "initConnection"),
    ],
)
def test_methods_are_named_as_in_the_schema(query: Any, name: str) -> None:
    assert method_name(query) == name


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("FLOOD_WAIT_5", 420),
        ("FILE_MIGRATE_4", 303),
        ("SESSION_REVOKED", 401),
        ("AUTH_KEY_UNREGISTERED", 401),
        ("CHANNEL_PRIVATE", 400),
        ("RPC_CALL_FAIL", 500),
        ("NEVER_HEARD_OF", 400),
    ],
)
def test_errors_have_the_code_that_telegram_gives_them(name: str, code: int) -> None:
    assert error_code(name) == code


def test_vectors_that_kurigram_reads_as_numbers_are_objects_again() -> None:
    objects: list[Any] = [raw.types.InputMessageID(id=5), raw.types.InputMessageReplyTo(id=2**31 - 1)]
    query: Any = parse(raw.functions.messages.GetMessages(id=objects).write())
    assert all(isinstance(item, int) for item in query.id)
    assert elements(query.id) == objects


def test_a_wrong_step_ends_the_key_exchange(rsa_key: RsaKey) -> None:
    handshake = Handshake(rsa_key)
    started = handshake.answer(raw.functions.ReqPqMulti(nonce=5))
    assert isinstance(started, raw.types.ResPQ)
    request = raw.functions.ReqDHParams(
        nonce=5,
        server_nonce=started.server_nonce,
        p=(65537).to_bytes(4, "big"),
        q=(65539).to_bytes(4, "big"),
        public_key_fingerprint=rsa_key.public.fingerprint,
        encrypted_data=bytes(KEY_BYTES),
    )
    wrong: dict[str, Any] = {
        "nonce": 6,
        "p": bytes(4),
        "public_key_fingerprint": 1,
        "encrypted_data": b"short",
    }
    for name, value in wrong.items():
        fields = {slot: getattr(request, slot) for slot in request.__slots__} | {name: value}
        with pytest.raises(HandshakeError):
            handshake.answer(raw.functions.ReqDHParams(**fields))
    with pytest.raises(HandshakeError):
        handshake.answer(request)
    early = raw.functions.SetClientDHParams(nonce=5, server_nonce=started.server_nonce, encrypted_data=bytes(16))
    with pytest.raises(HandshakeError, match="before"):
        handshake.answer(early)
    with pytest.raises(HandshakeError, match="in a key exchange"):
        handshake.answer(raw.functions.Ping(ping_id=1))
    assert handshake.auth_key is None


def test_plain_packets_are_read_and_nonsense_is_not() -> None:
    ping = raw.functions.Ping(ping_id=1)
    assert read_plain(write_plain(ping)) == ping
    for packet in (b"", bytes(20), bytes(16) + b"\xff\xff\x00\x00" + bytes(8), write_plain(ping)[:26]):
        with pytest.raises(HandshakeError):
            read_plain(packet)


def test_an_rsa_key_decrypts_what_its_public_half_encrypted() -> None:
    key = RsaKey.generate()
    assert key.public.n.bit_length() == 2048
    secret = secrets.randbits(2000)
    assert int.from_bytes(key.decrypt(pow(secret, key.public.e, key.public.n).to_bytes(256, "big")), "big") == secret
