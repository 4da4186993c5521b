"""Text of an export: its list of pieces becomes one string and TL entities with UTF-16 offsets."""

from __future__ import annotations

from collections.abc import Callable

from pyrogram import raw

from tgserver.export.identity import stable_id
from tgserver.export.values import Json, as_int, as_list, as_text, count, timestamp

Entity = raw.base.MessageEntity
_Build = Callable[[int, int, Json], "Entity | None"]

# Telegram Desktop writes a list of objects, one level each; whatever is far deeper is no text.
_DEEPEST = 20


def utf16_length(text: str) -> int:
    """The length in UTF-16 code units, in which Telegram counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def parse_text(value: object) -> tuple[str, list[Entity]]:
    """The string and the entities of an export's `text` or `text_entities`.

    `value` is a string, an object `{type, text, ...}`, or a list of both; nested ones are read, too. Offsets
    and lengths are in UTF-16 units. Pieces of an unknown type become `MessageEntityUnknown`; a piece that
    lacks what its entity needs (a link without a target) stays plain.
    """
    reading = _Reading()
    reading.read(value)
    return "".join(reading.parts), reading.entities


def message_text(data: Json) -> tuple[str, list[Entity], int]:
    """The text of a message, and how many pieces of it can't be read.

    `text_entities` tells more than `text` and wins where it is given.
    """
    reading = _Reading()
    reading.read(as_list(data.get("text_entities")) or data.get("text"))
    return "".join(reading.parts), reading.entities, reading.unreadable


class _Reading:
    """A text while its pieces are read."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.entities: list[Entity] = []
        self.unreadable = 0
        self._offset = 0

    def read(self, value: object, depth: int = 0) -> None:
        """Add what a value of any form says."""
        if isinstance(value, list) and depth < _DEEPEST:
            for piece in value:
                self.read(piece, depth + 1)
        elif isinstance(value, dict) and depth < _DEEPEST:
            begin, place = self._offset, len(self.entities)
            self.read(value.get("text"), depth + 1)
            length = self._offset - begin
            entity = _entity(value, begin, length) if length else None
            if entity is not None:
                self.entities.insert(place, entity)
        elif isinstance(value, list | dict | bool):
            self.unreadable += 1
        else:
            text = as_text(value)
            self.parts.append(text)
            self._offset += utf16_length(text)


def with_entities(value: object) -> raw.types.TextWithEntities:
    """A `TextWithEntities` from any form of an export's text."""
    text, entities = parse_text(value)
    return raw.types.TextWithEntities(text=text, entities=entities)


def custom_emoji_id(value: object) -> int | None:
    """The document id of a custom emoji.

    Telegram Desktop writes the number, or the path of the exported file, for which an id is derived;
    `None` if it wrote that the emoji is unavailable.
    """
    number = as_int(value)
    if number:
        return number
    path = as_text(value)
    if not path or path.startswith("("):
        return None
    return stable_id("custom emoji", path)


def _entity(piece: Json, offset: int, length: int) -> Entity | None:
    kind = as_text(piece.get("type"), "unknown")
    if kind == "plain":
        return None
    simple = _SIMPLE.get(kind)
    if simple is not None:
        return simple(offset=offset, length=length)
    build = _WITH_FIELDS.get(kind)
    if build is not None:
        return build(offset, length, piece)
    return raw.types.MessageEntityUnknown(offset=offset, length=length)


def _pre(offset: int, length: int, piece: Json) -> Entity:
    language = as_text(piece.get("language"))
    return raw.types.MessageEntityPre(offset=offset, length=length, language=language)


def _text_link(offset: int, length: int, piece: Json) -> Entity | None:
    url = as_text(piece.get("href"))
    return raw.types.MessageEntityTextUrl(offset=offset, length=length, url=url) if url else None


def _mention_name(offset: int, length: int, piece: Json) -> Entity | None:
    user_id = mentioned_user_id(piece)
    if not user_id:
        return None
    return raw.types.MessageEntityMentionName(offset=offset, length=length, user_id=user_id)


def mentioned_user_id(piece: Json) -> int:
    """The user that a `mention_name` piece names, 0 if none."""
    value = piece.get("user_id")
    return max(0, as_int(value.removeprefix("user") if isinstance(value, str) else value))


def _custom_emoji(offset: int, length: int, piece: Json) -> Entity | None:
    document_id = custom_emoji_id(piece.get("document_id"))
    if document_id is None:
        return None
    return raw.types.MessageEntityCustomEmoji(offset=offset, length=length, document_id=document_id)


def _blockquote(offset: int, length: int, piece: Json) -> Entity:
    collapsed = piece.get("collapsed") in (True, "true")
    return raw.types.MessageEntityBlockquote(offset=offset, length=length, collapsed=collapsed or None)


def _formatted_date(offset: int, length: int, piece: Json) -> Entity | None:
    moment = timestamp(piece) or count(piece.get("unixtime"))
    if not moment:
        return None
    flags = {name: True for name in _DATE_FLAGS if piece.get(name) is True}
    return raw.types.MessageEntityFormattedDate(offset=offset, length=length, date=moment, **flags)


def _diff_replace(offset: int, length: int, piece: Json) -> Entity:
    old = as_text(piece.get("old_text"))
    return raw.types.MessageEntityDiffReplace(offset=offset, length=length, old_text=old)


_DATE_FLAGS = ("relative", "short_time", "long_time", "short_date", "long_date", "day_of_week")

_SIMPLE: dict[str, Callable[..., Entity]] = {
    "unknown": raw.types.MessageEntityUnknown,
    "mention": raw.types.MessageEntityMention,
    "hashtag": raw.types.MessageEntityHashtag,
    "cashtag": raw.types.MessageEntityCashtag,
    "bot_command": raw.types.MessageEntityBotCommand,
    "link": raw.types.MessageEntityUrl,
    "email": raw.types.MessageEntityEmail,
    "phone": raw.types.MessageEntityPhone,
    "bank_card": raw.types.MessageEntityBankCard,
    "bold": raw.types.MessageEntityBold,
    "italic": raw.types.MessageEntityItalic,
    "underline": raw.types.MessageEntityUnderline,
    "strikethrough": raw.types.MessageEntityStrike,
    "spoiler": raw.types.MessageEntitySpoiler,
    "code": raw.types.MessageEntityCode,
    "diff_insert": raw.types.MessageEntityDiffInsert,
    "diff_delete": raw.types.MessageEntityDiffDelete,
}

_WITH_FIELDS: dict[str, _Build] = {
    "pre": _pre,
    "text_link": _text_link,
    "mention_name": _mention_name,
    "custom_emoji": _custom_emoji,
    "blockquote": _blockquote,
    "formatted_date": _formatted_date,
    "date": _formatted_date,
    "diff_replace": _diff_replace,
}
