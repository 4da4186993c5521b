"""A post's own words: its plain text, its tags, its links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from model.entity import EntityType
from model.media import Poll
from model.message import Message
from posts.plain import clean, one_line, spans_of
from posts.services import sentence
from posts.urls import safe_url


def plain_text(messages: Sequence[Message]) -> str:
    """Texts, events, poll questions and options, with blank lines between; never quotes or previews."""
    parts: list[str] = []
    for message in messages:
        if message.service is not None:
            parts.append(sentence(message.service))
        if message.text.text:
            parts.append(message.text.text)
        if isinstance(message.media, Poll):
            parts.append(
                "\n".join([message.media.question.text, *(option.text.text for option in message.media.options)])
            )
    return clean("\n\n".join(parts))


def tags_of(messages: Iterable[Message]) -> tuple[str, ...]:
    """Hashtags and cashtags without sign, as written, in text order, each once whatever its case."""
    found: dict[str, str] = {}
    for message in messages:
        for start, end, entity in spans_of(message.text) if message.text.entities else ():
            if entity.type is EntityType.HASHTAG or entity.type is EntityType.CASHTAG:
                tag = one_line(message.text.text[start:end].partition("@")[0]).lstrip("#＃$")
                if tag:
                    found.setdefault(tag.casefold(), tag)
    return tuple(found.values())


def links_of(messages: Iterable[Message]) -> list[str]:
    """The absolute URLs of the texts' links and of the buttons, in order; those that may not be links left out."""
    found: list[str] = []
    for message in messages:
        for start, end, entity in spans_of(message.text) if message.text.entities else ():
            if entity.type is EntityType.URL:
                found.append(message.text.text[start:end])
            elif entity.type is EntityType.TEXT_LINK:
                found.append(entity.url)
        found.extend(button.url for button in message.buttons)
    return [safe for url in found if (safe := safe_url(url)) is not None]
