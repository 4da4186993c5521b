"""TL objects written as JSON, for what an export's own keys can't say.

`{"_": "types.MessageMediaDice", "value": 4, "emoticon": "🎲"}`: the constructor's name under `_`, its fields
beside it, nested objects likewise, bytes in base64 as `{"_bytes": "AAE="}`. It is the form in which
`str()` of a Kurigram object prints itself, except for bytes.

Files of the export are named by `{"_photo": "photos/a.jpg"}`, a `Photo`, and by `{"_document": {"file": "films/a.mp4",
"media_type": "video_file", ...}}`, a `Document`, with the keys that an export's message has for it. `{"_id": ...}` of
either is its id.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from pyrogram import raw
from pyrogram.raw.core import TLObject

from tgserver.export.vectors import complete
from tgserver.tl import check_writable

Named = Mapping[str, Callable[[Any], TLObject[Any]]]
"""Builds a file by what stands under `_photo` or `_document`. Raises ValueError."""


def from_json(value: object, named: Named) -> Any:
    """The TL object that `value` describes; `named` knows the files.

    Raises `ValueError` with one line if a name, field or file is unknown, a field is missing, or TL can't
    carry a value.
    """
    built = _build(value, named)
    if not isinstance(built, TLObject):
        raise ValueError(f'expected an object with the constructor\'s name under "_", got {value!r:.80}')
    check_writable(built)
    return built


def _build(value: object, named: Named) -> Any:
    if isinstance(value, list):
        return [_build(entry, named) for entry in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        [(key, told)] = value.items()
        if key == "_bytes":
            return _bytes(told)
        if key == "_id":
            return _id(_build(told, named))
        if key in named:
            return named[key](told)
    name = value.get("_")
    constructor = _constructor(name) if isinstance(name, str) else None
    if constructor is None:
        raise ValueError(f'unknown TL constructor {name!r} under "_"')
    fields = {key: _build(entry, named) for key, entry in value.items() if key != "_"}
    try:
        built = constructor(**fields)
    except TypeError as error:
        raise ValueError(f"{name}: {str(error).removeprefix(f'{constructor.__name__}.__init__() ')}") from error
    complete(built)
    return built


def _bytes(told: object) -> bytes:
    try:
        return base64.b64decode(str(told), validate=True)
    except ValueError as error:
        raise ValueError(f"_bytes is not base64: {error}") from error


def _id(built: object) -> int:
    found = getattr(built, "id", None)
    if not isinstance(found, int):
        raise ValueError("_id needs a _photo or a _document")
    return found


def _constructor(name: str) -> type[TLObject[Any]] | None:
    path = name.removeprefix("types.").split(".")
    found: object = raw.types
    for step in path:
        found = getattr(found, step, None)
    return found if isinstance(found, type) and issubclass(found, TLObject) else None
