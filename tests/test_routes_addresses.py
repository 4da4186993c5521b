from __future__ import annotations

import msgspec
import pytest

from feeds.feed import FeedFormat
from model.channel import Channel, ChannelKind
from routes.addresses import address, link_header

BASE = "https://bridge.example/b"
NEWS = Channel(id=-1001234567890, kind=ChannelKind.CHANNEL, title="News", username="news")
NAMELESS = msgspec.structs.replace(NEWS, username=None)


@pytest.mark.parametrize(
    ("format", "path"),
    [
        (FeedFormat.RSS, "/rss/"),
        (FeedFormat.ATOM, "/atom/"),
        (FeedFormat.JSON, "/feed.json/"),
        (FeedFormat.HTML, "/html/"),
    ],
)
def test_a_channel_has_an_address_in_each_format_by_its_name_or_else_its_id(format: FeedFormat, path: str) -> None:
    assert address(BASE, format, NEWS) == f"{BASE}{path}news"
    assert address(BASE, format, NAMELESS) == f"{BASE}{path}-1001234567890"


def test_a_feed_names_itself_and_its_sisters() -> None:
    assert link_header(BASE, FeedFormat.ATOM, NEWS).split(", ") == [
        f'<{BASE}/atom/news>; rel="self"; type="application/atom+xml"',
        f'<{BASE}/rss/news>; rel="alternate"; type="application/rss+xml"',
        f'<{BASE}/feed.json/news>; rel="alternate"; type="application/feed+json"',
    ]


def test_no_username_can_end_an_address_or_a_header() -> None:
    odd = msgspec.structs.replace(NEWS, username='a>; rel="x"\r\nB: é')
    header = link_header(BASE, FeedFormat.RSS, odd)
    assert header.isascii() and not {"\r", "\n"} & set(header)
    assert header.count("<") == header.count(">") == 3
