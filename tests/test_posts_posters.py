"""What Telegram gives as a thumbnail stands in the post's HTML: from its own objects to the page."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from post_samples import OPTIONS, PUBLIC, message
from tl_files import STRIPPED, UNIQUE, T, named, shape, square, tl_document, tl_photo

from feeds.sanitizer import sanitize
from model.files import find_file
from posts.attachment_kinds import ATTACHMENT_KINDS
from posts.blocks.sheet import Sheet
from posts.body import body
from posts.grouping import Group
from posts.kinds import kind_of
from telegram.adapter_media import to_media
from telegram.adapter_peers import Peers

# Large ones first, as nobody promises an order; the stripped one has no file of its own.
THUMBS = [square("m", 320, 9), STRIPPED, square("s", 90, 3)]
THUMB = f"{UNIQUE}-m"
FILM = T.DocumentAttributeVideo(duration=2, w=640, h=480)
ROUND = T.DocumentAttributeVideo(duration=2, w=240, h=240, round_message=True)
STICKER = T.DocumentAttributeSticker(alt="🐟", stickerset=T.InputStickerSetEmpty())
SHAPE = shape(512, 512)


def a_document(mime_type: str, *attributes: Any, thumbs: list[Any] | None = None) -> Any:
    found = tl_document(mime_type, *attributes, thumbs=THUMBS if thumbs is None else thumbs)
    return T.MessageMediaDocument(document=found)


PHOTO = tl_photo(STRIPPED, square("m", 320, 9), square("y", 1280, 99))
LIVE = tl_document("video/mp4", FILM, thumbs=THUMBS)
# Kind, Telegram's object, the element that shows the picture and its attribute, and the file that it names.
SHOWN: list[tuple[str, Any, str, str, str]] = [
    ("photo", T.MessageMediaPhoto(photo=PHOTO), "img", "src", UNIQUE),
    ("live_photo", T.MessageMediaPhoto(photo=PHOTO, live_photo=True, video=LIVE), "video", "poster", THUMB),
    ("image", a_document("image/png", shape(640, 480), named("map.png")), "img", "src", THUMB),
    ("video", a_document("video/mp4", FILM), "video", "poster", THUMB),
    ("animation", a_document("video/mp4", FILM, T.DocumentAttributeAnimated()), "video", "poster", THUMB),
    ("round", a_document("video/mp4", ROUND), "video", "poster", THUMB),
    ("audio", a_document("audio/mpeg", T.DocumentAttributeAudio(duration=5, title="Song")), "img", "src", THUMB),
    ("voice", a_document("audio/ogg", T.DocumentAttributeAudio(duration=5, voice=True)), "img", "src", THUMB),
    ("sticker", a_document("video/webm", SHAPE, STICKER), "video", "poster", THUMB),
    ("sticker", a_document("application/x-tgsticker", SHAPE, STICKER), "img", "src", THUMB),
    ("sticker", a_document("image/webp", SHAPE, STICKER), "img", "src", UNIQUE),
    ("document", a_document("application/pdf", named("map.pdf")), "img", "src", THUMB),
]  # fmt: skip


class Elements(HTMLParser):
    """The elements of a piece of HTML with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def named(self, *names: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name in names]


def rendered(tl_media: Any) -> tuple[str, Elements]:
    """The name of the kind, and the post as pages have it."""
    media = to_media(tl_media, Peers([], []))
    assert media is not None
    post = message(1, "", media)
    html = sanitize(body(Sheet(PUBLIC, OPTIONS), Group((post,), False)))
    elements = Elements(str(html))
    for attributes in elements.named("img", "video", "audio", "a"):
        for url in filter(None, (attributes.get(name) for name in ("src", "poster"))):
            # What a page names can be fetched.
            assert find_file(post, url.rpartition("/")[2]) is not None
    return kind_of(media).name, elements


@pytest.mark.parametrize(("kind", "tl_media", "element", "attribute", "unique_id"), SHOWN)
def test_a_thumbnail_of_telegrams_is_seen(
    kind: str, tl_media: Any, element: str, attribute: str, unique_id: str
) -> None:
    name, elements = rendered(tl_media)
    assert name == kind
    shown = [attributes.get(attribute) or "" for attributes in elements.named(element)]
    assert unique_id in [url.rpartition("/")[2] for url in shown]


@pytest.mark.parametrize("tl_media", [row[1] for row in SHOWN])
def test_pictures_have_size_and_words_and_wait_to_be_seen_and_films_wait_to_be_asked_for(tl_media: Any) -> None:
    _, elements = rendered(tl_media)
    for image in elements.named("img"):
        assert image["alt"]
        assert image["loading"] == "lazy"
        assert int(image["width"] or 0) > 0 < int(image["height"] or 0)
    for player in elements.named("video", "audio"):
        # A moving sticker is a picture.
        assert player.get("preload") == "none" or ("autoplay" in player and "muted" in player)
    for film in elements.named("video"):
        assert int(film["width"] or 0) > 0 < int(film["height"] or 0)


@pytest.mark.parametrize("thumbs", [[], [STRIPPED]], ids=["none", "only one that has no file"])
def test_without_a_thumbnail_there_is_no_empty_one(thumbs: list[Any]) -> None:
    for _, tl_media, *_ in SHOWN:
        if isinstance(tl_media, T.MessageMediaDocument) and isinstance(found := tl_media.document, T.Document):
            bare = a_document(found.mime_type, *found.attributes, thumbs=thumbs)
            _, elements = rendered(bare)
            assert not [film for film in elements.named("video") if "poster" in film]


def placeholders(tl_media: Any) -> dict[str, bytes]:
    """Of the media's post: stripped thumbnails by the unique ids of what they stand for."""
    sheet = Sheet(PUBLIC, OPTIONS)
    body(sheet, Group((message(1, "", to_media(tl_media, Peers([], []))),), False))
    return {url.rpartition("/")[2]: stripped for url, stripped in sheet.placeholders}


@pytest.mark.parametrize(("kind", "tl_media", "element", "attribute", "unique_id"), SHOWN)
def test_what_is_seen_has_its_stripped_thumbnail_as_placeholder(
    kind: str, tl_media: Any, element: str, attribute: str, unique_id: str
) -> None:
    # A film's stands for the film, whatever its poster.
    shown = unique_id if attribute == "src" else UNIQUE
    assert placeholders(tl_media) == ({} if kind == "sticker" else {shown: STRIPPED.bytes})


def test_a_film_whose_only_thumbnail_is_stripped_has_that_and_without_any_there_is_none() -> None:
    assert placeholders(a_document("video/mp4", FILM, thumbs=[STRIPPED])) == {UNIQUE: STRIPPED.bytes}
    assert placeholders(a_document("video/mp4", FILM, thumbs=[square("m", 320, 9)])) == {}


def test_every_kind_of_file_is_in_the_table() -> None:
    assert {row[0] for row in SHOWN} == {kind.name for kind in ATTACHMENT_KINDS}
