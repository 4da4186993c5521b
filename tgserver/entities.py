"""Message entities from JSON, for those who post by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyrogram import raw


def entity_from_json(data: Mapping[str, Any]) -> raw.base.MessageEntity:
    """An entity such as `{"type": "text_url", "offset": 0, "length": 4, "url": "https://..."}`.

    `type` is the TL name in lower case without its `messageEntity`; offset and length count UTF-16
    units; further keys are the entity's own fields. Raises ValueError.
    """
    fields = dict(data)
    kind = fields.pop("type", None)
    name = "MessageEntity" + "".join(word.capitalize() for word in str(kind).split("_"))
    constructor = getattr(raw.types, name, None)
    if not isinstance(kind, str) or constructor is None:
        raise ValueError(f"unknown entity type {kind!r:.80}; known are bold, italic, text_url, pre, mention and so on")
    if not all(type(fields.get(key)) is int for key in ("offset", "length")):
        raise ValueError(f"entity {kind}: offset and length must be whole numbers")
    unknown = fields.keys() - set(constructor.__slots__)
    missing = {"url": "text_url", "language": "pre", "user_id": "mention_name", "document_id": "custom_emoji"}
    lacking = [key for key, type_ in missing.items() if type_ == kind and key not in fields]
    if unknown or lacking:
        raise ValueError(f"entity {kind}: {'unknown' if unknown else 'missing'} {sorted(unknown) or lacking}")
    entity: raw.base.MessageEntity = constructor(**fields)
    return entity
