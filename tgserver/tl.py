"""Small helpers around Kurigram's TL objects: names, parsing, raw answers."""

from __future__ import annotations

import re
import struct
from io import BytesIO
from typing import Any

from pyrogram import raw
from pyrogram.raw.core import BoolFalse, BoolTrue, TLObject

TL = TLObject[Any]

TRUE: bytes = struct.pack("<I", BoolTrue.ID)
FALSE: bytes = struct.pack("<I", BoolFalse.ID)
_VECTOR = 0x1CB5C415
# A number of bytes that looks like no vector's elements.
_MORE = 1009

# What reading malformed TL can raise in Kurigram's generated code.
PARSE_ERRORS = (KeyError, ValueError, TypeError, AttributeError, IndexError, struct.error, UnicodeDecodeError)


class Unparsable(Exception):
    """Bytes that are no TL object. `constructor` is their first number."""

    def __init__(self, constructor: int) -> None:
        super().__init__(f"cannot parse a TL object that begins with {constructor:#010x}")
        self.constructor = constructor


def parse(data: bytes) -> TL:
    """The TL object in `data`. Raises Unparsable."""
    try:
        parsed = TLObject.read(BytesIO(data))
    except PARSE_ERRORS as error:
        raise Unparsable(int.from_bytes(data[:4], "little")) from error
    if not isinstance(parsed, TLObject) or not hasattr(parsed, "QUALNAME"):
        raise Unparsable(int.from_bytes(data[:4], "little"))
    return parsed


# What writing TL raises for a value that a field can't carry.
_WRITE_ERRORS = (TypeError, AttributeError, ValueError, OverflowError, struct.error)


def check_writable(value: TL) -> None:
    """Raise ValueError if TL can't carry the object's values, or if its bytes do not read as the same object.

    The latter happens when of several fields that TL sends together only some are set.
    """
    try:
        written = value.write()
    except _WRITE_ERRORS as error:
        raise ValueError(f"{value.QUALNAME} can't be written as TL: {error}") from error
    # Other bytes follow, as in a real answer: what is missing is then read from them, and Kurigram, which
    # guesses the kind of a vector's elements from the number of bytes that are left, guesses as it would there.
    stream = BytesIO(written + bytes(_MORE))
    try:
        TLObject.read(stream)
    except PARSE_ERRORS:
        stream.seek(0)
    if stream.tell() != len(written):
        raise ValueError(f"{value.QUALNAME} is not complete: set all of the fields that TL sends together")


def is_method(name: str) -> bool:
    """Whether the TL schema has a method of that name, spelled as `method_name` does."""
    namespace, dot, last = name.rpartition(".")
    capitalized = last[:1].upper() + last[1:]
    if not dot and "_" in last:
        capitalized = "".join(word.capitalize() for word in last.split("_"))
    home: object = getattr(raw.functions, namespace, None) if dot else raw.functions
    found = getattr(home, capitalized, None)
    return isinstance(found, type) and issubclass(found, TLObject) and method_name(found) == name


def method_name(query: TL | type[TL]) -> str:
    """The method's name as the TL schema has it: `messages.getHistory`, `ping_delay_disconnect`."""
    *_, namespace, name = query.QUALNAME.split(".")
    if namespace not in ("functions", "types"):
        return f"{namespace}.{name[0].lower()}{name[1:]}"
    if name.startswith(("Invoke", "Init")):
        return name[0].lower() + name[1:]
    # The methods of MTProto itself are written in the other style.
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def elements(vector: list[Any]) -> list[TL]:
    """The objects of a vector argument.

    Kurigram reads a vector whose elements take 4 or 8 bytes as numbers, as it cannot know that
    they are objects. Their bytes are whole, so they are read again here. Raises Unparsable.
    """
    return [
        parse(struct.pack("<i" if -(2**31) <= item < 2**31 else "<q", item)) if isinstance(item, int) else item
        for item in vector
    ]


def vector_of(objects: list[Any]) -> bytes:
    """A boxed vector of objects, as a whole answer."""
    return struct.pack("<Ii", _VECTOR, len(objects)) + b"".join(item.write() for item in objects)


def bytes_prefix(length: int) -> bytes:
    """What TL writes before a string of bytes of that length."""
    return bytes([length]) if length < 254 else b"\xfe" + length.to_bytes(3, "little")


def bytes_padding(length: int) -> bytes:
    """What TL writes after a string of bytes of that length, to end on a multiple of 4."""
    return bytes(-(len(bytes_prefix(length)) + length) % 4)


def error(code: int, name: str) -> raw.types.RpcError:
    """An RPC error as the body of an answer."""
    return raw.types.RpcError(error_code=code, error_message=name)
