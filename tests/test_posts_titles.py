from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from post_samples import file, message, text

from model.channel import PeerName
from model.entity import EntityType, Text
from model.media import Audio, Document, Media, Photo, Poll, Sticker, Unsupported, Video, VideoKind, WebPage
from model.message import Forward, Message, Service
from posts.grouping import Group
from posts.titles import title_of

PHOTO = Photo(file=file())
VIDEO = Video(file=file())
E = EntityType
LINK = text("https://a.b/c", (E.URL, "https://a.b/c"))
FORWARD = Forward(origin=PeerName(title="X"))


def title(*messages: Message) -> str:
    return title_of(Group(messages))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Hello", "Hello"),
        ("First\nSecond", "First"),
        ("\n \n\tFirst  line \n", "First line"),
        # What only looks false.
        ("0", "0"),
        ("2024", "2024"),
        # No markup, no entities: a text is a text.
        ("<b>Bold</b> &amp; more", "<b>Bold</b> &amp; more"),
        ("std::vector<int>", "std::vector<int>"),
        # Trailing punctuation.
        ("Note:", "Note"),
        ("Well...", "Well"),
        ("Really?", "Really?"),
        ("...", "..."),
        # Lines that say nothing give way to one that does.
        ("#news #today\nThe harbour opens", "The harbour opens"),
        ("🔥🔥🔥\nThe harbour opens", "The harbour opens"),
        ("———\nThe harbour opens", "The harbour opens"),
        ("https://a.b/c\nThe harbour opens", "The harbour opens"),
        ("#news #today", "#news #today"),
        ("🔥🔥🔥", "🔥🔥🔥"),
        ("#news The harbour opens", "#news The harbour opens"),
        # Bare URLs.
        ("Read https://a.b/c now", "Read now"),
        # Capitals.
        ("ВНИМАНИЕ, ВАЖНАЯ НОВОСТЬ", "Внимание, важная новость"),
        ("🔥 BREAKING NEWS! READ THIS", "🔥 Breaking news! Read this"),
        ("2024 YEAR IN REVIEW", "2024 year in review"),
        ("NASA", "NASA"),
        ("NASA launches", "NASA launches"),
        ("今日のニュース", "今日のニュース"),
        ("עדכון חשוב", "עדכון חשוב"),
        ("ÇOK ÖNEMLİ HABER", "Çok önemli haber"),
        # 52 characters fit; 53 do not.
        ("x" * 52, "x" * 52),
        ("x" * 53, "x" * 52 + "…"),
        # A sentence's end.
        ("The harbour opens today. Ships from all the coast are on their way", "The harbour opens today"),
        ("The harbour opens today! Ships from all the coast are on their way", "The harbour opens today!"),
        ("One sentence. Another one here. And then it goes on and on without", "One sentence. Another one here"),
        (
            "新しい港が今日開きます。船は沿岸のあらゆる場所から向かっていますので、皆さん、ぜひ見に来てくださいね、本当に楽しいですから",
            "新しい港が今日開きます。",
        ),
        # An abbreviation, an initial and a number are none.
        (
            "Yesterday J. R. Smith of the harbour told us v. 2.5 is here",
            "Yesterday J. R. Smith of the harbour told us v. 2.5…",
        ),
        (
            "Oh! This sentence is too short to be a title of its own, really",
            "Oh! This sentence is too short to be a title of its…",
        ),
        # Else a word's end between 37 and 52.
        ("word " * 20, "word word word word word word word word word word…"),
        ("a " * 10 + "b" * 60, "a a a a a a a a a a bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…"),
        (
            "Ships, boats, ferries, rafts, canoes, dinghies and - more",
            "Ships, boats, ferries, rafts, canoes, dinghies and…",
        ),
        # Never inside a character.
        ("👨‍👩‍👧‍👦" * 60, "👨‍👩‍👧‍👦" * 52 + "…"),
        ("🇩🇪" * 60, "🇩🇪" * 52 + "…"),
        ("👍🏽" * 60, "👍🏽" * 52 + "…"),
        ("e\u0301" * 60, "e\u0301" * 52 + "…"),
        ("각" * 60, "각" * 52 + "…"),
        ("각" * 60, "각" * 52 + "…"),
        # Never what turns the text around or can't be seen.
        ("a\u202egnp.exe\u202c b\u200b\x07\ufeff", "agnp.exe b"),
        ("\u200b\u3164\nSeen", "Seen"),
        ("\u200d\ufe0f", "Post #7"),
        ("", "Post #7"),
    ],
)
def test_a_text_gives_its_first_line(content: str, expected: str) -> None:
    assert title(message(7, content)) == expected


