"""A channel as a document: history, posts and rendering joined, off the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from datetime import tzinfo
from typing import TypeVar

import msgspec

import post_parser
import rss_generator
from errors import PassingFault, PostNotFound
from feeds import page
from feeds.feed import Feed, FeedFormat, Item
from feeds.fragments import Fragment
from media_cache.warmer import ShownFile
from model.channel import Channel
from model.message import Message
from posts.answers import answered_ids
from posts.post import MediaLinks, Post, RenderOptions
from routes.addresses import address, link_header
from routes.content_coding import Encoded, encode
from routes.document_cache import DocumentCache, Rendered
from routes.query import FeedQuery
from routes.recently_used import RecentlyUsed
from tg_cache import History, StaleReason, Window

T = TypeVar("T")

log = logging.getLogger(__name__)

# One page of Telegram's history: asking for fewer messages costs the same call.
FIRST_WINDOW = 100
# Bounds the calls of one request where a channel is nothing but service messages and albums of ten.
LARGEST_WINDOW = 1600
# How long readers are told to wait between two polls, in seconds.
FEED_MAX_AGE_S = 300
# Posts that are kept rendered and sanitized, for the channels that are busiest; for the others a whole rendering each
# few minutes costs less than the memory. A post takes 5 to 15 KB.
REMEMBERED_POSTS = 300


class RenderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The owner's choices that shape documents, as in `Settings`. `zone` is that of dates on pages."""

    link_host: str
    zone: tzinfo
    show_flags: bool
    show_bridge_link: bool
    reply_quote_chars: int
    reply_quote_distance: int


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """A document and how fresh the history behind it is.

    `fetched_at` is unix time in seconds. `link` is the Link header that belongs to a feed.
    """

    encoded: Encoded
    link: str
    fetched_at: float
    stale: StaleReason | None


