"""TL objects for tests: as the wire delivers them, and arbitrary ones of any constructor."""

from __future__ import annotations

import inspect
import random
import re
from io import BytesIO
from typing import Any, TypeVar

from pyrogram import raw
from pyrogram.raw.core import TLObject

T = TypeVar("T", bound=TLObject[Any])

_TEXTS = ("", "a", "Größe 👩‍👩‍👧 \u202e", "<b>&amp;", "x" * 300, "https://example.com/?a=b", "\x00\x07")
_NUMBERS = (0, 1, 2, 7, 2**31 - 1, -1)
_LONGS = (0, 1, 5, 2**62, -(2**62), 1234567890)


def decoded(thing: T) -> T:
    """The object after a trip over the wire: absent vectors are empty lists, as in every real answer."""
    back: T = TLObject.read(BytesIO(thing.write()))
    return back


def constructors(base: str) -> list[type[TLObject[Any]]]:
    """All constructors of a base type such as `MessageMedia` or `messages.Messages`, by name."""
    found: Any = raw.base
    for part in base.split("."):
        found = getattr(found, part)
    union = found.__union_types__
    return list(getattr(union, "__args__", (union,)))


def arbitrary(constructor: type[TLObject[Any]], chance: random.Random, depth: int = 4) -> Any:
    """An object with random values: in all fields, or only in those that the schema asks for.

    Optional fields come all or none, since some share one flag bit and are there together.
    """
    values: dict[str, Any] = {}
    whole = depth > 0 and chance.random() < 0.6
    for name, parameter in inspect.signature(constructor.__init__).parameters.items():
        if name == "self":
            continue
        text = str(parameter.annotation)
        optional = text.endswith(" | None")
        if not optional or whole:
            values[name] = _value(text.removesuffix(" | None"), _width(constructor, name), chance, depth - 1)
    return constructor(**values)


def _width(constructor: type[TLObject[Any]], name: str) -> int:
    """How many bits the schema gives an integer field, from its documentation."""
    found = re.search(rf"\n        {name} \(.*?``(32|64|128|256)-bit``", constructor.__doc__ or "")
    return int(found.group(1)) if found else 32


def _value(annotation: str, bits: int, chance: random.Random, depth: int) -> Any:
    if annotation == "int":
        return chance.choice(_NUMBERS if bits == 32 else _LONGS)
    if annotation == "float":
        return chance.choice((0.0, 1.5, -3.0, float("nan"), float("inf")))
    if annotation == "str":
        return chance.choice(_TEXTS)
    if annotation == "bytes":
        return chance.randbytes(chance.choice((0, 8, 40)))
    if annotation == "bool":
        return chance.random() < 0.5
    if annotation.startswith("list["):
        return [_value(annotation[5:-1], bits, chance, depth) for _ in range(chance.randint(1, 2))]
    choices = constructors(annotation.removeprefix("raw.base."))
    if depth <= 0:
        # The shortest one, so that recursive types end.
        choices = sorted(choices, key=lambda choice: len(inspect.signature(choice.__init__).parameters))[:1]
    return arbitrary(chance.choice(choices), chance, depth)
