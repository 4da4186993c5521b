"""A post's title: one plain line, never empty."""

from __future__ import annotations

import re
from collections.abc import Sequence

from model.entity import EntityType, Text
from model.media import WebPage
from model.message import Message
from posts.grouping import Group
from posts.kinds import media_title
from posts.plain import cut, one_line, spans_of, without
from posts.services import sentence

_LONGEST = 52
# Code points of a line that are looked at: enough for so many characters, however they are composed.
_LOOKED_AT = 1000
_SHORTEST_CUT = 37
# A text shorter than this says less than the media it comes with.
_SHORT_TEXT = 10
# A first sentence shorter than this is no title.
_SHORTEST_SENTENCE = 10
# Fewer letters than this in capitals are an acronym, not a shout.
_SHORTEST_SHOUT = 5

_LINKS = frozenset({EntityType.URL, EntityType.TEXT_LINK})
_BARE_URL = re.compile(r"(?:https?|tg)://\S+", re.IGNORECASE)
# A tag, or as the group a letter or digit that is in none.
_TAG_OR_LETTER = re.compile(r"(?<!\w)[#$][^\W\d_]\w*(?:@\w+)?|([^\W_])")
# A dot after one or two letters is an abbreviation's or an initial's. Chinese and Japanese stops need no space.
_SENTENCE_END = re.compile(r"(?:(?<=\w{3})\.|[!?…]+|\.{2,})[\"»”’)]*(?=\s+(\S))|[。！？]+[」』”]*")
_STOP = re.compile("[.!?…。！？]")
_SENTENCE_START = re.compile(r"(?:^|[.!?…]\s+)[^\w]*(\w)")
_YOUTUBE = re.compile(r"(?:https?://)?(?:www\.|m\.)?(?:youtube\.com|youtu\.be)/", re.IGNORECASE)


def title_of(group: Group) -> str:
    """The first that there is: event, first line of the text, the only link, the media, the number."""
    main = group.main
    if main.service is not None:
        return _fit(sentence(main.service))
    title = _words_or_media(main, group.messages) or f"Post #{main.id}"
    return title if main.forward is None else f"FWD: {title}"


def _words_or_media(main: Message, messages: Sequence[Message]) -> str:
    words = _without_urls(main.text)
    media = media_title(messages)
    if media and len(words.strip()) < _SHORT_TEXT:
        return _fit(media)
    line = _first_meaningful_line(words)
    if line and (media or _says_something(line) or not _links(main)):
        return _fit(_calm(line))
    return _fit(_link_title(main, messages) or line)


def _first_meaningful_line(text: str) -> str:
    """The first line that has words besides tags; without one, the first that is not empty."""
    first = ""
    for raw in text.splitlines():
        line = one_line(raw[:_LOOKED_AT])
        if _says_something(line):
            return line
        first = first or line
    return first


def _says_something(line: str) -> bool:
    """Whether there are letters or digits besides tags."""
    return any(found[1] for found in _TAG_OR_LETTER.finditer(line))


def _without_urls(text: Text) -> str:
    plain = without(text, EntityType.URL)
    return _BARE_URL.sub("", plain) if "://" in plain else plain


def _links(message: Message) -> list[str]:
    found = [
        entity.url or message.text.text[start:end]
        for start, end, entity in spans_of(message.text)
        if entity.type in _LINKS
    ]
    return found or _BARE_URL.findall(message.text.text)


def _link_title(main: Message, messages: Sequence[Message]) -> str:
    page = next((message.media for message in messages if isinstance(message.media, WebPage)), None)
    links = [page.url] if page is not None else _links(main)
    if not links:
        return ""
    title = one_line(page.title) or one_line(page.description) if page is not None else ""
    if any(_YOUTUBE.match(link) for link in links):
        return f"YouTube: {title}" if title else "YouTube link"
    return title or "Web link"


def _calm(line: str) -> str:
    """A line all in capitals, in sentence case."""
    if not line.isupper() or sum(char.isupper() for char in line) < _SHORTEST_SHOUT:
        return line
    return _SENTENCE_START.sub(lambda match: match[0][:-1] + match[1].title(), line.lower().replace("i\u0307", "i"))


def _fit(line: str) -> str:
    """At most 52 characters of a clean line: whole, or up to a sentence's end, or cut after a word."""
    line = line.rstrip(".,:; ") or line
    if len(line) <= _LONGEST:
        return line
    if _STOP.search(line, 0, _LONGEST):
        ends = [
            match.end()
            for match in _SENTENCE_END.finditer(line[: _LONGEST + 20])
            if match.end() <= _LONGEST and not (match[1] or "").islower()
        ]
        if ends and ends[-1] >= _SHORTEST_SENTENCE:
            return line[: ends[-1]].rstrip(".,:; ")
    return cut(line, _LONGEST, _SHORTEST_CUT)