@pytest.mark.parametrize(
    ("media", "expected"),
    [
        (PHOTO, "Photo"),
        (VIDEO, "Video"),
        (Video(file=file(), kind=VideoKind.ANIMATION), "GIF"),
        (Video(file=file(), kind=VideoKind.ROUND), "Video message"),
        (Audio(file=file(), title="Sea", performer="Waves"), "Waves – Sea"),
        (Audio(file=file(), title="Sea"), "Sea"),
        (Audio(file=file(file_name="a.mp3")), "a.mp3"),
        (Audio(file=file()), "Audio"),
        (Audio(file=file(file_name="x.ogg"), voice=True), "Voice message"),
        (Sticker(file=file(), emoji="😀"), "Sticker 😀"),
        (Sticker(file=file()), "Sticker"),
        (Document(file=file(file_name="отчёт\n2026.pdf")), "отчёт 2026.pdf"),
        (Document(file=file()), "File"),
        (Document(file=file(mime_type="image/png")), "Image"),
        (Poll(question=Text("Tea or coffee?"), options=()), "Poll: Tea or coffee?"),
        (Poll(question=Text("2+2"), options=(), quiz=True), "Quiz: 2+2"),
        (Poll(question=Text(""), options=()), "Poll"),
        (Unsupported(kind="venue"), "Venue"),
        (Unsupported(kind=""), "Message"),
    ],
)
def test_media_without_text_is_named(media: Media, expected: str) -> None:
    assert title(message(7, "", media)) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Hi", "Photo"),
        ("123456789", "Photo"),
        ("1234567890", "1234567890"),
        ("https://a.b/a-long-path", "Photo"),
        ("The harbour", "The harbour"),
    ],
)
def test_a_short_text_gives_way_to_the_media(content: str, expected: str) -> None:
    assert title(message(7, content, PHOTO)) == expected


def test_an_album_is_counted() -> None:
    photos = [message(n, "", PHOTO, media_group_id=1) for n in range(3)]
    assert title(*photos) == "3 photos"
    assert title(*photos[:2], message(9, "", VIDEO)) == "2 photos, 1 video"
    assert (
        title(message(1, "", Document(file=file(file_name="a.pdf"))), message(2, "", Document(file=file())))
        == "2 files"
    )


def test_an_albums_caption_is_its_title() -> None:
    assert title(message(1, "", PHOTO), message(2, "The harbour opens", PHOTO)) == "The harbour opens"


@pytest.mark.parametrize(
    ("content", "page", "expected"),
    [
        (LINK, WebPage(url="https://a.b/c", title="A page"), "A page"),
        (LINK, WebPage(url="https://a.b/c", description="About a page"), "About a page"),
        (LINK, WebPage(url="https://a.b/c"), "Web link"),
        (LINK, None, "Web link"),
        (Text("https://a.b/c"), None, "Web link"),
        (Text("https://youtu.be/x"), WebPage(url="https://youtu.be/x", title="A film"), "YouTube: A film"),
        (Text("https://www.youtube.com/watch?v=x"), None, "YouTube link"),
        (text("👉 here", (E.TEXT_LINK, "👉"), url="https://a.b"), None, "👉 here"),
        (text("👉", (E.TEXT_LINK, "👉"), url="https://a.b"), None, "Web link"),
        (Text("🔥 https://a.b/c"), WebPage(url="https://a.b/c", title="A page"), "A page"),
        (Text("Words https://a.b/c"), WebPage(url="https://a.b/c", title="A page"), "Words"),
        (Text(""), WebPage(url="https://a.b/c", title="A page"), "A page"),
        (text("a.b/c", (E.URL, "a.b/c")), None, "Web link"),
    ],
)
def test_a_lone_link_is_named(content: Text, page: WebPage | None, expected: str) -> None:
    assert title(message(7, content, page)) == expected


@pytest.mark.parametrize(
    ("content", "media", "expected"),
    [("Hello", None, "FWD: Hello"), ("", PHOTO, "FWD: Photo"), ("", None, "FWD: Post #7")],
)
def test_a_forwarded_post_says_so(content: str, media: Media | None, expected: str) -> None:
    assert title(message(7, content, media, forward=FORWARD)) == expected


@pytest.mark.parametrize(
    ("service", "expected"),
    [
        (Service(kind="topic_create", title="Boats"), "Topic created: Boats"),
        (Service(kind="group_call_scheduled", date=1_796_126_400), "Live stream planned for 2026-12-01 12:00 UTC"),
        (Service(kind="group_call_scheduled"), "Live stream planned"),
        (Service(kind="brand_new_action"), "Service message: brand new action"),
        (Service(kind=""), "Service message"),
    ],
)
def test_an_event_is_a_sentence(service: Service, expected: str) -> None:
    assert title(message(7, service=service)) == expected


def test_the_text_inside_a_quote_gives_the_title() -> None:
    assert title(message(7, text("All quoted", (E.BLOCKQUOTE, "All quoted")))) == "All quoted"


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=120) | st.text(alphabet="aB. \n#\u202e\u200d👍🏽🇩é", max_size=120), st.sampled_from([None, PHOTO])
)
def test_a_title_is_always_one_visible_line(content: str, media: Media | None) -> None:
    found = title(message(7, content, media))
    assert found.strip() == found != ""
    assert not any(
        unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} or char in "\u202e\u202a\u2066" for char in found
    )
