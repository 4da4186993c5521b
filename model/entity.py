"""Formatting inside a text, as Telegram gives it."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class EntityType(StrEnum):
    """One value an entity constructor of the TL layer, and what only rich messages have.

    `UNKNOWN` is for those the bridge has never heard of.
    """

    BOLD = "bold"
    ITALIC = "italic"
    UNDERLINE = "underline"
    STRIKETHROUGH = "strikethrough"
    SPOILER = "spoiler"
    CODE = "code"
    PRE = "pre"
    BLOCKQUOTE = "blockquote"
    URL = "url"
    TEXT_LINK = "text_link"
    MENTION = "mention"
    TEXT_MENTION = "text_mention"
    HASHTAG = "hashtag"
    CASHTAG = "cashtag"
    EMAIL = "email"
    PHONE = "phone"
    BOT_COMMAND = "bot_command"
    CUSTOM_EMOJI = "custom_emoji"
    BANK_CARD = "bank_card"
    DATE = "date"
    DIFF_INSERT = "diff_insert"
    DIFF_REPLACE = "diff_replace"
    DIFF_DELETE = "diff_delete"
    SUBSCRIPT = "subscript"
    SUPERSCRIPT = "superscript"
    MARKED = "marked"
    UNKNOWN = "unknown"


class Entity(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A stretch of text. `offset` and `length` count UTF-16 code units and are not checked for sense."""

    type: EntityType
    offset: int
    length: int
    url: str = ""
    language: str = ""
    user_id: int = 0
    custom_emoji_id: int = 0
    # A blockquote that clients show folded.
    collapsed: bool = False
    # Unix time of a date entity.
    date: int = 0


class Text(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A text with its entities, as they came."""

    text: str = ""
    entities: tuple[Entity, ...] = ()
