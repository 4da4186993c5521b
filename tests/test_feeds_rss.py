from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import feedparser
import msgspec
import pytest
from any_posts import any_post, anything
from feed_samples import BASE, CHANNEL, MEDIA, NOON, feed, one_of_each, post
from feedgen.feed import FeedGenerator
from golden_files import changes_to_golden
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from feeds import rss, xml
from feeds.excerpt import excerpt
from feeds.feed import Feed
from feeds.fragments import Memory
from model.channel import Channel, ChannelKind, PeerName
from posts.author import origin_name
from posts.post import Enclosure, Image, Post

NAMESPACES = {
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "media": "http://search.yahoo.com/mrss/",
}
FILES = ("enclosure", "media:content")


def tree(source: Feed) -> etree._Element:
    """The feed's channel element, as an XML parser reads it."""
    channel = etree.fromstring(rss.render(source).body).find("channel")
    assert channel is not None
    return channel


def item(**fields: Any) -> etree._Element:
    """The item of a feed of one post."""
    found = tree(feed([post(**fields)])).find("item")
    assert found is not None
    return found


def texts(element: etree._Element, path: str) -> list[str]:
    return [found.text or "" for found in element.findall(path, NAMESPACES)]


def names(element: etree._Element) -> list[str]:
    return [etree.QName(child).localname for child in element]


# The whole document


def test_the_document_is_as_reviewed() -> None:
    assert not changes_to_golden("feed.xml", rss.render(feed(one_of_each(), icon_url=f"{MEDIA}/0/photo/dd")).body)


def test_xmllint_finds_nothing(tmp_path: Path) -> None:
    xmllint = shutil.which("xmllint")
    assert xmllint, "xmllint is needed: apt-get install libxml2-utils"
    path = tmp_path / "feed.xml"
    path.write_bytes(rss.render(feed(one_of_each())).body)
    subprocess.run([xmllint, "--noout", "--nonet", path], check=True)


def test_the_document_is_utf8_without_mark_type_or_stylesheet() -> None:
    body = rss.render(feed(one_of_each())).body
    assert body.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"')
    assert b"<!DOCTYPE" not in body
    assert b"<?xml-stylesheet" not in body
    assert "Züge" in body.decode("utf-8")


def test_an_empty_feed_is_a_feed() -> None:
    parsed = feedparser.parse(rss.render(feed()).body)
    assert not parsed.bozo
    assert parsed.feed.title == CHANNEL.title
    assert parsed.entries == []


# A second opinion


def by_feedgen(source: Feed) -> bytes:
    """The same feed as another library writes it."""
    generator = FeedGenerator()
    generator.load_extension("dc")
    generator.title(source.title)
    generator.link(href=source.link)
    generator.description(source.description)
    for each in source.items:
        entry = generator.add_entry(order="append")
        entry.guid(each.post.guid, permalink=False)
        entry.title(each.post.title)
        entry.link(href=each.post.link)
        entry.description(each.post.title)
        entry.content(f"{each.content}\n{each.footer}", type="CDATA")
        entry.dc.dc_creator(each.post.author)
        if each.post.date is not None:
            entry.pubDate(datetime.fromtimestamp(each.post.date, UTC))
        for tag in each.post.tags:
            entry.category(term=tag)
    written = generator.rss_str()
    assert isinstance(written, bytes)
    return written


def as_read(document: bytes) -> list[tuple[object, ...]]:
    parsed = feedparser.parse(document)
    assert not parsed.bozo
    return [
        (
            entry.id,
            entry.guidislink,
            entry.title,
            entry.link,
            entry.author,
            entry.get("published_parsed"),
            [content.value for content in entry.content],
            [tag.term for tag in entry.get("tags", []) if tag.scheme is None],
        )
        for entry in parsed.entries
    ]


def test_readers_see_what_they_see_in_feedgens_feed() -> None:
    source = feed(one_of_each())
    ours = as_read(rss.render(source).body)
    assert len(ours) == len(source.items)
    assert ours == as_read(by_feedgen(source))


@settings(max_examples=25)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1, max_size=3))
def test_any_title_reads_as_in_feedgens_feed(titles: list[str]) -> None:
    source = feed([post(number, title=xml.clean(title)) for number, title in enumerate(titles)])
    assert as_read(rss.render(source).body) == as_read(by_feedgen(source))


