"""TL objects as plain data, for people who want to see what Telegram really sent."""

from __future__ import annotations

import base64
import math
from typing import Any

from pyrogram.raw.core import TLObject

# Deeper than Telegram nests anything, and far from where encoders of JSON give up.
DEEPEST = 100


def to_plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON can hold it; never raises, whatever it is given.

    An object becomes a dict that has its constructor's name under `_` and then all fields in the order of the schema,
    those that were not sent as None. Bytes become base64, numbers stay numbers (None where
    JSON has no word for them). What is nested deeper than `DEEPEST`
    gives way to a text that says so.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        # Half a surrogate pair can't be written in UTF-8.
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if depth >= DEEPEST:
        return f"(nested more than {DEEPEST} deep)"
    if isinstance(value, list | tuple):
        return [to_plain(part, depth + 1) for part in value]
    if isinstance(value, TLObject):
        fields = {name: to_plain(getattr(value, name, None), depth + 1) for name in value.__slots__}
        return {"_": value.QUALNAME.removeprefix("types."), **fields}
    return f"({type(value).__name__})"
