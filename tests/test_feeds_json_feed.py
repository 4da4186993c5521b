from __future__ import annotations

from typing import Any

import msgspec
import pytest
from any_posts import any_post, anything
from feed_samples import BASE, MEDIA, NOON, feed, one_of_each, post
from golden_files import changes_to_golden
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from feeds import json_feed, rss, xml
from feeds.excerpt import excerpt
from feeds.feed import Feed
from model.channel import Channel, ChannelKind
from model.message import Reaction
from posts.post import Counters, Enclosure, Image, Post

# JSON Feed 1.1: the fields and their types, those with a star required.
FEED_FIELDS: dict[str, type] = {
    "version*": str, "title*": str, "home_page_url": str, "feed_url": str, "description": str, "user_comment": str,
    "next_url": str, "icon": str, "favicon": str, "authors": list, "language": str, "expired": bool, "hubs": list,
    "items*": list,
}  # fmt: skip
ITEM_FIELDS: dict[str, type] = {
    "id*": str, "url": str, "external_url": str, "title": str, "content_html*": str, "content_text": str,
    "summary": str, "image": str, "banner_image": str, "date_published": str, "date_modified": str, "authors": list,
    "tags": list, "language": str, "attachments": list,
}  # fmt: skip
AUTHOR_FIELDS: dict[str, type] = {"name": str, "url": str, "avatar": str}
ATTACHMENT_FIELDS: dict[str, type] = {
    "url*": str, "mime_type*": str, "title": str, "size_in_bytes": int, "duration_in_seconds": int,
}  # fmt: skip


def read(source: Feed) -> dict[str, Any]:
    decoded = msgspec.json.decode(json_feed.render(source).body)
    assert isinstance(decoded, dict)
    return decoded


def item(**fields: Any) -> dict[str, Any]:
    """The item of a feed of one post."""
    (found,) = read(feed([post(**fields)]))["items"]
    assert isinstance(found, dict)
    return found


def conforms(found: dict[str, Any], fields: dict[str, type]) -> None:
    """Fails if a field is missing, of another type, or none of the specification's."""
    assert {name.removesuffix("*") for name in fields if name.endswith("*")} <= found.keys()
    kinds = {name.removesuffix("*"): kind for name, kind in fields.items()}
    for name, value in found.items():
        # The specification leaves names that begin so to everybody.
        if not name.startswith("_"):
            assert type(value) is kinds[name], name


