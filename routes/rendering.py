"""From messages to bytes, with what was rendered before in memory. All of it runs in one thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from datetime import tzinfo
from typing import TypeVar

import msgspec

import post_parser
import rss_generator
from feeds import page, subjects
from feeds.feed import Feed, FeedFormat, Item, Subject
from feeds.fragments import Fragment
from model.channel import Channel
from model.message import Message
from posts.gone import with_notes
from posts.grouping import Group
from posts.post import MediaLinks, Post, RenderOptions
from routes.addresses import Addresses
from routes.content_coding import Encoded, encode
from routes.query import LIMIT_MAX, LIMIT_MIN
from routes.recently_used import RecentlyUsed
from tg_cache import Window

T = TypeVar("T")

log = logging.getLogger(__name__)

# How long readers are told to wait between two polls, in seconds.
FEED_MAX_AGE_S = 300
# Posts that are kept rendered and sanitized, for the channels that are busiest; for the others a whole rendering each
# few minutes costs less than the memory. A post takes 5 to 15 KB.
REMEMBERED_POSTS = 300


class RenderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The owner's choices that shape documents, as in `Settings`. `zone` is that of dates on pages.

    `language` is a BCP 47 tag, "" where the owner has named none.
    """

    link_host: str
    zone: tzinfo
    show_flags: bool
    show_bridge_link: bool
    reply_quote_chars: int
    reply_quote_distance: int
    language: str = ""


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses of the pages beside one, "" where there is none."""

    older: str = ""
    newer: str = ""


class Renderer:
    """Makes posts and documents; only posts that are new or edited are rendered, the others are remembered.

    `links_for` gives the media addresses under a base URL; it should give equal objects for equal addresses.
    `gone_files` gives the unique ids of files that are known not to be had any more, of which pages say so. `threads`
    must be one thread: rendering is all Python, so more of them would only fight with the event loop for the
    interpreter. `run` does work there, which the methods that are no coroutines are for.
    """

    def __init__(
        self,
        links_for: Callable[[str], MediaLinks],
        settings: RenderSettings,
        threads: Executor,
        *,
        gone_files: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._links_for = links_for
        self._settings = settings
        self._threads = threads
        self._gone_files = gone_files
        self._failed_renders = 0
        # So that equal options are one object: they are part of every key below. Used in the event loop alone.
        self._known_options: RecentlyUsed[RenderOptions, RenderOptions] = RecentlyUsed(16)
        # All three are used in `threads` alone.
        self._rendered: RecentlyUsed[post_parser.MemoryKey, post_parser.Remembered] = RecentlyUsed(REMEMBERED_POSTS)
        # By guid and options.
        self._safe: RecentlyUsed[tuple[str, RenderOptions], Item] = RecentlyUsed(REMEMBERED_POSTS)
        self._fragments: dict[FeedFormat, RecentlyUsed[str, Fragment]] = {
            format: RecentlyUsed(REMEMBERED_POSTS) for format in (FeedFormat.RSS, FeedFormat.ATOM)
        }

    @property
    def zone(self) -> tzinfo:
        """The zone of dates on pages."""
        return self._settings.zone

    @property
    def remembered_posts(self) -> int:
        """How many rendered posts are in memory."""
        return len(self._rendered)

    @property
    def failed_renders(self) -> int:
        """How often a post's rendering failed, so that a placeholder was shown."""
        return self._failed_renders

    def gone_files(self, format: FeedFormat, *, as_page: bool = False) -> frozenset[str]:
        """The files of which such a document says that they are gone. Not to be called in the thread."""
        return self._gone_files() if as_page or format is FeedFormat.HTML else frozenset()

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """What `work` gives, done in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def options(self, base_url: str, merge_seconds: int | None = None) -> RenderOptions:
        """All that posts depend on besides messages. Not to be called in the thread."""
        options = RenderOptions(
            base_url=base_url,
            media=self._links_for(base_url),
            link_host=f"https://{self._settings.link_host}",
            merge_seconds=merge_seconds,
            show_flags=self._settings.show_flags,
            show_bridge_link=self._settings.show_bridge_link,
            reply_quote_chars=self._settings.reply_quote_chars,
            reply_quote_distance=self._settings.reply_quote_distance,
        )
        return self._known_options.setdefault(options, options)

    def channel_subject(self, channel: Channel, options: RenderOptions) -> Subject:
        """The channel as what a feed is about."""
        icon_url = options.media.url(channel.id, 0, channel.photo) if channel.photo else ""
        return subjects.channel_subject(channel, options.link_host, icon_url=icon_url)

    def subject(self, window: Window, options: RenderOptions) -> Subject:
        """The channel or thread of the window as what a feed is about."""
        if window.thread is None:
            return self.channel_subject(window.channel, options)
        chat = window.thread.chat
        icon_url = options.media.url(chat.id, 0, chat.photo) if chat.photo else ""
        return subjects.thread_subject(window.thread, options.link_host, icon_url=icon_url)

    def posts(self, groups: Iterable[Group], window: Window, options: RenderOptions) -> list[Post]:
        """The groups' posts; `window` is all that is at hand of the channel."""
        return post_parser.render_posts(
            groups,
            window.messages,
            window.channel,
            options,
            on_failure=self._failure_listener(window.channel),
            memory=self._rendered,
        )

    def single(
        self, messages: Sequence[Message], channel: Channel, options: RenderOptions, post_id: int
    ) -> Post | None:
        """The post that the message is part of; None if there is nothing to show of it."""
        return post_parser.post_of(messages, channel, options, post_id, on_failure=self._failure_listener(channel))

    def document(
        self,
        posts: Sequence[Post],
        subject: Subject,
        changed_at: int,
        format: FeedFormat,
        addresses: Addresses,
        options: RenderOptions,
        beside: Beside,
        as_page: bool,
        gone_files: frozenset[str],
    ) -> Encoded:
        """The document of the subject's posts; with `as_page` the page that shows a feed of that format in a browser.

        `changed_at` is when the content last changed (unix seconds). There are notes in the place of the gone files.
        """
        posts = [with_notes(post, gone_files, options.media) for post in posts]
        shown_as = FeedFormat.HTML if as_page else format
        feed = self.feed(posts, subject, changed_at, shown_as, addresses, options, beside)
        if shown_as is FeedFormat.HTML:
            opened = _opened(addresses, format) if as_page else None
            document = page.render(feed, self._settings.zone, _choice(addresses, format), opened)
        else:
            document = rss_generator.render(format, feed, fragments=self._fragments.get(format))
        return encode(document, self._threads)

    def feed(
        self,
        posts: Sequence[Post],
        subject: Subject,
        changed_at: int,
        format: FeedFormat,
        addresses: Addresses,
        options: RenderOptions,
        beside: Beside,
    ) -> Feed:
        """The posts made safe, with the addresses that a document names."""
        feed = rss_generator.build_feed(
            posts,
            subjects.searched(subject, addresses.query.filters.q),
            known=[item for post in posts if (item := self._safe.get((post.guid, options))) is not None],
            base_url=options.base_url,
            self_url=addresses.own(format),
            page_url=addresses.newest(FeedFormat.HTML),
            # Where pages need the token, which no link can hold, a post's way leads to Telegram.
            posts_url="" if addresses.feed_key else addresses.posts(),
            feed_url=addresses.newest(FeedFormat.RSS),
            atom_url=addresses.newest(FeedFormat.ATOM),
            json_url=addresses.newest(FeedFormat.JSON),
            older_url=beside.older,
            newer_url=beside.newer,
            updated=changed_at,
            ttl=FEED_MAX_AGE_S,
            language=self._settings.language,
            filters=addresses.query.choice(),
        )
        rendered = {post.guid for post in posts if not post.failed}
        for item in feed.items:
            if item.post.failed and item.post.guid in rendered:
                self._failed_renders += 1
                log.error("Post %s of channel %s can't be made safe", item.post.message_ids[0], item.post.channel_id)
        self._safe.update(((item.post.guid, options), item) for item in feed.items if not item.post.failed)
        return feed

    def _failure_listener(self, channel: Channel) -> post_parser.FailureListener:
        """Counts and logs posts of the channel that can't be shown."""

        def note_failure(message_id: int, error: BaseException) -> None:
            self._failed_renders += 1
            log.error("Post %s of channel %s can't be rendered", message_id, channel.id, exc_info=error)

        return note_failure


def _choice(addresses: Addresses, format: FeedFormat) -> page.Choice:
    """The box for choosing posts on a page at the address of that format."""
    action, kept = addresses.form(format)
    return page.Choice(
        filters=addresses.query.filters,
        limit=addresses.query.limit,
        limits=(LIMIT_MIN, LIMIT_MAX),
        # Pages have no key, so with a token set they are open only at the address that the reader came by.
        action="" if addresses.feed_key and format is FeedFormat.HTML else action,
        kept=tuple(kept.items()),
    )


def _opened(addresses: Addresses, format: FeedFormat) -> page.OpenedFeed:
    return page.OpenedFeed(format=format, address=addresses.newest(format), bare_url=addresses.bare(format))
