from __future__ import annotations

import shutil
import subprocess
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
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from feeds import atom, rss, xml
from feeds.feed import Feed
from feeds.fragments import Memory
from model.channel import Channel, ChannelKind
from posts.post import Enclosure, Post

NAMESPACES = {"": "http://www.w3.org/2005/Atom"}


def tree(source: Feed) -> etree._Element:
    """The feed element, as an XML parser reads it."""
    return etree.fromstring(atom.render(source).body)


def entry(**fields: Any) -> etree._Element:
    """The entry of a feed of one post."""
    found = tree(feed([post(**fields)])).find("entry", NAMESPACES)
    assert found is not None
    return found


def texts(element: etree._Element, path: str) -> list[str]:
    return [found.text or "" for found in element.findall(path, NAMESPACES)]


def links(element: etree._Element, relation: str) -> list[dict[str, str]]:
    found = [dict(link.attrib) for link in element.findall("link", NAMESPACES)]
    return [{name: value for name, value in link.items() if name != "rel"} for link in found if link["rel"] == relation]


# The whole document


def test_the_document_is_as_reviewed() -> None:
    source = feed(one_of_each(), self_url=f"{BASE}/atom/trains", icon_url=f"{MEDIA}/0/photo/dd")
    assert not changes_to_golden("feed.atom", atom.render(source).body)


def test_xmllint_finds_nothing(tmp_path: Path) -> None:
    xmllint = shutil.which("xmllint")
    assert xmllint, "xmllint is needed: apt-get install libxml2-utils"
    path = tmp_path / "feed.atom"
    path.write_bytes(atom.render(feed(one_of_each())).body)
    subprocess.run([xmllint, "--noout", "--nonet", path], check=True)


def test_an_empty_feed_is_a_feed() -> None:
    parsed = feedparser.parse(atom.render(feed()).body)
    assert not parsed.bozo
    assert parsed.version == "atom10"
    assert parsed.feed.title == CHANNEL.title


# Second opinions


def by_feedgen(source: Feed) -> bytes:
    """The same feed as another library writes it."""
    generator = FeedGenerator()
    generator.id(source.id)
    generator.title(source.title)
    generator.author(name=source.title)
    for each in source.items:
        made = generator.add_entry(order="append")
        made.guid(each.post.guid)
        made.title(each.post.title)
        made.link(href=each.post.link)
        made.content(f"{each.content}\n{each.footer}", type="html")
        made.author(name=each.post.author, uri=each.post.author_url or None)
        if each.post.date is not None:
            made.published(datetime.fromtimestamp(each.post.date, UTC))
            made.updated(datetime.fromtimestamp(each.post.updated or each.post.date, UTC))
        for tag in each.post.tags:
            made.category(term=tag)
    written = generator.atom_str()
    assert isinstance(written, bytes)
    return written


def as_read(document: bytes, *moments: str) -> list[tuple[object, ...]]:
    parsed = feedparser.parse(document)
    assert not parsed.bozo
    return [
        (
            item.id,
            item.title,
            item.link,
            item.author,
            [item[moment] for moment in moments],
            [content.value for content in item.content],
            [tag.term for tag in item.get("tags", []) if tag.scheme is None],
        )
        for item in parsed.entries
    ]


DATED = [each for each in one_of_each() if each.date is not None]


def test_readers_see_what_they_see_in_feedgens_feed() -> None:
    source = feed(DATED)
    moments = ("published_parsed", "updated_parsed")
    ours = as_read(atom.render(source).body, *moments)
    assert len(ours) == len(DATED)
    assert ours == as_read(by_feedgen(source), *moments)


def test_readers_see_what_they_see_in_the_rss_feed() -> None:
    source = feed(DATED)
    assert as_read(atom.render(source).body, "published_parsed") == as_read(rss.render(source).body, "published_parsed")


# The feed


