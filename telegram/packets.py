"""Reads the packets of an encrypted connection: what can't be understood in one harms nothing else.

Kurigram's reader gives up a whole packet, and the connection or the wait for an answer with it, for one constructor
that it does not know.
"""

from __future__ import annotations

import struct
import zlib
from hashlib import sha256
from io import BytesIO
from typing import Any

from pyrogram.crypto import aes, mtproto
from pyrogram.errors import SecurityCheckMismatch
from pyrogram.raw.core import Int, Long, Message, MsgContainer, TLObject
from pyrogram.raw.types import RpcResult

# msg_key, and before the message: salt and session id; its head: id, number, length.
_KEY_BYTES, _SESSION_AT, _MESSAGE_AT, _BODY_AT = 16, 8, 16, 32
_PADDING = range(12, 1025)
# What Kurigram's readers raise for bytes that are no object.
_DAMAGES = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)


class Unreadable(TLObject[Any]):
    """What stands for an object that can't be read; `why` is one line."""

    __slots__ = ["why"]

    QUALNAME = "Unreadable"

    def __init__(self, why: str) -> None:
        self.why = why


def unpack(b: BytesIO, session_id: bytes, auth_key: bytes, auth_key_id: bytes) -> Message:
    """The message in a packet `b`, or the container of messages, with `Unreadable` wherever something can't be read.

    Raises SecurityCheckMismatch for a packet that is not from who has the key, or not for this session; before any of
    it is read.
    """
    check = SecurityCheckMismatch.check
    check(b.read(8) == auth_key_id, "the key's id")
    message_key = b.read(_KEY_BYTES)
    sealed = b.read()
    check(len(sealed) > 0 and len(sealed) % 16 == 0, "the packet's length")
    data: bytes = aes.ige256_decrypt(sealed, *mtproto.kdf(auth_key, message_key, False))
    # https://core.telegram.org/mtproto/security_guidelines, in its order.
    check(message_key == sha256(auth_key[96:128] + data).digest()[8:24], "msg_key")
    check(data[_SESSION_AT:_MESSAGE_AT] == session_id, "the session's id")
    length = int.from_bytes(data[_BODY_AT - 4 : _BODY_AT], "little", signed=True)
    check(length >= 0 and length % 4 == 0, "the message's length")
    check(len(data) - _BODY_AT - length in _PADDING, "the padding's length")
    message = _read_message(BytesIO(data[_MESSAGE_AT:]))
    check(message.msg_id % 2 == 1, "the message's id")
    return message


# Sessions look it up there. Nothing else reads encrypted packets.
mtproto.unpack = unpack


def _read_message(data: BytesIO) -> Message:
    message_id, number, length = Long.read(data), Int.read(data), Int.read(data)
    return Message(_read_body(data.read(max(length, 0))), message_id, number, length)


def _read_body(body: bytes) -> TLObject[Any]:
    constructor = int.from_bytes(body[:4], "little")
    data = BytesIO(body[4:])
    if constructor == MsgContainer.ID:
        messages = []
        for _ in range(Int.read(data)):
            if data.tell() == len(body) - 4:
                break
            messages.append(_read_message(data))
        return MsgContainer(messages)
    if constructor == RpcResult.ID:
        return RpcResult(req_msg_id=Long.read(data), result=_read_object(data.read()))
    return _read_object(body)


def _read_object(data: bytes) -> TLObject[Any]:
    """The object in some bytes. Who asked for it must be told if it can't be read, whatever the reason."""
    try:
        found: TLObject[Any] = TLObject.read(BytesIO(data))
    except KeyError as error:
        number = error.args[0] if error.args else None
        return Unreadable(f"unknown constructor {number:#x}" if isinstance(number, int) else "unknown constructor")
    except _DAMAGES as error:
        return Unreadable(f"damaged, {type(error).__name__}")
    return found
