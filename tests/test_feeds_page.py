from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec
import pytest
from bs4 import BeautifulSoup, Tag
from feed_samples import BASE, CHANNEL, MEDIA, NOON, feed, one_of_each, post
from golden_files import changes_to_golden, without_static_parts
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Route, sync_playwright

from feeds import page
from feeds.feed import Document, Feed, FeedFormat
from feeds.page import (
    Choice,
    FrontPage,
    OpenedFeed,
    content_security_policy,
    render_error_page,
    render_front_page,
    render_post_page,
)
from model.channel import Channel, ChannelKind
from posts.filters import Filters
from posts.flags import FLAGS

CHOICE = Choice(limit=50, limits=(1, 200))
FRONT = FrontPage(base_url=BASE, status="Logged in to Telegram.", ready=True, choice=CHOICE)
CHOSEN = Choice(
    filters=Filters(
        exclude_flags=("fwd", "video"),
        include_flags=("poll",),
        exclude_text='a"<b>',
        include_text="night|day",
        q='t "&',
    ),
    limit=20,
    limits=(1, 200),
    action=f"{BASE}/html/trains",
    kept=(("merge_seconds", "9"),),
)
OPENED = OpenedFeed(
    format=FeedFormat.ATOM, address=f"{BASE}/atom/trains?limit=9", bare_url=f"{BASE}/atom/trains?limit=9&raw=1"
)
ADDRESSES = {
    FeedFormat.RSS: f"{BASE}/rss/trains",
    FeedFormat.ATOM: f"{BASE}/atom/trains",
    FeedFormat.JSON: f"{BASE}/feed.json/trains",
    FeedFormat.HTML: f"{BASE}/html/trains",
}
BERLIN = ZoneInfo("Europe/Berlin")


def soup(document: Document) -> BeautifulSoup:
    return BeautifulSoup(document.body.decode(), "html.parser")


def channel_page(source: Feed, zone: tzinfo = UTC) -> BeautifulSoup:
    return soup(page.render(source, zone))


def one(within: BeautifulSoup | Tag, selector: str) -> Tag:
    """The only element that the selector finds."""
    (found,) = within.select(selector)
    return found


ENDLESS = "endless" * 60
WIDE = post(
    title=ENDLESS,
    author=ENDLESS,
    html=f"<p>{ENDLESS}</p><pre>{ENDLESS}</pre><table><tr><td>{ENDLESS}</td><td>{'<p>x</p>' * 3}</td></tr></table>"
    f'<blockquote class="preview"><p>{ENDLESS}</p></blockquote><ul class="buttons"><li><a>{ENDLESS}</a></li></ul>'
    f'<div class="album">{"<img src=https://a.example/x width=1280 height=960 alt=x>" * 3}</div>'
    '<video src="https://a.example/v" width="1920" height="1080" controls></video>',
    footer_html=f"<div class='footer'><p class='meta'>{ENDLESS}</p><p class='flags'>{ENDLESS}</p></div>",
)

PAGES: dict[str, Callable[[], Document]] = {
    "wide": lambda: page.render(
        feed([WIDE], Channel(id=-1001, kind=ChannelKind.CHANNEL, title=ENDLESS, about=ENDLESS)), UTC
    ),
    "channel": lambda: page.render(feed(one_of_each(), older_url=f"{BASE}/html/trains?before=15"), UTC),
    "empty": lambda: page.render(feed(), UTC),
    "chosen": lambda: page.render(feed(one_of_each()), UTC, CHOSEN),
    "opened": lambda: page.render(feed(one_of_each(), atom_url=OPENED.address), UTC, CHOICE, OPENED),
    "post": lambda: render_post_page(feed(one_of_each()), feed(one_of_each()).items[2], UTC, raw='{"a": "<b>"}'),
    "error": lambda: render_error_page(404, "No such channel", advice="Check the name.", home_url=f"{BASE}/"),
    "front": lambda: render_front_page(FRONT),
    "answer": lambda: render_front_page(
        msgspec.structs.replace(FRONT, channel="trains", addresses=ADDRESSES, choice=CHOSEN, guarded=True)
    ),
    "refusal": lambda: render_front_page(
        msgspec.structs.replace(FRONT, channel="no way", problem="No such name.", choice_problem="No such flag.")
    ),
}


