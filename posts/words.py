"""A post's own words: its plain text, its tags, links and mentions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from model.entity import EntityType, Text
from model.message import Message
from posts.media_words import texts_of
from posts.plain import Span, clean, one_line, spans_of
from posts.services import sentence
from posts.urls import safe_url

# Each look-up of an enum's member takes as long as the rest of what is done with an entity.
_URL, _TEXT_LINK, _MENTION = EntityType.URL, EntityType.TEXT_LINK, EntityType.MENTION
_HASHTAG, _CASHTAG = EntityType.HASHTAG, EntityType.CASHTAG


class Words(NamedTuple):
    """What messages say themselves, never quotes or previews.

    `text`: texts, events, the words of polls, articles, places ..., with blank lines between. `tags`: hashtags and
    cashtags without sign, as written, in text order, each once whatever its case. `links`: the absolute URLs of texts
    and buttons, in order, without those that may not be links. `mentions`: whether there is an `@name`.
    """

    text: str
    tags: tuple[str, ...]
    links: tuple[str, ...]
    mentions: bool


def words_of(messages: Sequence[Message], spans: Callable[[Text], list[Span]] = spans_of) -> Words:
    """The messages' own words, in the messages' order. `spans` replaces `spans_of` by one that remembers."""
    parts: list[str] = []
    tags: dict[str, str] = {}
    urls: list[str] = []
    mentions = False
    for message in messages:
        if message.service is not None:
            parts.append(sentence(message.service))
        text = message.text
        if text.text:
            parts.append(text.text)
        said = () if message.media is None else texts_of(message.media)
        if said:
            parts.append("\n".join(one.text for one in said))
        for one in (text, *said):
            for start, end, entity in spans(one) if one.entities else ():
                kind = entity.type
                if kind is _URL:
                    urls.append(one.text[start:end])
                elif kind is _TEXT_LINK:
                    urls.append(entity.url)
                elif kind is _MENTION:
                    mentions = True
                elif kind is _HASHTAG or kind is _CASHTAG:
                    tag = one_line(one.text[start:end].partition("@")[0]).lstrip("#＃$")
                    tags.setdefault(tag.casefold(), tag)
        urls.extend(button.url for button in message.buttons)
    links = tuple(safe for url in urls if (safe := safe_url(url)) is not None)
    tags.pop("", None)
    return Words(clean("\n\n".join(parts)), tuple(tags.values()), links, mentions)
