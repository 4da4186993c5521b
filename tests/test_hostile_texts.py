"""What a real browser makes of texts with entities, and of the sanitizer's output."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator

import bleach
import pytest
import pytest_asyncio
from hostile_browser import ATTRIBUTES, TAGS, chromium
from hostile_vectors import HTML, TRICKS, URLS, mutated
from playwright.async_api import Page

from feeds.sanitizer import _SCHEMES, sanitize
from model.entity import Entity, EntityType, Text
from posts.entities import TextLinks, render_text
from posts.plain import clean

pytestmark = pytest.mark.asyncio(loop_scope="module")

SEED = 20261201
LINKS = TextLinks("https://t.me", "news")
LINE_PX = 20
# Astral and joined characters, white space in every place, and what looks like markup.
# fmt: off
PIECES = [
    "a", "word", "\n", "\n\n", " ", "\t", "👍", "👍🏽", "👨‍👩‍👧", "🇩🇪", "𝔘", "é", "e\u0301", "ש", "ن", "<", ">", "&",
    "&amp;", "<int>", "]]>", '"', "'", "\x00", "\r", "\ud83d", "\udc4d",
    "\u202e", "\u2069", "\u2028", "\ufeff", "#tag", "@name",
]
# fmt: on


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page() -> AsyncIterator[Page]:
    async with chromium() as browser:
        page = await browser.new_page()
        await page.route("**/*", lambda route: route.abort())
        yield page


def texts(count: int) -> Iterator[Text]:
    """Texts with entities of all types anywhere, also where no client would put them; the same ones each time."""
    chance = random.Random(SEED)
    for _ in range(count):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 20)))
        units = len(text.encode("utf-16-le", "surrogatepass")) // 2
        entities = [
            Entity(
                type=chance.choice(list(EntityType)),
                offset=chance.randint(-2, units + 1),
                length=chance.choice([1, 2, 3, chance.randint(-1, units + 3)]),
                url=chance.choice(["https://a.example", *URLS]),
                language=chance.choice(["", "py", '"><script>']),
                user_id=chance.randint(0, 2),
                date=chance.choice([0, 1_700_000_000]),
                collapsed=chance.random() < 0.5,
            )
            for _ in range(chance.randint(0, 8))
        ]
        yield Text(text, tuple(entities))


# What the HTML says, with its line ends, and whether it lies in its element as it was written.
READ = """(bodies) => {
    const said = node => {
        if (node.nodeType === Node.TEXT_NODE) return node.data;
        if (node.localName === 'br') return '\\n';
        return [...node.childNodes].map(said).join('');
    };
    return bodies.map(body => {
        const parsed = new DOMParser().parseFromString(`<div>${body}</div><hr>`, 'text/html').body;
        const [element, next] = parsed.children;
        return [said(element), next.localName, parsed.childNodes.length, element.innerHTML];
    });
}"""


async def test_a_browser_shows_exactly_the_text_whatever_the_entities(page: Page) -> None:
    given = list(texts(600))
    written = [sanitize(f"<div>{render_text(text, LINKS)}</div>") for text in given]
    read = await page.evaluate(READ, written)
    for text, html, (said, next_, children, kept) in zip(given, written, read, strict=True):
        assert said == clean(text.text), html
        assert (next_, children) == ("hr", 2), html
        assert kept.count("<") == html.count("<"), html


async def test_a_browser_breaks_lines_where_the_text_does(page: Page) -> None:
    """Blocks end their lines by themselves: no line is added to those of the text, and none is lost."""
    given = list(lined_texts(400))
    written = [render_text(text, LINKS) for text in given]
    await page.set_content(f"<!DOCTYPE html><style>* {{ margin: 0; font: 16px/{LINE_PX}px serif }}</style><div></div>")
    drawn = await page.evaluate(DRAW, written)
    for text, html, (shown, height) in zip(given, written, drawn, strict=True):
        lines = text.text.split("\n")
        assert shown.split() == text.text.split(), html
        assert height == len(lines) * LINE_PX, html


def lined_texts(count: int) -> Iterator[Text]:
    """Texts of several lines, whose quotes and code are whole lines, as clients write them: the last one not empty."""
    chance = random.Random(SEED)
    for _ in range(count):
        lines = [chance.choice(["a", "👍 b", "ш<int>", "", "c d"]) for _ in range(chance.randint(1, 8))]
        text = "\n".join(["first", *lines, "last"])
        starts = [0]
        for line in text.split("\n"):
            starts.append(starts[-1] + len(line.encode("utf-16-le")) // 2 + 1)
        entities = []
        at = 0
        while at < len(lines) + 1:
            end = at + chance.randint(1, 4)
            if end < len(starts) and text.split("\n")[end - 1] and chance.random() < 0.6:
                type_ = chance.choice([EntityType.BLOCKQUOTE, EntityType.PRE])
                folded = chance.random() < 0.5
                length = starts[end] - 1 - starts[at]
                entities.append(Entity(type=type_, offset=starts[at], length=length, collapsed=folded))
                if chance.random() < 0.5:
                    entities.append(Entity(type=EntityType.BOLD, offset=starts[at] + 1, length=length + 2))
            at = end + chance.randint(0, 2)
        yield Text(text, tuple(entities))


DRAW = """(bodies) => bodies.map(body => {
    const element = document.querySelector('div');
    element.innerHTML = body;
    for (const details of element.querySelectorAll('details')) details.open = true;
    return [element.innerText, element.offsetHeight];
})"""


# Each body parsed where scripts do not run and where they may, then written and parsed again; and what it is made of.
REPARSE = """(bodies) => bodies.map(body => {
    const still = new DOMParser().parseFromString(`<div>${body}</div>`, 'text/html').body.firstChild;
    const live = document.createElement('div');
    live.innerHTML = body;
    const first = live.innerHTML;
    const again = document.createElement('div');
    again.innerHTML = first;
    const cell = document.createElement('td');
    cell.innerHTML = body;
    const elements = [...live.querySelectorAll('*')].map(one => [
        one.localName, [...one.attributes].map(({name, value}) => [name, value]).sort(),
    ]);
    return {written: [still.innerHTML, first, again.innerHTML, cell.innerHTML], elements};
})"""


async def test_a_browser_reads_the_sanitizers_output_the_same_way_each_time(page: Page) -> None:
    """What is harmless when it is read first can't turn into something else by being written and read again."""
    attacks = [*HTML, *TRICKS, *mutated(SEED + 1, 1500)]
    written = [sanitize(attack) for attack in attacks]
    for attack, html, read in zip(attacks, written, await page.evaluate(REPARSE, written), strict=True):
        # Chromium takes in no more than 512 levels, and lays what is deeper side by side.
        assert len(set(read["written"])) == 1 or html.count("</") > 500, attack
        for name, attributes in read["elements"]:
            assert name in TAGS, (attack, html)
            known = {*ATTRIBUTES["*"], *ATTRIBUTES.get(name, ())}
            assert {attribute for attribute, _ in attributes} <= known, (attack, html)


async def test_bleach_and_a_browser_agree_on_what_the_sanitizer_leaves(page: Page) -> None:
    """Another sanitizer with the same list finds nothing to remove, and a browser sees in its output the same tree."""
    written = [sanitize(attack) for attack in (*HTML, *mutated(SEED + 2, 200)) if len(attack) < 1000]
    cleaned = [bleach.clean(html, tags=TAGS, attributes=ATTRIBUTES, protocols=_SCHEMES, strip=True) for html in written]
    ours, theirs = await page.evaluate(REPARSE, written), await page.evaluate(REPARSE, cleaned)
    for html, one, other in zip(written, ours, theirs, strict=True):
        assert one["elements"] == other["elements"], html
