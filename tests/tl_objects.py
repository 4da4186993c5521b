"""TL objects for tests: as the wire delivers them, and arbitrary ones of any constructor."""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Callable, Hashable
from functools import cache
from io import BytesIO
from typing import Any, NamedTuple, TypeVar, cast

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


Maker = Callable[[str, str], Any]
"""Gives the value of a field by its type, such as `str` or `list[raw.base.PageBlock]`, and its name.

None: any value will do.
"""


def _anything(annotation: str, name: str) -> None:
    return None


def arbitrary(
    constructor: type[TLObject[Any]],
    chance: random.Random,
    depth: int = 4,
    *,
    make: Maker = _anything,
    whole: float = 0.6,
) -> Any:
    """An object with random values: in all fields (so often), or only in those that the schema asks for.

    Optional fields come all or none, since some share one flag bit and are there together. `make` has the first say.
    """
    values: dict[str, Any] = {}
    filled = depth > 0 and chance.random() < whole
    for name, text, bits in _fields(cast(Hashable, constructor)):
        optional = text.endswith(" | None")
        if not optional or filled:
            annotation = text.removesuffix(" | None")
            value = make(annotation, name)
            if value is None:
                value = _value(annotation, _Field(name, bits, make, whole), chance, depth - 1)
            values[name] = value
    return constructor(**values)


@cache
def _fields(constructor: Any) -> tuple[tuple[str, str, int], ...]:
    """Name, annotation and, for integers, width of each field."""
    parameters = inspect.signature(constructor.__init__).parameters.items()
    return tuple((name, str(one.annotation), _width(constructor, name)) for name, one in parameters if name != "self")


class _Field(NamedTuple):
    name: str
    bits: int
    make: Maker
    whole: float


def _width(constructor: type[TLObject[Any]], name: str) -> int:
    """How many bits the schema gives an integer field, from its documentation."""
    found = re.search(rf"\n        {name} \(.*?``(32|64|128|256)-bit``", constructor.__doc__ or "")
    return int(found.group(1)) if found else 32


def _value(annotation: str, field: _Field, chance: random.Random, depth: int) -> Any:
    if annotation == "int":
        return chance.choice(_NUMBERS if field.bits == 32 else _LONGS)
    if annotation == "float":
        return chance.choice((0.0, 1.5, -3.0, float("nan"), float("inf")))
    if annotation == "str":
        return chance.choice(_TEXTS)
    if annotation == "bytes":
        return chance.randbytes(chance.choice((0, 8, 40)))
    if annotation == "bool":
        return chance.random() < 0.5
    if annotation.startswith("list["):
        inner = annotation[5:-1]
        return [_element(inner, field, chance, depth) for _ in range(chance.randint(1, 2))]
    choices = constructors(annotation.removeprefix("raw.base."))
    if depth <= 0:
        # The shortest one, so that recursive types end.
        choices = sorted(choices, key=lambda choice: len(_fields(cast(Hashable, choice))))[:1]
    return arbitrary(chance.choice(choices), chance, depth, make=field.make, whole=field.whole)


def _element(annotation: str, field: _Field, chance: random.Random, depth: int) -> Any:
    made = field.make(annotation, field.name)
    return _value(annotation, field, chance, depth) if made is None else made
