"""Any TL object as plain data, for any constructor that Kurigram's layer knows."""

from __future__ import annotations

import base64
import json
import math
import random
from typing import Any

import msgspec
import pytest
from pyrogram import raw
from pyrogram.raw.core import TLObject
from tl_objects import arbitrary, constructors, decoded

from telegram.raw_json import DEEPEST, to_plain

BASES = ("Message", "MessageMedia", "MessageAction", "MessageEntity", "ReplyMarkup", "RichMessage", "Document", "Photo")


def test_an_object_has_its_name_and_all_fields_in_the_schemas_order() -> None:
    photo = raw.types.MessageMediaPhoto(spoiler=True, ttl_seconds=5)
    assert to_plain(photo) == {
        "_": "MessageMediaPhoto",
        "spoiler": True,
        "live_photo": None,
        "photo": None,
        "ttl_seconds": 5,
        "video": None,
    }
    assert list(to_plain(photo)) == ["_", *raw.types.MessageMediaPhoto.__slots__]


def test_a_constructor_in_a_namespace_keeps_it() -> None:
    assert to_plain(raw.types.messages.MessagesNotModified(count=3)) == {
        "_": "messages.MessagesNotModified",
        "count": 3,
    }


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (2**63 - 1, 2**63 - 1),
        (-(2**63), -(2**63)),
        (2**255, 2**255),
        (1.5, 1.5),
        (float("inf"), None),
        ("ж <b> \U0001f30a", "ж <b> \U0001f30a"),
        ("half \ud83d", "half \ufffd"),
        (b"\x00\xff\xfe", "AP/+"),
        (b"", ""),
        ([1, [b"a", None], ()], [1, ["YQ==", None], []]),
        (object(), "(object)"),
    ],
)
def test_values(value: object, plain: object) -> None:
    assert to_plain(value) == plain


def test_what_is_nested_without_end_is_cut_and_says_so() -> None:
    nested: list[Any] = []
    nested.append(nested)
    plain = to_plain(nested)
    assert f"nested more than {DEEPEST} deep" in msgspec.json.encode(plain).decode()


@pytest.mark.parametrize(
    "constructor", [each for base in BASES for each in constructors(base)], ids=lambda c: c.QUALNAME
)
def test_every_constructor_becomes_json_with_all_that_it_holds(constructor: type[TLObject[Any]]) -> None:
    chance = random.Random(constructor.QUALNAME)
    for _ in range(6):
        thing = decoded(arbitrary(constructor, chance))
        # Python's own reader keeps integers of any size exact.
        assert_same(thing, json.loads(msgspec.json.encode(to_plain(thing))))


def assert_same(value: Any, plain: Any) -> None:
    """Everything in the object is in the plain data and can be told from it."""
    # Kurigram's vectors are objects as well.
    if isinstance(value, TLObject) and not isinstance(value, list):
        assert plain.pop("_") == value.QUALNAME.removeprefix("types.")
        assert plain.keys() == set(value.__slots__)
        for name in value.__slots__:
            assert_same(getattr(value, name), plain[name])
    elif isinstance(value, list):
        assert len(value) == len(plain)
        for part, plain_part in zip(value, plain, strict=True):
            assert_same(part, plain_part)
    elif isinstance(value, bytes):
        assert base64.b64decode(plain, validate=True) == value
    elif isinstance(value, float) and not math.isfinite(value):
        assert plain is None
    else:
        assert plain == value and type(plain) is type(value)
