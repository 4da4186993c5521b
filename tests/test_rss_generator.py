from __future__ import annotations

from zoneinfo import ZoneInfo

import feedparser
import msgspec
import pytest
from bs4 import BeautifulSoup, Tag
from feed_samples import BASE, CHANNEL, MEDIA, NOON, feed, one_of_each, post

from feeds.feed import FeedFormat
from feeds.subjects import channel_link
from model.channel import Channel, ChannelKind, PeerName
from model.entity import Entity, EntityType, Text
from model.media import (
    Audio,
    Document,
    FileLocation,
    FileRef,
    Media,
    Photo,
    Poll,
    PollOption,
    Sticker,
    Unsupported,
    Video,
    WebPage,
)
from model.message import Button, Forward, Message, Reaction, Reply
from post_parser import build_posts
from posts.identity import feed_id
from posts.post import Post, RenderOptions
from rss_generator import make_item, placeholder, render


def test_posts_keep_their_order_and_are_made_safe() -> None:
    built = feed([post(2, html="<p onclick=x>b</p>"), post(1, footer_html="<script>x</script><p>5 views</p>")])
    assert [item.post.message_ids for item in built.items] == [(2,), (1,)]
    assert built.items[0].content == "<p>b</p>"
    assert built.items[1].footer == "<p>5 views</p>"


def test_no_guid_stands_twice_and_the_newer_post_wins() -> None:
    built = feed([post(3), post(2, guid=post(3).guid), post(1)])
    assert [item.post.title for item in built.items] == ["Title 3", "Title 1"]


def test_a_post_that_cannot_be_made_is_a_placeholder_and_harms_no_other() -> None:
    # As a fault in a floor below could leave it; the type says that it can't be.
    broken = msgspec.structs.replace(post(2), html=None)
    built = feed([post(3), broken, post(1)])
    assert [item.post.failed for item in built.items] == [False, True, False]
    assert [item.post.guid for item in built.items] == [post(3).guid, post(2).guid, post(1).guid]
    entry = feedparser.parse(render(FeedFormat.RSS, built).body).entries[1]
    assert entry.id == post(2).guid
    assert entry.title == "Title 2"
    assert 'href="https://t.me/trains/2"' in entry.content[0].value
    assert b"could not be shown" in render(FeedFormat.HTML, built).body


def test_a_placeholder_carries_nothing_of_what_failed() -> None:
    item = placeholder(one_of_each()[3])
    assert item.post.failed
    assert (item.post.enclosures, item.post.images, item.footer) == ((), (), "")
    assert "<audio" not in item.content


def test_a_post_that_is_known_is_not_sanitized_again_and_a_changed_one_is() -> None:
    before = feed([post(2), post(1)])
    after = feed([post(3), post(2), post(1, html="<p>edited</p>")], known=before.items)
    assert after.items[1] is before.items[0]
    assert after.items[2].content == "<p>edited</p>"
    assert after == feed([post(3), post(2), post(1, html="<p>edited</p>")])


def test_a_known_failure_is_tried_again() -> None:
    assert feed([post(1)], known=[placeholder(post(1))]).items == (make_item(post(1)),)


@pytest.mark.parametrize(
    ("name", "username", "about", "title", "description"),
    [
        ("A", "a", "B", "A", "B"),
        ("A", "a", "", "A", "A"),
        ("", "a", "", "@a", "@a"),
        ("", None, "", "Chat -1001234567890", "Chat -1001234567890"),
    ],
)
def test_title_and_description_are_never_empty(
    name: str, username: str | None, about: str, title: str, description: str
) -> None:
    channel = Channel(id=-1001234567890, kind=ChannelKind.CHANNEL, title=name, username=username, about=about)
    built = feed([], channel)
    assert (built.title, built.description) == (title, description)


@pytest.mark.parametrize(
    ("channel", "link"),
    [
        (CHANNEL, "https://t.me/trains"),
        (Channel(id=-1001234567890, kind=ChannelKind.CHANNEL, title="Private"), "https://t.me/c/1234567890/1"),
        (Channel(id=-1001234567890, kind=ChannelKind.SUPERGROUP, title="Private"), "https://t.me/c/1234567890/1"),
        (Channel(id=42, kind=ChannelKind.USER, title="Bot", username="a_bot"), "https://t.me/a_bot"),
        (Channel(id=-42, kind=ChannelKind.GROUP, title="Family"), ""),
        (Channel(id=42, kind=ChannelKind.USER, title="Ann"), ""),
    ],
)
def test_a_channel_is_linked_where_telegram_has_an_address_for_it(channel: Channel, link: str) -> None:
    assert channel_link(channel, "https://t.me") == link
    assert feed([], channel).link == (link or f"{BASE}/html/trains")


def test_another_host_can_stand_for_telegrams() -> None:
    assert feed([], link_host="https://telegram.me").link == "https://telegram.me/trains"


def test_filters_are_part_of_the_id_and_pages_are_not() -> None:
    plain, older = feed([]), feed([], self_url=f"{BASE}/rss/trains?before=10", older_url=f"{BASE}/rss/trains?before=5")
    assert plain.id == older.id == feed_id(CHANNEL.id)
    filtered = feed([], filters={"exclude_flags": "fwd", "exclude_text": "x"})
    assert filtered.id == feed([], filters={"exclude_text": "x", "exclude_flags": "fwd"}).id != plain.id