# The channel


def test_a_channel_says_what_it_is() -> None:
    channel = tree(feed([post(2), post(1)], ttl=600, icon_url=f"{MEDIA}/0/photo/dd"))
    assert texts(channel, "title") == ["Züge & Städte"]
    assert texts(channel, "link") == ["https://t.me/trains"]
    assert texts(channel, "description") == ["Railways <everywhere>.\nDaily."]
    assert texts(channel, "ttl") == ["10"]
    assert texts(channel, "docs") == ["https://www.rssboard.org/rss-specification"]
    assert texts(channel, "generator") == ["Telegram Bridge"]
    (self_link,) = channel.findall("atom:link", NAMESPACES)
    assert dict(self_link.attrib) == {"href": f"{BASE}/rss/trains", "rel": "self", "type": "application/rss+xml"}
    (image,) = channel.findall("image")
    assert [child.text for child in image] == [f"{MEDIA}/0/photo/dd", "Züge & Städte", "https://t.me/trains"]


def test_the_build_date_is_the_contents_and_the_publication_date_the_newest_posts() -> None:
    channel = tree(feed([post(3, date=None), post(2), post(1)], updated=NOON + 3600))
    assert texts(channel, "lastBuildDate") == ["Mon, 30 Nov 2026 13:00:00 +0000"]
    assert texts(channel, "pubDate") == ["Mon, 30 Nov 2026 12:02:00 +0000"]


def test_a_language_is_told_only_if_somebody_said_it() -> None:
    assert texts(tree(feed()), "language") == []
    assert texts(tree(feed(language="de")), "language") == ["de"]


def test_a_channel_without_photo_has_no_image() -> None:
    assert tree(feed()).find("image") is None


def test_a_short_ttl_is_never_zero() -> None:
    assert texts(tree(feed(ttl=20)), "ttl") == ["1"]


# Items


def test_elements_stand_in_the_order_that_readers_expect() -> None:
    found = item(
        updated=NOON + 600,
        tags=("tag",),
        flags=("fwd",),
        enclosures=(Enclosure(url=f"{MEDIA}/1/a/b", mime_type="audio/ogg"),),
        comments_url="https://t.me/trains/1?comment=1",
        forwarded_from=PeerName(title="Other", username="other", kind=ChannelKind.CHANNEL),
    )
    assert names(found) == [
        "title", "link", "guid", "pubDate", "updated", "creator", "category", "category", "description", "encoded",
        "enclosure", "title", "source", "comments",
    ]  # fmt: skip


@pytest.mark.parametrize("title", ["std::vector<int>", "AT&amp;T", "a < b && c > d", "<b>bold</b>", "&lt;", "]]>"])
def test_a_title_reads_as_typed(title: str) -> None:
    body = rss.render(feed([post(title=title)])).body
    assert feedparser.parse(body).entries[0].title == title
    assert texts(item(title=title), "title") == [title]
    assert b"<title><![CDATA[" not in body


def test_an_item_is_named_by_its_guid_not_its_link() -> None:
    (guid,) = item().findall("guid")
    assert guid.get("isPermaLink") == "false"
    assert guid.text == "urn:uuid:00000000-0000-0000-0000-000000000001"


def test_only_an_edited_post_is_updated() -> None:
    assert texts(item(), "atom:updated") == []
    assert texts(item(updated=NOON + 600), "atom:updated") == ["2026-11-30T12:10:00+00:00"]


def test_a_dateless_post_has_no_date_and_harms_nothing() -> None:
    assert texts(item(date=None), "pubDate") == []
    assert texts(item(date=10**15), "pubDate") == []


def test_tags_are_categories_and_flags_are_categories_of_their_own_domain() -> None:
    categories = item(tags=("Züge", "R&D"), flags=("fwd",)).findall("category")
    assert [(category.get("domain"), category.text) for category in categories] == [
        (None, "Züge"),
        (None, "R&D"),
        (f"{BASE}/flags", "fwd"),
    ]


def test_the_description_is_short_plain_text() -> None:
    (description,) = texts(item(text="a < b & c\n" * 100), "description")
    assert len(description) <= 300
    assert description.startswith("a < b & c a < b")
    assert texts(item(text="", title="Photo"), "description") == ["Photo"]


