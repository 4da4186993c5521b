"""Plain text: what may stand in a document, escaping, UTF-16 offsets, cutting."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from model.entity import Entity, EntityType, Text
from posts.graphemes import clusters, plain_prefix

# What XML 1.0 (2.2) forbids. CR goes too: parsers turn it into a second newline.
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")
_UNSAFE = re.compile(f"[&<>\"'{_FORBIDDEN.pattern[1:]}")
# Marks that turn the text around, and characters that look like nothing at all. The joiners U+200C and U+200D
# stay: they belong to letters and emoji.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\ufffe\uffff]"
)
# What nobody sees, though Python takes it for printable.
_PRINTABLE_UNSEEN = re.compile("[\u115f\u1160\u2800\u3164\ufe0e\ufe0f\uffa0]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


Span = tuple[int, int, Entity]
"""A stretch of a `str`: start and end count code points, start < end, both inside the text; what marks it.

A plain tuple, since a post may have hundreds, and naming their parts takes as long as finding them.
"""


def clean(text: str) -> str:
    """The text without what XML 1.0 forbids: control characters but tab and newline, lone surrogates, U+FFFE/FFFF."""
    return _FORBIDDEN.sub("", text)


def is_safe(text: str) -> bool:
    """Whether the text can stand in HTML as it is: `escape` would not change it, nor any part of it."""
    return _UNSAFE.search(text) is None


def escape(text: str) -> str:
    """Cleaned text, safe inside HTML elements and quoted attributes."""
    if _UNSAFE.search(text) is None:
        return text
    text = _FORBIDDEN.sub("", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#x27;")


def one_line(text: str) -> str:
    """The text on one line, without control, bidi and invisible characters; "" if nothing can be seen."""
    if text.isprintable() and "  " not in text and (text.isascii() or _PRINTABLE_UNSEEN.search(text) is None):
        return text.strip()
    line = " ".join(_UNSEEN.sub("", text).split())
    return line if line.strip("\u200c\u200d\ufe0e\ufe0f ") else ""


def spans_of(text: Text) -> list[Span]:
    """The entities of a text as spans of its `str`, in the order given.

    Entities count UTF-16 code units. Those that reach outside are clipped, those that begin or end inside a
    surrogate pair take in the whole character, empty and negative ones are left out.
    """
    length = len(text.text)
    # Where, in code units, each character of two units begins.
    pairs = [match.start() + index for index, match in enumerate(_ASTRAL.finditer(text.text))]
    spans: list[Span] = []
    for entity in text.entities:
        start = entity.offset
        end = start + entity.length
        if start < 0:
            start = 0
        # What ends before the first of them has as many characters as units.
        if pairs and end > pairs[0]:
            start -= bisect_left(pairs, start)
            before = bisect_left(pairs, end)
            ends_inside = pairs[before - 1] == end - 1
            end += ends_inside - before
        if end > length:
            end = length
        if start < end:
            spans.append((start, end, entity))
    return spans


def without(text: Text, unwanted: EntityType) -> str:
    """The plain text without what entities of that type cover."""
    if not any(entity.type is unwanted for entity in text.entities):
        return text.text
    kept = []
    at = 0
    for start, end in sorted((start, end) for start, end, entity in spans_of(text) if entity.type is unwanted):
        kept.append(text.text[at:start])
        at = max(at, end)
    kept.append(text.text[at:])
    return "".join(kept)


def join(texts: Sequence[Text]) -> Text:
    """The texts, empty ones left out, with a blank line between and their entities moved along."""
    filled = [text for text in texts if text.text]
    if not filled:
        return Text()
    if len(filled) == 1:
        return filled[0]
    entities = []
    offset = 0
    for text in filled:
        units = len(text.text) + len(_ASTRAL.findall(text.text))
        for entity in text.entities:
            start = max(entity.offset, 0)
            length = min(entity.offset + entity.length, units) - start
            if length > 0:
                entities.append(msgspec.structs.replace(entity, offset=start + offset, length=length))
        offset += units + 2
    return Text("\n\n".join(text.text for text in filled), tuple(entities))


def cut(text: str, limit: int, least: int = 0) -> str:
    """The text, if longer than `limit` grapheme clusters, cut after a word and marked with an ellipsis.

    The last space between `least` and `limit` is the place; without one, the `limit`th cluster's end.
    """
    if len(text) <= limit:
        return text
    if plain_prefix(text[: limit + 1]) > limit:
        space = max(text.rfind(" ", least, limit + 1), text.rfind("\n", least, limit + 1))
        return _ellipsis(text[: space if space > 0 else limit])
    end = 0
    space = -1
    for count, cluster in enumerate(clusters(text)):
        if cluster in " \n" and least <= count:
            space = end
        if count == limit:
            break
        end += len(cluster)
    else:
        return text
    return _ellipsis(text[: space if space > 0 else end])


def _ellipsis(text: str) -> str:
    return text.rstrip(" \t\n.,:;-–—") + "…"
