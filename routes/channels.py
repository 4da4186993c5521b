"""A channel as a document: history, the choice of posts, and rendering joined, off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence

import msgspec

from errors import PostNotFound
from feeds.feed import FeedFormat
from history.join import MAX_MESSAGES
from history.place import Key
from media_cache.warmer import ShownFile
from model.channel import Channel
from posts.post import Post
from posts.selection import FIRST_PAGE, Selection, posts_at_hand, select
from routes.addresses import Addresses
from routes.content_coding import Encoded
from routes.document_cache import DocumentCache, Rendered
from routes.feed_keys import FeedKeys
from routes.filtering import Filtering, WantedIn
from routes.paging import Neighbours, beside_of
from routes.query import FeedQuery
from routes.rendering import Renderer
from tg_cache import History, StaleReason, Window

# One page of Telegram's history: asking for fewer messages costs the same call.
FIRST_WINDOW = 100


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """A document and how fresh the history behind it is.

    `fetched_at` is unix time in seconds. `link` is the Link header that belongs to a feed. `left_out` are the channels
    that the document should have had posts of, with the HTTP status that each would have been answered with by itself.
    """

    encoded: Encoded
    link: str
    fetched_at: float
    stale: StaleReason | None
    left_out: tuple[tuple[str, int], ...] = ()


class DocumentStats(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept in memory: finished documents with their bytes, plain and compressed, and rendered posts."""

    documents: int
    bytes: int
    posts: int


