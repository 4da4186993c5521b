"""TL objects written as JSON, for what an export's own keys can't say.

`{"_": "types.MessageMediaDice", "value": 4, "emoticon": "🎲"}`: the constructor's name under `_`, its fields
beside it, nested objects likewise, bytes in base64 as `{"_bytes": "AAE="}`. It is the form in which
`str()` of a Kurigram object prints itself, except for bytes.
"""

from __future__ import annotations

import base64
from typing import Any

from pyrogram import raw
from pyrogram.raw.core import TLObject

from tgserver.export.vectors import complete
from tgserver.tl import check_writable


def from_json(value: object) -> Any:
    """The TL object that `value` describes.

    Raises `ValueError` with one line if a name or field is unknown, a field is missing, or TL can't
    carry a value.
    """
    built = _build(value)
    if not isinstance(built, TLObject):
        raise ValueError(f'expected an object with the constructor\'s name under "_", got {value!r:.80}')
    check_writable(built)
    return built


def _build(value: object) -> Any:
    if isinstance(value, list):
        return [_build(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"_bytes"}:
        try:
            return base64.b64decode(str(value["_bytes"]), validate=True)
        except ValueError as error:
            raise ValueError(f"_bytes is not base64: {error}") from error
    name = value.get("_")
    constructor = _constructor(name) if isinstance(name, str) else None
    if constructor is None:
        raise ValueError(f'unknown TL constructor {name!r} under "_"')
    fields = {key: _build(entry) for key, entry in value.items() if key != "_"}
    try:
        built = constructor(**fields)
    except TypeError as error:
        raise ValueError(f"{name}: {str(error).removeprefix(f'{constructor.__name__}.__init__() ')}") from error
    complete(built)
    return built


def _constructor(name: str) -> type[TLObject[Any]] | None:
    path = name.removeprefix("types.").split(".")
    found: object = raw.types
    for step in path:
        found = getattr(found, step, None)
    return found if isinstance(found, type) and issubclass(found, TLObject) else None
