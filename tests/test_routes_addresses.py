"""Addresses of a channel's documents, with what chooses the posts in them."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import msgspec
import pytest

from feeds.feed import FeedFormat
from model.channel import Channel, ChannelKind
from posts.filters import Filters
from routes.addresses import Addresses
from routes.query import FeedQuery, parse_feed_query

BASE = "https://bridge.example/b"
NEWS = Channel(id=-1001234567890, kind=ChannelKind.CHANNEL, title="News", username="news")
NAMELESS = msgspec.structs.replace(NEWS, username=None)
FEEDS = (FeedFormat.RSS, FeedFormat.ATOM, FeedFormat.JSON)
EVERYTHING = FeedQuery()
CHOOSY = FeedQuery(
    limit=3, before=40, filters=Filters(exclude_flags=("fwd", "video"), include_text="a b&c=ж", exclude_text="%")
)


def addresses(channel: Channel = NEWS, query: FeedQuery = EVERYTHING, feed_key: str = "") -> Addresses:
    return Addresses.of_channel(channel, BASE, query, feed_key=feed_key)


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
    assert addresses().own(format) == f"{BASE}{path}news"
    assert addresses(NAMELESS).own(format) == f"{BASE}{path}-1001234567890"


def test_a_feed_names_itself_and_its_sisters() -> None:
    assert addresses().link_header(FeedFormat.ATOM).split(", ") == [
        f'<{BASE}/atom/news>; rel="self"; type="application/atom+xml"',
        f'<{BASE}/rss/news>; rel="alternate"; type="application/rss+xml"',
        f'<{BASE}/feed.json/news>; rel="alternate"; type="application/feed+json"',
    ]


def test_a_header_that_proxies_would_refuse_names_the_feed_alone() -> None:
    many = "+".join(f"channel_number_{number}" for number in range(50))
    long = Addresses(base_url=BASE, name=many, lasting_name=many)
    assert long.link_header(FeedFormat.RSS) == f'<{BASE}/rss/{many}>; rel="self"; type="application/rss+xml"'


def test_no_username_and_no_filter_can_end_an_address_or_a_header() -> None:
    odd = msgspec.structs.replace(NEWS, username='a>; rel="x"\r\nB: é')
    query = FeedQuery(filters=Filters(include_text='>; rel="x"\r\nB: é, <'))
    header = addresses(odd, query).link_header(FeedFormat.RSS)
    assert header.isascii() and not {"\r", "\n"} & set(header)
    assert header.count("<") == header.count(">") == 3


@pytest.mark.parametrize("format", FeedFormat)
def test_whoever_follows_an_address_asks_the_same_query(format: FeedFormat) -> None:
    url = addresses(query=CHOOSY).own(format)
    parameters = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True, strict_parsing=True))
    assert parse_feed_query(parameters, merge=False) == CHOOSY
    assert list(parameters) == sorted(parameters)


def test_defaults_are_not_repeated_in_an_address() -> None:
    asked = parse_feed_query({"limit": "50", "merge_seconds": "5", "exclude_text": ""}, merge=True)
    assert addresses(query=asked).own(FeedFormat.RSS) == f"{BASE}/rss/news"
    asked = parse_feed_query({"limit": "51", "merge_seconds": "6"}, merge=True)
    assert addresses(query=asked).own(FeedFormat.RSS) == f"{BASE}/rss/news?limit=51&merge_seconds=6"


def test_the_newest_posts_and_another_page_differ_in_before_alone() -> None:
    query = FeedQuery(limit=3, before=40)
    assert addresses(query=query).newest(FeedFormat.HTML) == f"{BASE}/html/news?limit=3"
    assert addresses(query=query).page(FeedFormat.HTML, 7) == f"{BASE}/html/news?before=7&limit=3"


def test_a_key_is_part_of_each_feeds_address_and_of_no_pages() -> None:
    keyed = addresses(feed_key="k-_1")
    assert [keyed.own(format) for format in FEEDS] == [
        f"{BASE}/rss/-1001234567890?key=k-_1",
        f"{BASE}/atom/-1001234567890?key=k-_1",
        f"{BASE}/feed.json/-1001234567890?key=k-_1",
    ]
    assert keyed.own(FeedFormat.HTML) == f"{BASE}/html/news"
    assert keyed.posts() == f"{BASE}/html/news"
