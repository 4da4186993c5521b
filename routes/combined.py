"""Several channels as one document: each is read by itself, and none keeps the others waiting or out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from errors import BridgeError, PostNotFound
from feeds.feed import FeedFormat, Source, Subject
from feeds.subjects import channel_link, combined_subject, feed_title
from history.join import MAX_MESSAGES
from history.source import PAGE
from history.waiting import Patience
from history.window import StaleReason, Window
from media_cache.warmer import ShownFile
from model.channel import Channel
from posts.combined import CombinedSelection, Part, select_combined
from posts.identity import feed_id
from posts.post import Post, RenderOptions
from posts.selection import posts_at_hand
from routes.addresses import Addresses
from routes.channels import FIRST_WINDOW, Served, files_of
from routes.content_coding import Encoded
from routes.document_cache import DocumentCache, Rendered
from routes.errors import status_of
from routes.feed_keys import FeedKeys
from routes.filtering import Filtering, WantedIn
from routes.folders import Collection
from routes.gathering import (
    Gathered,
    Gathering,
    Member,
    fault_of_all,
    lasting_name_of,
    name_of,
    notice_of,
    reason_of,
    title_of,
)
from routes.paging import Neighbours, beside_of
from routes.query import FeedQuery
from routes.rendering import Renderer
from tg_cache import History

PAGES_BACK = 20
"""The most pages of history that one request leads to beyond the first of each channel."""


class _MemberKey(NamedTuple):
    """A channel and the state of its history."""

    channel: Channel
    version: int
    fetched_at: float
    held: int


class _CombinedKey(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a document of several channels depends on, for the settings of one process."""

    format: FeedFormat
    as_page: bool
    members: tuple[_MemberKey | tuple[str, str, str], ...]
    subject: str
    title: str
    query: FeedQuery
    base_url: str
    gone_files: frozenset[str]


class _Choice(NamedTuple):
    """The posts of a page, and the histories that they were chosen from.

    `lacking` is what kept more of them from being looked at, None if there was no need.
    """

    selection: CombinedSelection
    windows: Sequence[Window]
    lacking: StaleReason | None


