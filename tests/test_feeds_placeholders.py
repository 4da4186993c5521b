from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from datetime import UTC
from typing import Any

import pytest
from bs4 import BeautifulSoup
from feed_samples import BASE, MEDIA, feed, post
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from playwright.sync_api import Browser, Page, Route, sync_playwright
from test_posts_stripped import strip

import rss_generator
from feeds import page
from feeds.feed import FeedFormat
from feeds.page import content_security_policy
from feeds.placeholders import with_placeholders
from feeds.sanitizer import sanitize
from posts.post import Placeholder, Post

URL = f"{MEDIA}/5/abc/00ff"
TEAL = strip(Image.new("RGB", (40, 30), (0, 128, 128)))
RED = strip(Image.new("RGB", (40, 30), (200, 0, 0)))
PHOTO = f'<img src="{URL}" width="1280" height="960" alt="Photo" loading="lazy">'
FILM = f'<video controls preload="none" width="640" height="480" src="{URL}"><a href="{URL}">Video</a></video>'


def placed(html: str, *placeholders: tuple[str, bytes]) -> str:
    """The HTML as pages have it."""
    return with_placeholders(sanitize(html), [Placeholder(*each) for each in placeholders])


def sources(html: str, selector: str = ".frame > img.placeholder") -> list[str]:
    return [str(image["src"]) for image in BeautifulSoup(html, "html.parser").select(selector)]


@pytest.mark.parametrize("html", [PHOTO, FILM, f"<details><summary>Spoiler</summary>{FILM}</details>"])
def test_a_picture_or_film_stands_before_its_placeholder_in_a_frame(html: str) -> None:
    parsed = BeautifulSoup(placed(html, (URL, TEAL)), "html.parser")
    (frame,) = parsed.select("span.frame")
    placeholder, shown = frame.find_all(recursive=False)
    assert (placeholder["class"], placeholder["alt"], shown["src"]) == (["placeholder"], "", URL)
    data = base64.b64decode(str(placeholder["src"]).removeprefix("data:image/jpeg;base64,"), validate=True)
    with Image.open(io.BytesIO(data)) as seen:
        assert seen.size == (40, 30)
    placeholder.decompose()
    frame.unwrap()
    assert str(parsed) == str(BeautifulSoup(sanitize(html), "html.parser"))


def test_each_gets_its_own_and_what_has_none_stays_as_it_is() -> None:
    html = placed(
        f"{PHOTO}<p>{PHOTO.replace('abc', 'def')}</p>{FILM.replace('abc', 'ghi')}", (URL.replace("abc", "ghi"), RED)
    )
    assert len(sources(html)) == 1
    assert html.startswith("<img src=")
    assert "<p><img src=" in html


def test_what_is_no_thumbnail_leaves_the_picture_alone() -> None:
    assert placed(PHOTO, (URL, b"nonsense")) == sanitize(PHOTO)
    assert placed("<p>Words</p>", (URL, TEAL)) == "<p>Words</p>"


WORDS = st.sampled_from(
    ["<img src=", URL, '"', "'", ">", "</video>", "<video ", "<p>", "alt=", " src=", "&quot;", "&lt;", "x"]
)


@given(st.lists(WORDS, max_size=12).map("".join))
def test_nothing_but_placeholders_comes_into_a_page_past_the_sanitizer(words: str) -> None:
    safe = sanitize(
        f'<p>{words}</p><img src="{URL}" alt="{words.replace(chr(34), "")}"><video src="{URL}">{words}</video>'
    )
    html = with_placeholders(safe, [Placeholder(URL, TEAL)])
    bare = re.sub(
        r'<span class="frame"><img class="placeholder" src="data:image/jpeg;base64,[A-Za-z0-9+/]+=*" alt="">',
        "<#>",
        html,
    )
    assert "data:" not in bare
    # A frame around each, and every other byte as it was.
    assert bare.replace("<#>", "").replace("</span>", "") == safe.replace("</span>", "")


def test_feeds_have_no_placeholders_and_pages_do() -> None:
    source = feed([post(html=PHOTO, placeholders=(Placeholder(URL, TEAL),))])
    for format in FeedFormat:
        body = rss_generator.render(format, source).body
        assert (b"data:image" in body) == (format is FeedFormat.HTML), format


