"""TL rich texts, which are trees, as text and entities."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyrogram import raw

from model.entity import Entity, EntityType, Text
from telegram.adapter_text import URL_BUTTONS

# An article is somebody's input: neither its nesting nor its length may cost more than this.
MAX_DEPTH = 20
MAX_NODES = 2000

# Stands for an image inside a line: it has no words.
_IMAGE = "🖼"

MARKS: dict[type[raw.base.RichText], EntityType] = {
    raw.types.TextAutoEmail: EntityType.EMAIL,
    raw.types.TextAutoPhone: EntityType.PHONE,
    raw.types.TextAutoUrl: EntityType.URL,
    raw.types.TextBankCard: EntityType.BANK_CARD,
    raw.types.TextBold: EntityType.BOLD,
    raw.types.TextBotCommand: EntityType.BOT_COMMAND,
    raw.types.TextCashtag: EntityType.CASHTAG,
    raw.types.TextDate: EntityType.DATE,
    raw.types.TextEmail: EntityType.TEXT_LINK,
    raw.types.TextFixed: EntityType.CODE,
    raw.types.TextHashtag: EntityType.HASHTAG,
    raw.types.TextItalic: EntityType.ITALIC,
    raw.types.TextMarked: EntityType.MARKED,
    raw.types.TextMention: EntityType.MENTION,
    raw.types.TextMentionName: EntityType.TEXT_MENTION,
    raw.types.TextPhone: EntityType.TEXT_LINK,
    raw.types.TextSpoiler: EntityType.SPOILER,
    raw.types.TextStrike: EntityType.STRIKETHROUGH,
    raw.types.TextSubscript: EntityType.SUBSCRIPT,
    raw.types.TextSuperscript: EntityType.SUPERSCRIPT,
    raw.types.TextUnderline: EntityType.UNDERLINE,
    raw.types.TextUrl: EntityType.TEXT_LINK,
}
"""Texts that are another text with a mark on it."""


class Budget:
    """How much of an article is still read. `truncated`: something has been left out."""

    def __init__(self) -> None:
        self._nodes = 0
        self.truncated = False

    def admits(self, depth: int) -> bool:
        """Whether one more node, so deep (the first is at 1), may be read; it is counted."""
        self._nodes += 1
        if self._nodes <= MAX_NODES and depth <= MAX_DEPTH:
            return True
        self.truncated = True
        return False


class Pen:
    """Writes a text with entities, whose offsets count UTF-16 code units."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._pieces: list[str] = []
        self._entities: list[Entity] = []
        self._units = 0

    @property
    def text(self) -> Text:
        """What has been written so far."""
        return Text("".join(self._pieces), tuple(self._entities))

    def write(self, text: str) -> None:
        """Add plain text."""
        self._pieces.append(text)
        self._units += len(text) + sum(char > "\uffff" for char in text)

    @contextmanager
    def marked(self, type_: EntityType, **fields: Any) -> Iterator[None]:
        """What is written meanwhile becomes an entity with those fields; entities inside come after it."""
        start, place = self._units, len(self._entities)
        yield
        if self._units > start:
            entity = Entity(type=type_, offset=start, length=self._units - start, **fields)
            self._entities.insert(place, entity)

    def link(self, url: str, text: str = "") -> None:
        """Add a link, on a text if it has one."""
        with self.marked(EntityType.TEXT_LINK, url=url):
            self.write(text or url)

    def tree(self, text: raw.base.RichText | None, depth: int) -> None:
        """Add a tree of texts, as far as the budget admits; `depth` is where its root stands."""
        if text is None or isinstance(text, raw.types.TextEmpty) or not self._budget.admits(depth):
            return
        if isinstance(text, raw.types.TextPlain):
            self.write(text.text)
        elif isinstance(text, raw.types.TextConcat):
            for part in text.texts:
                self.tree(part, depth + 1)
        elif isinstance(text, raw.types.TextCustomEmoji):
            self.write(text.alt)
        elif isinstance(text, raw.types.TextImage):
            self.write(_IMAGE)
        elif isinstance(text, raw.types.TextMath):
            with self.marked(EntityType.CODE):
                self.write(text.source)
        elif isinstance(text, raw.types.TextDiff):
            with self.marked(EntityType.DIFF_DELETE):
                self.tree(text.old_text, depth + 1)
            with self.marked(EntityType.DIFF_INSERT):
                self.tree(text.text, depth + 1)
        elif isinstance(text, raw.types.TextButton) and isinstance(text.type, URL_BUTTONS):
            with self.marked(EntityType.TEXT_LINK, url=text.type.url):
                self.tree(text.text, depth + 1)
        elif (mark := MARKS.get(type(text))) is not None:
            with self.marked(mark, **_fields(text)):
                self.tree(text.text, depth + 1)
        else:
            # An anchor, a button that does something in the app, a constructor that nobody has described.
            inner = getattr(text, "text", None)
            if isinstance(inner, str):
                self.write(inner)
            else:
                self.tree(inner, depth + 1)


def _fields(text: raw.base.RichText) -> dict[str, Any]:
    """What an entity needs besides its place."""
    if isinstance(text, raw.types.TextUrl):
        return {"url": text.url}
    if isinstance(text, raw.types.TextEmail):
        return {"url": f"mailto:{text.email}"}
    if isinstance(text, raw.types.TextPhone):
        return {"url": f"tel:{text.phone}"}
    if isinstance(text, raw.types.TextMentionName):
        return {"user_id": text.user_id}
    if isinstance(text, raw.types.TextDate):
        return {"date": text.date}
    return {}
