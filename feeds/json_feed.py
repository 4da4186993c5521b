"""JSON Feed 1.1. A field without a value is left out: there is no null and no empty text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, UnsetType

from feeds import dates, xml
from feeds.assembly import entity_tag
from feeds.excerpt import excerpt
from feeds.feed import MEDIA_TYPES, Document, Feed, FeedFormat, Item
from feeds.item_parts import distinct, shown_image, web_url
from model.channel_key import LINK_HOSTS
from posts.post import Counters, Enclosure, Post

CONTENT_TYPE = MEDIA_TYPES[FeedFormat.JSON]
VERSION = "https://jsonfeed.org/version/1.1"

# Telegram's own words on what the extension holds.
_ABOUT = "https://core.telegram.org/constructor/message"
_SUMMARY_CHARS = 300
_UNKNOWN_TYPE = "application/octet-stream"
# Links as the sanitizer writes them.
_HREF = re.compile(r'<a [^>]*?href="(https?://[^"]*)"')

T = TypeVar("T")
MaybeText = str | UnsetType
MaybeNumber = int | UnsetType


class _Author(msgspec.Struct, frozen=True):
    name: str
    url: MaybeText = UNSET


class _Attachment(msgspec.Struct, frozen=True):
    url: str
    mime_type: str
    title: MaybeText = UNSET
    size_in_bytes: MaybeNumber = UNSET
    duration_in_seconds: MaybeNumber = UNSET


class _Reaction(msgspec.Struct, frozen=True, kw_only=True):
    """Exactly one of `emoji`, `custom_emoji_id` (a text, since it is too large for JavaScript's numbers), `paid`."""

    emoji: MaybeText = UNSET
    custom_emoji_id: MaybeText = UNSET
    paid: bool | UnsetType = UNSET
    count: int


class _Telegram(msgspec.Struct, frozen=True, kw_only=True):
    """The extension: what only Telegram knows of a post."""

    about: str = _ABOUT
    chat_id: int
    chat_title: MaybeText = UNSET
    message_ids: tuple[int, ...]
    views: MaybeNumber = UNSET
    forwards: MaybeNumber = UNSET
    reactions: list[_Reaction] | UnsetType = UNSET
    flags: list[str] | UnsetType = UNSET


class _Item(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    url: MaybeText
    external_url: MaybeText
    title: MaybeText
    content_html: str
    content_text: MaybeText
    summary: MaybeText
    image: MaybeText
    date_published: str
    date_modified: MaybeText
    authors: list[_Author] | UnsetType
    tags: list[str] | UnsetType
    attachments: list[_Attachment] | UnsetType
    telegram: _Telegram = msgspec.field(name="_telegram")


class _Feed(msgspec.Struct, frozen=True, kw_only=True):
    version: str = VERSION
    title: str
    home_page_url: MaybeText
    feed_url: MaybeText
    description: MaybeText
    next_url: MaybeText
    icon: MaybeText
    language: MaybeText
    authors: list[_Author] | UnsetType
    items: list[_Item]


def render(feed: Feed) -> Document:
    """The feed as JSON. The same feed gives the same bytes in every process.

    The entity tag is that of the document without footers and counters. Unlike the XML formats nothing is remembered:
    a hundred posts take 3 ms.
    """
    published = dates.filled([item.post.date for item in feed.items])
    lasting = [_item(feed, item, when) for item, when in zip(feed.items, published, strict=True)]
    complete = [_with_counters(each, item) for each, item in zip(lasting, feed.items, strict=True)]
    body = msgspec.json.encode(_feed(feed, complete))
    etag = entity_tag([msgspec.json.encode(_feed(feed, lasting))])
    return Document(body=body, content_type=CONTENT_TYPE, etag=etag, last_modified=feed.updated)


def _feed(feed: Feed, items: list[_Item]) -> _Feed:
    return _Feed(
        title=xml.clean(feed.title),
        home_page_url=_text(feed.link),
        feed_url=_text(feed.self_url),
        description=_text(feed.description),
        next_url=_text(feed.older_url),
        icon=_text(feed.icon_url),
        language=_text(feed.language),
        authors=_authors(feed.author, feed.link),
        items=items,
    )


def _item(feed: Feed, item: Item, published: datetime) -> _Item:
    """The item without its footer and counters."""
    post = item.post
    image = shown_image(item)
    updated = dates.moment(post.updated)
    return _Item(
        id=xml.clean(post.guid),
        url=_text(post.link),
        external_url=_text(_only_link(feed, item)),
        title=_text(post.title),
        content_html=f"{item.content}\n",
        content_text=_text(post.text),
        summary=_text(excerpt(post.text, _SUMMARY_CHARS)),
        image=UNSET if image is None else _text(image.url),
        date_published=dates.rfc3339(published),
        date_modified=UNSET if updated is None else dates.rfc3339(updated),
        authors=_authors(post.author, web_url(post.author_url)),
        tags=_texts(post.tags),
        attachments=_filled(_attachment(file) for file in distinct(post.enclosures)),
        telegram=_telegram(feed, post),
    )


def _with_counters(lasting: _Item, item: Item) -> _Item:
    counters = item.post.counters
    telegram = msgspec.structs.replace(
        lasting.telegram,
        views=UNSET if counters.views is None else counters.views,
        forwards=UNSET if counters.forwards is None else counters.forwards,
        reactions=_filled(_reactions(counters)),
    )
    return msgspec.structs.replace(lasting, content_html=lasting.content_html + item.footer, telegram=telegram)


def _telegram(feed: Feed, post: Post) -> _Telegram:
    source = feed.sources.get(post.channel_id)
    return _Telegram(
        chat_id=post.channel_id,
        chat_title=UNSET if source is None else _text(source.title),
        message_ids=post.message_ids,
        flags=_texts(post.flags),
    )


def _reactions(counters: Counters) -> Iterable[_Reaction]:
    for reaction in counters.reactions:
        yield _Reaction(
            emoji=_text(reaction.emoji),
            custom_emoji_id=str(reaction.custom_emoji_id) if reaction.custom_emoji_id else UNSET,
            paid=reaction.paid or UNSET,
            count=reaction.count,
        )


def _attachment(file: Enclosure) -> _Attachment:
    return _Attachment(
        url=xml.clean(file.url),
        mime_type=xml.clean(file.mime_type) or _UNKNOWN_TYPE,
        title=_text(file.title),
        size_in_bytes=file.size if file.size > 0 else UNSET,
        duration_in_seconds=round(file.duration) if file.duration >= 1 else UNSET,
    )


def _only_link(feed: Feed, item: Item) -> str:
    """The one address that the post links to, "" if there are none or several.

    Telegram's and the bridge's own are not counted: they are people, posts, tags and files.
    """
    own = LINK_HOSTS | {_host(feed.link), _host(feed.base_url)}
    links = {html.unescape(link) for link in _HREF.findall(item.content)}
    outside = [link for link in links if _host(link) not in own]
    return outside[0] if len(outside) == 1 else ""


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        # Brackets that hold no address.
        return ""


def _authors(name: str, url: str) -> list[_Author] | UnsetType:
    return [_Author(cleaned, _text(url))] if (cleaned := xml.clean(name)) else UNSET


def _text(value: str) -> MaybeText:
    """The text without characters that encoders refuse; unset if nothing is left."""
    return xml.clean(value) or UNSET


def _texts(values: Iterable[str]) -> list[str] | UnsetType:
    return _filled(filter(None, map(xml.clean, values)))


def _filled(values: Iterable[T]) -> list[T] | UnsetType:
    return list(values) or UNSET
