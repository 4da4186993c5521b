"""A feed's address opened in a browser: people get a page, readers never do."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import feedparser
import httpx
import pytest
import pytest_asyncio
from bs4 import BeautifulSoup
from service import serving
from telegram_world import NEWS, small_world

from routes.navigation import opened_in_browser
from tgserver import Server
from tgserver.crypto.rsa import RsaKey

FEEDS = {"/rss/news": "RSS", "/atom/news": "Atom", "/feed.json/news": "JSON Feed"}
BROWSER = {
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
}


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    """Making one takes a while."""
    return RsaKey.generate()


@pytest_asyncio.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    async with Server(small_world(), rsa_key=rsa_key) as running:
        yield running


@pytest_asyncio.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(server, tmp_path / "bridge") as http:
        yield http


def soup(answer: httpx.Response) -> BeautifulSoup:
    assert answer.headers["content-type"].startswith("text/html")
    return BeautifulSoup(answer.text, "html.parser")


def copied(page: BeautifulSoup) -> str:
    """The address that the page offers to feed readers."""
    (field,) = page.select("#feed-address")
    return str(field["value"])


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"accept": "text/html,*/*"},
        {"sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
        {"sec-fetch-mode": "no-cors", "sec-fetch-dest": "document"},
        {"sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
        {"sec-fetch-mode": "navigate"},
        {"sec-fetch-dest": "document"},
    ],
)
def test_only_a_page_of_its_own_in_a_window_is_a_navigation(headers: dict[str, str]) -> None:
    assert not opened_in_browser(headers)
    assert opened_in_browser({"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"})


@pytest.mark.parametrize("path", FEEDS)
async def test_a_browser_gets_a_page_with_the_feeds_address(client: httpx.AsyncClient, path: str) -> None:
    page = soup(await client.get(f"{path}?limit=3", headers=BROWSER))
    assert "This is a feed." in page.select("main > .opened")[0].text
    address = copied(page)
    assert address == f"{client.base_url}{path.replace('news', 'News')}?limit=3"
    assert len(page.select("article.h-entry")) == 3
    sisters = {str(link["href"]) for link in page.select(".formats a")} - {f"{address}&raw=1"}
    assert len(sisters) == 2
    for other in sisters:
        assert copied(soup(await client.get(other, headers=BROWSER))) == other
    # The one page of the channel is the one for search engines and bookmarks.
    assert page.select("link[rel=canonical]")[0]["href"] == f"{client.base_url}/html/News?limit=3"


@pytest.mark.parametrize("path", FEEDS)
async def test_raw_shows_the_feed_itself_even_in_a_browser(client: httpx.AsyncClient, path: str) -> None:
    feed = await client.get(path)
    page = soup(await client.get(path, headers=BROWSER))
    bare = str(page.select(".formats a")[-1]["href"])
    assert bare.endswith("?raw=1")
    shown = await client.get(bare, headers=BROWSER)
    assert shown.headers["content-type"] == feed.headers["content-type"]
    assert (shown.content, shown.headers["etag"]) == (feed.content, feed.headers["etag"])
    # A mistake is one whoever makes it.
    for headers in (BROWSER, {}):
        refused = await client.get(f"{path}?raw=perhaps", headers=headers)
        assert refused.status_code == 400
        assert "raw: must be true or false" in refused.text


@pytest.mark.parametrize("path", FEEDS)
async def test_page_and_feed_never_stand_in_for_each_other(client: httpx.AsyncClient, path: str) -> None:
    # In either order, and again from the cache.
    feed, page, feed_again, page_again = [
        await client.get(path, headers=headers) for headers in ({}, BROWSER, {}, BROWSER)
    ]
    assert (feed.content, page.content) == (feed_again.content, page_again.content)
    assert feed.headers["etag"] != page.headers["etag"]
    for answer in (feed, page):
        assert answer.headers["vary"] == "Accept-Encoding, Sec-Fetch-Dest, Sec-Fetch-Mode"
    # A tag is good for its own variant alone.
    for tag, headers, status in [
        (feed.headers["etag"], {}, 304),
        (page.headers["etag"], BROWSER, 304),
        (page.headers["etag"], {}, 200),
        (feed.headers["etag"], BROWSER, 200),
    ]:
        answer = await client.get(path, headers={**headers, "If-None-Match": tag})
        assert answer.status_code == status
        assert answer.headers["vary"] == feed.headers["vary"]
    head = await client.head(path, headers=BROWSER)
    assert head.headers["content-length"] == page.headers["content-length"]
    assert head.headers["etag"] == page.headers["etag"]


async def test_a_page_that_is_opened_as_such_depends_on_nothing_of_that(client: httpx.AsyncClient) -> None:
    plain, opened = await client.get("/html/news"), await client.get("/html/news", headers=BROWSER)
    assert plain.content == opened.content
    assert opened.headers["vary"] == "Accept-Encoding"
    assert soup(opened).select(".opened") == []


async def test_accept_is_no_reason_for_a_page(client: httpx.AsyncClient) -> None:
    answer = await client.get("/rss/news", headers={"Accept": "text/html"})
    assert answer.headers["content-type"].startswith("application/rss+xml")
    assert not feedparser.parse(answer.content).bozo


async def test_older_posts_of_an_opened_feed_are_behind_its_own_address(
    server: Server, client: httpx.AsyncClient
) -> None:
    page = soup(await client.get("/atom/news?limit=10", headers=BROWSER))
    seen: list[str] = []
    while older := page.select("a[rel=next]"):
        seen += [str(link["href"]) for link in page.select(".u-url[href*='/html/']")]
        href = str(older[0]["href"])
        assert href.startswith(f"{client.base_url}/atom/News?before=")
        page = soup(await client.get(href, headers=BROWSER))
        assert page.select(".opened")
        if len(seen) > 30:
            break
    assert len(set(seen)) == len(seen) > 20


async def test_a_new_post_shows_on_the_page_as_in_the_feed(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "bridge", history_cache_ttl_minutes=0) as client:
        before = await client.get("/rss/news", headers=BROWSER)
        server.post(NEWS, "The newest")
        page = await client.get("/rss/news", headers=BROWSER)
        assert soup(page).select(".e-content")[0].text.strip() == "The newest"
        assert page.headers["etag"] != before.headers["etag"]
        feed = feedparser.parse((await client.get("/rss/news")).content)
        assert feed.entries[0].title == "The newest"


async def test_faults_are_told_to_people_on_a_page_and_to_readers_as_before(client: httpx.AsyncClient) -> None:
    told = await client.get("/rss/nobody_here", headers=BROWSER)
    assert told.status_code == 404
    assert "nobody_here" in soup(told).select("h1")[0].text
    assert told.headers["content-security-policy"]
    plain = await client.get("/rss/nobody_here")
    assert (plain.status_code, list(plain.json())) == (404, ["detail"])


async def test_the_page_of_a_feed_opened_by_its_key_leads_only_where_the_key_does(
    server: Server, tmp_path: Path
) -> None:
    async with serving(server, tmp_path / "guarded", token="secret") as client:
        feed = await client.get("/rss/news/secret")
        (address,) = re.findall(r'<atom:link href="([^"]+)" rel="self"', feed.text)
        answer = await client.get(f"{address}&limit=5", headers=BROWSER)
        assert "secret" not in answer.text
        page = soup(answer)
        assert copied(page).startswith(f"{address.partition('?')[0]}?key=")
        links = [str(link["href"]) for link in page.select("a[href], link[href]")]
        own = [link for link in links if link.startswith(str(client.base_url))]
        # The canonical address is that of the page, which needs the token.
        public = [link for link in own if "/html/" not in link and "/media/" not in link]
        assert len(public) > 5
        for link in public:
            assert (await client.get(link, headers=BROWSER)).status_code == 200, link
        assert [link["href"] for link in page.select("a[href*='/html/']")] == []
        # The form keeps the key.
        (form,) = page.select("form")
        fields = {str(field["name"]): str(field["value"]) for field in form.select("input:not([type=checkbox])")}
        chosen = await client.get(str(form["action"]), params={**fields, "include_text": "4"}, headers=BROWSER)
        assert "include_text=4" in copied(soup(chosen))
        assert (await client.get(address.partition("?")[0], headers=BROWSER)).status_code == 403


async def test_with_the_token_in_the_path_a_page_is_walked_and_filtered_without_naming_it(
    server: Server, tmp_path: Path
) -> None:
    async with serving(server, tmp_path / "guarded", token="secret") as client:
        opened = httpx.URL(f"{client.base_url}/html/news/secret?limit=5")
        answer = await client.get(opened)
        assert "secret" not in answer.text
        page = soup(answer)
        for kind in ("a", "link"):
            older = soup(await client.get(opened.join(str(page.select(f"{kind}[rel=next]")[0]["href"]))))
            assert len(older.select("article")) == 5
            assert older.select("article .u-url")[0]["href"] != page.select("article .u-url")[0]["href"]
        (form,) = page.select("form")
        assert "action" not in form.attrs
        chosen = await client.get(opened.copy_with(query=b"include_text=4&exclude_text=&limit=3"))
        assert copied(soup(chosen)).count("include_text=4") == 1
        assert (await client.get(copied(soup(chosen)))).status_code == 200


@pytest.mark.parametrize(
    ("path", "token"),
    [("/html/news", "123456789"), ("/html/t.me/news/", "a/b &?ключ"), ("/rss/news?output_type=html", "secret")],
)
async def test_with_the_token_in_the_query_a_page_is_walked_too(
    server: Server, tmp_path: Path, path: str, token: str
) -> None:
    async with serving(server, tmp_path / "guarded", token=token) as client:
        opened = client.base_url.join(path).copy_add_param("limit", "5").copy_add_param("token", token)
        sent_on = await client.get(opened)
        assert (sent_on.status_code, sent_on.headers["cache-control"]) == (307, "no-store")
        answer = await client.get(opened, follow_redirects=True)
        assert answer.status_code == 200
        page = soup(answer)
        assert token not in answer.text
        assert "token" not in answer.url.params
        older = soup(await client.get(answer.url.join(str(page.select("a[rel=next]")[0]["href"]))))
        assert len(older.select("article")) == 5
        assert older.select("article .u-url")[0]["href"] != page.select("article .u-url")[0]["href"]


async def test_only_a_page_that_was_opened_by_a_right_token_in_the_query_is_sent_on(
    server: Server, tmp_path: Path
) -> None:
    async with serving(server, tmp_path / "guarded", token="secret") as client:
        bearer = {"Authorization": "Bearer secret"}
        for path, headers, status in [
            ("/html/news?token=wrong", {}, 403),
            ("/html/news/secret?token=secret", {}, 200),
            ("/html/news?token=secret", bearer, 200),
            ("/html/news/149?token=secret", {}, 200),
            # Feeds name their other pages by their key.
            ("/rss/news?token=secret", {}, 200),
            ("/rss/news?token=secret", BROWSER, 200),
        ]:
            assert (await client.get(path, headers=headers)).status_code == status, path
    async with serving(server, tmp_path / "open") as client:
        assert (await client.get("/html/news?token=whatever")).status_code == 200


async def test_a_guarded_posts_page_leads_nowhere_that_needs_the_token(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "guarded", token="secret") as client:
        page = soup(await client.get("/html/news/149/secret"))
        assert page.select(".crumb a")[0]["href"] == "https://t.me/News"
        assert page.select("a[href*='/html/']") == []
    async with serving(server, tmp_path / "open") as client:
        page = soup(await client.get("/html/news/149"))
        assert page.select(".crumb a")[0]["href"] == f"{client.base_url}/html/News"


async def test_a_feed_opened_by_a_token_in_the_query_is_walked_by_its_key(server: Server, tmp_path: Path) -> None:
    async with serving(server, tmp_path / "guarded", token="secret") as client:
        seen: list[str] = []
        url = "/atom/news?limit=20&token=secret"
        while url:
            answer = await client.get(url)
            assert "secret" not in answer.text + str(answer.headers)
            parsed = feedparser.parse(answer.content)
            seen += [entry.id for entry in parsed.entries]
            url = next((link.href for link in parsed.feed.links if link.rel == "next"), "")
        assert len(set(seen)) == len(seen) > 40


async def test_boxes_that_are_ticked_one_by_one_are_a_list(client: httpx.AsyncClient) -> None:
    ticked = soup(await client.get("/html/news?exclude_flags=fwd&exclude_flags=poll&include_text=&limit=50"))
    assert copied(ticked) == f"{client.base_url}/rss/News?exclude_flags=fwd,poll"
    assert [box["value"] for box in ticked.select("[name=exclude_flags][checked]")] == ["fwd", "poll"]
    feed = await client.get("/rss/news?exclude_flags=fwd&exclude_flags=poll")
    assert feed.content == (await client.get("/rss/news?exclude_flags=fwd,poll")).content
