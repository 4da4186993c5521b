"""Where a channel's documents are on this bridge."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import msgspec

from feeds.feed import MEDIA_TYPES, FeedFormat
from model.channel import Channel
from model.thread import Thread, thread_name
from posts.combined import Place
from posts.urls import path_part
from routes.query import FeedQuery

PATHS = {
    FeedFormat.RSS: "/rss",
    FeedFormat.ATOM: "/atom",
    FeedFormat.JSON: "/feed.json",
    FeedFormat.HTML: "/html",
}
# In characters. Proxies have room for 4 KB of headers (nginx's proxy_buffer_size).
_LONGEST_HEADER = 2000
FEED_FORMATS = (FeedFormat.RSS, FeedFormat.ATOM, FeedFormat.JSON)


class Addresses(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses of what one query finds in a channel, or in whatever else has feeds.

    `name` is what follows a route in them, as people recognise it and ready for an address. `lasting_name` is the same
    by ids, which hold under every name that there will ever be. `posts_name` is the chat's whose posts these are, "" if
    it is the same. `feed_key`, where it is not empty, opens the feeds: it is part of their addresses,
    with the lasting name, and of no page's.
    """

    base_url: str
    name: str
    lasting_name: str
    query: FeedQuery = FeedQuery()
    feed_key: str = ""
    posts_name: str = ""

    @classmethod
    def of_channel(
        cls, channel: Channel, base_url: str, query: FeedQuery | None = None, *, feed_key: str = ""
    ) -> Addresses:
        """Those of a channel."""
        return cls(
            base_url=base_url,
            name=channel_name(channel),
            lasting_name=str(channel.id),
            query=query or FeedQuery(),
            feed_key=feed_key,
        )

    @classmethod
    def of_thread(
        cls, thread: Thread, base_url: str, query: FeedQuery | None = None, *, feed_key: str = ""
    ) -> Addresses:
        """Those of a topic, or of a post's comments."""
        return cls(
            base_url=base_url,
            name=thread_name(channel_name(thread.chat), thread.kind, thread.root_id),
            lasting_name=thread.name,
            query=query or FeedQuery(),
            feed_key=feed_key,
            posts_name=channel_name(thread.home),
        )

    def own(self, format: FeedFormat) -> str:
        """Of the document itself."""
        return self._at(format, self.query.parameters())

    def newest(self, format: FeedFormat) -> str:
        """Of the newest posts that the query finds."""
        return self._at(format, {name: value for name, value in self.query.parameters().items() if name != "before"})

    def page(self, format: FeedFormat, before: int | Place) -> str:
        """Of the posts before the one with that message, or at that place."""
        return self._at(format, self.query.parameters() | {"before": str(before)})

    def bare(self, format: FeedFormat) -> str:
        """Of the document itself, as a feed even in a browser."""
        return self._at(format, self.query.parameters() | {"raw": "1"})

    def form(self, format: FeedFormat) -> tuple[str, dict[str, str]]:
        """Where a form asks for other posts in that format, and what it sends along with their limit and filters."""
        merging = {name: value for name, value in self.query.parameters().items() if name == "merge_seconds"}
        return f"{self.base_url}{self._path(format)}", merging | self._key(format)

    def posts(self) -> str:
        """What a slash and a message id make the address of that post's page."""
        return f"{self.base_url}{PATHS[FeedFormat.HTML]}/{self.posts_name or self.name}"

    def link_header(self, format: FeedFormat) -> str:
        """The Link header (RFC 8288) of a feed: itself, and the newest posts in the other formats.

        Without the latter where their addresses are very long, as with many chats: proxies refuse long headers.
        """
        links = [_link(self.own(format), "self", format)]
        links += [_link(self.newest(other), "alternate", other) for other in FEED_FORMATS if other is not format]
        whole = ", ".join(links)
        return whole if len(whole) <= _LONGEST_HEADER else links[0]

    def _at(self, format: FeedFormat, parameters: dict[str, str]) -> str:
        return f"{self.base_url}{self._path(format)}{query_of(parameters | self._key(format))}"

    def _path(self, format: FeedFormat) -> str:
        return f"{PATHS[format]}/{self.lasting_name if self._key(format) else self.name}"

    def _key(self, format: FeedFormat) -> dict[str, str]:
        return {"key": self.feed_key} if self.feed_key and format in FEED_FORMATS else {}


def channel_name(channel: Channel) -> str:
    """The channel as addresses name it: by its username, else by its id."""
    return path_part(channel.username) if channel.username else str(channel.id)


def query_of(parameters: dict[str, str]) -> str:
    """The parameters as the end of an address, with the question mark; "" for none."""
    return f"?{urlencode(sorted(parameters.items()), quote_via=quote, safe=',')}" if parameters else ""


def _link(url: str, relation: str, format: FeedFormat) -> str:
    return f'<{url}>; rel="{relation}"; type="{MEDIA_TYPES[format]}"'
