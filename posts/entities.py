"""A text and its entities become HTML.

Entities may nest and overlap in any way. Each belongs to a group (a text is bold or not: a second bold inside
the first adds nothing), and within a group the first to begin wins, so spans of one group never overlap. At
each border the spans in force are stacked blocks first, and only what changed in the stack is closed and opened
again. So the HTML is balanced, blocks never lie inside inline elements, links never inside links, the depth is
bounded by the number of groups, and the text is all there, once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from model.entity import Entity, EntityType, Text
from posts.plain import Span, escape, is_safe, spans_of
from posts.urls import path_part, safe_url
from posts.wording import utc_stamp

_NOT_IN_A_CLASS = re.compile(r"[^A-Za-z0-9_+#.\-]+")
_NOT_IN_A_NUMBER = re.compile(r"[^\d+*#,;]+")
# A folded quote of up to so many lines is shown whole.
_FOLD_ABOVE_LINES = 3

_QUOTE, _FOLD, _FOLDED, _PRE, _INLINE = range(5)

Tags = tuple[str, str]


class TextLinks(NamedTuple):
    """What links inside a text need: Telegram's web front, and the channel's public name if it has one."""

    host: str
    username: str | None = None


class _Rule(NamedTuple):
    """How an entity type is written: `fixed` for all of them, else by `tags`, which may give None for plain text."""

    group: str
    tags: Callable[[Entity, str, TextLinks], Tags | None]
    level: int = _INLINE
    fixed: Tags | None = None


class _Mark(NamedTuple):
    """An element in the output. Its order is the order of nesting: level, start, longest first, as they came."""

    level: int
    start: int
    minus_end: int
    order: int
    opening: str
    closing: str


def render_text(
    text: Text, links: TextLinks, *, inline: bool = False, spans: Callable[[Text], list[Span]] = spans_of
) -> str:
    """The text as HTML: escaped, newlines as `<br>` (kept in `<pre>`, or where a block breaks the line anyway).

    `inline` leaves out quotes and code blocks, for places where HTML allows no block. `spans` replaces `spans_of` by
    one that remembers.
    """
    if not text.entities:
        return escape(text.text).replace("\n", "<br>")
    found = spans(text)
    html = _row(text.text, found, links, inline)
    return _Writer(text.text, _marks(text.text, found, links, inline)).html() if html is None else html


def _row(text: str, spans: list[Span], links: TextLinks, inline: bool) -> str | None:
    """The usual case, quickly: inline elements one after the other. None if it is another case."""
    safe = is_safe(text)
    out: list[str] = []
    at = 0
    for start, end, entity in spans:
        rule = _RULES.get(entity.type)
        if rule is None or (inline and rule.level != _INLINE):
            continue
        if start < at or rule.level != _INLINE:
            return None
        said = text[start:end]
        tags = rule.fixed or rule.tags(entity, said, links)
        if tags is None:
            continue
        if safe:
            out += (text[at:start], tags[0], said, tags[1])
        else:
            out += (escape(text[at:start]), tags[0], escape(said), tags[1])
        at = end
    out.append(text[at:] if safe else escape(text[at:]))
    return "".join(out).replace("\n", "<br>")


class _Writer:
    """Sweeps over the text from border to border, keeping the stack of open elements."""

    def __init__(self, text: str, marks: list[_Mark]) -> None:
        self._text = text
        self._marks = sorted(marks, key=lambda mark: mark.start)
        blocks = [mark for mark in marks if mark.level < _INLINE]
        self._block_starts = {mark.start for mark in blocks}
        self._block_ends = {-mark.minus_end for mark in blocks}
        self._out: list[str] = []

    def html(self) -> str:
        stack: list[_Mark] = []
        at = 0
        following = 0
        for border in sorted({mark.start for mark in self._marks} | {-mark.minus_end for mark in self._marks}):
            self._write(at, border, stack)
            at = border
            wanted = [mark for mark in stack if -mark.minus_end > border]
            while following < len(self._marks) and self._marks[following].start == border:
                wanted.append(self._marks[following])
                following += 1
            wanted.sort()
            kept = 0
            while kept < len(stack) and kept < len(wanted) and stack[kept] is wanted[kept]:
                kept += 1
            self._out.extend(mark.closing for mark in reversed(stack[kept:]))
            self._out.extend(mark.opening for mark in wanted[kept:])
            stack = wanted
        self._write(at, len(self._text), stack)
        return "".join(self._out)

    def _write(self, start: int, end: int, stack: list[_Mark]) -> None:
        if start >= end:
            return
        piece = escape(self._text[start:end])
        if "\n" not in piece:
            if piece:
                self._out.append(piece)
        elif any(mark.level == _PRE for mark in stack):
            # Parsers drop a newline that comes right after <pre>.
            first_in_pre = self._out[-1] == "<pre>" and piece[0] == "\n"
            self._out.append(f"<br>{piece[1:]}" if first_in_pre else piece)
        else:
            # The line ends with the block anyway: a <br> would add an empty one.
            first = "\n" if piece[0] == "\n" and start in self._block_ends else ""
            piece = piece[len(first) :]
            # But not a line that is empty: nothing else would show it.
            empty = end < 2 or self._text[end - 2] == "\n"
            last = "\n" if piece[-1:] == "\n" and end in self._block_starts and not empty else ""
            piece = piece[: len(piece) - len(last)]
            self._out.append(first + piece.replace("\n", "<br>") + last)


def _marks(text: str, spans: list[Span], links: TextLinks, inline: bool) -> list[_Mark]:
    spans = sorted(spans, key=lambda span: (span[0], -span[1]))
    marks: list[_Mark] = []
    group_ends: dict[str, int] = {}
    for start, end, entity in spans:
        rule = _RULES.get(entity.type)
        if rule is None or (inline and rule.level != _INLINE):
            continue
        tags = rule.fixed or rule.tags(entity, text[start:end], links)
        if tags is None:
            continue
        taken = group_ends.get(rule.group, 0)
        if start < taken:
            if end <= taken:
                continue
            start = taken
        group_ends[rule.group] = end
        marks.append(_Mark(rule.level, start, -end, len(marks), *tags))
        if rule.level == _QUOTE and entity.collapsed:
            marks.extend(_fold(text, start, end, spans, len(marks)))
    return marks


def _fold(text: str, start: int, end: int, spans: list[Span], index: int) -> list[_Mark]:
    """The elements that fold a long quote after its first line.

    What is hidden is a block of its own, so that it stays a new line where `details` is not known.
    """
    newline = text.find("\n", start + 1, end - 1)
    if newline < 0 or text.count("\n", start, end) < _FOLD_ABOVE_LINES:
        return []
    if any(entity.type is EntityType.PRE and first <= newline and last > start for first, last, entity in spans):
        return []
    return [
        _Mark(_FOLD, start, -end, index, "<details>", "</details>"),
        _Mark(_FOLDED, start, -newline, index + 1, "<summary>", "</summary>"),
        _Mark(_FOLDED, newline + 1, -end, index + 2, "<div>", "</div>"),
    ]


def _element(group: str, opening: str, closing: str, level: int = _INLINE) -> _Rule:
    tags = (opening, closing)
    return _Rule(group, lambda entity, text, links: tags, level, tags)


def _link(url: str | None) -> Tags | None:
    return None if url is None else (f'<a href="{escape(url)}">', "</a>")


# Many a channel ends each of its posts with the same links.
@lru_cache(256)
def _link_to(url: str) -> Tags | None:
    return _link(safe_url(url))


def _mention(entity: Entity, text: str, links: TextLinks) -> Tags | None:
    return _link(f"{links.host}/{path_part(name)}") if (name := text.strip().removeprefix("@")) else None


def _person(entity: Entity, text: str, links: TextLinks) -> Tags | None:
    return _link(f"tg://user?id={entity.user_id}") if entity.user_id > 0 else None


def _tag(entity: Entity, text: str, links: TextLinks) -> Tags | None:
    return _search_for(text, links)


# A channel uses its tags again and again.
@lru_cache(256)
def _search_for(text: str, links: TextLinks) -> Tags | None:
    """Telegram's web page that searches the channel for the tag; `#tag@name` belongs to another channel."""
    tag, _, channel = text.strip().partition("@")
    name = channel or links.username
    return _link(f"{links.host}/s/{path_part(name)}?q={path_part(tag)}") if name else None