# Every page


def test_the_page_is_as_reviewed() -> None:
    source = feed(
        one_of_each(),
        self_url=f"{BASE}/html/trains",
        icon_url=f"{MEDIA}/0/photo/dd",
        older_url=f"{BASE}/html/trains?before=15",
        language="de",
    )
    body = page.render(source, BERLIN).body
    assert not changes_to_golden("channel.html", without_static_parts(body))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_one_main_one_h1_a_title_and_nothing_foreign(name: str) -> None:
    parsed = soup(PAGES[name]())
    assert len(parsed.select("main")) == len(parsed.select("h1")) == len(parsed.select("title")) == 1
    assert one(parsed, "html")["lang"] == "en"
    assert one(parsed, "meta[name=color-scheme]")["content"] == "light dark"
    assert 0 < len(one(parsed, "title").text) <= 70
    assert parsed.select("iframe, [style], link[rel=stylesheet], script[src]") == []


@pytest.mark.parametrize("name", PAGES)
def test_every_control_and_picture_is_named(name: str) -> None:
    parsed = soup(PAGES[name]())
    ids = [element["id"] for element in parsed.select("[id]")]
    assert len(ids) == len(set(ids))
    for control in parsed.select("input:not([type=hidden])"):
        around = control.find_parent("label")
        assert (around or one(parsed, f"label[for={control['id']}]")).text.strip()
        for described in str(control.get("aria-describedby", "")).split():
            assert described in ids
    assert all(image.has_attr("alt") for image in parsed.select("img"))
    assert all(link.text.strip() for link in parsed.select("a"))


@pytest.mark.parametrize("element", ["style", "script"])
def test_the_policy_allows_the_pages_own_style_and_script_and_no_other(element: str) -> None:
    policy = dict(part.split(" ", 1) for part in content_security_policy().split("; "))
    assert policy["default-src"] == "'none'"
    text = one(soup(PAGES["front"]()), element).text
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert policy[f"{element}-src"] == f"'sha256-{digest}'"


# A channel's page


def test_the_head_names_the_page_its_feed_and_its_neighbours() -> None:
    source = feed(
        [post()],
        self_url=f"{BASE}/html/trains?before=90&limit=10",
        older_url=f"{BASE}/html/trains?before=80&limit=10",
        newer_url=f"{BASE}/html/trains?limit=10",
        icon_url=f"{MEDIA}/0/photo/dd",
    )
    parsed = channel_page(source)
    assert one(parsed, "link[rel=canonical]")["href"] == source.self_url
    assert [(link["type"], link["href"], link["title"]) for link in parsed.select("link[rel=alternate]")] == [
        ("application/rss+xml", f"{BASE}/rss/trains", "Züge & Städte (RSS)"),
        ("application/atom+xml", f"{BASE}/atom/trains", "Züge & Städte (Atom)"),
        ("application/feed+json", f"{BASE}/feed.json/trains", "Züge & Städte (JSON Feed)"),
    ]
    assert one(parsed, "link[rel=next]")["href"] == one(parsed, "a[rel=next]")["href"] == source.older_url
    assert one(parsed, "link[rel=prev]")["href"] == one(parsed, "a[rel=prev]")["href"] == source.newer_url
    graph = {str(meta["property"]): meta["content"] for meta in parsed.select("meta[property]")}
    assert graph == {
        "og:type": "website",
        "og:title": "Züge & Städte",
        "og:description": "Railways <everywhere>. Daily.",
        "og:url": source.self_url,
        "og:image": source.icon_url,
    }


