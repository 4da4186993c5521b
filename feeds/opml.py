"""OPML 2.0: a list of feeds that readers import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from feeds import dates, xml

CONTENT_TYPE = "text/x-opml; charset=utf-8"


class Subscription(msgspec.Struct, frozen=True, kw_only=True):
    """A feed to subscribe to: its title and address, the page that it is of, and what it is about."""

    title: str
    feed_url: str
    html_url: str
    description: str = ""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of feeds."""

    title: str
    subscriptions: tuple[Subscription, ...]


def render(
    title: str,
    created: datetime,
    sections: Iterable[Section],
    subscriptions: Iterable[Subscription],
    *,
    language: str = "",
) -> bytes:
    """The list, made at `created`: folders first, then the feeds that are in none.

    `language` is that of the feeds, a BCP 47 tag, "" where nobody has said which.
    """
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<opml version="2.0">',
        "<head>",
        f"<title>{xml.text(title)}</title>",
        f"<dateCreated>{dates.rfc822(created)}</dateCreated>",
        "<docs>http://opml.org/spec2.opml</docs>",
        "</head>",
        "<body>",
    ]
    for section in sections:
        # Some readers know folders by `title`, though `text` alone is required.
        name = xml.attribute(section.title)
        lines.append(f"<outline text={name} title={name}>")
        lines += _outlines(section.subscriptions, language)
        lines.append("</outline>")
    lines += _outlines(subscriptions, language)
    lines += ["</body>", "</opml>", ""]
    return "\n".join(lines).encode()


def _outlines(subscriptions: Iterable[Subscription], language: str) -> Iterator[str]:
    for each in subscriptions:
        name = xml.attribute(each.title)
        attributes = [f"text={name}", f"title={name}"]
        if each.description:
            attributes.append(f"description={xml.attribute(each.description)}")
        if language:
            attributes.append(f"language={xml.attribute(language)}")
        attributes += [f"xmlUrl={xml.attribute(each.feed_url)}", f"htmlUrl={xml.attribute(each.html_url)}"]
        # The specification has this type for feeds of every format.
        yield f'<outline type="rss" {" ".join(attributes)}/>'