def test_the_content_is_html_with_the_footer_at_its_end() -> None:
    (content,) = texts(item(html="<p>a &lt; b</p>", footer_html="<p>5 views</p>"), "content:encoded")
    assert content == "<p>a &lt; b</p>\n<p>5 views</p>"


SONG = Enclosure(url=f"{MEDIA}/1/song/aa", mime_type="audio/mpeg", size=5000, duration=90.4, title="A & B")
VOICE = Enclosure(url=f"{MEDIA}/1/voice/bb", mime_type="audio/ogg", size=400)
FILM = Enclosure(url=f"{MEDIA}/1/film/cc", mime_type="video/mp4", size=70_000, duration=12)
PAPER = Enclosure(url=f"{MEDIA}/1/paper/dd", mime_type="application/pdf")


@pytest.mark.parametrize(
    ("files", "main", "others"),
    [
        ([], [], []),
        ([PAPER], [PAPER], []),
        ([PAPER, FILM], [FILM], [PAPER]),
        ([PAPER, FILM, SONG, VOICE], [SONG], [PAPER, FILM, VOICE]),
        ([SONG, SONG], [SONG], []),
        ([FILM, PAPER, PAPER], [FILM], [PAPER]),
    ],
)
def test_one_file_is_the_enclosure_and_none_stands_twice(
    files: list[Enclosure], main: list[Enclosure], others: list[Enclosure]
) -> None:
    found = item(enclosures=tuple(files))
    assert [dict(each.attrib) for each in found.findall("enclosure")] == [
        {"url": file.url, "length": str(file.size), "type": file.mime_type} for file in main
    ]
    assert [each.get("url") for each in found.findall("media:content", NAMESPACES)] == [file.url for file in others]


def test_a_further_file_tells_size_duration_and_name() -> None:
    (further,) = item(enclosures=(VOICE, SONG)).findall("media:content", NAMESPACES)
    assert dict(further.attrib) == {"url": SONG.url, "type": "audio/mpeg", "fileSize": "5000", "duration": "90"}
    assert texts(further, "media:title") == ["A & B"]
    (bare,) = item(enclosures=(VOICE, PAPER)).findall("media:content", NAMESPACES)
    assert dict(bare.attrib) == {"url": PAPER.url, "type": "application/pdf"}


def test_photos_are_in_the_body_and_no_enclosure() -> None:
    photo = Image(url=f"{MEDIA}/1/photo/ee", width=800, height=600)
    found = item(html=f'<img src="{photo.url}" alt="">', images=(photo,))
    assert found.find("enclosure") is None
    assert found.find("media:content", NAMESPACES) is None
    (thumbnail,) = found.findall("media:thumbnail", NAMESPACES)
    assert dict(thumbnail.attrib) == {"url": photo.url, "width": "800", "height": "600"}


def test_a_thumbnail_is_only_what_the_body_shows() -> None:
    hidden = Image(url=f"{MEDIA}/1/hidden/ff")
    poster = Image(url=f"{MEDIA}/1/poster/aa?exp=1&x=2")
    html = '<video src="https://a.example/v" poster="' + poster.url.replace("&", "&amp;") + '"></video>'
    found = item(html=html, images=(hidden, poster))
    assert [dict(each.attrib) for each in found.findall("media:thumbnail", NAMESPACES)] == [{"url": poster.url}]
    assert item(images=(hidden,)).find("media:thumbnail", NAMESPACES) is None


@pytest.mark.parametrize(
    ("origin", "sources"),
    [
        (None, []),
        (PeerName(title="A & B", username="ab", kind=ChannelKind.CHANNEL), [(f"{BASE}/rss/ab", "A & B")]),
        (PeerName(title="Group", username="group", kind=ChannelKind.SUPERGROUP), [(f"{BASE}/rss/group", "Group")]),
        (PeerName(title="Private", id=-1001, kind=ChannelKind.CHANNEL), []),
        (PeerName(title="Ann", username="ann", kind=ChannelKind.USER), []),
        (PeerName(title="Hidden"), []),
    ],
)
def test_a_forward_from_a_public_channel_names_that_channels_feed(
    origin: PeerName | None, sources: list[tuple[str, str]]
) -> None:
    found = item(forwarded_from=origin).findall("source")
    assert [(source.get("url"), source.text) for source in found] == sources


# Whatever people type


