"""What comes over an encrypted connection: whatever can't be read of it, the rest is."""

from __future__ import annotations

import random
from hashlib import sha256
from io import BytesIO
from typing import Any

import pytest
from pyrogram import raw
from pyrogram.crypto import aes
from pyrogram.crypto.mtproto import kdf
from pyrogram.errors import SecurityCheckMismatch
from pyrogram.raw.core import Int, Long, MsgContainer, TLObject

from telegram.packets import Unreadable, unpack

KEY, KEY_ID, SESSION = bytes(range(256)), b"key's id", b"session!"
UNKNOWN = bytes(Int(0x12345678)) + bytes(8)
ANSWER = raw.types.RpcResult(req_msg_id=77, result=raw.types.Pong(msg_id=1, ping_id=2)).write()


def message(message_id: int, body: bytes) -> bytes:
    """A message as it stands in a packet or in a container."""
    return bytes(Long(message_id)) + bytes(Int(1)) + bytes(Int(len(body))) + body


def packet(content: bytes, *, session: bytes = SESSION) -> bytes:
    """A packet from Telegram with a message in it."""
    data = bytes(8) + session + content
    data += bytes(-(len(data) + 12) % 16 + 12)
    key = sha256(KEY[96:128] + data).digest()[8:24]
    return KEY_ID + key + aes.ige256_encrypt(data, *kdf(KEY, key, False))


def read(body: bytes) -> Any:
    """What the bridge reads in a message with this body."""
    return unpack(BytesIO(packet(message(101, body))), SESSION, KEY, KEY_ID).body


def container(*bodies: bytes) -> bytes:
    """A container of messages with these bodies."""
    inner = b"".join(message(5 + 4 * number, body) for number, body in enumerate(bodies))
    return bytes(Int(MsgContainer.ID, False)) + bytes(Int(len(bodies))) + inner


def test_what_shares_a_container_with_something_unknown_is_read_all_the_same() -> None:
    read_bodies = [one.body for one in read(container(UNKNOWN, ANSWER, UNKNOWN)).messages]
    assert [type(body) for body in read_bodies] == [Unreadable, raw.types.RpcResult, Unreadable]
    assert read_bodies[1].result == raw.types.Pong(msg_id=1, ping_id=2)
    assert read_bodies[0].why == "unknown constructor 0x12345678"


@pytest.mark.parametrize("result", [UNKNOWN, b"", bytes(4), raw.types.Pong(msg_id=1, ping_id=2).write()[:3]])
def test_an_answer_that_cannot_be_read_still_tells_whose_it_is(result: bytes) -> None:
    body = read(ANSWER[:12] + result + bytes(-len(result) % 4))
    assert (body.req_msg_id, type(body.result)) == (77, Unreadable)


def test_whatever_telegram_sends_no_packet_is_a_surprise() -> None:
    draw = random.Random(5)
    user = raw.types.User(id=5, access_hash=6, first_name="Ada", usernames=[raw.types.Username(username="ada")])
    whole: TLObject[Any] = raw.types.messages.Messages(messages=[], topics=[], chats=[], users=[user] * 3)
    body = container(UNKNOWN, raw.types.RpcResult(req_msg_id=7, result=whole).write(), ANSWER)
    for _ in range(300):
        damaged = bytearray(body[: draw.randrange(4, len(body) + 1) // 4 * 4])
        for _ in range(draw.randrange(4)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        assert isinstance(read(bytes(damaged)), TLObject)


@pytest.mark.parametrize(
    "foreign",
    [
        packet(message(101, ANSWER), session=b"another!"),
        packet(message(101, ANSWER))[:-16],
        packet(message(101, ANSWER))[:-3],
        b"no key's" + packet(message(101, ANSWER))[8:],
        packet(message(102, ANSWER)),
        packet(bytes(12) + bytes(Int(2**31 - 4))),
        KEY_ID + bytes(16),
        b"",
    ],
    ids=["session", "cut", "cut unevenly", "key", "number", "length", "empty", "nothing"],
)
def test_a_packet_that_is_not_from_telegram_or_for_another_session_is_refused_unread(foreign: bytes) -> None:
    with pytest.raises(SecurityCheckMismatch):
        unpack(BytesIO(foreign), SESSION, KEY, KEY_ID)
