"""RSS 2.0, after the RSS Advisory Board's specification and Best Practices Profile."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from feeds import dates, podcast, xml
from feeds.excerpt import excerpt
from feeds.feed import GENERATOR, MEDIA_TYPES, Document, Feed, FeedFormat, Item
from feeds.fragments import Memory, compose, recall
from feeds.item_parts import distinct, main_file, shown_image
from model.channel import ChannelKind
from posts.author import origin_name
from posts.post import Enclosure, Post

CONTENT_TYPE = f"{MEDIA_TYPES[FeedFormat.RSS]}; charset=utf-8"

_DESCRIPTION_CHARS = 300
_PUBLIC_KINDS = frozenset({ChannelKind.CHANNEL, ChannelKind.SUPERGROUP})
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" \
xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/"%s>
<channel>
"""
_ITUNES = f' xmlns:itunes="{podcast.NAMESPACE}"'
_TAIL = "</channel>\n</rss>\n"


def render(feed: Feed, memory: Memory | None = None) -> Document:
    """The feed as RSS 2.0. The same feed gives the same bytes in every process, locale and time zone.

    With a `memory` (which the caller keeps and bounds), items that are the same as before are not written again.
    """
    memory = {} if memory is None else memory
    # The feed's address is part of items: it begins that of the list of flags.
    fragments = [
        recall(memory, item, (feed.base_url, feed.sources.get(item.post.channel_id)), partial(_item, feed, item))
        for item in feed.items
    ]
    body, etag = compose(_head(feed), fragments, _TAIL)
    return Document(body=body, content_type=CONTENT_TYPE, etag=etag, last_modified=feed.updated)


def _head(feed: Feed) -> str:
    """All before the items. Without audio nothing of it says that this is a podcast."""
    is_podcast = podcast.is_podcast(feed)
    lines = _channel(feed)
    if is_podcast:
        lines += podcast.channel_tags(feed)
    return _HEAD % (_ITUNES if is_podcast else "") + "\n".join(lines) + "\n"


def _channel(feed: Feed) -> list[str]:
    title, link = xml.text(feed.title), xml.text(feed.link)
    lines = [
        f"<title>{title}</title>",
        f"<link>{link}</link>",
        f"<description>{xml.text(feed.description)}</description>",
        f'<atom:link href={xml.attribute(feed.self_url)} rel="self" type="application/rss+xml"/>',
    ]
    if feed.older_url:
        lines.append(f'<atom:link href={xml.attribute(feed.older_url)} rel="next" type="application/rss+xml"/>')
    if feed.language:
        lines.append(f"<language>{xml.text(feed.language)}</language>")
    if (updated := dates.moment(feed.updated)) is not None:
        lines.append(f"<lastBuildDate>{dates.rfc822(updated)}</lastBuildDate>")
    published = (dates.moment(item.post.date) for item in feed.items)
    if (newest := next(filter(None, published), None)) is not None:
        lines.append(f"<pubDate>{dates.rfc822(newest)}</pubDate>")
    lines.append(f"<ttl>{max(1, feed.ttl // 60)}</ttl>")
    if feed.icon_url:
        lines.append(f"<image><url>{xml.text(feed.icon_url)}</url><title>{title}</title><link>{link}</link></image>")
    lines.append(f"<generator>{GENERATOR}</generator>")
    lines.append("<docs>https://www.rssboard.org/rss-specification</docs>")
    return lines


def _item(feed: Feed, item: Item) -> tuple[str, str]:
    """The item's text before and after the place of its footer."""
    post = item.post
    lines = [
        "<item>",
        f"<title>{xml.text(post.title)}</title>",
        f"<link>{xml.text(post.link)}</link>",
        f'<guid isPermaLink="false">{xml.text(post.guid)}</guid>',
    ]
    if (date := dates.moment(post.date)) is not None:
        lines.append(f"<pubDate>{dates.rfc822(date)}</pubDate>")
    if (updated := dates.moment(post.updated)) is not None:
        lines.append(f"<atom:updated>{dates.rfc3339(updated)}</atom:updated>")
    if post.author:
        lines.append(f"<dc:creator>{xml.text(post.author)}</dc:creator>")
    lines += [f"<category>{xml.text(tag)}</category>" for tag in post.tags]
    if post.flags:
        domain = xml.attribute(f"{feed.base_url}/flags")
        lines += [f"<category domain={domain}>{xml.text(flag)}</category>" for flag in post.flags]
    lines.append(f"<description>{xml.text(excerpt(post.text, _DESCRIPTION_CHARS) or post.title)}</description>")
    lines.append(f"<content:encoded><![CDATA[{xml.cdata(item.content)}\n")
    rest = [
        "]]></content:encoded>",
        *_files(post.enclosures),
        *_thumbnail(item),
        *podcast.item_tags(item),
        *_relations(feed, post),
        "</item>\n",
    ]
    return "\n".join(lines), "\n".join(rest)


def _relations(feed: Feed, post: Post) -> Iterator[str]:
    """The feed that the post comes from, if it is another, and the post's comments.

    It is that of the channel which the post was forwarded from, else in a feed of several channels that of its own.
    """
    origin, source = post.forwarded_from, feed.sources.get(post.channel_id)
    if origin is not None and origin.username and origin.kind in _PUBLIC_KINDS:
        url = xml.attribute(f"{feed.base_url}/rss/{origin.username}")
        yield f"<source url={url}>{xml.text(origin_name(origin))}</source>"
    elif source is not None:
        yield f"<source url={xml.attribute(source.rss_url)}>{xml.text(source.title)}</source>"
    if post.comments_url:
        yield f"<comments>{xml.text(post.comments_url)}</comments>"


def _files(files: tuple[Enclosure, ...]) -> Iterator[str]:
    """One enclosure at most, since RSS readers take the first or the last of several; the others as media:content.

    No address stands twice: a podcast client would list the episode twice.
    """
    if not files:
        return
    main = main_file(files)
    for file in distinct(sorted(files, key=lambda file: file is not main)):
        url, mime_type, size = xml.attribute(file.url), xml.attribute(file.mime_type), max(0, file.size)
        if file is main:
            yield f'<enclosure url={url} length="{size}" type={mime_type}/>'
            continue
        length = f' fileSize="{size}"' if size else ""
        duration = f' duration="{round(file.duration)}"' if file.duration >= 1 else ""
        if file.title:
            title = f'<media:title type="plain">{xml.text(file.title)}</media:title>'
            yield f"<media:content url={url} type={mime_type}{length}{duration}>{title}</media:content>"
        else:
            yield f"<media:content url={url} type={mime_type}{length}{duration}/>"


def _thumbnail(item: Item) -> Iterator[str]:
    image = shown_image(item)
    if image is not None:
        width = f' width="{image.width}"' if image.width > 0 else ""
        height = f' height="{image.height}"' if image.height > 0 else ""
        yield f"<media:thumbnail url={xml.attribute(image.url)}{width}{height}/>"