def test_each_format_says_what_it_is() -> None:
    built = feed([post()])
    assert render(FeedFormat.RSS, built).content_type == "application/rss+xml; charset=utf-8"
    assert render(FeedFormat.ATOM, built).content_type == "application/atom+xml; charset=utf-8"
    assert render(FeedFormat.JSON, built).content_type == "application/feed+json"
    assert render(FeedFormat.HTML, built).content_type == "text/html; charset=utf-8"


@pytest.mark.parametrize("format", list(FeedFormat))
def test_every_format_has_a_writer_with_a_stable_tag(format: FeedFormat) -> None:
    one, two = (render(format, feed([post(1, footer_html=f"<p>{views} views</p>")])) for views in (5, 6))
    assert one.etag == two.etag
    assert one.body != two.body
    assert one.last_modified == NOON + 3600


def test_the_zone_is_for_pages_alone() -> None:
    built = feed(one_of_each())
    tokyo = ZoneInfo("Asia/Tokyo")
    assert render(FeedFormat.RSS, built, zone=tokyo) == render(FeedFormat.RSS, built)
    assert b"+09:00" in render(FeedFormat.HTML, built, zone=tokyo).body


class Links:
    """Media addresses without a signature."""

    def url(self, channel_id: int, post_id: int, file: FileRef) -> str:
        return f"{MEDIA}/{post_id}/{file.unique_id}"


def posts_that_say(typed: str) -> list[Post]:
    """Posts as they come from messages of every kind, with the text wherever somebody can write something."""
    text = Text(typed, tuple(Entity(type=kind, offset=0, length=9, url=typed, language=typed) for kind in EntityType))
    file = FileRef(
        location=FileLocation.DOCUMENT,
        id=1,
        access_hash=2,
        file_reference=b"",
        dc_id=2,
        unique_id="f",
        width=640,
        height=480,
        file_name=typed,
    )
    somebody = PeerName(title=typed, id=-1009, username=typed, kind=ChannelKind.CHANNEL)
    media: list[Media] = [
        Photo(file=file, spoiler=True),
        Video(file=file, thumb=file, duration=9),
        Audio(file=file, thumb=file, title=typed, performer=typed),
        Sticker(file=file, emoji=typed),
        Document(file=file, thumb=file),
        Poll(question=text, options=(PollOption(text=text, voters=3),), total_voters=3, solution=text),
        WebPage(
            url=typed, display_url=typed, site_name=typed, title=typed, description=typed, author=typed, photo=file
        ),
        Unsupported(kind=typed),
    ]
    messages = [
        Message(
            id=number,
            date=NOON,
            text=text,
            media=each,
            sender=somebody,
            signature=typed,
            forward=Forward(origin=somebody, signature=typed, post_id=3),
            reply=Reply(message_id=number - 1, author=somebody, quote=text),
            buttons=(Button(text=typed, url=typed), Button(text=typed, url="https://a.example")),
            comments=3,
            views=5,
            reactions=(Reaction(count=1, emoji=typed),),
        )
        for number, each in enumerate(media, start=100)
    ]
    posts = build_posts(messages, CHANNEL, RenderOptions(base_url=BASE, media=Links(), show_flags=True))
    assert len(posts) == len(messages)
    assert not any(post.failed for post in posts)
    return posts


@pytest.mark.parametrize(
    "trick",
    [
        "<script>hit()</script>",
        '"><img src=x onerror=hit()>',
        "' onmouseover='hit()",
        "javascript:hit()",
        "data:text/html,<script>hit()</script>",
        "]]><script>hit()</script><![CDATA[",
        "</article></main><script>hit()</script>",
    ],
)
def test_nothing_that_somebody_typed_anywhere_runs(trick: str) -> None:
    built = feed(posts_that_say(trick))
    bodies = [each["content_html"] for each in msgspec.json.decode(render(FeedFormat.JSON, built).body)["items"]]
    for format in (FeedFormat.RSS, FeedFormat.ATOM):
        entries = feedparser.parse(render(format, built).body, sanitize_html=False).entries
        bodies += [entry.content[0].value for entry in entries]
    assert len(bodies) == 3 * len(built.items)
    for html in [*bodies, render(FeedFormat.HTML, built).body.decode()]:
        parsed = BeautifulSoup(html, "html.parser")
        for script in parsed.select("body > script:last-child"):
            # The page's own.
            assert "hit()" not in script.text
            script.decompose()
        assert parsed.select("script, [onerror], [onmouseover], img[src=x]") == []
        for element in parsed.select("[href], [src], [poster]"):
            address = str(element.get("href") or element.get("src") or element.get("poster"))
            assert address.startswith(("https://", "http://", "tg://", "mailto:", "tel:"))


def test_the_sanitizer_takes_nothing_from_what_posts_are_made_of() -> None:
    def elements(html: str) -> list[tuple[str, dict[str, object], str]]:
        tags = [tag for tag in BeautifulSoup(html, "html.parser").find_all(True) if isinstance(tag, Tag)]
        return [(tag.name, {name: tag[name] for name in tag.attrs if name != "rel"}, tag.text) for tag in tags]

    for item in feed(posts_that_say("std::vector<int> & https://a.example")).items:
        assert elements(item.content) == elements(item.post.html)
        assert elements(item.footer) == elements(item.post.footer_html)
