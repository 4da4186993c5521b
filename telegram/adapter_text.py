"""TL entities and keyboards: the texts around a message."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pyrogram import raw

from model.entity import Entity, EntityType, Text
from model.message import Button

_TYPES: dict[type[raw.base.MessageEntity], EntityType] = {
    raw.types.MessageEntityBankCard: EntityType.BANK_CARD,
    raw.types.MessageEntityBlockquote: EntityType.BLOCKQUOTE,
    raw.types.MessageEntityBold: EntityType.BOLD,
    raw.types.MessageEntityBotCommand: EntityType.BOT_COMMAND,
    raw.types.MessageEntityCashtag: EntityType.CASHTAG,
    raw.types.MessageEntityCode: EntityType.CODE,
    raw.types.MessageEntityCustomEmoji: EntityType.CUSTOM_EMOJI,
    raw.types.MessageEntityDiffDelete: EntityType.DIFF_DELETE,
    raw.types.MessageEntityDiffInsert: EntityType.DIFF_INSERT,
    raw.types.MessageEntityDiffReplace: EntityType.DIFF_REPLACE,
    raw.types.MessageEntityEmail: EntityType.EMAIL,
    raw.types.MessageEntityFormattedDate: EntityType.DATE,
    raw.types.MessageEntityHashtag: EntityType.HASHTAG,
    raw.types.MessageEntityItalic: EntityType.ITALIC,
    raw.types.MessageEntityMention: EntityType.MENTION,
    raw.types.MessageEntityMentionName: EntityType.TEXT_MENTION,
    raw.types.MessageEntityPhone: EntityType.PHONE,
    raw.types.MessageEntityPre: EntityType.PRE,
    raw.types.MessageEntitySpoiler: EntityType.SPOILER,
    raw.types.MessageEntityStrike: EntityType.STRIKETHROUGH,
    raw.types.MessageEntityTextUrl: EntityType.TEXT_LINK,
    raw.types.MessageEntityUnderline: EntityType.UNDERLINE,
    raw.types.MessageEntityUrl: EntityType.URL,
}

URL_BUTTONS = (
    raw.types.InlineButtonTypeUrl,
    raw.types.InlineButtonTypeUrlAuth,
    raw.types.InlineButtonTypeWebView,
    raw.types.ButtonTypeSimpleWebView,
)

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def words(constructor: object, prefix: str) -> str:
    """The constructor's name without `prefix`, as lower-case words: MessageMediaGeoLive gives `geo live`."""
    return _WORD_START.sub(" ", type(constructor).__name__.removeprefix(prefix)).lower()


def to_text(text: str | None, entities: Iterable[raw.base.MessageEntity] | None) -> Text:
    """A text with its entities, in their order, offsets untouched."""
    return Text(text or "", tuple(_entity(entity) for entity in entities or ()))


def titled(text: raw.base.TextWithEntities) -> Text:
    """TL's own pair of text and entities."""
    return to_text(text.text, text.entities)


def to_buttons(markup: raw.base.ReplyMarkup | None) -> tuple[Button, ...]:
    """The keyboard's buttons that open a URL, row by row."""
    if not isinstance(markup, raw.types.ReplyInlineMarkup | raw.types.ReplyKeyboardMarkup):
        return ()
    return tuple(
        Button(text=button.text, url=button.type.url)
        for row in markup.rows
        for button in row.buttons
        if isinstance(button.type, URL_BUTTONS)
    )


def _entity(entity: raw.base.MessageEntity) -> Entity:
    url = language = ""
    user_id = custom_emoji_id = date = 0
    collapsed = False
    if isinstance(entity, raw.types.MessageEntityTextUrl):
        url = entity.url
    elif isinstance(entity, raw.types.MessageEntityPre):
        language = entity.language
    elif isinstance(entity, raw.types.MessageEntityMentionName):
        user_id = entity.user_id
    elif isinstance(entity, raw.types.MessageEntityCustomEmoji):
        custom_emoji_id = entity.document_id
    elif isinstance(entity, raw.types.MessageEntityFormattedDate):
        date = entity.date
    elif isinstance(entity, raw.types.MessageEntityBlockquote):
        collapsed = bool(entity.collapsed)
    return Entity(
        type=_TYPES.get(type(entity), EntityType.UNKNOWN),
        offset=entity.offset,
        length=entity.length,
        url=url,
        language=language,
        user_id=user_id,
        custom_emoji_id=custom_emoji_id,
        collapsed=collapsed,
        date=date,
    )