# In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield started
        started.close()


def jpeg(width: int, height: int, color: tuple[int, int, int]) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (width, height), color).save(stream, "JPEG")
    return stream.getvalue()


def div(kind: str, html: str) -> str:
    return f'<div class="media {kind}">{html}</div>'


def image(name: str, width: int, height: int) -> str:
    return f'<img src="{BASE}/{name}" width="{width}" height="{height}" alt="Photo">'


SIZES = {
    "wide": (1280, 853),
    "tall": (700, 1600),
    "small": (90, 70),
    "one": (800, 600),
    "two": (600, 800),
    "page": (226, 320),
}
SHOWN: list[Post] = [
    post(1, html=div("photo", image("wide", 1280, 853))),
    post(2, html=div("photo", image("tall", 700, 1600))),
    post(3, html=div("photo", image("small", 90, 70))),
    post(
        4, html=f'<div class="album">{div("photo", image("one", 800, 600))}{div("photo", image("two", 600, 800))}</div>'
    ),
    post(5, html=div("document", f"<p>{image('page', 226, 320)}</p><p>plan.pdf</p>")),
    post(6, html=div("round", f'<video controls preload="none" width="240" height="240" src="{BASE}/film"></video>')),
]
ALL = tuple(Placeholder(f"{BASE}/{name}", RED) for name in (*SIZES, "film"))
# Where things are: the boxes of all pictures and films, and of the posts.
BOXES = """() => [...document.querySelectorAll('article, .content :is(img, video):not(.placeholder)')].map(element => {
    const box = element.getBoundingClientRect();
    return [element.tagName, ...[box.left, box.top, box.width, box.height].map(Math.round)];
})"""


def pixel(view: Page, x: float, y: float) -> Any:
    shot = view.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1}, full_page=True)
    with Image.open(io.BytesIO(shot)) as seen:
        return seen.convert("RGB").getpixel((0, 0))


@pytest.mark.parametrize("width", [390, 1000])
def test_placeholders_are_seen_until_the_pictures_are_there_and_nothing_moves_then(
    browser: Browser, width: int
) -> None:
    view = browser.new_page(viewport={"width": width, "height": 700}, color_scheme="light")
    complaints: list[str] = []
    view.on("console", lambda message: complaints.append(message.text))
    waiting: list[Route] = []
    body = page.render(feed([post(each.message_ids[0], html=each.html, placeholders=ALL) for each in SHOWN]), UTC).body

    def serve(route: Route) -> None:
        if route.request.url.endswith("/page.html"):
            headers = {"Content-Security-Policy": content_security_policy()}
            route.fulfill(body=body, content_type=page.CONTENT_TYPE, headers=headers)
        else:
            waiting.append(route)

    view.route("**/*", serve)
    view.goto(f"{BASE}/page.html", wait_until="commit")
    view.wait_for_function(
        "[...document.querySelectorAll('img.placeholder')].filter(each => each.complete).length == 7"
    )
    before = view.evaluate(BOXES)
    middles = [(left + wide / 2, top + high / 2) for tag, left, top, wide, high in before if tag == "IMG"]
    assert all(wide > 20 and high > 20 for *_, wide, high in before)
    for middle in middles:
        red, green, _ = pixel(view, *middle)
        assert red > 150 > 60 > green
    for route in waiting:
        name = route.request.url.rpartition("/")[2]
        route.fulfill(body=jpeg(*SIZES[name], (0, 0, 220)), content_type="image/jpeg")
    view.wait_for_function("[...document.querySelectorAll('.content img')].every(each => each.complete)")
    assert view.evaluate(BOXES) == before
    for middle in middles:
        red, _, blue = pixel(view, *middle)
        assert red < 60 < 150 < blue
    # Of the placeholder nothing is left to be seen around the picture.
    _, left, top, _, high = next(box for box in before if box[3] == SIZES["small"][0])
    red, green, blue = pixel(view, left - 3, top + high / 2)
    assert min(red, green, blue) > 230
    assert complaints == []
    view.close()