def test_the_subscribe_box_holds_the_feeds_address_and_leads_to_the_other_formats() -> None:
    parsed = channel_page(feed())
    assert one(parsed, "#feed-address")["value"] == f"{BASE}/rss/trains"
    assert [(link.text, link["href"]) for link in parsed.select(".formats a")] == [
        ("Atom", f"{BASE}/atom/trains"),
        ("JSON Feed", f"{BASE}/feed.json/trains"),
    ]
    assert channel_page(feed(feed_url="", atom_url="", json_url="")).select("#feed-address, link[rel=alternate]") == []


def submitted(form: Tag) -> list[tuple[str, str]]:
    """What a browser sends for the form as it is shown."""
    return [
        (str(field["name"]), str(field["value"]))
        for field in form.select("input")
        if field["type"] != "checkbox" or field.has_attr("checked")
    ]


def test_the_box_shows_how_posts_are_chosen_and_asks_the_same_again() -> None:
    parsed = soup(page.render(feed([post()]), UTC, CHOSEN))
    form = one(parsed, "details[open] > form")
    assert (form["method"], form["action"]) == ("get", f"{BASE}/html/trains")
    assert sorted(submitted(form)) == [
        ("exclude_flags", "fwd"),
        ("exclude_flags", "video"),
        ("exclude_text", 'a"<b>'),
        ("include_flags", "poll"),
        ("include_text", "night|day"),
        ("limit", "20"),
        ("merge_seconds", "9"),
        ("q", 't "&'),
    ]
    assert one(form, "details > summary").text.strip() == "Kinds of posts: only poll, no fwd, no video"
    assert one(form, "p > a")["href"] == f"{BASE}/html/trains"
    flags = [flag.name for flag in FLAGS]
    assert [box["value"] for box in form.select("[name=include_flags]")] == flags
    assert [box["value"] for box in form.select("[name=exclude_flags]")] == ["all", *flags]


def test_without_a_choice_the_box_is_closed() -> None:
    parsed = soup(page.render(feed([post()]), UTC, CHOICE))
    assert parsed.select("details[open], form p > a") == []
    assert submitted(one(parsed, "form")) == [("q", ""), ("include_text", ""), ("exclude_text", ""), ("limit", "50")]


def test_a_page_that_may_have_the_token_in_its_path_leads_on_without_naming_it() -> None:
    source = feed([post()], older_url=f"{BASE}/html/trains?before=80&limit=10", newer_url=f"{BASE}/html/trains")
    parsed = soup(page.render(source, UTC, CHOICE))
    assert "action" not in one(parsed, "form").attrs
    # Browsers fetch by themselves what the head says is next: without the token that would count as a guess of it.
    for kind in ("a", "link"):
        assert one(parsed, f"{kind}[rel=next]")["href"] == "?before=80&limit=10"
        assert one(parsed, f"{kind}[rel=prev]")["href"] == "?"


def test_an_opened_feed_says_what_it_is_and_what_to_copy() -> None:
    parsed = soup(page.render(feed([post()], atom_url=OPENED.address), UTC, CHOICE, OPENED))
    banner = one(parsed, "main > section.opened")
    assert "This is a feed." in banner.text
    assert one(banner, "#feed-address")["value"] == OPENED.address
    assert [(link.text, link["href"]) for link in banner.select("a")] == [
        ("RSS", f"{BASE}/rss/trains"),
        ("JSON Feed", f"{BASE}/feed.json/trains"),
        ("See the feed itself", OPENED.bare_url),
    ]
    assert one(parsed, ".e-content").text.strip() == "Text 1"


def test_posts_are_an_h_feed() -> None:
    parsed = channel_page(feed(one_of_each()))
    entries = one(parsed, "main.h-feed").select("article.h-entry")
    assert len(entries) == 6
    for entry, source in zip(entries, one_of_each(), strict=True):
        assert one(entry, "h2.p-name").text == source.title
        assert one(entry, ".u-url")["href"] == f"{BASE}/html/trains/{source.message_ids[0]}"
        assert one(entry, ".e-content").text.strip()
        author = one(entry, ".p-author")
        assert (author.get("value") or author.text) == source.author
        assert [tag["value"] for tag in entry.select(".p-category")] == list(source.tags)
        assert len(entry.select(".dt-published")) == (source.date is not None)