@given(any_post, anything, anything, st.integers())
def test_any_field_gives_well_formed_xml_that_reads_back(any_one: Post, title: str, about: str, updated: int) -> None:
    channel = Channel(id=-1001, kind=ChannelKind.CHANNEL, title=title, username="a", about=about)
    source = feed([any_one], channel, updated=updated, icon_url=about, self_url=title, language=title)
    parsed = tree(source)
    assert texts(parsed, "title") == [xml.clean(source.title)]
    assert texts(parsed, "description") == [xml.clean(source.description)]
    (found,) = parsed.findall("item")
    for path, value in {"title": any_one.title, "link": any_one.link, "guid": any_one.guid}.items():
        assert texts(found, path) == [xml.clean(value)]
    for path, value in {"dc:creator": any_one.author, "comments": any_one.comments_url}.items():
        assert texts(found, path) == ([xml.clean(value)] if value else [])
    assert texts(found, "description") == [xml.clean(excerpt(any_one.text, 300) or any_one.title)]
    assert texts(found, "category") == [xml.clean(tag) for tag in (*any_one.tags, *any_one.flags)]
    read = {(each.get("url"), each.get("type")) for path in FILES for each in found.findall(path, NAMESPACES)}
    assert read <= {(xml.clean(file.url), xml.clean(file.mime_type)) for file in any_one.enclosures}
    assert {url for url, _ in read} == {xml.clean(file.url) for file in any_one.enclosures}
    assert set(texts(found, "media:content/media:title")) <= {xml.clean(file.title) for file in any_one.enclosures}
    assert len(found.findall("enclosure")) == bool(any_one.enclosures)
    if any_one.forwarded_from is not None:
        assert texts(found, "source") in ([], [xml.clean(origin_name(any_one.forwarded_from))])
    assert parsed.findall("atom:link", NAMESPACES)[0].get("href") == xml.clean(title)
    assert texts(parsed, "language") == ([xml.clean(title)] if title else [])
    assert texts(parsed, "image/url") == ([xml.clean(about)] if about else [])
    (content,) = texts(found, "content:encoded")
    assert content == f"{source.items[0].content}\n{source.items[0].footer}".replace("\r\n", "\n").replace("\r", "\n")


# The validator


def test_counters_do_not_change_the_entity_tag_and_content_does() -> None:
    before = rss.render(feed([post(1, footer_html="<p>5 views</p>")]))
    after = rss.render(feed([post(1, footer_html="<p>6 views</p>")]))
    edited = rss.render(feed([post(1, footer_html="<p>5 views</p>", html="<p>Text 1!</p>")]))
    assert before.body != after.body
    assert before.etag == after.etag
    assert edited.etag != before.etag


@pytest.mark.parametrize("field", ["title", "author", "link", "text", "guid", "comments_url"])
def test_each_field_of_content_is_part_of_the_entity_tag(field: str) -> None:
    other = msgspec.structs.replace(post(), **{field: "https://other.example"})
    assert rss.render(feed([other])).etag != rss.render(feed([post()])).etag


def test_last_modified_is_when_the_content_changed() -> None:
    assert rss.render(feed(updated=12345)).last_modified == 12345


def test_the_entity_tag_is_the_same_after_a_restart() -> None:
    code = "from feed_samples import *; from feeds import rss; print(rss.render(feed(one_of_each())).etag)"
    here = Path(__file__).parent
    other = subprocess.run(
        [sys.executable, "-c", code],
        cwd=here,
        env={"PYTHONPATH": f"{here}:{here.parent}", "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert other.stdout.strip() == rss.render(feed(one_of_each())).etag


def test_a_feed_of_remembered_items_is_the_same_feed() -> None:
    memory: Memory = {}
    old = feed([post(1, title="one"), post(2, title="two")])
    rss.render(old, memory)
    kept = memory[old.items[0].post.guid]
    new = feed([post(1, title="one"), post(2, title="edited"), post(3)])
    assert rss.render(new, memory) == rss.render(new)
    assert memory[old.items[0].post.guid] is kept
    # The address of the list of flags is the bridge's own.
    flagged = feed([post(4, flags=("fwd",))])
    rss.render(flagged, memory)
    elsewhere = msgspec.structs.replace(flagged, base_url="https://elsewhere.example")
    assert rss.render(elsewhere, memory) == rss.render(elsewhere)
