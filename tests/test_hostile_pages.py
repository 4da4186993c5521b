"""Hostile channels, served by the whole service and looked at by a real browser: nothing runs, nothing is let out."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest
import pytest_asyncio
from golden_files import without_static_parts
from hostile_browser import FURNITURE, READER, STRUCTURE, Sight, chromium, looking, problems_of
from hostile_vectors import BREAKOUTS, HANDLERS, HIT, HTML, MUTATIONS, TRICKS, URLS
from hostile_world import BARRED, KINDS, QUIET, TEXTS, HostileWorld, hostile_world, mark, marked
from lxml import etree
from service import serving

from tgserver import Server

pytestmark = pytest.mark.asyncio(loop_scope="module")

NAMES = {TEXTS: "hostile_texts", KINDS: str(marked(KINDS)), QUIET: "quiet", BARRED: "barred"}
# What no document may hold: control characters but tab and line feed, lone surrogates, non-characters.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")
# Marks that turn a line around, from Unicode's UAX 9.
BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
ROUTES_GUIDE = Path(__file__).parent.parent / "docs" / "routes.md"
POSTS = "main > article.post"
# The posts of a page: their ids, and the words in them.
READ_POSTS = f"""() => [...document.querySelectorAll('{POSTS}')].map(post => [
    post.querySelector('.byline a.u-url').href,
    post.querySelector('.content').textContent,
    post.querySelector('.content > .text')?.textContent ?? null,
])"""


def base_of(client: httpx.AsyncClient) -> str:
    """The service's address, without a slash at its end."""
    return str(client.base_url).rstrip("/")


@dataclass
class Stage:
    """The running service with the hostile world behind it, and a browser."""

    hostile: HostileWorld
    client: httpx.AsyncClient
    free: Sight
    bound: Sight
    furniture: list[str] = field(default_factory=list)

    async def look(self, path: str, *, bypass_csp: bool = True) -> Sight:
        """Open a page of the service, from which nothing is known yet; with or without its own policy."""
        sight = self.free if bypass_csp else self.bound
        await sight.forget()
        answer = await sight.page.goto(base_of(self.client) + path)
        assert answer is not None
        assert answer.status == 200, await answer.text()
        return sight

    async def json(self, path: str) -> Any:
        answer = await self.client.get(path)
        assert answer.status_code == 200, answer.text
        return json.loads(answer.content)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    hostile = hostile_world()
    settings: dict[str, Any] = {"log_level": "WARNING", "tg_rpc_timeout": 20, "trusted_proxies": "127.0.0.1"}
    async with (
        Server(hostile.world) as server,
        serving(server, tmp_path_factory.mktemp("bridge"), **settings) as client,
        chromium() as browser,
        looking(browser, base_of(client), bypass_csp=True) as free,
        looking(browser, base_of(client), bypass_csp=False) as bound,
    ):
        quiet = Stage(hostile, client, free, bound)
        sight = await quiet.look("/html/quiet")
        furniture = await sight.page.evaluate(FURNITURE)
        yield Stage(hostile, client, free, bound, furniture)


def shown(text: str) -> str:
    """A text as a page shows it, less line ends, whose form depends on what is around."""
    return UNSEEN.sub("", text).replace("\n", "")


async def test_the_browser_falls_for_the_attacks_themselves(stage: Stage) -> None:
    """It would be no witness otherwise."""
    attacks = [text.replace(HIT, f"hit({number})") for number, text in enumerate([*HANDLERS, *BREAKOUTS, *MUTATIONS])]
    sight = stage.free
    await sight.forget()
    await sight.page.evaluate("() => { fired = new Set(); hit = number => fired.add(number); }")
    await sight.page.evaluate(
        """(attacks) => {
            for (const attack of attacks) document.body.appendChild(document.createElement('div')).innerHTML = attack;
            for (const element of document.querySelectorAll('*')) {
                for (const name of ['mouseover', 'click', 'focus']) element.dispatchEvent(new Event(name));
            }
        }""",
        attacks,
    )
    await sight.page.wait_for_timeout(300)
    assert await sight.page.evaluate("fired.size") > 120