def test_a_post_without_a_page_of_its_own_links_to_telegram() -> None:
    assert one(channel_page(feed([post(7)], posts_url="")), "article .u-url")["href"] == "https://t.me/trains/7"


def test_the_channels_own_name_is_not_shown_at_each_post_but_others_are() -> None:
    own = post(1, author="Züge & Städte (@trains)", author_url="https://t.me/trains")
    guest = post(2, author="Guest", author_url="https://t.me/guest")
    nobody = post(3, author="Hidden <user>")
    signed = post(4, author="Ann", author_url="https://t.me/trains")
    parsed = channel_page(feed([own, guest, nobody, signed]))
    assert [author.text for author in parsed.select(".byline .p-author")] == ["", "Guest", "Hidden <user>", "Ann"]
    assert [author["href"] for author in parsed.select("a.p-author")] == ["https://t.me/guest", "https://t.me/trains"]


@pytest.mark.parametrize(
    ("zone", "machine", "spoken"),
    [
        (UTC, "2026-11-30T12:00:00+00:00", "30 November 2026, 12:00"),
        (BERLIN, "2026-11-30T13:00:00+01:00", "30 November 2026, 13:00"),
        (ZoneInfo("America/St_Johns"), "2026-11-30T08:30:00-03:30", "30 November 2026, 08:30"),
    ],
)
def test_dates_are_on_the_zones_clock_and_say_their_offset(zone: tzinfo, machine: str, spoken: str) -> None:
    shown = one(channel_page(feed([post(date=NOON)]), zone), "time.dt-published")
    assert (shown["datetime"], shown.text) == (machine, spoken)


def test_an_edited_post_says_so() -> None:
    parsed = channel_page(feed([post(2, updated=NOON + 600), post(1)]))
    assert one(parsed, "time.dt-updated")["datetime"] == "2026-11-30T12:10:00+00:00"


def test_a_language_is_told_for_the_posts_alone() -> None:
    assert one(channel_page(feed([post()], language="fa")), ".e-content")["lang"] == "fa"
    # Unknown (HTML, 3.2.6.1), rather than the language of the page around it.
    assert one(channel_page(feed([post()])), ".e-content")["lang"] == ""


@pytest.mark.parametrize(
    ("title", "initial"), [("élan vital", "É"), ("🇩🇪 Züge", "Z"), ("🇩🇪", "🇩🇪"), ("«Вести»", "«"), ("?!", "?")]
)
def test_a_channel_without_photo_has_its_initial(title: str, initial: str) -> None:
    channel = Channel(id=-1001, kind=ChannelKind.CHANNEL, title=title)
    assert one(channel_page(feed([], channel)), "span.avatar").text == initial


# One post's page


def test_a_posts_page_is_about_the_post() -> None:
    source = feed(one_of_each(), self_url=f"{BASE}/html/trains/18")
    parsed = soup(render_post_page(source, source.items[2], UTC))
    assert one(parsed, "h1.p-name").text == "3 photos"
    assert one(parsed, "title").text == "3 photos · Züge & Städte"
    assert one(parsed, "link[rel=canonical]")["href"] == f"{BASE}/html/trains/18"
    assert one(parsed, "meta[property='og:image']")["content"] == f"{MEDIA}/18/photo0/aa"
    assert one(parsed, ".crumb a")["href"] == f"{BASE}/html/trains"
    assert len(parsed.select("article.h-entry")) == 1
    assert parsed.select("pre") == []


