"""TL objects as JSON: what a message's `bridge` says with Telegram's own constructors."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping

from demo.make.markup import Json


def tl(constructor: str, /, **fields: object) -> Json:
    """An object by its constructor's name; fields that are None are left out."""
    return {"_": f"types.{constructor}"} | {key: value for key, value in fields.items() if value is not None}


def words(text: str, *entities: Json) -> Json:
    """TL's pair of text and entities."""
    return tl("TextWithEntities", text=text, entities=list(entities))


def point(latitude: float, longitude: float) -> Json:
    """A place."""
    return tl("GeoPoint", lat=latitude, long=longitude, access_hash=0)


def photo(path: str, **fields: object) -> Json:
    """A photo in the export's folder, as media."""
    return tl("MessageMediaPhoto", photo={"_photo": path}, **fields)


def document(keys: Mapping[str, object], **fields: object) -> Json:
    """A file in the export's folder, as media; `keys` are those of an export's message."""
    return tl("MessageMediaDocument", document={"_document": dict(keys)}, **fields)


def bytes_of(text: str) -> Json:
    """TL's `bytes`, such as a poll's option."""
    return {"_bytes": b64encode(text.encode()).decode()}