def test_a_feed_says_what_it_is() -> None:
    source = feed(
        [post()],
        self_url=f"{BASE}/atom/trains",
        icon_url=f"{MEDIA}/0/photo/dd",
        older_url=f"{BASE}/atom/trains?before=5",
        language="de",
    )
    found = tree(source)
    assert texts(found, "id") == [source.id]
    assert texts(found, "title") == ["Züge & Städte"]
    assert texts(found, "subtitle") == ["Railways <everywhere>.\nDaily."]
    assert texts(found, "updated") == ["2026-11-30T13:00:00+00:00"]
    assert texts(found, "author/name") == ["Züge & Städte"]
    assert texts(found, "author/uri") == ["https://t.me/trains"]
    assert texts(found, "icon") == [f"{MEDIA}/0/photo/dd"]
    assert texts(found, "generator") == ["Telegram Bridge"]
    assert links(found, "self") == [{"type": "application/atom+xml", "href": f"{BASE}/atom/trains"}]
    assert links(found, "alternate") == [{"type": "text/html", "href": "https://t.me/trains"}]
    assert links(found, "next") == [{"type": "application/atom+xml", "href": f"{BASE}/atom/trains?before=5"}]
    assert found.get("{http://www.w3.org/XML/1998/namespace}lang") == "de"


# Entries


@pytest.mark.parametrize("title", ["std::vector<int>", "AT&amp;T", "a < b && c > d", "<b>bold</b>", "&lt;", "]]>"])
def test_a_title_reads_as_typed(title: str) -> None:
    found = entry(title=title).find("title", NAMESPACES)
    assert found is not None
    assert (found.get("type"), found.text) == ("text", title)


def test_an_edited_post_is_updated_and_keeps_its_publication_date() -> None:
    plain, edited = entry(), entry(updated=NOON + 600)
    assert texts(plain, "published") == texts(plain, "updated") == ["2026-11-30T12:01:00+00:00"]
    assert texts(edited, "published") == ["2026-11-30T12:01:00+00:00"]
    assert texts(edited, "updated") == ["2026-11-30T12:10:00+00:00"]


def test_a_dateless_post_takes_the_date_of_the_next_older_one() -> None:
    found = tree(feed([post(4), post(3, date=None), post(2), post(1, date=None)]))
    assert texts(found, "entry/published") == [
        "2026-11-30T12:04:00+00:00",
        "2026-11-30T12:02:00+00:00",
        "2026-11-30T12:02:00+00:00",
        "1970-01-01T00:00:00+00:00",
    ]


def test_every_entry_has_an_author() -> None:
    own = entry(author="Ann", author_url="https://t.me/ann")
    assert (texts(own, "author/name"), texts(own, "author/uri")) == (["Ann"], ["https://t.me/ann"])
    assert texts(entry(author="Ann", author_url="tg://user?id=5"), "author/uri") == []
    assert texts(entry(author=""), "author/name") == ["Züge & Städte"]


def test_flags_are_categories_of_their_own_scheme() -> None:
    categories = entry(tags=("Züge", "R&D"), flags=("fwd",)).findall("category", NAMESPACES)
    assert [(category.get("scheme"), category.get("term")) for category in categories] == [
        (None, "Züge"),
        (None, "R&D"),
        (f"{BASE}/flags", "fwd"),
    ]


def test_each_file_is_an_enclosure_once_and_no_photo_is() -> None:
    song = Enclosure(url=f"{MEDIA}/1/song/aa", mime_type="audio/mpeg", size=5000, title="A & B")
    paper = Enclosure(url=f"{MEDIA}/1/paper/dd", mime_type="")
    assert links(entry(enclosures=(song, paper, song)), "enclosure") == [
        {"type": "audio/mpeg", "href": song.url, "length": "5000", "title": "A & B"},
        {"href": paper.url},
    ]
    assert links(tree(feed([one_of_each()[2]])), "enclosure") == []


def test_a_forward_leads_to_its_original_and_a_post_to_its_comments() -> None:
    found = entry(forward_url="https://t.me/other/7", comments_url="https://t.me/trains/1?comment=1")
    assert links(found, "via") == [{"type": "text/html", "href": "https://t.me/other/7"}]
    assert links(found, "replies") == [{"type": "text/html", "href": "https://t.me/trains/1?comment=1"}]
    assert links(entry(), "via") == links(entry(), "replies") == []