def test_the_raw_message_is_shown_as_text() -> None:
    source = feed([post()])
    raw = '{"message": "</pre><script>hit()</script>"}'
    assert one(soup(render_post_page(source, source.items[0], UTC, raw=raw)), ".raw pre").text == raw


# Errors and the front page


def test_an_error_page_says_what_is_wrong_and_what_to_do() -> None:
    parsed = soup(render_error_page(403, "Private <channel>", advice="Join it first.", home_url=f"{BASE}/"))
    assert one(parsed, "h1").text == "Private <channel>"
    assert one(parsed, ".status").text == "403"
    assert "Join it first." in one(parsed, "main").text
    assert one(parsed, "main a")["href"] == f"{BASE}/"


def test_the_front_page_asks_for_a_channel_without_script() -> None:
    parsed = soup(render_front_page(FRONT))
    form = one(parsed, "form")
    assert (form["action"], form["method"]) == (f"{BASE}/", "get")
    assert [name for name, _ in submitted(form) if name] == ["channel", "q", "include_text", "exclude_text", "limit"]
    assert one(form, "button")["type"] == "submit"
    assert one(parsed, ".state.good").text == "Logged in to Telegram."
    assert parsed.select(".result, .problem, [aria-invalid]") == []


def test_the_front_page_answers_with_addresses_or_a_reason() -> None:
    answer = soup(PAGES["answer"]())
    assert one(answer, "#feed-address")["value"] == f"{BASE}/rss/trains"
    assert [link["href"] for link in answer.select(".result a")] == list(ADDRESSES.values())[1:]
    assert "asks for its token" in one(answer, ".result").text
    refusal = soup(PAGES["refusal"]())
    assert one(refusal, "input#channel[aria-invalid=true]")["value"] == "no way"
    assert one(refusal, "#channel-problem").text == "No such name."
    assert one(refusal, ".problem:not([id])").text == "No such flag."


def test_the_front_pages_box_is_open_until_the_addresses_below_it_are_what_one_looks_for() -> None:
    asked = msgspec.structs.replace(FRONT, choice=CHOSEN)
    answered = msgspec.structs.replace(asked, channel="trains", addresses=ADDRESSES)
    opened = ["open" in one(soup(render_front_page(front)), "details.choice").attrs for front in (asked, answered)]
    assert opened == [True, False]


# What people type can do nothing

TRICKS = [
    '<script>hit()</script>"><img src=x onerror=hit()>',
    "' onmouseover='hit()",
    "{{ 7 * 7 }}{% if",
    "a\x00b\x1bc",
]


@pytest.mark.parametrize("trick", TRICKS)
def test_typed_text_stays_text_in_every_place(trick: str) -> None:
    channel = msgspec.structs.replace(CHANNEL, title=trick, about=trick, username=trick)
    tricked = post(title=trick, author=trick, author_url=trick, link=trick, text=trick, tags=(trick,), html=trick)
    urls = (
        "icon_url",
        "self_url",
        "page_url",
        "feed_url",
        "atom_url",
        "json_url",
        "posts_url",
        "older_url",
        "newer_url",
        "language",
    )
    source = feed([tricked], channel, **dict.fromkeys(urls, trick))
    filters = Filters(exclude_flags=(trick,), include_flags=(trick,), exclude_text=trick, include_text=trick)
    choice = Choice(filters=filters, limit=1, limits=(1, 2), action=trick, kept=((trick, trick),))
    front = FrontPage(
        base_url=trick,
        status=trick,
        ready=False,
        channel=trick,
        choice=choice,
        addresses=dict.fromkeys(FeedFormat, trick),
        problem=trick,
        choice_problem=trick,
    )
    documents = [
        page.render(source, UTC, choice, OpenedFeed(format=FeedFormat.RSS, address=trick, bare_url=trick)),
        render_post_page(source, source.items[0], UTC, raw=trick),
        render_error_page(400, trick, advice=trick, home_url=trick),
        render_front_page(front),
    ]
    shown = trick.replace("\x00", "").replace("\x1b", "")
    for document in documents:
        parsed = soup(document)
        one(parsed, "script").decompose()
        assert parsed.select("script, [onerror], [onmouseover]") == []
        # In the post's own HTML a trick is HTML, and the sanitizer's business.
        for content in parsed.select(".e-content"):
            content.decompose()
        assert shown in one(parsed, "main").text
        assert b"\x00" not in document.body


