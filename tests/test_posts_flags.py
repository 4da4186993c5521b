from __future__ import annotations

import pytest
from post_samples import PUBLIC, file, message, text

from model.channel import PeerName
from model.entity import EntityType, Text
from model.media import Audio, Document, Media, Photo, Poll, PollOption, Sticker, Unsupported, Video, VideoKind, WebPage
from model.message import Button, Forward, Message, Reaction, Reply
from posts.flags import FLAGS, flags_of
from posts.grouping import Group
from posts.words import words_of

E = EntityType
PHOTO = Photo(file=file())
VIDEO = Video(file=file())
PREVIEW = WebPage(url="https://a.b", title="T")


def flags(*messages: Message, merged: bool = False) -> set[str]:
    found = flags_of(Group(messages, merged), words_of(messages), PUBLIC)
    assert len(set(found)) == len(found)
    order = [flag.name for flag in FLAGS]
    assert list(found) == sorted(found, key=order.index)
    return set(found)


def linked(url: str) -> Text:
    return text("read this here", (E.TEXT_LINK, "here"), url=url)


@pytest.mark.parametrize(
    ("media", "expected"),
    [
        (None, {"no_image"}),
        (PHOTO, set()),
        (Photo(file=file(), spoiler=True), set()),
        (VIDEO, {"video"}),
        (Video(file=file(), kind=VideoKind.ANIMATION), {"video"}),
        (Video(file=file(), kind=VideoKind.ROUND), {"video"}),
        (Audio(file=file()), {"audio", "no_image"}),
        (Audio(file=file(), voice=True), {"audio", "no_image"}),
        (Sticker(file=file()), {"sticker"}),
        (Document(file=file()), {"no_image"}),
        (Document(file=file(mime_type="image/png")), set()),
        (Poll(question=Text("Q"), options=()), {"poll", "no_image"}),
        (PREVIEW, {"no_image"}),
        (WebPage(url="https://a.b", photo=file()), set()),
        (Unsupported(kind="venue"), {"no_image"}),
    ],
)
def test_media_bring_their_flags(media: Media | None, expected: set[str]) -> None:
    assert flags(message(7, "some words", media)) == expected


@pytest.mark.parametrize(("media", "name"), [(VIDEO, "video"), (Audio(file=file()), "audio")])
def test_beside_a_long_text_a_video_or_sound_is_an_illustration(media: Media, name: str) -> None:
    assert name in flags(message(7, "x" * 200, media))
    assert name not in flags(message(7, "x" * 201, media))


def test_an_albums_text_counts_for_all_its_media() -> None:
    assert "video" not in flags(message(1, "x" * 300, PHOTO, media_group_id=1), message(2, "", VIDEO, media_group_id=1))


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("Стрим сегодня", "stream"),
        ("запись СТРИМА", "stream"),
        ("our Livestream", "stream"),
        ("Онлайн-лекция в пять", "stream"),
        ("два вебинара", "stream"),
        ("закинуть донат", "donat"),
        ("see cloudtips.ru", "donat"),
        ("t.me/boost/news", "donat"),
        ("Скидка #реклама", "advert"),
        ("#промо неделя", "advert"),
        ("О рекламодателе", "advert"),
        ("партнёрский пост", "advert"),
        ("Партнерский пост", "advert"),
        ("минус 5% по промокоду XYZ", "advert"),
        ("erid: 2VtzqwP", "advert"),
        ("buy #ad", "advert"),
        ("buy #sponsored", "advert"),
        ("дальше на Boosty", "paywall"),
        ("дальше на бусти", "paywall"),
        ("дальше на Sponsr", "paywall"),
        ("Дзен.Премиум", "paywall"),
        ("my patreon", "paywall"),
    ],
)
def test_words_bring_their_flags(content: str, name: str) -> None:
    assert flags(message(7, content, PHOTO)) == {name}


