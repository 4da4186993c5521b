"""A real browser as the judge of hostile pages: what ran, what was asked for, and what the page has become."""

from __future__ import annotations

import urllib.parse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from hostile_vectors import TRAP
from hostile_world import SHOWN, picture
from playwright.async_api import Browser, BrowserContext, Page, Request, Route, async_playwright

from feeds.sanitizer import _ATTRIBUTES, _PLAIN_TAGS, _SCHEMES

TAGS = sorted(_PLAIN_TAGS | (_ATTRIBUTES.keys() - {"*"}))
ATTRIBUTES = {name: sorted(names) for name, names in _ATTRIBUTES.items()}
ATTRIBUTES["a"] = ["href", "rel"]

# Where a blank page without any policy is, beside the service: from elsewhere a browser would refuse to ask a loopback
# address for pictures.
READER = "/reader"

# Before anything else of a document runs.
WITNESS = "window.hits = 0; window.hit = () => { window.hits++; console.error('hit'); };"

# Moves, focuses and clicks wherever a visitor could; links to the web would only lead away from the page.
TOUCH_ALL = """() => {
    const events = ['mouseover', 'mouseenter', 'pointerover', 'focus', 'toggle', 'keydown', 'wheel', 'submit'];
    for (const element of document.querySelectorAll('*')) {
        for (const name of events) element.dispatchEvent(new Event(name));
        if (element.matches('details')) element.open = true;
        const link = element.closest('a[href], area[href]');
        // So would forms, which lead to the bridge.
        if (element.type === 'submit' && /^https?:/.test(element.form?.action)) continue;
        if (!link || /^(javascript|vbscript|data):/.test(link.protocol)) element.dispatchEvent(new MouseEvent('click'));
    }
}"""

# Lists what a container holds that posts may not hold; `allowed` has tags, attributes and schemes.
AUDIT = """(allowed) => {
    const problems = [];
    const addresses = new Set(['href', 'src', 'poster']);
    for (const root of document.querySelectorAll(allowed.roots)) {
        for (const element of root.querySelectorAll('*')) {
            const name = element.localName;
            if (element.namespaceURI !== 'http://www.w3.org/1999/xhtml' || !allowed.tags.includes(name)) {
                problems.push(`<${name}>`);
            }
            const known = [...allowed.attributes['*'], ...(allowed.attributes[name] ?? [])];
            for (const attribute of element.attributes) {
                if (!known.includes(attribute.name)) problems.push(`<${name} ${attribute.name}="${attribute.value}">`);
                if (addresses.has(attribute.name)) {
                    let scheme = null;
                    try { scheme = new URL(attribute.value).protocol; } catch {}
                    if (!allowed.schemes.includes(scheme)) problems.push(`${attribute.name}="${attribute.value}"`);
                }
            }
            if (name === 'a' && element.hasAttribute('href') && !element.relList.contains('noopener')) {
                problems.push(`opener: ${element.href}`);
            }
        }
    }
    return problems;
}"""

# The elements of whole pages, given as text, in their order.
STRUCTURE = """(pages) => pages.map(page => {
    const parsed = new DOMParser().parseFromString(page, 'text/html');
    return [...parsed.querySelectorAll('*')].map(one => [one.localName, ...one.getAttributeNames()].join(' ')).join();
})"""

# The parts of a whole page that no text may bring in, posts and their surroundings alike.
FURNITURE = """() => {
    const found = [];
    const loose = 'script, iframe, frame, object, embed, base, svg, math, template, noscript, portal, applet, area';
    // The page's own, which its policy knows by its hash.
    const own = document.querySelector('body > script:last-child');
    for (const element of document.querySelectorAll('*')) {
        if (element.matches(loose) && element !== own) found.push(element.outerHTML);
        for (const {name, value} of element.attributes) {
            if (name.startsWith('on') || ['style', 'srcdoc', 'ping', 'formaction'].includes(name)) {
                found.push(`<${element.localName} ${name}="${value}">`);
            }
            if (['href', 'src', 'action', 'poster', 'data'].includes(name) && !element.closest('.content')) {
                if (!/^(https?|tg):/.test(new URL(value, document.baseURI).protocol)) found.push(`${name}=${value}`);
            }
        }
    }
    return found;
}"""


@dataclass
class Sight:
    """A page and what has come of it so far."""

    page: Page
    origin: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def elsewhere(self) -> set[str]:
        """The addresses asked for that are not on the origin, but for those that a post shows."""
        foreign = (url for url in self.requests if urllib.parse.urlsplit(url).netloc != self.origin)
        return {url for url in foreign if url != SHOWN and not url.startswith("data:")}

    async def forget(self) -> None:
        """Leave for a blank page, and begin to take note anew."""
        await self.page.goto("about:blank")
        self.complaints.clear()
        self.requests.clear()

    async def hits(self) -> int:
        """How often a vector has run, in any frame."""
        return sum([int(await frame.evaluate("window.hits ?? 0")) for frame in self.page.frames])


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Headless Chromium from the system."""
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=[*quiet, "--disable-sync", "--no-first-run"]
        )
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def looking(browser: Browser, base: str, *, bypass_csp: bool) -> AsyncIterator[Sight]:
    """A blank page that notes all that happens. Nothing but `base` is ever reached.

    `bypass_csp` takes away what would keep a script from running that the HTML has let in.
    """
    context: BrowserContext = await browser.new_context(bypass_csp=bypass_csp)
    context.set_default_timeout(60_000)
    await context.add_init_script(WITNESS)
    sight = Sight(await context.new_page(), urllib.parse.urlsplit(base).netloc)
    shown = picture()

    async def answer(route: Route) -> None:
        url = route.request.url
        if url == base + READER:
            await route.fulfill(body="<!DOCTYPE html>", content_type="text/html")
        elif urllib.parse.urlsplit(url).netloc == sight.origin:
            await route.fallback()
        elif url == SHOWN:
            await route.fulfill(body=shown, content_type="image/png")
        else:
            await route.abort()

    def note(request: Request) -> None:
        sight.requests.append(request.url)

    async def dismiss(dialog: Any) -> None:
        sight.complaints.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    await context.route("**/*", answer)
    context.on("request", note)
    context.on("page", lambda page: sight.complaints.append(f"another page: {page.url}"))
    context.on("console", lambda message: sight.complaints.append(f"console: {message.text}"))
    context.on("dialog", dismiss)
    sight.page.on("pageerror", lambda error: sight.complaints.append(f"error: {error}"))
    sight.page.on("download", lambda download: sight.complaints.append(f"download: {download.url}"))
    try:
        yield sight
    finally:
        await context.close()


async def problems_of(sight: Sight, roots: str) -> list[str]:
    """Touch all that can be touched; what has run, was complained of, was asked for or got in that should not.

    `roots` selects the elements that hold the HTML of posts, and nothing else.
    """
    before = sight.page.url
    await sight.page.evaluate(TOUCH_ALL)
    # What has been set off gets the time to run.
    await sight.page.wait_for_timeout(100)
    allowed = {"roots": roots, "tags": TAGS, "attributes": ATTRIBUTES, "schemes": [f"{one}:" for one in _SCHEMES]}
    problems: list[str] = await sight.page.evaluate(AUDIT, allowed)
    if hits := await sight.hits():
        problems.append(f"{hits} attacks have run")
    problems += sight.complaints
    problems += [f"asked for {url}" for url in sight.elsewhere | {url for url in sight.requests if TRAP in url}]
    if sight.page.url != before:
        problems.append(f"led to {sight.page.url}")
    return problems
