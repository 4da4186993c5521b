"""Media of every kind: which file is fetched, and what is told of it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pyrogram import raw
from pyrogram.raw.core import TLObject
from tl_files import (
    STRIPPED,
    document_file,
    named,
    photo_file,
    shape,
    square,
    thumb_file,
    tl_document,
    tl_photo,
)
from tl_objects import arbitrary, constructors, decoded

from model.entity import Entity, EntityType, Text
from model.media import (
    Audio,
    Document,
    Media,
    Photo,
    Poll,
    PollOption,
    Sticker,
    Unsupported,
    Video,
    VideoKind,
    WebPage,
)
from telegram.adapter_media import TRANSLATIONS, UNTRANSLATED
from telegram.adapter_media import to_media as translate
from telegram.adapter_peers import Peers

T = raw.types
PEERS = Peers([], [])


def to_media(media: Any) -> Media | None:
    return translate(media, PEERS)


@pytest.mark.parametrize(
    ("media", "expected"),
    [
        pytest.param(
            T.MessageMediaPhoto(
                photo=tl_photo(
                    STRIPPED, square("s", 90, 1), square("m", 320, 2), square("y", 1280, 4), square("x", 800, 3)
                )
            ),
            Photo(file=photo_file("y", 1280, 4, stripped=STRIPPED.bytes), thumb=photo_file("m", 320, 2, main=False)),
            id="the largest size and a placeholder",
        ),
        pytest.param(
            T.MessageMediaPhoto(
                photo=tl_photo(
                    square("s", 90, 1), T.PhotoSizeProgressive(type="y", w=1280, h=1280, sizes=[10, 50, 900])
                ),
                spoiler=True,
            ),
            Photo(file=photo_file("y", 1280, 900), thumb=photo_file("s", 90, 1, main=False), spoiler=True),
            id="a progressive size is as large as its last pass",
        ),
        pytest.param(
            T.MessageMediaPhoto(photo=tl_photo(square("m", 320, 2))),
            Photo(file=photo_file("m", 320, 2)),
            id="one size is no placeholder of itself",
        ),
        pytest.param(
            T.MessageMediaPhoto(photo=tl_photo(T.PhotoCachedSize(type="s", w=90, h=90, bytes=b"jpeg"))),
            Photo(file=photo_file("s", 90, 4)),
            id="a size sent along",
        ),
        pytest.param(
            T.MessageMediaPhoto(photo=tl_photo(STRIPPED)), Unsupported(kind="photo no longer there"), id="no size"
        ),
        pytest.param(T.MessageMediaPhoto(ttl_seconds=5), Unsupported(kind="photo no longer there"), id="expired photo"),
        pytest.param(
            T.MessageMediaPhoto(photo=T.PhotoEmpty(id=3)), Unsupported(kind="photo no longer there"), id="empty photo"
        ),
        pytest.param(
            T.MessageMediaDocument(ttl_seconds=5), Unsupported(kind="file no longer there"), id="expired document"
        ),
    ],
)
def test_photos(media: Any, expected: Media) -> None:
    assert to_media(decoded(media)) == expected


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param(
            tl_document(
                "video/mp4",
                T.DocumentAttributeVideo(duration=12.5, supports_streaming=True, w=1920, h=1080),
                named("a.mp4"),
                thumbs=[STRIPPED, square("s", 100, 5), square("m", 320, 9)],
            ),
            Video(
                file=document_file("video/mp4", "a.mp4", 1920, 1080, stripped=STRIPPED.bytes),
                thumb=thumb_file("m", 320, 9, stripped=STRIPPED.bytes),
                width=1920,
                height=1080,
                duration=12.5,
                streamable=True,
            ),
            id="video",
        ),
        pytest.param(
            tl_document("video/mp4", T.DocumentAttributeVideo(duration=float("nan"), w=1920, h=1080)),
            Video(file=document_file("video/mp4", "", 1920, 1080), width=1920, height=1080),
            id="video too large for a thumbnail, of a senseless duration",
        ),
        pytest.param(
            tl_document(
                "video/mp4", T.DocumentAttributeVideo(duration=3, w=1920, h=1080), T.DocumentAttributeAnimated()
            ),
            Video(
                file=document_file("video/mp4", "", 1920, 1080),
                kind=VideoKind.ANIMATION,
                width=1920,
                height=1080,
                duration=3,
            ),
            id="animation",
        ),
        pytest.param(
            tl_document("image/gif", shape(50, 40), T.DocumentAttributeAnimated(), named("a.gif")),
            Video(file=document_file("image/gif", "a.gif", 50, 40), kind=VideoKind.ANIMATION, width=50, height=40),
            id="GIF file",
        ),
        pytest.param(
            tl_document("video/mp4", T.DocumentAttributeVideo(duration=3, w=384, h=384, round_message=True)),
            Video(
                file=document_file("video/mp4", "", 384, 384), kind=VideoKind.ROUND, width=384, height=384, duration=3
            ),
            id="round video",
        ),
        pytest.param(
            tl_document("audio/ogg", T.DocumentAttributeAudio(duration=7, voice=True, waveform=b"\x01")),
            Audio(file=document_file("audio/ogg"), voice=True, duration=7),
            id="voice",
        ),
        pytest.param(
            tl_document(
                "audio/mpeg",
                T.DocumentAttributeAudio(duration=200, title="Song", performer="Band"),
                named("song.mp3"),
                thumbs=[square("m", 320, 9)],
            ),
            Audio(
                file=document_file("audio/mpeg", "song.mp3"),
                duration=200,
                title="Song",
                performer="Band",
                thumb=thumb_file("m", 320, 9),
            ),
            id="music",
        ),
        pytest.param(
            tl_document(
                "application/x-tgsticker",
                shape(512, 512),
                T.DocumentAttributeSticker(alt="🦊", stickerset=T.InputStickerSetEmpty()),
                thumbs=[T.PhotoPathSize(type="j", bytes=b"M0"), square("m", 128, 9)],
            ),
            Sticker(
                file=document_file("application/x-tgsticker", "", 512, 512),
                emoji="🦊",
                thumb=thumb_file("m", 128, 9, "image/webp"),
                width=512,
                height=512,
            ),
            id="animated sticker",
        ),
        pytest.param(
            tl_document(
                "video/webm",
                T.DocumentAttributeVideo(duration=3, w=512, h=512),
                T.DocumentAttributeSticker(alt="🦊", stickerset=T.InputStickerSetEmpty()),
            ),
            Sticker(file=document_file("video/webm", "", 512, 512), emoji="🦊", width=512, height=512),
            id="video sticker",
        ),
        pytest.param(
            tl_document("image/png", shape(300, 200), named("scan.png"), thumbs=[square("m", 320, 9)]),
            Document(
                file=document_file("image/png", "scan.png", 300, 200),
                thumb=thumb_file("m", 320, 9),
                width=300,
                height=200,
            ),
            id="image as a file",
        ),
        pytest.param(
            tl_document("application/pdf", named("paper.pdf")),
            Document(file=document_file("application/pdf", "paper.pdf")),
            id="PDF",
        ),
        pytest.param(tl_document(""), Document(file=document_file("")), id="a file of which nothing is known"),
    ],
)
def test_documents(document: raw.types.Document, expected: Media) -> None:
    assert to_media(decoded(T.MessageMediaDocument(document=document))) == expected


@pytest.mark.parametrize("attributes", [[shape(512, 512)], [T.DocumentAttributeVideo(duration=3, w=512, h=512)]])
@pytest.mark.parametrize("mime_type", ["image/webp", "image/png", "video/webm", "image/jpeg"])
def test_what_may_be_transparent_has_no_placeholder_that_would_shine_through(
    mime_type: str, attributes: list[Any]
) -> None:
    sticker = T.DocumentAttributeSticker(alt="🦊", stickerset=T.InputStickerSetEmpty())
    thumbs = [STRIPPED, square("m", 320, 9)]
    pasted = to_media(T.MessageMediaDocument(document=tl_document(mime_type, *attributes, sticker, thumbs=thumbs)))
    assert isinstance(pasted, Sticker)
    assert pasted.thumb is not None
    assert (pasted.file.stripped, pasted.thumb.stripped) == (b"", b"")
    sent = to_media(T.MessageMediaDocument(document=tl_document(mime_type, shape(512, 512), thumbs=thumbs)))
    assert isinstance(sent, Document)
    assert bool(sent.file.stripped) == (mime_type == "image/jpeg")


def test_a_videos_own_cover_is_its_poster_in_a_sensible_size() -> None:
    media = T.MessageMediaDocument(
        document=tl_document("video/mp4", T.DocumentAttributeVideo(duration=1, w=2, h=2), thumbs=[square("m", 320, 9)]),
        video_cover=tl_photo(square("x", 800, 3), square("y", 1280, 4), square("w", 2560, 5)),
    )
    video = to_media(decoded(media))
    assert isinstance(video, Video)
    assert video.thumb == photo_file("y", 1280, 4, main=False)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param(
            T.WebPage(
                id=1,
                url="https://example.org/a",
                display_url="example.org/a",
                hash=0,
                type="article",
                site_name="Example",
                title="A title",
                description="Words",
                author="Ann",
                photo=tl_photo(square("m", 320, 2), square("x", 800, 3)),
            ),
            WebPage(
                url="https://example.org/a",
                display_url="example.org/a",
                type="article",
                site_name="Example",
                title="A title",
                description="Words",
                author="Ann",
                photo=photo_file("x", 800, 3),
            ),
            id="whole",
        ),
        pytest.param(
            T.WebPage(id=1, url="https://e.org", display_url="e.org", hash=0),
            WebPage(url="https://e.org", display_url="e.org"),
            id="bare",
        ),
        pytest.param(
            T.WebPage(
                id=1,
                url="https://e.org",
                display_url="e.org",
                hash=0,
                document=tl_document("video/mp4", thumbs=[square("m", 320, 9)]),
            ),
            WebPage(url="https://e.org", display_url="e.org", photo=thumb_file("m", 320, 9)),
            id="a preview with a video shows the video's thumbnail",
        ),
        pytest.param(T.WebPagePending(id=1, date=2, url="https://e.org"), None, id="pending"),
        pytest.param(T.WebPageEmpty(id=1), None, id="empty"),
    ],
)
def test_link_previews(page: Any, expected: WebPage | None) -> None:
    assert to_media(decoded(T.MessageMediaWebPage(webpage=page))) == expected


def words(text: str) -> raw.types.TextWithEntities:
    return T.TextWithEntities(text=text, entities=[])


def tl_poll(results: raw.types.PollResults, **fields: Any) -> raw.types.MessageMediaPoll:
    answers: list[raw.base.PollAnswer] = [
        T.PollAnswer(text=words("yes"), option=b"0"),
        T.PollAnswer(text=words("no"), option=b"1"),
    ]
    question = T.TextWithEntities(text="Well?", entities=[T.MessageEntityBold(offset=0, length=4)])
    return T.MessageMediaPoll(poll=T.Poll(id=1, question=question, answers=answers, hash=0, **fields), results=results)


# The schema has these together with the number of voters.
SOMEBODY: list[raw.base.Peer] = [T.PeerUser(user_id=7)]
QUESTION = Text("Well?", (Entity(type=EntityType.BOLD, offset=0, length=4),))


@pytest.mark.parametrize(
    ("media", "expected"),
    [
        pytest.param(
            tl_poll(T.PollResults(min=True)),
            Poll(question=QUESTION, options=(PollOption(text=Text("yes")), PollOption(text=Text("no")))),
            id="results hidden",
        ),
        pytest.param(
            tl_poll(
                T.PollResults(
                    results=[
                        T.PollAnswerVoters(option=b"1", voters=5, recent_voters=SOMEBODY),
                        T.PollAnswerVoters(option=b"0", voters=0, correct=True, recent_voters=SOMEBODY),
                    ],
                    total_voters=5,
                    solution="Since",
                    solution_entities=[T.MessageEntityItalic(offset=0, length=5)],
                ),
                quiz=True,
                closed=True,
            ),
            Poll(
                question=QUESTION,
                options=(PollOption(text=Text("yes"), voters=0, correct=True), PollOption(text=Text("no"), voters=5)),
                quiz=True,
                closed=True,
                total_voters=5,
                solution=Text("Since", (Entity(type=EntityType.ITALIC, offset=0, length=5),)),
            ),
            id="closed quiz",
        ),
        pytest.param(
            tl_poll(T.PollResults(total_voters=2), multiple_choice=True),
            Poll(
                question=QUESTION,
                options=(PollOption(text=Text("yes")), PollOption(text=Text("no"))),
                multiple=True,
                total_voters=2,
            ),
            id="several answers",
        ),
    ],
)
def test_polls(media: raw.types.MessageMediaPoll, expected: Poll) -> None:
    assert to_media(decoded(media)) == expected


@pytest.mark.parametrize(
    ("media", "kind"),
    [
        (T.MessageMediaUnsupported(), "unsupported"),
        (T.MessageMediaVideoStream(call=T.InputGroupCall(id=1, access_hash=2)), "video stream"),
    ],
)
def test_other_kinds_are_named(media: Any, kind: str) -> None:
    assert to_media(media) == Unsupported(kind=kind)


def test_every_constructor_of_the_layer_has_a_translation_or_is_consciously_without() -> None:
    assert not set(TRANSLATIONS) & UNTRANSLATED
    assert set(TRANSLATIONS) | UNTRANSLATED == set(constructors("MessageMedia"))


def test_media_of_an_unknown_shape_is_named() -> None:
    game: Any = T.GeoPointEmpty()
    assert to_media(T.MessageMediaGame(game=game)) == Unsupported(kind="game")


@pytest.mark.parametrize("constructor", constructors("MessageMedia"), ids=lambda c: c.__name__)
@pytest.mark.parametrize("seed", range(5))
def test_every_media_of_the_layer_is_something_or_named(constructor: type[TLObject[Any]], seed: int) -> None:
    media = to_media(arbitrary(constructor, random.Random(seed)))
    assert media is not None or constructor in (T.MessageMediaEmpty, T.MessageMediaWebPage)
