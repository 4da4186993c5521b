"""Where a channel's documents are on this bridge."""

from __future__ import annotations

from feeds.feed import MEDIA_TYPES, FeedFormat
from model.channel import Channel
from posts.urls import path_part

PATHS = {
    FeedFormat.RSS: "/rss",
    FeedFormat.ATOM: "/atom",
    FeedFormat.JSON: "/feed.json",
    FeedFormat.HTML: "/html",
}
_FEEDS = (FeedFormat.RSS, FeedFormat.ATOM, FeedFormat.JSON)


def address(base_url: str, format: FeedFormat, channel: Channel) -> str:
    """The URL of the channel in that format, without query and token.

    The id would find the channel under every name that it will ever have; a username is what people recognise.
    """
    name = path_part(channel.username) if channel.username else channel.id
    return f"{base_url}{PATHS[format]}/{name}"


def link_header(base_url: str, format: FeedFormat, channel: Channel) -> str:
    """The Link header (RFC 8288) of a feed: itself, and the same feed in the other formats."""
    links = [(format, "self"), *((other, "alternate") for other in _FEEDS if other is not format)]
    return ", ".join(
        f'<{address(base_url, each, channel)}>; rel="{relation}"; type="{MEDIA_TYPES[each]}"'
        for each, relation in links
    )
