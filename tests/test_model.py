"""What is held in memory for long costs nothing while it lies there."""

from __future__ import annotations

import gc
from importlib import import_module
from pkgutil import iter_modules

import msgspec
import pytest

import model
from feeds.feed import Item
from feeds.fragments import Fragment
from model.entity import Entity, EntityType, Text
from model.message import Message
from posts.post import Post

MODULES = [import_module(f"model.{module.name}") for module in iter_modules(model.__path__)]
STRUCTS = sorted(
    {
        found
        for module in MODULES
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, msgspec.Struct) and found is not msgspec.Struct
    }
    | {Post, Item, Fragment},
    key=lambda struct: f"{struct.__module__}.{struct.__qualname__}",
)


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__qualname__)
def test_python_does_not_look_through_held_values_for_garbage(struct: type[msgspec.Struct]) -> None:
    # They are trees, which reference counts free. With tens of thousands of them a look at each takes 30 ms, again and
    # again, in which nothing else runs: neither the event loop nor any thread.
    assert struct.__struct_config__.frozen
    assert not struct.__struct_config__.gc


def test_a_history_is_no_work_for_the_garbage_collector() -> None:
    text = Text("bold", (Entity(type=EntityType.BOLD, offset=0, length=4),))
    packed = msgspec.msgpack.encode([Message(id=number, date=number, text=text) for number in range(1000)])
    gc.collect()
    before = len(gc.get_objects())
    messages = msgspec.msgpack.decode(packed, type=tuple[Message, ...])
    gc.collect()
    assert len(gc.get_objects()) - before < 100
    assert len(messages) == 1000