@given(any_post, anything, anything, st.integers())
def test_any_field_gives_well_formed_xml_that_reads_back(any_one: Post, title: str, about: str, updated: int) -> None:
    channel = Channel(id=-1001, kind=ChannelKind.CHANNEL, title=title, username="a", about=about)
    source = feed([any_one], channel, updated=updated, icon_url=about, self_url=title, language=title)
    parsed = tree(source)
    assert texts(parsed, "title") == [xml.clean(source.title)]
    assert texts(parsed, "subtitle") == [xml.clean(source.description)]
    (found,) = parsed.findall("entry", NAMESPACES)
    assert texts(found, "title") == [xml.clean(any_one.title)]
    assert texts(found, "id") == [xml.clean(any_one.guid)]
    assert [link["href"] for link in links(found, "alternate")] == [xml.clean(any_one.link)]
    assert [each.get("term") for each in found.findall("category", NAMESPACES)] == [
        xml.clean(tag) for tag in (*any_one.tags, *any_one.flags)
    ]
    assert texts(found, "author/name") == [xml.clean(any_one.author or source.title)]
    for relation, url in {"via": any_one.forward_url, "replies": any_one.comments_url}.items():
        assert [link["href"] for link in links(found, relation)] == ([xml.clean(url)] if url else [])
    files = links(found, "enclosure")
    assert [file["href"] for file in files] == [
        xml.clean(url) for url in dict.fromkeys(file.url for file in any_one.enclosures)
    ]
    for name in ("type", "title"):
        typed = {xml.clean(getattr(file, {"type": "mime_type"}.get(name, name))) for file in any_one.enclosures}
        assert {file.get(name, "") for file in files} <= typed | {""}
    assert [link["href"] for link in links(parsed, "self")] == [xml.clean(title)]
    assert texts(parsed, "icon") == ([xml.clean(about)] if about else [])
    assert (parsed.get("{http://www.w3.org/XML/1998/namespace}lang") or "") == xml.clean(title)
    (content,) = texts(found, "content")
    assert content == f"{source.items[0].content}\n{source.items[0].footer}".replace("\r\n", "\n").replace("\r", "\n")


# The validator


def test_counters_do_not_change_the_entity_tag_and_content_does() -> None:
    before = atom.render(feed([post(1, footer_html="<p>5 views</p>")]))
    after = atom.render(feed([post(1, footer_html="<p>6 views</p>")]))
    edited = atom.render(feed([post(1, footer_html="<p>5 views</p>", html="<p>Text 1!</p>")]))
    assert before.body != after.body
    assert before.etag == after.etag
    assert edited.etag != before.etag


@pytest.mark.parametrize("field", ["title", "author", "author_url", "link", "guid", "forward_url", "comments_url"])
def test_each_field_of_content_is_part_of_the_entity_tag(field: str) -> None:
    other = msgspec.structs.replace(post(), **{field: "https://other.example"})
    assert atom.render(feed([other])).etag != atom.render(feed([post()])).etag


def test_a_feed_of_remembered_entries_is_the_same_feed() -> None:
    memory: Memory = {}
    posts = [post(3, flags=("fwd",)), post(2, date=None, author=""), post(1)]
    old = feed(posts)
    atom.render(old, memory)
    kept = memory[posts[2].guid]
    changes: list[Feed] = [
        feed([post(4), *posts]),
        msgspec.structs.replace(old, base_url="https://elsewhere.example"),
        # Entries that took something of the feed or of another entry.
        msgspec.structs.replace(old, title="Another"),
        feed([*posts[:2], post(1, date=NOON)]),
    ]
    for new in changes:
        assert atom.render(new, memory) == atom.render(new)
    atom.render(old, memory)
    atom.render(changes[0], memory)
    assert memory[posts[2].guid].before == kept.before
