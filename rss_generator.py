"""Front door of the documents: posts become a feed, a feed becomes bytes in the format asked for."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from datetime import UTC, tzinfo

import msgspec

from feeds import atom, json_feed, page, rss
from feeds.feed import Document, Feed, FeedFormat, Item, Subject
from feeds.fragments import Memory
from feeds.sanitizer import sanitize
from posts.identity import feed_id
from posts.post import Counters, Post


def build_feed(
    posts: Iterable[Post],
    subject: Subject,
    *,
    base_url: str,
    self_url: str,
    page_url: str,
    updated: int,
    feed_url: str = "",
    atom_url: str = "",
    json_url: str = "",
    posts_url: str = "",
    older_url: str = "",
    newer_url: str = "",
    ttl: int = 300,
    language: str = "",
    filters: Mapping[str, str] | None = None,
    known: Iterable[Item] = (),
) -> Feed:
    """The posts, in their order, as what every document is made from.

    `posts` are newest first. Of several posts with one guid the first counts. A post that can't be made safe becomes
    a placeholder with the same guid, link and dates; `Item.post.failed` tells.
    `filters` are the query parameters that choose posts, name to value: they are part of the feed's id, unlike
    limits and pages.
    `known` are items of an earlier feed: an equal post is not sanitized again.
    The other arguments are fields of `Feed`.
    """
    ready = {item.post.guid: item for item in known}
    items: dict[str, Item] = {}
    for post in posts:
        if post.guid not in items:
            item = ready.get(post.guid)
            items[post.guid] = item if item is not None and item.post == post else make_item(post)
    return Feed(
        id=feed_id(subject.name, filters),
        title=subject.title,
        author=subject.author,
        description=subject.description,
        link=subject.link or page_url,
        self_url=self_url,
        page_url=page_url,
        updated=updated,
        items=tuple(items.values()),
        about=subject.about,
        handle=subject.handle,
        icon_url=subject.icon_url,
        sensitive=subject.sensitive,
        sources=subject.sources,
        feed_url=feed_url,
        atom_url=atom_url,
        json_url=json_url,
        older_url=older_url,
        newer_url=newer_url,
        ttl=ttl,
        base_url=base_url,
        posts_url=posts_url,
        language=language,
    )


def make_item(post: Post) -> Item:
    """The post with content and footer made safe; a placeholder if that fails, whatever the reason."""
    try:
        return Item(post=post, content=sanitize(post.html), footer=sanitize(post.footer_html))
    # The edge of one post: any fault in it, also one of our own, must leave the other posts alone. It is not
    # swallowed: the post says that it failed, and the caller counts and logs that.
    except Exception:  # noqa: BLE001
        return placeholder(post)


def placeholder(post: Post) -> Item:
    """The item that stands for a post which can't be shown: same identity, and the way to the original."""
    link = html.escape(post.link)
    notice = f'<p>This post could not be shown here. <a href="{link}">Open it in Telegram</a>.</p>'
    failed = msgspec.structs.replace(
        post, html=notice, footer_html="", enclosures=(), images=(), counters=Counters(), files=(), failed=True
    )
    return Item(post=failed, content=sanitize(notice), footer=sanitize(""))


def render(format: FeedFormat, feed: Feed, *, zone: tzinfo = UTC, fragments: Memory | None = None) -> Document:
    """The feed in that format. Pages show dates on the clock of `zone`; feeds don't depend on it.

    With `fragments` (which the caller keeps and bounds, one for each format), a feed in XML is made of what it was made
    of before.

    The entity tag covers all but footers and counters, and is equal in every process.
    """
    match format:
        case FeedFormat.RSS:
            return rss.render(feed, fragments)
        case FeedFormat.ATOM:
            return atom.render(feed, fragments)
        case FeedFormat.JSON:
            return json_feed.render(feed)
        case FeedFormat.HTML:
            return page.render(feed, zone)