@pytest.mark.parametrize(
    "content",
    ["экстрим", "#adventure", "#address", "heridity", "#рекламации нет", "condonat", "бустить", "bad #ads2"],
)
def test_parts_of_other_words_bring_none(content: str) -> None:
    assert flags(message(7, content, PHOTO)) == set()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/x", {"link"}),
        ("example.org", {"link"}),
        ("https://telegra.ph/x", {"link"}),
        ("https://boosty.to/me", {"link", "paywall"}),
        ("https://a.b/?erid=2Vtz", {"link", "advert"}),
        ("https://t.me/news/5", set()),
        ("https://t.me/NEWS", set()),
        ("https://t.me/other", {"foreign_channel"}),
        ("https://t.me/other/5?single", {"foreign_channel"}),
        ("https://t.me/s/other", {"foreign_channel"}),
        ("https://other.t.me/5", {"foreign_channel"}),
        ("telegram.me/other", {"foreign_channel"}),
        ("tg://resolve?domain=other", {"foreign_channel"}),
        ("tg://resolve?domain=news&post=5", set()),
        ("https://t.me/some_bot?start=x", set()),
        ("https://t.me/boost/other", {"donat"}),
        ("https://t.me/addstickers/Cats", set()),
        ("https://t.me/share/url?url=x", set()),
        ("https://t.me/c/123/4", set()),
        ("https://t.me/+AbCdEf123", {"hid_channel"}),
        ("https://t.me/joinchat/AbCdEf", {"hid_channel"}),
        ("tg://join?invite=AbCdEf", {"hid_channel"}),
        ("https://t.me/+79991234567", set()),
        ("https://t.me", set()),
        ("tg://user?id=5", set()),
        ("mailto:a@b.c", set()),
        ("http://[", set()),
        ("javascript:alert(1)", set()),
    ],
)
def test_links_bring_flags_by_where_they_lead(url: str, expected: set[str]) -> None:
    assert flags(message(7, linked(url), PHOTO)) == expected
    assert flags(message(7, "words", PHOTO, buttons=(Button(text="b", url=url),))) == expected


def test_a_link_is_what_telegram_marks_as_one() -> None:
    assert flags(message(7, text("see a.b", (E.URL, "a.b")), PHOTO)) == {"link"}
    assert flags(message(7, "see a.b", PHOTO)) == set()


def test_a_mention_is_what_telegram_marks_as_one() -> None:
    assert flags(message(7, text("hi @ann", (E.MENTION, "@ann")), PHOTO)) == {"mention"}
    assert flags(message(7, "hi @ann", PHOTO)) == set()


@pytest.mark.parametrize(
    ("content", "media", "expected"),
    [
        (text("https://a.b", (E.URL, "https://a.b")), None, True),
        (text("https://a.b", (E.URL, "https://a.b")), PREVIEW, True),
        (text("👉 https://a.b", (E.URL, "https://a.b")), None, True),
        (Text(""), PREVIEW, True),
        (text("see https://a.b", (E.URL, "https://a.b")), PREVIEW, False),
        (text("a.b c.d", (E.URL, "a.b"), (E.URL, "c.d")), None, False),
        (text("https://a.b", (E.URL, "https://a.b")), PHOTO, False),
        (Text("!"), None, False),
    ],
)
def test_a_post_of_one_link_and_no_words(content: Text, media: Media | None, expected: bool) -> None:
    assert ("only_link" in flags(message(7, content, media))) is expected


@pytest.mark.parametrize(
    ("reaction", "expected"),
    [
        (Reaction(count=30, emoji="🤡"), {"clownpoo"}),
        (Reaction(count=30, emoji="💩"), {"clownpoo"}),
        (Reaction(count=29, emoji="💩"), set()),
        (Reaction(count=99, emoji="👍"), set()),
    ],
)
def test_many_jeers_bring_a_flag(reaction: Reaction, expected: set[str]) -> None:
    assert flags(message(7, "words", PHOTO, reactions=(reaction,))) == expected


def test_only_the_posts_own_words_count() -> None:
    quoting = Reply(message_id=1, quote=linked("https://boosty.to/x"))
    page = WebPage(url="https://boosty.to/x", title="Стрим", description="#реклама", photo=file())
    origin = Forward(origin=PeerName(title="Стрим", username="other"))
    assert flags(message(7, "words", page, reply=quoting, forward=origin)) == {"fwd"}


def test_a_poll_says_its_words_too() -> None:
    poll = Poll(question=Text("Когда стрим?"), options=(PollOption(text=Text("на Boosty")),))
    assert flags(message(7, "", poll)) == {"poll", "no_image", "stream", "paywall"}


def test_a_merged_post_unites_its_parts_flags() -> None:
    long_text, video = message(1, "x" * 300), message(2, "", VIDEO)
    assert flags(long_text, video, merged=True) == {"video", "merged"}


def test_what_describes_the_whole_post_must_hold_for_all_parts() -> None:
    lone_link = message(1, text("a.b", (E.URL, "a.b")))
    assert flags(lone_link, message(2, "words", PHOTO), merged=True) == {"link", "merged"}
    assert flags(lone_link, message(2, text("c.d", (E.URL, "c.d"))), merged=True) == {
        "only_link", "link", "no_image", "merged",
    }  # fmt: skip


def test_every_flag_is_described_once() -> None:
    names = [flag.name for flag in FLAGS]
    assert len(set(names)) == len(names)
    assert all(flag.description for flag in FLAGS)