@settings(max_examples=40)
@given(st.text(st.characters()), st.text(st.characters()))
def test_any_text_makes_a_page_with_all_its_posts(typed: str, footer: str) -> None:
    channel = Channel(id=-1001, kind=ChannelKind.CHANNEL, title=typed, about=typed)
    posts = [post(2, title=typed, author=typed, text=typed, footer_html=footer), post(1, footer_html=typed)]
    assert len(channel_page(feed(posts, channel)).select("article.h-entry")) == 2


# The validator


def test_counters_do_not_change_a_pages_entity_tag_and_content_does() -> None:
    def tag(zone: tzinfo = UTC, **fields: str) -> str:
        return page.render(feed([post(2), post(1, **fields)]), zone).etag

    assert tag(footer_html="<p>5 views</p>") == tag(footer_html="<p>6 views</p>") == tag(footer_html="")
    assert len({tag(), tag(html="<p>x</p>"), tag(title="x"), tag(BERLIN)}) == 4


def test_footers_stand_at_their_own_posts() -> None:
    parsed = channel_page(feed([post(2, footer_html="<p>two</p>"), post(1, footer_html="<p>one</p>")]))
    assert [footer.text for footer in parsed.select(".post-footer")] == ["two", "one"]


# In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield started
        started.close()


def luminance(color: str) -> float:
    """Relative luminance (WCAG 2.2) of a CSS `rgb()` color."""
    channels = [int(number) / 255 for number in re.findall(r"\d+", color)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_look_right_under_their_policy_on_a_phone(browser: Browser, scheme: Literal["light", "dark"]) -> None:
    view = browser.new_page(viewport={"width": 360, "height": 640}, color_scheme=scheme)
    complaints: list[str] = []
    view.on("console", lambda message: complaints.append(message.text))
    view.on("pageerror", lambda error: complaints.append(str(error)))

    def serve(route: Route) -> None:
        name = route.request.url.removeprefix("https://pages.example/")
        if name in PAGES:
            headers = {"Content-Security-Policy": content_security_policy()}
            route.fulfill(body=PAGES[name]().body, content_type=page.CONTENT_TYPE, headers=headers)
        else:
            route.fulfill(status=204)

    view.route("**/*", serve)
    for name in PAGES:
        view.goto(f"https://pages.example/{name}")
        assert view.evaluate("document.documentElement.scrollWidth") == 360
        paper = luminance(view.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert (paper < 0.1) == (scheme == "dark")
        for selector in ("h1", "a", "p", ".post-footer", ".byline", ".hint", ".problem", "label", "legend", "summary"):
            for ink, behind in view.evaluate(COLORS, selector):
                low, high = sorted([luminance(ink), luminance(behind)])
                assert (high + 0.05) / (low + 0.05) >= 4.5, (name, selector, ink, behind)
    assert complaints == []
    view.close()


# The color of each visible element that the selector finds, and the first opaque color behind it.
COLORS = """selector => {
    const found = [...document.querySelectorAll(selector)].filter(element => element.innerText?.trim());
    return found.map(element => {
        let behind = element;
        while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
        return [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor];
    });
}"""


def test_pages_are_loaded_when_asked_for() -> None:
    code = (
        "import sys; from feeds import page; print('jinja2' in sys.modules); page.load();"
        "print(sorted(name for _, name in page._environment().cache))"
    )
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", code], cwd=root, check=True, capture_output=True, text=True)
    templates = sorted(path.name for path in (root / "feeds" / "templates").glob("*.html"))
    assert done.stdout.splitlines() == ["False", str(templates)]