def all_values(value: object) -> list[object]:
    """The value and all that stands in it, at any depth."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(each for part in inside for each in all_values(part))]


# The whole document


def test_the_document_is_as_reviewed() -> None:
    body = json_feed.render(feed(one_of_each(), self_url=f"{BASE}/feed.json/trains", icon_url=f"{MEDIA}/0/dd")).body
    assert not changes_to_golden("feed.json", msgspec.json.format(body, indent=1) + b"\n")


def test_the_document_is_what_the_specification_describes() -> None:
    found = read(feed(one_of_each(), language="de", icon_url=f"{MEDIA}/0/dd", older_url=f"{BASE}/older"))
    assert found["version"] == "https://jsonfeed.org/version/1.1"
    conforms(found, FEED_FIELDS)
    for each in found["items"]:
        conforms(each, ITEM_FIELDS)
        for author in each["authors"]:
            conforms(author, AUTHOR_FIELDS)
        for attachment in each.get("attachments", []):
            conforms(attachment, ATTACHMENT_FIELDS)
    assert len({each["id"] for each in found["items"]}) == len(one_of_each())


def test_nothing_is_null_or_empty() -> None:
    bare = post(author="", text="", footer_html="")
    for source in (feed(one_of_each()), feed([bare], link_host="https://t.me")):
        assert [value for value in all_values(read(source)) if value in (None, "", [], {})] == []


def test_an_empty_feed_is_a_feed() -> None:
    assert read(feed())["items"] == []


def test_readers_see_what_they_see_in_the_rss_feed() -> None:
    source = feed(one_of_each())
    # Not by feedparser, which writes the HTML anew.
    fields = ("guid", "title", "link", "{*}encoded", "{*}creator")
    entries = etree.fromstring(rss.render(source).body).findall("channel/item")
    assert [
        (each["id"], each["title"], each["url"], each["content_html"], each["authors"][0]["name"])
        for each in read(source)["items"]
    ] == [tuple(entry.findtext(field) for field in fields) for entry in entries]


def test_an_author_without_an_address_on_the_web_has_none() -> None:
    assert item(author="Ann", author_url="tg://user?id=5")["authors"] == [{"name": "Ann"}]
    assert item(author="Ann", author_url="https://t.me/ann")["authors"] == [{"name": "Ann", "url": "https://t.me/ann"}]


def test_a_feed_says_what_it_is() -> None:
    found = read(
        feed(
            [],
            self_url=f"{BASE}/feed.json/trains",
            icon_url=f"{MEDIA}/0/photo/dd",
            older_url=f"{BASE}/feed.json/trains?before=5",
            language="de",
        )
    )
    del found["version"], found["items"]
    assert found == {
        "title": "Züge & Städte",
        "home_page_url": "https://t.me/trains",
        "feed_url": f"{BASE}/feed.json/trains",
        "description": "Railways <everywhere>.\nDaily.",
        "next_url": f"{BASE}/feed.json/trains?before=5",
        "icon": f"{MEDIA}/0/photo/dd",
        "language": "de",
        "authors": [{"name": "Züge & Städte", "url": "https://t.me/trains"}],
    }


# Items


@pytest.mark.parametrize("title", ["std::vector<int>", "AT&amp;T", '"\\', "\u2028", "</script>"])
def test_a_title_reads_as_typed(title: str) -> None:
    assert item(title=title)["title"] == title


def test_only_an_edited_post_is_modified() -> None:
    assert item()["date_published"] == "2026-11-30T12:01:00+00:00"
    assert "date_modified" not in item()
    assert item(updated=NOON + 600)["date_modified"] == "2026-11-30T12:10:00+00:00"


def test_a_dateless_post_takes_the_date_of_the_next_older_one() -> None:
    found = read(feed([post(2, date=None), post(1)]))
    assert found["items"][0]["date_published"] == found["items"][1]["date_published"]


def test_text_stands_in_plain_and_in_short_too() -> None:
    found = item(text="a < b & c\n" * 100)
    assert found["content_text"] == "a < b & c\n" * 100
    assert len(found["summary"]) <= 300


def test_files_are_attachments_with_size_and_duration_as_numbers() -> None:
    song = Enclosure(url=f"{MEDIA}/1/song/aa", mime_type="audio/mpeg", size=5000, duration=90.4, title="A & B")
    odd = Enclosure(url=f"{MEDIA}/1/odd/bb", mime_type="")
    assert item(enclosures=(song, odd, song))["attachments"] == [
        {
            "url": song.url,
            "mime_type": "audio/mpeg",
            "title": "A & B",
            "size_in_bytes": 5000,
            "duration_in_seconds": 90,
        },
        {"url": odd.url, "mime_type": "application/octet-stream"},
    ]


def test_the_image_is_one_that_the_body_shows() -> None:
    image = Image(url=f"{MEDIA}/1/photo/ee")
    assert item(images=(image,), html=f'<img src="{image.url}" alt="">')["image"] == image.url
    assert "image" not in item(images=(image,))


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ('<a href="https://a.example/?x=1&amp;y=2">a</a>', "https://a.example/?x=1&y=2"),
        ('<a href="https://a.example">a</a> <a href="https://a.example">again</a>', "https://a.example"),
        ('<a href="https://t.me/other">who</a> <a href="https://a.example">a</a>', "https://a.example"),
        (f'<a href="{MEDIA}/1/file/aa">file</a>', None),
        ('<a href="https://a.example">a</a> <a href="https://b.example">b</a>', None),
        ('<a href="https://[oops/">a</a>', None),
        ("text", None),
    ],
)
def test_a_post_with_one_link_to_elsewhere_names_it(html: str, url: str | None) -> None:
    assert item(html=f"<p>{html}</p>").get("external_url") == url


def test_the_extension_tells_what_only_telegram_knows() -> None:
    reactions = (
        Reaction(count=3, emoji="👍"),
        Reaction(count=2, custom_emoji_id=2**62 + 1),
        Reaction(count=1, paid=True),
    )
    found = item(counters=Counters(views=0, forwards=7, reactions=reactions), flags=("fwd",), message_ids=(1, 2))
    assert found["_telegram"] == {
        "about": "https://core.telegram.org/constructor/message",
        "chat_id": -1001234567890,
        "message_ids": [1, 2],
        "views": 0,
        "forwards": 7,
        "reactions": [
            {"emoji": "👍", "count": 3},
            {"custom_emoji_id": "4611686018427387905", "count": 2},
            {"paid": True, "count": 1},
        ],
        "flags": ["fwd"],
    }


@given(any_post, anything, anything, st.integers(-(2**63), 2**63 - 1))
def test_any_field_gives_json_that_reads_back(any_one: Post, title: str, about: str, updated: int) -> None:
    channel = Channel(id=-1001, kind=ChannelKind.CHANNEL, title=title, username="a", about=about)
    source = feed([any_one], channel, updated=updated, icon_url=about, self_url=title, language=title)
    found = read(source)
    assert found["title"] == source.title
    assert found.get("description", "") == xml.clean(source.description)
    for name in ("feed_url", "language"):
        assert found.get(name, "") == xml.clean(title)
    assert found.get("icon", "") == xml.clean(about)
    (one,) = found["items"]
    assert one["content_html"] == f"{source.items[0].content}\n{source.items[0].footer}"
    assert one.get("summary", "") == xml.clean(excerpt(any_one.text, 300))
    assert [author["name"] for author in one.get("authors", [])] == [
        name for name in [xml.clean(any_one.author)] if name
    ]
    first = {file.url: file for file in reversed(any_one.enclosures)}
    assert [(file["url"], file.get("title", "")) for file in one.get("attachments", [])] == [
        (xml.clean(url), xml.clean(first[url].title)) for url in dict.fromkeys(file.url for file in any_one.enclosures)
    ]
    assert one["_telegram"].get("flags", []) == [cleaned for flag in any_one.flags if (cleaned := xml.clean(flag))]
    emoji = [reaction["emoji"] for reaction in one["_telegram"].get("reactions", []) if "emoji" in reaction]
    assert emoji == [cleaned for each in any_one.counters.reactions if (cleaned := xml.clean(each.emoji))]
    for name, value in {"id": any_one.guid, "title": any_one.title, "url": any_one.link}.items():
        assert one.get(name, "") == xml.clean(value)
    assert one.get("content_text", "") == xml.clean(any_one.text)
    assert one.get("tags", []) == [cleaned for tag in any_one.tags if (cleaned := xml.clean(tag))]
    assert one["_telegram"]["message_ids"] == list(any_one.message_ids)
    # Required fields are there whatever they hold.
    optional = {name: value for name, value in one.items() if name not in {"id", "attachments"}}
    assert not [value for value in all_values(optional) if value in (None, "")]


# The validator


def test_counters_do_not_change_the_entity_tag_and_content_does() -> None:
    before = json_feed.render(feed([post(1, footer_html="<p>5 views</p>", counters=Counters(views=5))]))
    for changed in ({"counters": Counters(views=6, reactions=(Reaction(count=1, emoji="👍"),))}, {"footer_html": ""}):
        after = json_feed.render(feed([msgspec.structs.replace(post(1), **changed)]))
        assert before.body != after.body
        assert before.etag == after.etag
    edited = json_feed.render(feed([post(1, html="<p>Text 1!</p>")]))
    assert edited.etag != before.etag


@pytest.mark.parametrize("field", ["title", "author", "author_url", "link", "text", "guid"])
def test_each_field_of_content_is_part_of_the_entity_tag(field: str) -> None:
    other = msgspec.structs.replace(post(), **{field: "https://other.example"})
    assert json_feed.render(feed([other])).etag != json_feed.render(feed([post()])).etag


def test_last_modified_is_when_the_content_changed() -> None:
    assert json_feed.render(feed(updated=12345)).last_modified == 12345
