"""The demo as a newcomer meets it: one command, real readers, a real browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import time
import urllib.parse
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import feedparser
import node_scripts
import pytest
from demo_process import DIRECT, START_WITHIN_S, Demo, fetch, running, start, text_message, write_export
from lxml import etree
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

NEW_POST_EVERY_S = 2
# What a busy machine may take for something that is done at once elsewhere.
PATIENCE_S = 60


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """The demo channels, with new posts coming in quickly."""
    with running("--interval", str(NEW_POST_EVERY_S), cwd=tmp_path_factory.mktemp("elsewhere")) as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless Chromium from the system."""
    path = shutil.which("chromium")
    assert path is not None, "chromium is missing; ./run.sh test installs it"
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=[*quiet, "--disable-sync", "--no-first-run"])
        yield chromium
        chromium.close()


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[Page]:
    """A page at the URL, which must log nothing to the console and load nothing from elsewhere."""
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.set_default_timeout(PATIENCE_S * 1000)
    complaints: list[str] = []
    origin = urllib.parse.urlsplit(url).netloc

    def note(message: ConsoleMessage) -> None:
        complaints.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda request: complaints.append(request.url) if urllib.parse.urlsplit(request.url).netloc != origin else None,
    )
    page.goto(url)
    yield page
    page.close()
    assert not complaints


def wait_until(page: Page, condition: str) -> None:
    """Wait until a JavaScript expression holds; the page's own policy forbids Playwright to do so by itself."""
    deadline = time.monotonic() + PATIENCE_S
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, condition
        page.wait_for_timeout(50)


def test_the_files_of_a_polled_feed_are_fetched_before_anyone_asks(demo: Demo) -> None:
    # The first test: nobody has asked for a file yet.
    for url in demo.feeds.values():
        fetch(url)
    deadline = time.monotonic() + PATIENCE_S
    warmer: dict[str, Any] = {"queued": 1}
    while warmer["queued"] and time.monotonic() < deadline:
        time.sleep(0.2)
        warmer = json.loads(fetch(f"{demo.base}/health"))["warmer"]
    assert (warmer["queued"], warmer["failed"], warmer["paused"]) == (0, 0, "")
    assert warmer["warmed"] > 10


def test_every_demo_channel_has_a_feed_that_readers_read_without_complaint(demo: Demo) -> None:
    assert len(demo.feeds) == 7
    for url in demo.feeds.values():
        content = fetch(f"{url}?limit=200")
        parsed = feedparser.parse(content)
        assert not parsed.bozo
        assert len(parsed.entries) > 20
        assert len({entry.id for entry in parsed.entries}) == len(parsed.entries)
        assert all(entry.title and entry.link.startswith("https://t.me/") for entry in parsed.entries)
        checked = subprocess.run(["xmllint", "--noout", "-"], input=content, capture_output=True, check=False)
        assert checked.returncode == 0, checked.stderr


def test_topics_and_comments_of_the_demo_have_feeds_and_every_link_to_comments_leads_to_some(demo: Demo) -> None:
    titles = {
        "demo_workshop/topic/1": "General - Saltmere Workshop",
        "demo_workshop/topic/3": "Lamps - Saltmere Workshop",
        "demo_workshop/topic/9": "Clocks - Saltmere Workshop",
        "demo_lighthouse/81/comments": "Comments on Question of the week: what is the best thing to… - "
        "The Lighthouse Notebook",
    }
    for path, title in titles.items():
        parsed = feedparser.parse(fetch(f"{demo.base}/rss/{path}"))
        assert (parsed.bozo, parsed.feed.title) == (False, title)
        assert len(parsed.entries) >= 5
    links = set()
    for url in demo.feeds.values():
        for item in json.loads(fetch(url.replace("/rss/", "/feed.json/") + "?limit=200"))["items"]:
            if "?comment=1" in item["content_html"]:
                page = fetch(f"{url.replace('/rss/', '/html/')}/{item['_telegram']['message_ids'][0]}").decode()
                links |= set(re.findall(r'href="([^"]+/comments)"', page))
    assert len(links) == 4
    for link in links:
        assert b"ECHO. it answers" in fetch(link)


def newsboat(folder: Path, urls: Iterable[str]) -> dict[str, str]:
    """Titles by id, after newsboat has read the feeds; it keeps what it knows in the folder."""
    (folder / "urls").write_text("\n".join(urls) + "\n", "utf-8")
    (folder / "config").write_text("", "utf-8")
    command = ["newsboat", "-u", "urls", "-c", "cache.db", "-C", "config", "-x", "reload"]
    environment = os.environ | {"HOME": str(folder), "no_proxy": "127.0.0.1"}
    done = subprocess.run(command, cwd=folder, env=environment, timeout=2 * PATIENCE_S, check=False)
    assert done.returncode == 0
    with closing(sqlite3.connect(folder / "cache.db")) as database:
        return dict(database.execute("SELECT guid, title FROM rss_item"))


