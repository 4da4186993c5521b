"""Atom, RFC 4287, with threading links of RFC 4685."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

from feeds import dates, xml
from feeds.feed import GENERATOR, MEDIA_TYPES, Document, Feed, FeedFormat, Item, Source
from feeds.fragments import Memory, compose, recall
from feeds.item_parts import distinct, web_url
from posts.post import Enclosure, Post

MEDIA_TYPE = MEDIA_TYPES[FeedFormat.ATOM]
CONTENT_TYPE = f"{MEDIA_TYPE}; charset=utf-8"

_TAIL = "</feed>\n"


def render(feed: Feed, memory: Memory | None = None) -> Document:
    """The feed as Atom. The same feed gives the same bytes in every process, locale and time zone.

    With a `memory` (which the caller keeps and bounds), items that are the same as before are not written again.
    """
    memory = {} if memory is None else memory
    fragments = [
        recall(
            memory,
            item,
            (feed.base_url, feed.author, feed.link, published, feed.sources.get(item.post.channel_id)),
            partial(_entry, feed, item, published),
        )
        for item, published in zip(feed.items, dates.filled([item.post.date for item in feed.items]), strict=True)
    ]
    body, etag = compose(_head(feed), fragments, _TAIL)
    return Document(body=body, content_type=CONTENT_TYPE, etag=etag, last_modified=feed.updated)


def _head(feed: Feed) -> str:
    language = f" xml:lang={xml.attribute(feed.language)}" if feed.language else ""
    updated = dates.moment(feed.updated) or datetime.fromtimestamp(0, UTC)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<feed xmlns="http://www.w3.org/2005/Atom"{language}>',
        f"<id>{xml.text(feed.id)}</id>",
        f'<title type="text">{xml.text(feed.title)}</title>',
        f'<subtitle type="text">{xml.text(feed.description)}</subtitle>',
        f"<updated>{dates.rfc3339(updated)}</updated>",
        _author(feed.author, feed.link),
        f'<link rel="self" type="{MEDIA_TYPE}" href={xml.attribute(feed.self_url)}/>',
        _link("alternate", feed.link, "text/html"),
    ]
    if feed.older_url:
        lines.append(_link("next", feed.older_url, MEDIA_TYPE))
    if feed.icon_url:
        lines.append(f"<icon>{xml.text(feed.icon_url)}</icon>")
    lines.append(f"<generator>{GENERATOR}</generator>")
    return "\n".join(lines) + "\n"


def _entry(feed: Feed, item: Item, published: datetime) -> tuple[str, str]:
    """The entry's text before and after the place of its footer."""
    post = item.post
    lines = [
        "<entry>",
        f"<id>{xml.text(post.guid)}</id>",
        f'<title type="text">{xml.text(post.title)}</title>',
        f"<updated>{dates.rfc3339(dates.moment(post.updated) or published)}</updated>",
        f"<published>{dates.rfc3339(published)}</published>",
        _author(post.author, web_url(post.author_url)) if post.author else _author(feed.author, feed.link),
        _link("alternate", post.link, "text/html"),
        *(_link("enclosure", file.url, file.mime_type, _details(file)) for file in distinct(post.enclosures)),
        *_relations(post),
        *(f"<category term={xml.attribute(tag)}/>" for tag in post.tags),
    ]
    if post.flags:
        scheme = xml.attribute(f"{feed.base_url}/flags")
        lines += [f"<category term={xml.attribute(flag)} scheme={scheme}/>" for flag in post.flags]
    source = feed.sources.get(post.channel_id)
    if source is not None:
        lines.append(_source(source))
    lines.append(f'<content type="html"><![CDATA[{xml.cdata(item.content)}\n')
    return "\n".join(lines), "]]></content>\n</entry>\n"


def _source(source: Source) -> str:
    """The channel's own feed, as the place that the entry is copied from (RFC 4287 4.2.11).

    Not when that feed was updated: with every post of the channel all its entries would read otherwise.
    """
    parts = [
        f"<id>{xml.text(source.id)}</id>",
        f'<title type="text">{xml.text(source.title)}</title>',
        f'<link rel="self" type="{MEDIA_TYPE}" href={xml.attribute(source.atom_url)}/>',
        _link("alternate", source.link, "text/html"),
    ]
    return f"<source>{''.join(parts)}</source>"


def _relations(post: Post) -> Iterator[str]:
    """The original of a forwarded post, and the post's comments."""
    if post.forward_url:
        yield _link("via", post.forward_url, "text/html")
    if post.comments_url:
        yield _link("replies", post.comments_url, "text/html")


def _author(name: str, url: str) -> str:
    uri = f"<uri>{xml.text(url)}</uri>" if url else ""
    return f"<author><name>{xml.text(name)}</name>{uri}</author>"


def _link(relation: str, url: str, media_type: str, details: str = "") -> str:
    kind = f" type={xml.attribute(media_type)}" if media_type else ""
    return f'<link rel="{relation}"{kind} href={xml.attribute(url)}{details}/>'


def _details(file: Enclosure) -> str:
    """What Atom tells of a file besides its address and type."""
    length = f' length="{file.size}"' if file.size > 0 else ""
    title = f" title={xml.attribute(file.title)}" if file.title else ""
    return length + title