class CombinedDocuments:
    """Makes feeds and pages of several channels, and keeps the latest in memory.

    Who asks waits for all channels together no longer than `patience` allows for one. `keys`, where given, stand in
    the addresses of feeds. `on_shown` is told which files a feed names, whenever one is made.
    """

    def __init__(
        self,
        history: History,
        cache: DocumentCache[Hashable],
        renderer: Renderer,
        filtering: Filtering,
        patience: Patience,
        keys: FeedKeys | None = None,
        on_shown: Callable[[Sequence[ShownFile]], None] = lambda files: None,
    ) -> None:
        self._history = history
        self._cache = cache
        self._renderer = renderer
        self._filtering = filtering
        self._readers = Gathering(history, patience)
        self._keys = keys
        self._on_shown = on_shown

    async def feed(
        self, collection: Collection, query: FeedQuery, format: FeedFormat, base_url: str, *, as_page: bool = False
    ) -> Served:
        """The posts that the query finds in the channels, as a document; `as_page` is as in `ChannelDocuments`.

        Channels that can't be read now are left out. If none can be, their fault is raised: one that passes, if there
        is such a one. Raises PostNotFound for a page that begins further back than the history that is kept.
        """
        began = asyncio.get_running_loop().time()
        gathered = await self._readers.gather(collection.chats, query)
        windows, absent = gathered.windows, gathered.absent
        if not windows:
            raise fault_of_all([each.fault for each in absent])
        key = _CombinedKey(
            format=format,
            as_page=as_page,
            members=tuple(map(_state_of, gathered.members)),
            subject=collection.subject,
            title=collection.title,
            query=query,
            base_url=base_url,
            gone_files=self._renderer.gone_files(format, as_page=as_page),
        )

        async def render() -> Rendered:
            addresses = self._addresses(collection, gathered, query, base_url)
            return await self._render(collection, gathered, format, addresses, began, as_page, key.gone_files)

        rendered = await self._cache.get(key, render)
        grown_old = [(window.stale, window.fetched_at) for window in windows]
        grown_old += [(rendered.lacking, window.fetched_at) for window in windows]
        grown_old += [(collection.stale, collection.fetched_at)]
        # A channel that there is nothing of makes the rest no older.
        grown_old += [(reason_of(each.fault), time.time()) for each in absent]
        reasons = [reason for reason, _ in grown_old if reason is not None]
        return Served(
            encoded=rendered.encoded,
            link=rendered.link,
            fetched_at=min((fetched_at for reason, fetched_at in grown_old if reason is not None), default=time.time()),
            stale=reasons[0] if reasons else None,
            left_out=tuple((name_of(each), status_of(each.fault)) for each in absent),
        )

    def _addresses(self, collection: Collection, gathered: Gathered, query: FeedQuery, base_url: str) -> Addresses:
        names, lasting = [collection.path], [collection.path]
        subject = collection.subject
        if not subject:
            names = list(map(name_of, gathered.members))
            lasting = list(map(lasting_name_of, gathered.members))
            subject = gathered.subject
        return Addresses(
            base_url=base_url,
            name="+".join(names),
            lasting_name="+".join(lasting),
            query=query,
            feed_key="" if self._keys is None else self._keys.of(subject),
        )

    async def _render(
        self,
        collection: Collection,
        gathered: Gathered,
        format: FeedFormat,
        addresses: Addresses,
        began: float,
        as_page: bool,
        gone_files: frozenset[str],
    ) -> Rendered:
        """The document. `began` is when its reader came, by the loop's clock."""
        query = addresses.query
        choice = await self._choose(gathered.windows, addresses, began)
        selection, windows = choice.selection, choice.windows
        if selection.beyond and not all(window.reached_start for window in windows):
            raise PostNotFound(f"These posts are further back than the {MAX_MESSAGES} messages kept of each chat")
        options = self._renderer.options(addresses.base_url, query.merge_seconds)
        pages = _neighbours(choice, query)
        beside = beside_of(format, addresses, pages, for_people=as_page or format is FeedFormat.HTML)
        subject = self._subject(collection, gathered, addresses.base_url, options)
        changed_at = max(window.changed_at for window in windows)

        def render() -> tuple[list[Post], Encoded]:
            posts = self._posts(choice, options)
            document = self._renderer.document(
                posts, subject, changed_at, format, addresses, options, beside, as_page, gone_files
            )
            return posts, document

        posts, encoded = await self._renderer.run(render)
        if collection.subject or gathered.absent:
            encoded = _without_date(encoded)
        self._on_shown(files_of(posts))
        return Rendered(encoded=encoded, link=addresses.link_header(format), lacking=choice.lacking)

    def _posts(self, choice: _Choice, options: RenderOptions) -> list[Post]:
        """The chosen posts in their order; for the renderer's thread."""
        rendered: list[Iterator[Post]] = []
        for index, window in enumerate(choice.windows):
            groups = [group for part, group in choice.selection.posts if part == index]
            rendered.append(iter(self._renderer.posts(groups, window, options)))
        return [next(rendered[part]) for part, _ in choice.selection.posts]

    async def _choose(self, windows: Sequence[Window], addresses: Addresses, began: float) -> _Choice:
        """Choose the posts from what is at hand; where that is too little of a channel, from twice as much of it.

        One request asks for `PAGES_BACK` pages of history at most, the next one goes on. Raises the fault that kept
        Telegram from being asked if nothing was found: whether there is nothing is not known then.
        """
        loop = asyncio.get_running_loop()
        windows = list(windows)
        # A search is for what is stored.
        closed = {index for index, window in enumerate(windows) if addresses.query.filters.q or not _goes_on(window)}
        left = PAGES_BACK
        # What kept a channel from being read further back, and how far that should have been.
        lacking: tuple[StaleReason, int, int] | None = None
        while True:
            selection = await self._select(windows, closed, addresses)
            longer: dict[int, int] = {}
            for index in selection.short:
                held = len(windows[index].messages)
                count = min(MAX_MESSAGES, max(FIRST_WINDOW, 2 * held), held + left * PAGE)
                if count > held:
                    longer[index] = count
                    left -= -(-(count - held) // PAGE)
            if not longer:
                break
            waited = loop.time() - began
            found = await asyncio.gather(
                *(self._longer(windows[index], count, waited) for index, count in longer.items())
            )
            for (index, count), window in zip(longer.items(), found, strict=True):
                if window.stale is not None:
                    lacking = lacking or (window.stale, index, count)
                if window.stale is not None or not _goes_on(window) or window.held <= len(windows[index].messages):
                    closed.add(index)
                windows[index] = window
        if lacking is not None and not selection.posts:
            _, index, count = lacking
            waited = loop.time() - began
            windows[index] = await self._history.window(windows[index].channel.id, count, waited=waited, stale=False)
            selection, lacking = await self._select(windows, closed, addresses), None
        reason = StaleReason.INCOMPLETE if selection.short else None
        return _Choice(selection, windows, lacking[0] if lacking is not None else reason)

    async def _longer(self, window: Window, count: int, waited: float) -> Window:
        """More of the channel, else what there is of it with the reason."""
        try:
            longer = await self._history.window(window.channel.id, count, waited=waited)
        except BridgeError as fault:
            return msgspec.structs.replace(window, stale=reason_of(fault) or StaleReason.UNAVAILABLE)
        return longer if len(longer.messages) >= len(window.messages) else window

    async def _select(
        self, windows: Sequence[Window], closed: Container[int], addresses: Addresses
    ) -> CombinedSelection:
        query = addresses.query

        def choose(wanted_in: WantedIn) -> CombinedSelection:
            parts = [
                Part(
                    window.channel.id,
                    posts_at_hand(window.messages, query.merge_seconds, open_end=not window.reached_start),
                    open_end=index not in closed,
                    wanted=wanted_in(window),
                )
                for index, window in enumerate(windows)
            ]
            return select_combined(parts, limit=query.limit, before=query.place)

        return await self._filtering.run(choose, query, addresses.base_url)

    def _subject(self, collection: Collection, gathered: Gathered, base_url: str, options: RenderOptions) -> Subject:
        sources = {}
        for window in gathered.windows:
            channel, own = window.channel, Addresses.of_channel(window.channel, base_url)
            sources[channel.id] = Source(
                id=feed_id(channel.id),
                title=feed_title(channel),
                rss_url=own.own(FeedFormat.RSS),
                atom_url=own.own(FeedFormat.ATOM),
                link=channel_link(channel, options.link_host) or own.own(FeedFormat.HTML),
                handle=f"@{channel.username}" if channel.username else "",
                # Where pages need the token, which no link can hold, a post's way leads to Telegram.
                posts_url="" if self._keys is not None else own.posts(),
            )
        return combined_subject(
            collection.subject or gathered.subject,
            list(map(title_of, gathered.members)),
            sources,
            title=collection.title,
            notice=notice_of(gathered.absent),
            sensitive=any(window.channel.sensitive for window in gathered.windows),
        )


def _goes_on(window: Window) -> bool:
    """Whether there are older messages that are worth asking for."""
    return not window.reached_start and len(window.messages) < MAX_MESSAGES


def _state_of(member: Member) -> _MemberKey | tuple[str, str, str]:
    if isinstance(member, Window):
        return _MemberKey(member.channel, member.version, member.fetched_at, member.held)
    return (name_of(member), title_of(member), member.why)


def _without_date(encoded: Encoded) -> Encoded:
    """The document for readers that ask by date alone: they would not see what a channel that has joined brings."""
    return msgspec.structs.replace(encoded, document=msgspec.structs.replace(encoded.document, last_modified=0))


def _neighbours(choice: _Choice, query: FeedQuery) -> Neighbours:
    selection, windows = choice.selection, choice.windows
    return Neighbours(
        older=selection.older,
        following=selection.following,
        has_newer=selection.has_newer,
        newer=selection.newer,
        goes_on=any(map(_goes_on, windows)),
        is_all=bool(query.filters.q) or all(window.reached_start for window in windows),
    )