def test_newsboat_reads_the_feeds_and_sees_new_posts_once(demo: Demo, tmp_path: Path) -> None:
    before = newsboat(tmp_path, demo.feeds.values())
    assert len(before) > 150
    deadline = time.monotonic() + PATIENCE_S
    while len(after := newsboat(tmp_path, demo.feeds.values())) == len(before):
        assert time.monotonic() < deadline, "no new post has come"
        time.sleep(NEW_POST_EVERY_S / 2)
    assert before.items() <= after.items()


def test_newsboat_reads_the_same_posts_from_atom(demo: Demo, tmp_path: Path) -> None:
    feeds = {"rss": demo.feeds["The Lighthouse Notebook"]}
    feeds["atom"] = feeds["rss"].replace("/rss/", "/atom/")
    read = {}
    for format, url in feeds.items():
        (tmp_path / format).mkdir()
        read[format] = newsboat(tmp_path / format, [f"{url}?limit=200"])
    assert len(read["rss"]) > 20
    # A post may have come in between.
    assert read["rss"].items() <= read["atom"].items()


def moment(text: str) -> datetime:
    """A date in either of the forms that feeds have it in."""
    return datetime.fromisoformat(text) if text[:4].isdigit() else parsedate_to_datetime(text)


def test_readers_in_javascript_read_the_same_posts_from_every_format(demo: Demo) -> None:
    urls = [
        f"{feed.replace('/rss/', path)}?limit=200"
        for feed in demo.feeds.values()
        for path in ("/rss/", "/atom/", "/feed.json/")
    ]
    found = node_scripts.run("read.mjs", *urls)
    for feed in demo.feeds.values():
        # As published, and later than what was read: a post may have come in between.
        published = json.loads(fetch(f"{feed.replace('/rss/', '/feed.json/')}?limit=200"))["items"]
        posts = {item["id"]: item for item in published}
        for path in ("/rss/", "/atom/", "/feed.json/"):
            read = found[f"{feed.replace('/rss/', path)}?limit=200"]
            assert set(read) == ({"feedsmith", "rssParser"} if path != "/feed.json/" else {"feedsmith"})
            for items in read.values():
                ids = [item["id"] for item in items]
                assert len(ids) > 20 and ids == [each for each in posts if each in ids]
                for item in items:
                    post = posts[item["id"]]
                    assert (item["title"], item["link"]) == (post["title"], post["url"])
                    assert item["html"].strip() == post["content_html"].strip()
                    assert moment(item["date"]) == moment(post["date_published"])
            # One of several is the enclosure in RSS.
            for item in read["feedsmith"]:
                files = [
                    {"url": each["url"], "type": each["mime_type"], "length": each["size_in_bytes"]}
                    for each in posts[item["id"]].get("attachments", [])
                ]
                assert item["files"] == files or (path == "/rss/" and len(item["files"]) == 1 < len(files))
    assert [item for read in found.values() for item in read["feedsmith"] if item["files"]]


def test_the_list_of_feeds_is_sorted_as_the_account_sorts_its_chats(demo: Demo) -> None:
    body = etree.fromstring(fetch(f"{demo.base}/opml")).find("body")
    assert body is not None
    folders = {outline.get("text"): {each.get("xmlUrl") for each in outline} for outline in body if len(outline)}
    names = {"By the sea": ("lighthouse", "harbour_talk"), "Far away": ("station", "observatory")}
    assert folders == {folder: {f"{demo.base}/rss/demo_{name}" for name in inside} for folder, inside in names.items()}
    assert {each.get("xmlUrl") for each in body.iter("outline")} - {None} == set(demo.feeds.values())


def test_text_arrives_in_a_reader_as_it_was_typed(demo: Demo) -> None:
    parsed = feedparser.parse(fetch(f"{demo.feeds['The Lighthouse Notebook']}?limit=200"))
    bodies = "\n".join(entry.content[0].value for entry in parsed.entries)
    for typed in ("std::vector&lt;int&gt;", "AT&amp;amp;T", "&lt;script&gt;"):
        assert typed in bodies
    assert "<script" not in bodies
    assert "javascript:" not in bodies