@pytest.mark.parametrize(
    ("channel", "before", "bypass_csp"),
    [
        (KINDS, None, False),
        (KINDS, None, True),
        (KINDS, 61, True),
        (TEXTS, None, True),
        (TEXTS, 405, True),
        (TEXTS, 205, True),
        (TEXTS, 5, True),
        (BARRED, None, True),
    ],
)
async def test_a_hostile_page_runs_nothing_and_holds_each_post_in_its_place(
    stage: Stage, channel: int, before: int | None, bypass_csp: bool
) -> None:
    path = f"/html/{NAMES[channel]}?limit=200" + ("" if before is None else f"&before={before}")
    sight = await stage.look(path, bypass_csp=bypass_csp)
    assert await problems_of(sight, f"{POSTS} .content, {POSTS} .post-footer") == []
    posts = await sight.page.evaluate(READ_POSTS)
    assert len(posts) == await sight.page.locator("article").count() > 0
    loose = await sight.page.evaluate("[...document.querySelector('main').children].map(e => e.localName)")
    assert set(loose) <= {"header", "article", "nav"}
    for link, content, text in posts:
        message_id = int(link.rpartition("/")[2])
        marks = re.findall(r"mark\d+x\d+x", content)
        assert set(marks) <= {mark(channel, message_id)}
        if channel == TEXTS:
            assert text.replace("\n", "") == shown(stage.hostile.texts[message_id]) + mark(channel, message_id)
    if channel == KINDS:
        assert sum(mark(KINDS, int(link.rpartition("/")[2])) in content for link, content, _ in posts) > 50
    assert await sight.page.evaluate(FURNITURE) == stage.furniture


async def test_no_post_of_the_hostile_kinds_is_lost_or_fails(stage: Stage) -> None:
    ids = set()
    for path in (f"/feed.json/{NAMES[KINDS]}?limit=200", f"/feed.json/{NAMES[KINDS]}?limit=200&before=61"):
        ids |= {item["_telegram"]["message_ids"][0] for item in (await stage.json(path))["items"]}
    messages = stage.hostile.world.chats["channel", KINDS].messages
    posts = {id_ for id_, message in messages.items() if type(message).__name__ == "Message"}
    assert posts <= ids
    assert (await stage.json("/health"))["failed_renders"] == 0


@pytest.mark.parametrize("channel", [KINDS, TEXTS])
async def test_the_html_of_a_feeds_items_runs_nothing_in_a_reader_that_trusts_it(stage: Stage, channel: int) -> None:
    """Written into a page as it comes, and set as the content of elements: without any policy of the page."""
    items = (await stage.json(f"/feed.json/{NAMES[channel]}?limit=200"))["items"]
    bodies = [item["content_html"] for item in items]
    assert len(bodies) == 200
    for format in ("rss", "atom"):
        assert list(bodies_of(await stage.client.get(f"/{format}/{NAMES[channel]}?limit=200"))) == bodies
    sight = await stage.look(READER, bypass_csp=False)
    articles = "".join(f"<article><div class=item>{body}</div><i>{at}</i></article>" for at, body in enumerate(bodies))
    await sight.page.set_content(f"<!DOCTYPE html><main>{articles}</main><p>end")
    # None has swallowed or closed what comes after it.
    structure = """() => [
        document.body.children.length, document.querySelectorAll('main > article').length,
        [...document.querySelectorAll('main > article > i:last-child')].map(e => Number(e.textContent)),
    ]"""
    assert await sight.page.evaluate(structure) == [2, len(bodies), list(range(len(bodies)))]
    assert await problems_of(sight, ".item") == []
    written = await sight.page.evaluate("[...document.querySelectorAll('.item')].map(e => e.innerHTML)")
    await sight.page.set_content("<!DOCTYPE html><main></main>")
    set_ = await sight.page.evaluate(
        """(bodies) => bodies.map(body => {
            const item = document.querySelector('main').appendChild(document.createElement('div'));
            item.className = 'item';
            item.innerHTML = body;
            return item.innerHTML;
        })""",
        bodies,
    )
    assert await problems_of(sight, ".item") == []
    assert [re.sub(' open=""', "", one) for one in written] == [re.sub(' open=""', "", one) for one in set_]


def bodies_of(answer: httpx.Response) -> Iterator[str]:
    """The HTML of the items of an RSS or Atom feed."""
    for element in etree.fromstring(answer.content).iter("{*}encoded", "{*}content"):
        if element.text is not None:
            yield element.text


@pytest.mark.parametrize("channel", [TEXTS, KINDS])
async def test_titles_and_names_in_feeds_are_plain_lines_that_turn_nothing_around(stage: Stage, channel: int) -> None:
    feed = await stage.json(f"/feed.json/{NAMES[channel]}?limit=200")
    lines = [feed["title"], *(author["name"] for author in feed["authors"])]
    for item in feed["items"]:
        lines += [item["title"], *(author["name"] for author in item.get("authors", []))]
        lines += [*item.get("tags", []), *(file["title"] for file in item.get("attachments", []) if "title" in file)]
    for format in ("rss", "atom"):
        document = etree.fromstring((await stage.client.get(f"/{format}/{NAMES[channel]}?limit=200")).content)
        for element in document.iter("{*}title", "{*}creator", "{*}name", "{*}category", "{*}source"):
            lines += [element.text or "", element.get("term") or ""]
    assert len(lines) > 1000
    for line in lines:
        assert not BIDI.search(line), ascii(line)
        assert not any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in line), ascii(line)


