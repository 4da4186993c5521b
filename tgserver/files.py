"""What happens to files and to the messages that show them."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any, TypeVar

from pyrogram import raw
from pyrogram.raw.core import TLObject

from tgserver.world import ServedFile, World

T = TypeVar("T", bound="TLObject[Any]")


def copied(original: T) -> T:
    """A deep copy of a TL object, its empty vectors that TL demands included (writing and reading loses these)."""
    return deepcopy(original)


def move(world: World, dc_id: int, file_ids: Iterable[int] | None) -> None:
    """Let files (None: all) live at another data center; what messages say of them stays."""
    for file in _chosen(world, file_ids):
        world.add_file(replace(file, dc_id=dc_id))


def renew_references(world: World, file_ids: Iterable[int] | None) -> None:
    """Give files (None: all) new file references, in themselves and in all messages."""
    references = {file.id: secrets.token_bytes(25) for file in _chosen(world, file_ids)}
    for file in _chosen(world, references):
        world.add_file(replace(file, file_reference=references[file.id]))
    for chat in world.chats.values():
        for shown in _media_objects([*chat.messages.values(), *([chat.full_photo] if chat.full_photo else [])]):
            if shown.id in references:
                shown.file_reference = references[shown.id]


def _chosen(world: World, file_ids: Iterable[int] | None) -> list[ServedFile]:
    wanted = None if file_ids is None else set(file_ids)
    return [file for file in world.files.values() if wanted is None or file.id in wanted]


def _media_objects(roots: Iterable[Any]) -> Iterator[raw.types.Document | raw.types.Photo]:
    stack = list(roots)
    while stack:
        node = stack.pop()
        if isinstance(node, raw.types.Document | raw.types.Photo):
            yield node
        if isinstance(node, list):
            stack.extend(item for item in node if isinstance(item, TLObject | list))
        else:
            values = (getattr(node, name) for name in node.__slots__)
            stack.extend(
                value for value in values if isinstance(value, TLObject | list) and not isinstance(value, bytes)
            )