def test_every_file_that_a_page_names_is_served_complete(demo: Demo) -> None:
    urls = set()
    for feed in demo.feeds.values():
        page = fetch(feed.replace("/rss/", "/html/") + "?limit=200").decode()
        urls |= set(re.findall(rf"{re.escape(demo.base)}/media/[^\s\"'<>&]+", page))
    assert len(urls) > 40
    for url in urls:
        with DIRECT.open(url, timeout=PATIENCE_S) as answer:
            assert len(answer.read()) == int(answer.headers["Content-Length"]) > 0


@pytest.mark.parametrize("channel", ["demo_lighthouse", "demo_lantern", "demo_observatory"])
def test_chromium_shows_every_picture_and_complains_of_nothing(
    demo: Demo, browser: Browser, channel: str, tmp_path: Path
) -> None:
    with opened(browser, f"{demo.base}/html/{channel}?limit=200") as page:
        assert page.locator("h1").count() == 1
        assert page.locator("article.h-entry").count() > 20
        # Pictures load when they are scrolled to.
        wait_until(
            page,
            """() => {
                const missing = [...document.images].find(image => !image.complete && image.checkVisibility());
                missing?.scrollIntoView();
                return !missing;
            }""",
        )
        broken = "[...document.images].filter(i => i.checkVisibility() && !i.naturalWidth).map(i => i.src)"
        assert page.evaluate(broken) == []
        page.screenshot(path=tmp_path / f"{channel}.png", full_page=True)


def test_chromium_plays_and_seeks_the_video(demo: Demo, browser: Browser) -> None:
    with opened(browser, f"{demo.base}/html/demo_lighthouse?limit=200") as page:
        page.evaluate("() => { video = document.querySelector('video'); video.muted = true; return video.play(); }")
        wait_until(page, "video.currentTime > 0.3")
        page.evaluate("() => { video.pause(); video.currentTime = video.duration - 0.5; }")
        wait_until(page, "!video.seeking")
        state = page.evaluate(
            "({duration: video.duration, time: video.currentTime, width: video.videoWidth, error: video.error})"
        )
        assert state["error"] is None
        assert state["width"] > 0
        assert state["time"] == pytest.approx(state["duration"] - 0.5, abs=0.3)


def test_a_phone_shows_no_sideways_scrolling(demo: Demo, browser: Browser) -> None:
    for feed in demo.feeds.values():
        with opened(browser, feed.replace("/rss/", "/html/") + "?limit=200") as page:
            page.set_viewport_size({"width": 360, "height": 740})
            assert page.evaluate("document.documentElement.scrollWidth") <= 360


def foreign_export(folder: Path) -> Path:
    """What a stranger may have: a private channel of thousands of messages in many scripts, with missing files."""
    scripts = [
        "Plain English",
        "Кириллица и ещё",
        "עברית ועוד",
        "नमस्ते दुनिया",
        "ქართული ენა",
        "漢字かな交じり文",
        "😀🏳️‍🌈𝔘𝔫𝔦",
    ]
    messages = [
        text_message(number, [f"{scripts[number % len(scripts)]} ", {"type": "bold", "text": str(number)}, " end"])
        for number in range(1, 4001)
    ]
    messages[3990]["photo"] = "(File not included. Change data exporting settings to download.)"
    messages[3995] |= {"file": "files/gone.bin", "mime_type": "application/octet-stream"}
    messages[3999] |= {"type": "service", "action": "an_action_of_the_year_2031", "actor": "Somebody"}
    return write_export(folder, "Somebody's notes", messages)


def test_an_export_from_elsewhere_is_served_the_same_way(tmp_path: Path) -> None:
    foreign_export(tmp_path / "ChatExport_2025-04-01")
    with running("ChatExport_2025-04-01", cwd=tmp_path) as demo:
        assert list(demo.feeds) == ["Somebody's notes"]
        (url,) = demo.feeds.values()
        assert "/rss/-1001555000111" in url
        parsed = feedparser.parse(fetch(f"{url}?limit=200"))
        assert not parsed.bozo
        assert len(parsed.entries) == 200
        assert "漢字かな交じり文 3995 end" in {entry.title for entry in parsed.entries}
        page = fetch(url.replace("/rss/", "/html/")).decode()
        assert "<b>3995</b>" in page


def test_a_taken_port_is_one_line_and_exit_1(tmp_path: Path, demo: Demo) -> None:
    process = start("--port", demo.base.rpartition(":")[2], cwd=tmp_path)
    _, complaints = process.communicate(timeout=START_WITHIN_S)
    assert process.returncode == 1
    (line,) = complaints.splitlines()
    assert "--port" in line
