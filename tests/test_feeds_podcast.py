"""A channel with audio is a podcast for those who play podcasts."""

from __future__ import annotations

import io
from typing import Any

import feedparser
import msgspec
import podcastparser
import pytest
from any_posts import any_post, anything
from feed_samples import CHANNEL, MEDIA, feed, one_of_each, post
from hypothesis import given
from lxml import etree

from feeds import rss, xml
from feeds.podcast import NAMESPACE
from model.channel import Channel
from posts.post import Enclosure, Image, Post

ITUNES = f"{{{NAMESPACE}}}"
ICON = f"{MEDIA}/0/photo/dd"
SONG = Enclosure(url=f"{MEDIA}/1/song/aa", mime_type="audio/mpeg", size=1234, duration=61.6, title="A song")
OTHER_SONG = Enclosure(url=f"{MEDIA}/1/other/bb", mime_type="audio/ogg", size=99, duration=7)
FILM = Enclosure(url=f"{MEDIA}/1/film/cc", mime_type="video/mp4", size=5, duration=30)
SCORE = Enclosure(url=f"{MEDIA}/1/score/dd", mime_type="application/pdf", size=6)


def tags(element: etree._Element) -> dict[str, str | dict[str, str]]:
    """Apple's tags right below the element: name to text, or to attributes where there is none."""
    return {
        child.tag.removeprefix(ITUNES): child.text or dict(child.attrib)
        for child in element
        if str(child.tag).startswith(ITUNES)
    }


def channel_of(posts: list[Post], channel: Channel = CHANNEL, **fields: Any) -> etree._Element:
    found = etree.fromstring(rss.render(feed(posts, channel, **fields)).body).find("channel")
    assert found is not None
    return found


def test_a_channel_with_audio_says_what_players_ask_for() -> None:
    assert tags(channel_of([post(2), post(1, enclosures=(SONG,))], icon_url=ICON)) == {
        "author": "Züge & Städte",
        "image": {"href": ICON},
        "category": {"text": "Society & Culture"},
        "explicit": "false",
        "type": "episodic",
    }


def test_a_channel_without_photo_has_no_image() -> None:
    assert "image" not in tags(channel_of([post(enclosures=(SONG,))]))


def test_what_telegram_marks_as_sensitive_is_explicit() -> None:
    sensitive = msgspec.structs.replace(CHANNEL, sensitive=True)
    assert tags(channel_of([post(enclosures=(SONG,))], sensitive))["explicit"] == "true"


@pytest.mark.parametrize("files", [(), (FILM,), (SCORE,), (FILM, SCORE)])
def test_without_audio_nothing_says_that_it_is_a_podcast(files: tuple[Enclosure, ...]) -> None:
    assert b"itunes" not in rss.render(feed([post(enclosures=files)], icon_url=ICON)).body


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ((SONG,), {"title": "Title 1", "duration": "62"}),
        ((SCORE, FILM, SONG), {"title": "Title 1", "duration": "62"}),
        ((OTHER_SONG, SONG), {"title": "Title 1", "duration": "7"}),
        ((msgspec.structs.replace(SONG, duration=0),), {"title": "Title 1"}),
        ((FILM,), {}),
        ((), {}),
    ],
)
def test_an_episode_tells_its_title_and_length_in_seconds(
    files: tuple[Enclosure, ...], told: dict[str, str | dict[str, str]]
) -> None:
    item, podcast = channel_of([post(1, enclosures=files), post(2, enclosures=(SONG,))]).findall("item")
    assert tags(item) == told
    assert tags(podcast) == {"title": "Title 2", "duration": "62"}


def test_an_episode_has_the_image_that_its_post_shows() -> None:
    cover = Image(url=f"{MEDIA}/1/cover/ee", width=320, height=320)
    shown = f'<div class="media audio"><img src="{cover.url}" alt=""></div>'
    (item,) = channel_of([post(html=shown, images=(cover,), enclosures=(SONG,))]).findall("item")
    assert tags(item)["image"] == {"href": cover.url}
    (item,) = channel_of([post(images=(cover,), enclosures=(SONG,))]).findall("item")
    assert "image" not in tags(item)


def test_a_podcast_client_sees_each_episode_once_with_its_file() -> None:
    posts = [*one_of_each(), post(1, enclosures=(SCORE, OTHER_SONG, SONG), text="")]
    source = feed(posts, icon_url=ICON)
    parsed = podcastparser.parse("https://bridge.example/rss/trains", io.BytesIO(rss.render(source).body))
    assert (parsed["title"], parsed["itunes_author"]) == ("Züge & Städte", "Züge & Städte")
    assert (parsed["cover_url"], parsed["explicit"], parsed["type"]) == (ICON, False, "episodic")
    episodes = {episode["guid"]: episode for episode in parsed["episodes"] if episode["enclosures"]}
    song, several = (episodes[guid] for guid in (posts[3].guid, posts[-1].guid))
    assert song["title"] == "Night <Train>"
    assert song["total_time"] == 213
    # Other files come as media:content, which this client lists as well.
    assert sorted(file["url"] for file in several["enclosures"]) == sorted(
        file.url for file in (OTHER_SONG, SONG, SCORE)
    )
    first = several["enclosures"][0]
    assert (first["url"], first["file_size"], first["mime_type"], several["total_time"]) == (
        OTHER_SONG.url,
        99,
        "audio/ogg",
        7,
    )


def test_other_readers_read_the_same_titles_and_authors_with_and_without_audio() -> None:
    plain = feedparser.parse(rss.render(feed([post(1, title="a < b &amp; c")])).body)
    audio = feedparser.parse(rss.render(feed([post(1, title="a < b &amp; c", enclosures=(SONG,))], icon_url=ICON)).body)
    assert not audio.bozo
    for parsed in (plain, audio):
        assert parsed.feed.title == "Züge & Städte"
        (entry,) = parsed.entries
        assert (entry.title, entry.author) == ("a < b &amp; c", "Züge & Städte (@trains)")


@given(any_post, anything, anything, anything)
def test_any_text_reads_back_as_typed(any_one: Post, title: str, url: str, kind: str) -> None:
    song = msgspec.structs.replace(SONG, url=url, mime_type=f"audio/{kind}")
    one = msgspec.structs.replace(any_one, enclosures=(*any_one.enclosures, song))
    source = feed([one], msgspec.structs.replace(CHANNEL, title=title), icon_url=url)
    channel = etree.fromstring(rss.render(source).body).find("channel")
    assert channel is not None
    told = tags(channel)
    assert told["author"] == (xml.clean(source.title) or {})
    assert told.get("image", {"href": ""}) == {"href": xml.clean(url)}
    (item,) = channel.findall("item")
    assert tags(item)["title"] == (xml.clean(one.title) or {})