class DocumentStats(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept in memory: finished documents with their bytes, plain and compressed, and rendered posts."""

    documents: int
    bytes: int
    posts: int


class DocumentKey(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a channel's document depends on, for the settings of one process."""

    format: FeedFormat
    channel_id: int
    version: int
    fetched_at: float
    # A window may be shorter while Telegram can't be asked for the rest.
    messages: int
    query: FeedQuery
    base_url: str


class ChannelDocuments:
    """Makes feeds and pages of channels, and keeps the latest in memory.

    A document that has changed is made of the posts of the one before: only new and edited posts are rendered.

    `links_for` gives the media addresses under a base URL; it should give equal objects for equal addresses. Rendering
    runs in `threads`, which must be one thread: rendering is all Python, so more of them would only fight with the
    event loop for the interpreter. `on_shown` is told which files a feed names, whenever one is made.
    """

    def __init__(
        self,
        history: History,
        cache: DocumentCache[DocumentKey],
        links_for: Callable[[str], MediaLinks],
        settings: RenderSettings,
        threads: Executor,
        on_shown: Callable[[Sequence[ShownFile]], None] = lambda files: None,
    ) -> None:
        self._history = history
        self._cache = cache
        self._links_for = links_for
        self._settings = settings
        self._threads = threads
        self._on_shown = on_shown
        self._failed_renders = 0
        # So that equal options are one object: they are part of every key below.
        self._known_options: RecentlyUsed[RenderOptions, RenderOptions] = RecentlyUsed(16)
        # All three are used in `threads` alone.
        self._rendered: RecentlyUsed[post_parser.MemoryKey, post_parser.Remembered] = RecentlyUsed(REMEMBERED_POSTS)
        # By guid and options.
        self._safe: RecentlyUsed[tuple[str, RenderOptions], Item] = RecentlyUsed(REMEMBERED_POSTS)
        self._fragments: dict[FeedFormat, RecentlyUsed[str, Fragment]] = {
            format: RecentlyUsed(REMEMBERED_POSTS) for format in (FeedFormat.RSS, FeedFormat.ATOM)
        }

    @property
    def failed_renders(self) -> int:
        """How often a post's rendering failed, so that a placeholder was shown."""
        return self._failed_renders

    def stats(self) -> DocumentStats:
        """How much is kept."""
        return DocumentStats(documents=len(self._cache), bytes=self._cache.size, posts=len(self._rendered))

    async def feed(self, key: str | int, query: FeedQuery, format: FeedFormat, base_url: str) -> Served:
        """The channel's newest posts as a document. Raises what History raises."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        window = await self._history.window(key, FIRST_WINDOW)
        cache_key = DocumentKey(
            format=format,
            channel_id=window.channel.id,
            version=window.version,
            fetched_at=window.fetched_at,
            messages=len(window.messages),
            query=query,
            base_url=base_url,
        )
        rendered = await self._cache.get(cache_key, lambda: self._render(key, window, query, format, base_url, began))
        return Served(
            encoded=rendered.encoded,
            link=link_header(base_url, format, window.channel),
            fetched_at=window.fetched_at,
            stale=window.stale or rendered.lacking,
        )

    async def post_page(self, key: str | int, post_id: int, base_url: str) -> Encoded:
        """One post, with its whole album, as a page. Raises PostNotFound and what History raises."""
        channel, messages = await self._history.album(key, post_id)
        messages += tuple(await self._answered(key, messages))
        return await self._in_thread(self._render_post, messages, channel, post_id, base_url)

    async def _answered(self, key: str | int, messages: Sequence[Message]) -> list[Message]:
        """What the messages answer, as far as it can be had: a page is good without, too."""
        answered = []
        for message_id in answered_ids(messages):
            with suppress(PostNotFound, PassingFault):
                answered.append(await self._history.message(key, message_id))
        return answered

    async def _render(
        self, key: str | int, window: Window, query: FeedQuery, format: FeedFormat, base_url: str, began: float
    ) -> Rendered:
        """The document. `began` is when its reader came, by the loop's clock."""
        loop = asyncio.get_running_loop()
        options = self._options(query, base_url)
        posts = await self._in_thread(self._posts, window, options, query.limit)
        count, lacking = FIRST_WINDOW, None
        while len(posts) < query.limit and not window.reached_start and lacking is None and count < LARGEST_WINDOW:
            count *= 2
            window = await self._history.window(key, count, waited=loop.time() - began)
            lacking = window.stale
            posts = await self._in_thread(self._posts, window, options, query.limit)
        encoded = await self._in_thread(self._encoded, posts, window, format, options)
        self._on_shown(_files_of(posts, window.channel))
        return Rendered(encoded=encoded, lacking=lacking)

    async def _in_thread(self, work: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def _options(self, query: FeedQuery, base_url: str) -> RenderOptions:
        options = RenderOptions(
            base_url=base_url,
            media=self._links_for(base_url),
            link_host=f"https://{self._settings.link_host}",
            merge_seconds=query.merge_seconds,
            show_flags=self._settings.show_flags,
            show_bridge_link=self._settings.show_bridge_link,
            reply_quote_chars=self._settings.reply_quote_chars,
            reply_quote_distance=self._settings.reply_quote_distance,
        )
        return self._known_options.setdefault(options, options)

    def _posts(self, window: Window, options: RenderOptions, limit: int) -> list[Post]:
        return post_parser.build_posts(
            window.messages,
            window.channel,
            options,
            limit=limit,
            on_failure=self._failure_listener(window.channel),
            memory=self._rendered,
        )

    def _failure_listener(self, channel: Channel) -> post_parser.FailureListener:
        """Counts and logs posts of the channel that can't be shown."""

        def note_failure(message_id: int, error: BaseException) -> None:
            self._failed_renders += 1
            log.error("Post %s of channel %s can't be rendered", message_id, channel.id, exc_info=error)

        return note_failure

    def _encoded(self, posts: Sequence[Post], window: Window, format: FeedFormat, options: RenderOptions) -> Encoded:
        feed = self._feed(posts, window.channel, window.changed_at, format, options)
        fragments = self._fragments.get(format)
        return encode(rss_generator.render(format, feed, zone=self._settings.zone, fragments=fragments))

    def _render_post(self, messages: Sequence[Message], channel: Channel, post_id: int, base_url: str) -> Encoded:
        options = self._options(FeedQuery(), base_url)
        listener = self._failure_listener(channel)
        post = post_parser.post_of(messages, channel, options, post_id, on_failure=listener)
        if post is None:
            raise PostNotFound(f"Post {post_id} has nothing to show")
        feed = self._feed([post], channel, post.updated or post.date or 0, FeedFormat.HTML, options)
        feed = msgspec.structs.replace(feed, self_url=f"{feed.page_url}/{post_id}")
        return encode(page.render_post_page(feed, feed.items[0], self._settings.zone))

    def _feed(
        self, posts: Sequence[Post], channel: Channel, changed_at: int, format: FeedFormat, options: RenderOptions
    ) -> Feed:
        urls = {each: address(options.base_url, each, channel) for each in FeedFormat}
        icon_url = options.media.url(channel.id, 0, channel.photo) if channel.photo else ""
        feed = rss_generator.build_feed(
            posts,
            channel,
            known=[item for post in posts if (item := self._safe.get((post.guid, options))) is not None],
            base_url=options.base_url,
            self_url=urls[format],
            page_url=urls[FeedFormat.HTML],
            posts_url=urls[FeedFormat.HTML],
            feed_url=urls[FeedFormat.RSS],
            atom_url=urls[FeedFormat.ATOM],
            json_url=urls[FeedFormat.JSON],
            icon_url=icon_url,
            updated=changed_at,
            ttl=FEED_MAX_AGE_S,
            link_host=options.link_host,
        )
        rendered = {post.guid for post in posts if not post.failed}
        for item in feed.items:
            if item.post.failed and item.post.guid in rendered:
                self._failed_renders += 1
                log.error("Post %s of channel %s can't be made safe", item.post.message_ids[0], channel.id)
        self._safe.update(((item.post.guid, options), item) for item in feed.items if not item.post.failed)
        return feed


def _files_of(posts: Sequence[Post], channel: Channel) -> list[ShownFile]:
    """All files that a feed of the posts names."""
    shown = [ShownFile(channel.id, file.message_id, post.date or 0, file.file) for post in posts for file in post.files]
    if channel.photo is not None:
        shown.append(ShownFile(channel.id, 0, posts[0].date or 0 if posts else 0, channel.photo))
    return shown