async def test_a_hostile_post_by_itself_runs_nothing(stage: Stage) -> None:
    messages = stage.hostile.world.chats["channel", KINDS].messages
    seen: set[str] = set()
    for message_id, message in messages.items():
        kind = type(getattr(message, "media", None)).__name__
        if kind in seen or kind in {"NoneType", "MessageMediaEmpty"} or len(seen) == 4:
            continue
        seen.add(kind)
        sight = await stage.look(f"/html/{NAMES[KINDS]}/{message_id}?debug=true")
        assert await sight.page.locator("main > article.post").count() == 1
        assert await problems_of(sight, ".content, .post-footer") == []
        assert await sight.page.evaluate(FURNITURE) == stage.furniture
    assert len(seen) == 4


def requests_with(words: Iterator[str]) -> Iterator[str]:
    """Addresses of all documented routes, with a word in each place of the path and in each parameter, known or not."""
    guide = ROUTES_GUIDE.read_text(encoding="utf-8")
    routes = [route for route in re.findall(r"^\| `(/[^`]*)` \|", guide, re.MULTILINE) if "{token}" not in route]
    parameters = guide.partition("## Query parameters")[2].partition("\n## ")[0].partition("\n### ")[0]
    names = re.findall(r"^\| `(\w+)` \|", parameters, re.MULTILINE)
    assert len(routes) > 10
    assert len(names) > 5
    usual = {"{channel}": "quiet", "{post_id}": "1", "{group}": "quiet", "{id}": "1"}
    for route in routes:
        parts = re.split(r"(\{\w+\})", route)
        for at in range(1, len(parts), 2):
            for safe in ("", "/"):
                word = quote(next(words)[:300], safe=safe)
                yield "".join(word if each == at else usual.get(part, part) for each, part in enumerate(parts))
        path = "".join(usual.get(part, part) for part in parts)
        yield f"{path}/{quote(next(words)[:300])}"
        for name in (*names, "token", "key", "channel", "debug", "exp", next(words)[:60]):
            yield f"{path}?{urlencode({name: next(words)[:300]})}"


async def test_no_address_breaks_a_route_or_brings_anything_into_a_page(stage: Stage) -> None:
    pages = {}
    for path in requests_with(cycle([*BREAKOUTS[::2], *HTML[::7], *TRICKS, *URLS[::5]])):
        answer = await stage.client.get(path)
        assert answer.status_code in {200, 400, 403, 404, 405}, (path, answer.text)
        assert answer.headers["X-Content-Type-Options"] == "nosniff", path
        if answer.headers["Content-Type"].startswith("text/html"):
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy, path
            assert "unsafe" not in policy, path
            pages[path] = without_static_parts(answer.content).decode()
    harmless = {path for word in ("!", "0", "word", "(") for path in requests_with(cycle([word]))}
    # Pages at /post/html are those at /html.
    harmless = {path for path in harmless if re.match("/html|/[?]", path)}
    usual = {without_static_parts((await stage.client.get(path)).content).decode() for path in harmless}
    assert len(pages) > 40
    known = set(await stage.bound.page.evaluate(STRUCTURE, list(usual)))
    found = await stage.bound.page.evaluate(STRUCTURE, list(pages.values()))
    assert [path for path, structure in zip(pages, found, strict=True) if structure not in known] == []


@pytest.mark.parametrize("header", ["Host", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Prefix"])
async def test_no_header_says_where_links_lead_but_a_plain_one(stage: Stage, header: str) -> None:
    words = [word for word in (*BREAKOUTS, *HANDLERS, *URLS) if HIT in word and word.isascii() and word.isprintable()]
    for word in words[::12]:
        for path in ("/html/quiet", "/rss/quiet"):
            answer = await stage.client.get(path, headers={header: word.strip()})
            assert answer.status_code in {200, 400}, (word, answer.text)
            assert word not in answer.text, path
            if answer.status_code == 200:
                assert re.fullmatch(r"[\w.:/-]*", word.split(",")[-1]), (header, word)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/html/{}", 400),
        ("/html/quiet/{}", 400),
        ("/html/quiet?limit={}", 400),
        ("/html/quiet?include_text=({}", 400),
        ("/html/quiet?include_flags={}", 400),
        ("/post/html/{}", 400),
        ("/?channel={}", 200),
    ],
)
async def test_a_page_that_repeats_what_was_asked_runs_none_of_it(stage: Stage, path: str, status: int) -> None:
    sight = stage.free
    await sight.forget()
    # A tag, also where an attribute has to be closed before it; one for all places; and a link.
    for word in (BREAKOUTS[0], BREAKOUTS[-24], f"javascript:{HIT}"):
        answer = await sight.page.goto(base_of(stage.client) + path.format(quote(word, safe="")))
        assert answer is not None
        assert answer.status == status, await answer.text()
        # The browser's own note of the status.
        sight.complaints[:] = [one for one in sight.complaints if "the server responded with a status of" not in one]
        assert await problems_of(sight, ".content") == []
        assert await sight.page.evaluate(FURNITURE) == stage.furniture
