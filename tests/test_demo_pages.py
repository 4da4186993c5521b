"""The demo's pages before judges.

Axe is for who can't see or use a mouse, html-validate for what HTML is, and mf2py for programs that read pages.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

import feedparser
import httpx
import mf2py
import node_scripts
import pytest
from axe_playwright_python.sync_playwright import Axe
from demo_process import ROOT, Demo, fetch, running
from playwright.sync_api import Browser, sync_playwright

from feeds import dates

# By name, paths under the demo's address.
PAGES = {
    "a channel, with most kinds of posts": "/html/demo_noticeboard?before=112&limit=45",
    "a channel in Arabic, filtered": "/html/demo_lantern?limit=3&exclude_flags=poll&include_text=.",
    "several channels, searched": "/html/demo_lighthouse+demo_lantern+nobody_is_here?limit=9&q=a",
    "a feed": "/rss/demo_lighthouse?limit=2",
    "a post with what Telegram sent": "/html/demo_lighthouse/80?debug=true",
    "a post with comments": "/html/demo_lighthouse/81",
    "the front page": "/?channel=demo_lighthouse&include_text=lamp",
    "the front page's refusal": "/?channel=no+name&include_text=(",
    "an error": "/html/nobody_is_here",
}
# Browsers let the keyboard into whatever scrolls, which is tested by itself.
OTHERS = {"scrollable-region-focusable": {"enabled": False}}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with running("--interval", "3600", cwd=tmp_path_factory.mktemp("elsewhere")) as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium")
    assert path is not None, "chromium is missing; ./run.sh test installs it"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


def test_axe_finds_nothing_wrong_in_light_and_dark(demo: Demo, browser: Browser) -> None:
    axe = Axe()
    found: list[tuple[str, str, str, list[str]]] = []
    # The judge itself is a script, which the pages' policy would refuse.
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    for name, path in PAGES.items():
        page.goto(demo.base + path, wait_until="domcontentloaded")
        # What is folded away is judged, too.
        page.evaluate("() => document.querySelectorAll('details').forEach(each => { each.open = true; })")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            # Looking takes seconds; in the dark only the colors are others.
            options = {"rules": OTHERS} if scheme == "light" else {"runOnly": ["color-contrast"]}
            violations = axe.run(page, options=options).response["violations"]
            found += [(name, scheme, each["id"], [node["html"][:100] for node in each["nodes"]]) for each in violations]
    context.close()
    assert found == []


def test_axe_does_look(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content("<html><body><img src=x><input><p style='color: #ccc; background: #fff'>pale</p></body></html>")
    found = {violation["id"] for violation in Axe().run(page).response["violations"]}
    assert {"image-alt", "label", "color-contrast", "html-has-lang"} <= found
    page.close()


def test_html_validate_finds_nothing_wrong(demo: Demo) -> None:
    paths = PAGES | {
        "a wrong request": "/html/demo_lighthouse?limit=0",
        "several channels": "/html/demo_station+demo_lantern?limit=4",
        "a folder": "/html/folder/By%20the%20sea?limit=4",
        "a topic": "/html/demo_workshop/topic/1?limit=4",
        "comments": "/html/demo_lighthouse/81/comments",
    }
    paths |= {title: f"{httpx.URL(url).path.replace('/rss/', '/html/')}?limit=200" for title, url in demo.feeds.items()}
    # One in ten, which is another kind each time.
    paths |= {f"post {number}": f"/html/demo_lighthouse/{number}" for number in range(1, 80, 10)}
    # As a browser asks.
    asked = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    with httpx.Client(base_url=demo.base, headers=asked, timeout=60, trust_env=False) as client:
        pages = {name: client.get(path).text for name, path in paths.items()}
    assert all(page.startswith("<!DOCTYPE html>") for page in pages.values())
    assert node_scripts.run("judge.mjs", given=json.dumps(pages)) == []


def test_html_validate_does_look() -> None:
    page = "<html><body><p>a<p>b</body><img src=x><audio autoplay></audio><a href=x>a <a href=y>b</a></a></html>"
    found = node_scripts.run("judge.mjs", given=json.dumps({"bad": page}))
    assert {each["page"] for each in found} == {"bad"}
    rules = {"missing-doctype", "no-implicit-close", "wcag/h37", "no-autoplay", "element-permitted-content"}
    assert rules <= {each["rule"] for each in found}


def test_a_wide_table_is_scrolled_with_the_keyboard(demo: Demo, browser: Browser) -> None:
    items = json.loads(fetch(f"{demo.base}/feed.json/demo_noticeboard?limit=200"))["items"]
    path = next(item["url"] for item in items if "<table" in item["content_html"]).removeprefix("https://t.me")
    page = browser.new_page(viewport={"width": 400, "height": 900})
    page.goto(f"{demo.base}/html{path}", wait_until="domcontentloaded")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.get_by_text("A subheader", exact=True).click()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('table')"):
            break
    page.keyboard.press("ArrowRight")
    while not page.evaluate("document.querySelector('table').scrollLeft"):
        page.wait_for_timeout(50)
    page.close()


def test_pictures_of_an_album_fill_its_rows(browser: Browser) -> None:
    style = f"<style>{(ROOT / 'feeds/templates/page.css').read_text('utf-8')}</style>"
    picture = (
        '<div class="media photo"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width="9" height="9"></div>'
    )
    albums = "".join(f'<div class="album">{picture * count}</div>' for count in range(2, 11))
    page = browser.new_page(viewport={"width": 700, "height": 600})
    page.set_content(f'{style}<main class="content">{albums}</main>')
    rows: list[list[int]] = page.evaluate("""() => [...document.querySelectorAll('.album')].map(album => {
        const width = {};
        for (const {offsetTop, offsetWidth} of album.children) (width[offsetTop] ??= []).push(offsetWidth);
        const gap = 4, full = list => Math.abs(list.reduce((a, b) => a + b + gap) - album.offsetWidth) < 3;
        return Object.values(width).map(list => full(list) ? list.length : -list.length);
    })""")
    page.close()
    assert rows == [[2], [1, 2], [2, 2], [2, 3], [3, 3], [1, 3, 3], [2, 3, 3], [3, 3, 3], [1, 3, 3, 3]]


def test_programs_read_all_posts_from_a_page(demo: Demo) -> None:
    for channel in ("demo_lighthouse", "demo_lantern"):
        url = f"{demo.base}/html/{channel}?limit=200"
        feed = json.loads(fetch(url.replace("/html/", "/feed.json/")))
        (parsed,) = mf2py.parse(doc=fetch(url).decode(), url=url)["items"]
        assert parsed["type"] == ["h-feed"]
        assert parsed["properties"]["name"] == [feed["title"]]
        entries = [entry["properties"] for entry in parsed["children"]]
        assert len(entries) == len(feed["items"]) > 20
        for entry, item in zip(entries, feed["items"], strict=True):
            assert entry["name"] == [item["title"]]
            assert entry["url"][0].startswith(f"{demo.base}/html/{channel}/")
            assert entry["content"][0]["html"]
            assert entry["published"][0][:4].isdigit()
            flags = item["_telegram"].get("flags", [])
            assert entry.get("category", []) == [tag for tag in item.get("tags", []) if tag not in flags]
            (author,) = entry["author"]
            assert (author if isinstance(author, str) else author["properties"]["name"][0]) == item["authors"][0][
                "name"
            ]


def test_pictures_of_every_channel_are_seen_blurred_before_they_are_there(demo: Demo) -> None:
    for channel in ("demo_lighthouse", "demo_station", "demo_lantern", "demo_observatory"):
        page = fetch(f"{demo.base}/html/{channel}?limit=200").decode()
        framed = re.findall('<span class="frame"><img class="placeholder" src="data:image/jpeg;base64,', page)
        assert len(framed) > 3, channel
        assert "data:image" not in fetch(f"{demo.base}/rss/{channel}?limit=200").decode()


def test_dates_are_on_the_readers_clock_with_script_and_on_the_servers_without(demo: Demo, browser: Browser) -> None:
    url = f"{demo.base}/html/demo_lighthouse?limit=20"
    shown = {}
    for script in (True, False):
        context = browser.new_context(timezone_id="Asia/Kathmandu", java_script_enabled=script)
        page = context.new_page()
        page.goto(url, wait_until="domcontentloaded")
        times = page.locator(".byline time")
        shown[script] = times.all_text_contents()
        moments = [times.nth(index).get_attribute("datetime") or "" for index in range(times.count())]
        assert page.locator(".address button").count() == script
        context.close()
    assert len(shown[True]) == len(shown[False]) == len(moments) >= 20
    # Kathmandu is 5:45 ahead of UTC.
    for there, here, moment in zip(shown[True], shown[False], moments, strict=True):
        when = datetime.fromisoformat(moment)
        assert here == dates.spoken(when)
        assert there == dates.spoken(when.astimezone(ZoneInfo("Asia/Kathmandu")))


def test_the_address_is_copied_at_a_click(demo: Demo, browser: Browser) -> None:
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=demo.base)
    page = context.new_page()
    page.goto(f"{demo.base}/atom/demo_lighthouse?limit=2", wait_until="domcontentloaded")
    assert "This is a feed." in (page.locator(".opened").text_content() or "")
    page.locator(".opened button").click()
    page.locator(".opened button", has_text="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == f"{demo.base}/atom/demo_lighthouse?limit=2"
    context.close()


def test_posts_are_chosen_without_script_and_the_page_shows_the_feed_of_these(demo: Demo, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{demo.base}/rss/demo_lighthouse", wait_until="domcontentloaded")
    page.locator("details.choice > summary").click()
    page.get_by_label("Only posts with these words").fill("lamp|light")
    page.locator("details.choice details > summary").click()
    page.locator("[name=exclude_flags][value=video]").check()
    page.locator("[name=exclude_flags][value=fwd]").check()
    page.get_by_role("button").click()
    address = page.locator("#feed-address").input_value()
    assert address == f"{demo.base}/rss/demo_lighthouse?exclude_flags=fwd,video&include_text=lamp%7Clight"
    titles = page.locator("article h2").all_text_contents()
    context.close()
    parsed = feedparser.parse(fetch(address))
    assert [entry.title for entry in parsed.entries] == titles
    assert 0 < len(titles) < len(feedparser.parse(fetch(address.partition("?")[0])).entries)
