"""What every document is made from, whatever its format."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NewType

import msgspec

from posts.post import Post

# HTML that has passed the sanitizer. Only `feeds.sanitizer` makes values of this type, so the type checker
# sees to it that documents hold nothing else and that nothing passes twice.
SafeHtml = NewType("SafeHtml", str)


class FeedFormat(StrEnum):
    """A document format that `rss_generator.render` can write."""

    RSS = "rss"
    ATOM = "atom"
    JSON = "json"
    HTML = "html"


MEDIA_TYPES = {
    FeedFormat.RSS: "application/rss+xml",
    FeedFormat.ATOM: "application/atom+xml",
    FeedFormat.JSON: "application/feed+json",
    FeedFormat.HTML: "text/html",
}
GENERATOR = "Telegram Bridge"


class Item(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A post with its HTML made safe."""

    post: Post
    content: SafeHtml
    footer: SafeHtml


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One of several channels in a feed: the id, title and addresses that its own feed has.

    `link` is the channel at Telegram or on the bridge. `handle` is as in `Subject`, `posts_url` as in `Feed`.
    """

    id: str
    title: str
    rss_url: str
    atom_url: str
    link: str
    handle: str = ""
    posts_url: str = ""


_NO_SOURCES: Mapping[int, Source] = MappingProxyType({})


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """What a feed is about.

    `name` is what the feed's id is made of, so it never changes. `title`, `author` and `handle` are one plain line,
    `handle` being the name at Telegram, "" if there is none. `link` is where the subject is at Telegram, "" if nowhere.
    `sources` are the channels, by their ids, where the posts are those of several.
    """

    name: str
    title: str
    author: str
    description: str
    about: str = ""
    link: str = ""
    handle: str = ""
    icon_url: str = ""
    sensitive: bool = False
    sources: Mapping[int, Source] = _NO_SOURCES


class Feed(msgspec.Struct, frozen=True, kw_only=True):
    """A subject and its newest posts, newest first, with the addresses that a document names.

    Fields of the name are those of `Subject`, but that `link` is never empty.

    URLs are absolute. `updated` is when the content last changed (unix seconds), never the time of rendering.
    `ttl` is how long a reader may wait, in seconds. `feed_url`, `atom_url` and `json_url` are the feed in RSS, Atom and
    JSON. `base_url` is the bridge's own address without a slash at its end. `posts_url`, where given, followed by `/`
    and a message id is the page of that one post.
    `language` is a BCP 47 tag, "" where nobody has said which.
    """

    id: str
    title: str
    author: str
    description: str
    link: str
    self_url: str
    page_url: str
    updated: int
    items: tuple[Item, ...]
    about: str = ""
    handle: str = ""
    icon_url: str = ""
    sensitive: bool = False
    sources: Mapping[int, Source] = _NO_SOURCES
    feed_url: str = ""
    atom_url: str = ""
    json_url: str = ""
    older_url: str = ""
    newer_url: str = ""
    ttl: int = 300
    base_url: str = ""
    posts_url: str = ""
    language: str = ""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A finished document. `etag` is quoted and weak, and does not depend on counters or the footer."""

    body: bytes
    content_type: str
    etag: str
    last_modified: int
