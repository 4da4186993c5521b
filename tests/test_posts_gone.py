"""Notes in the place of files that Telegram does not have any more."""

from __future__ import annotations

import pytest
from post_samples import OPTIONS, PUBLIC, file, message

import post_parser
from feeds.sanitizer import sanitize
from model.media import Audio, Document, LivePhoto, Media, Photo, Sticker, Video, WebPage
from posts.gone import with_notes
from posts.post import Post

THUMB = file("T", width=32, height=18)
FILM = Video(file=file("F", size=2048), width=320, height=180, duration=2, thumb=THUMB)
NOTE = '<span class="gone">{}no longer at Telegram</span>'
STILL = '<img src="https://b.test/media/7/T" width="320" height="180" alt="" loading="lazy">'


def posted(media: Media) -> Post:
    (post,) = post_parser.build_posts([message(7, "Words", media)], PUBLIC, OPTIONS)
    return post


def noted(media: Media, *gone: str) -> str:
    return with_notes(posted(media), frozenset(gone), OPTIONS.media).html


@pytest.mark.parametrize(
    ("media", "shown"),
    [
        (Photo(file=file("F", width=9, height=9)), f'<div class="media photo">{NOTE.format("Photo: ")}</div>'),
        (FILM, f'<div class="media video">{STILL}{NOTE.format("Video, 0:02, 2.0 KB: ")}</div>'),
        (Video(file=file("F")), f'<div class="media video">{NOTE.format("Video: ")}</div>'),
        (
            Audio(file=file("F"), title="Tune"),
            f'<div class="media audio"><p dir="ltr">🎵 <bdi>Tune</bdi></p>{NOTE.format("")}</div>',
        ),
        (
            Document(file=file("F", file_name='<a "b">.txt', size=5)),
            '<div class="media document"><p dir="ltr">📄 <bdi>&lt;a &quot;b&quot;&gt;.txt</bdi> '
            f"{NOTE.format('')} (<bdi>5 B</bdi>)</p></div>",
        ),
        (
            Sticker(file=file("F", mime_type="image/webp"), emoji='"><i>'),
            f'<div class="media sticker">{NOTE.format("Sticker &quot;&gt;&lt;i&gt;: ")}</div>',
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_gone_file_has_a_note_in_its_place(media: Media, shown: str) -> None:
    html = noted(media, "F")
    assert shown in html
    assert "media/7/F" not in html
    # What the sanitizer makes of it is the same to look at.
    assert sanitize(html).count("no longer at Telegram") == 1


def test_what_is_there_stays() -> None:
    live = LivePhoto(photo=Photo(file=file("P")), video=FILM)
    whole = posted(live)
    assert with_notes(whole, frozenset({"another"}), OPTIONS.media) is whole
    html = with_notes(whole, frozenset({"F"}), OPTIONS.media).html
    assert '<img src="https://b.test/media/7/P"' in html
    assert STILL in html
    # A film without its poster is still a film.
    assert noted(live, "T") == whole.html.replace(' poster="https://b.test/media/7/T"', "")


def test_only_the_lost_picture_of_an_album_is_noted() -> None:
    album = [message(n, media=Photo(file=file(f"P{n}")), media_group_id=5) for n in (7, 8, 9)]
    (post,) = post_parser.build_posts(album, PUBLIC, OPTIONS)
    marked = with_notes(post, frozenset({"P8"}), OPTIONS.media)
    assert marked.html.count("<img") == 2
    assert marked.html.count("no longer") == 1
    assert [image.url[-2:] for image in marked.images] == ["P7", "P9"]
    assert marked.files == post.files


def test_a_previews_words_stay_when_its_picture_is_gone() -> None:
    html = noted(WebPage(url="https://a.example", title="T", description="D", photo=file("F")), "F")
    assert NOTE.format("T: ") in html
    assert '<a href="https://a.example"><b>T</b></a>' in html