def _phone(entity: Entity, text: str, links: TextLinks) -> Tags | None:
    return _link(f"tel:{number}") if (number := _NOT_IN_A_NUMBER.sub("", text)) else None


def _command(entity: Entity, text: str, links: TextLinks) -> Tags | None:
    bot = text.strip().partition("@")[2]
    return _link(f"{links.host}/{path_part(bot)}") if bot else ('<span class="command">', "</span>")


def _preformatted(entity: Entity, text: str, links: TextLinks) -> Tags:
    language = _NOT_IN_A_CLASS.sub("", entity.language)
    return (f'<pre><code class="language-{language}">', "</code></pre>") if language else ("<pre>", "</pre>")


def _date(entity: Entity, text: str, links: TextLinks) -> Tags | None:
    stamp = utc_stamp(entity.date) if entity.date > 0 else ""
    return (f'<time datetime="{stamp}">', "</time>") if stamp else None


# Types without a row are plain text: custom emoji (the text holds the emoji that stands for it) and unknown ones.
_RULES: dict[EntityType, _Rule] = {
    EntityType.BLOCKQUOTE: _element("quote", '<blockquote dir="auto">', "</blockquote>", _QUOTE),
    EntityType.PRE: _Rule("code", _preformatted, _PRE),
    EntityType.CODE: _element("code", "<code>", "</code>"),
    EntityType.BANK_CARD: _element("code", "<code>", "</code>"),
    EntityType.BOLD: _element("bold", "<b>", "</b>"),
    EntityType.ITALIC: _element("italic", "<i>", "</i>"),
    EntityType.UNDERLINE: _element("underline", "<u>", "</u>"),
    EntityType.STRIKETHROUGH: _element("strike", "<s>", "</s>"),
    EntityType.SPOILER: _element("spoiler", '<span class="spoiler">', "</span>"),
    EntityType.DIFF_INSERT: _element("diff", "<ins>", "</ins>"),
    EntityType.DIFF_REPLACE: _element("diff", "<ins>", "</ins>"),
    EntityType.DIFF_DELETE: _element("diff", "<del>", "</del>"),
    EntityType.SUBSCRIPT: _element("script", "<sub>", "</sub>"),
    EntityType.SUPERSCRIPT: _element("script", "<sup>", "</sup>"),
    EntityType.MARKED: _element("mark", "<mark>", "</mark>"),
    EntityType.URL: _Rule("link", lambda entity, text, links: _link(safe_url(text))),
    EntityType.TEXT_LINK: _Rule("link", lambda entity, text, links: _link_to(entity.url)),
    EntityType.EMAIL: _Rule("link", lambda entity, text, links: _link(safe_url(f"mailto:{text}"))),
    EntityType.PHONE: _Rule("link", _phone),
    EntityType.MENTION: _Rule("link", _mention),
    EntityType.TEXT_MENTION: _Rule("link", _person),
    EntityType.HASHTAG: _Rule("link", _tag),
    EntityType.CASHTAG: _Rule("link", _tag),
    EntityType.BOT_COMMAND: _Rule("link", _command),
    EntityType.DATE: _Rule("date", _date),
}
