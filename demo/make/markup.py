"""Words with formatting, as Telegram Desktop writes them into an export.

A message's text is a row of pieces: plain strings and the objects that the functions here make.
In plain strings, links, mentions, hashtags and e-mail addresses are found as Telegram finds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]
Piece = str | Json

_FOUND_IN_PLAIN = re.compile(
    r"(?P<link>https?://[^\s<>«»]+[^\s<>«».,:;!?)])"
    r"|(?P<email>[\w.+-]+@[\w-]+\.[\w.-]*\w)"
    r"|(?<!\w)(?P<mention>@[A-Za-z]\w{4,31})"
    r"|(?<![\w#])(?P<hashtag>#\w*[^\W\d]\w*)"
)


def piece(kind: str, text: str, **more: object) -> Json:
    """Any other piece: `kind` is the export's own name for it."""
    return {"type": kind, "text": text, **more}


def plain(text: str) -> Json:
    """Text in which nothing is looked for."""
    return piece("plain", text)


def bold(text: str) -> Json:
    """Bold words."""
    return piece("bold", text)


def italic(text: str) -> Json:
    """Italic words."""
    return piece("italic", text)


def underline(text: str) -> Json:
    """Underlined words."""
    return piece("underline", text)


def strike(text: str) -> Json:
    """Words struck through."""
    return piece("strikethrough", text)


def spoiler(text: str) -> Json:
    """Words hidden until they are touched."""
    return piece("spoiler", text)


def code(text: str) -> Json:
    """A few words of code in a line."""
    return piece("code", text)


def pre(text: str, language: str = "") -> Json:
    """A block of code, in a language if one is named."""
    return piece("pre", text, language=language)


def quote(text: str, collapsed: bool = False) -> Json:
    """A block quote; a collapsed one opens when it is touched."""
    return piece("blockquote", text, collapsed=collapsed)


def link(text: str, href: str) -> Json:
    """Words that lead to an address."""
    return piece("text_link", text, href=href)


def named(text: str, user_id: int) -> Json:
    """A person's name that leads to a person without a username."""
    return piece("mention_name", text, user_id=user_id)


def emoji(text: str, document_id: int) -> Json:
    """A custom emoji over the ordinary one that stands for it."""
    return piece("custom_emoji", text, document_id=str(document_id))


def text_keys(pieces: Iterable[Piece]) -> Json:
    """The message keys `text` and `text_entities`."""
    entities = _merged(pieces)
    if all(entity["type"] == "plain" for entity in entities):
        text: object = "".join(entity["text"] for entity in entities)
    else:
        text = [entity["text"] if entity["type"] == "plain" else entity for entity in entities]
    return {"text": text, "text_entities": entities}


def utf16(text: str) -> int:
    """A text's length as Telegram counts it: in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def span(text: str, words: str, kind: str, **fields: object) -> Json:
    """A TL entity (`kind` is `Bold`, `TextUrl`, ...) over the first place where the words stand."""
    start = text.index(words)
    entity = {"_": f"types.MessageEntity{kind}", "offset": utf16(text[:start]), "length": utf16(words)}
    return {**entity, **fields}


def _merged(pieces: Iterable[Piece]) -> list[Json]:
    """Pieces with plain strings searched, neighbours that are plain joined."""
    merged: list[Json] = []
    for part in pieces:
        for entity in [part] if isinstance(part, dict) else _search(part):
            if entity["type"] == "plain" and merged and merged[-1]["type"] == "plain":
                merged[-1] = plain(merged[-1]["text"] + entity["text"])
            elif entity["text"]:
                merged.append(entity)
    return merged


def _search(text: str) -> list[Json]:
    found: list[Json] = []
    end = 0
    for match in _FOUND_IN_PLAIN.finditer(text):
        found.append(plain(text[end : match.start()]))
        found.append(piece(str(match.lastgroup), match.group()))
        end = match.end()
    return [*found, plain(text[end:])]