class DocumentKey(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a channel's document depends on, for the settings of one process.

    `place_id` is the channel's id, or the number of a thread, whose title is `topic`.
    """

    format: FeedFormat
    as_page: bool
    place_id: int
    topic: str
    version: int
    fetched_at: float
    # How far back the history is known: whether there are older pages depends on that.
    messages: int
    query: FeedQuery
    base_url: str
    gone_files: frozenset[str]


class _Choice(msgspec.Struct, frozen=True, kw_only=True):
    """The posts of a page, and the history that they were chosen from.

    `lacking` is what kept Telegram from being asked for more of it, None if there was no need.
    """

    selection: Selection
    window: Window
    lacking: StaleReason | None


class ChannelDocuments:
    """Makes feeds and pages of channels, and keeps the latest in memory.

    `keys`, where given, stand in the addresses of feeds. `on_shown` is told which files a feed names, whenever one is
    made.
    """

    def __init__(
        self,
        history: History,
        cache: DocumentCache[Hashable],
        renderer: Renderer,
        keys: FeedKeys | None = None,
        on_shown: Callable[[Sequence[ShownFile]], None] = lambda files: None,
    ) -> None:
        self._history = history
        self._cache = cache
        self._renderer = renderer
        self._keys = keys
        self._on_shown = on_shown
        self.filtering = Filtering(renderer)

    def stats(self) -> DocumentStats:
        """How much is kept."""
        return DocumentStats(documents=len(self._cache), bytes=self._cache.size, posts=self._renderer.remembered_posts)

    async def feed(
        self, key: Key, query: FeedQuery, format: FeedFormat, base_url: str, *, as_page: bool = False
    ) -> Served:
        """The posts that the query finds in the channel, topic or comments, as a document.

        With `as_page` it is a page that shows the feed of that format, for who opens its address in a browser.

        Raises PostNotFound for a page that begins further back than the history that is kept, and what History raises.
        """
        began = asyncio.get_running_loop().time()
        window = await self._at_hand(key, query)
        cache_key = DocumentKey(
            format=format,
            as_page=as_page,
            place_id=window.place.id,
            topic=window.thread.title if window.thread is not None else "",
            version=window.version,
            fetched_at=window.fetched_at,
            messages=window.held,
            query=query,
            base_url=base_url,
            gone_files=self._renderer.gone_files(format, as_page=as_page),
        )

        async def render() -> Rendered:
            addresses = self._addresses(window, query, base_url)
            return await self._render(key, window, format, addresses, began, as_page, cache_key.gone_files)

        rendered = await self._cache.get(cache_key, render)
        return Served(
            encoded=rendered.encoded,
            link=rendered.link,
            fetched_at=window.fetched_at,
            stale=window.stale or rendered.lacking,
        )

    def _addresses(self, window: Window, query: FeedQuery, base_url: str) -> Addresses:
        thread = window.thread
        subject = window.channel.id if thread is None else thread.name
        feed_key = self._keys.of(subject) if self._keys is not None else ""
        if thread is None:
            return Addresses.of_channel(window.channel, base_url, query, feed_key=feed_key)
        return Addresses.of_thread(thread, base_url, query, feed_key=feed_key)

    async def _at_hand(self, key: Key, query: FeedQuery) -> Window:
        """A window that is fresh; for older pages, which hardly change, all that is stored, however old."""
        stored = None if query.before is None else await self._history.stored(key)
        return stored or await self._history.window(key, FIRST_WINDOW)

    async def _render(
        self,
        key: Key,
        window: Window,
        format: FeedFormat,
        addresses: Addresses,
        began: float,
        as_page: bool,
        gone_files: frozenset[str],
    ) -> Rendered:
        """The document. `began` is when its reader came, by the loop's clock."""
        query = addresses.query
        choice = await self._choose(key, window, addresses, began)
        window, selection = choice.window, choice.selection
        if selection.beyond and not window.reached_start:
            raise PostNotFound(
                f"Posts before {query.before} are further back than the {MAX_MESSAGES} messages kept of a chat"
            )
        options = self._renderer.options(addresses.base_url, query.merge_seconds)
        pages = _neighbours(choice, query)
        beside = beside_of(format, addresses, pages, for_people=as_page or format is FeedFormat.HTML)
        subject = self._renderer.subject(window, options)

        def render() -> tuple[list[Post], Encoded]:
            posts = self._renderer.posts(selection.groups, window, options)
            document = self._renderer.document(
                posts, subject, window.changed_at, format, addresses, options, beside, as_page, gone_files
            )
            return posts, document

        posts, encoded = await self._renderer.run(render)
        self._on_shown([*files_of(posts), *_photo_of(window.place.asked, posts)])
        return Rendered(encoded=encoded, link=addresses.link_header(format), lacking=choice.lacking)

    async def _choose(self, key: Key, window: Window, addresses: Addresses, began: float) -> _Choice:
        """Choose the posts from what is stored; while there are too few, from a history twice as long.

        So one request never asks for more than `MAX_MESSAGES` messages, in pages of a hundred. Raises the fault that
        kept Telegram from being asked if nothing was found: whether there is nothing is not known then.
        """
        loop = asyncio.get_running_loop()
        window = await self._history.stored(window.place.key) or window
        selection = await self._select(window, addresses)
        count = 0
        lacking: StaleReason | None = None
        while len(selection.groups) < addresses.query.limit and lacking is None:
            # A search is for what is stored.
            if window.reached_start or addresses.query.filters.q:
                break
            longer = min(MAX_MESSAGES, max(FIRST_WINDOW, 2 * len(window.messages)))
            if longer <= count:
                break
            count = longer
            window = await self._history.window(key, count, waited=loop.time() - began)
            selection, lacking = await self._select(window, addresses), window.stale
            if lacking is not None and not selection.groups:
                window = await self._history.window(key, count, waited=loop.time() - began, stale=False)
                selection, lacking = await self._select(window, addresses), None
        return _Choice(selection=selection, window=window, lacking=lacking)

    async def _select(self, window: Window, addresses: Addresses) -> Selection:
        query = addresses.query

        def choose(wanted_in: WantedIn) -> Selection:
            groups = posts_at_hand(window.messages, query.merge_seconds, open_end=not window.reached_start)
            return select(groups, limit=query.limit, before=query.before, wanted=wanted_in(window))

        return await self.filtering.run(choose, query, addresses.base_url)


def _neighbours(choice: _Choice, query: FeedQuery) -> Neighbours:
    selection, window = choice.selection, choice.window
    return Neighbours(
        older=selection.older,
        following=selection.following,
        has_newer=selection.newer is not None,
        newer=None if selection.newer == FIRST_PAGE else selection.newer,
        goes_on=len(window.messages) < MAX_MESSAGES,
        is_all=window.reached_start or bool(query.filters.q),
    )


def files_of(posts: Sequence[Post]) -> list[ShownFile]:
    """All files that the posts name."""
    return [
        ShownFile(post.channel_id, file.message_id, post.date or 0, file.file) for post in posts for file in post.files
    ]


def _photo_of(channel: Channel, posts: Sequence[Post]) -> list[ShownFile]:
    """The channel's photo, which a feed of the posts names, if there is one."""
    newest = posts[0].date or 0 if posts else 0
    return [] if channel.photo is None else [ShownFile(channel.id, 0, newest, channel.photo)]
