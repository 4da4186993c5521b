"""Readers of all kinds, who ask for what exists and look closely at what they get."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx
from lxml import etree
from soak_service import BASE_URL, ServiceProcess
from soak_world import Channels

FEEDS = ("rss", "atom", "feed.json", "html")
# How long any answer may be in coming, in seconds, on a machine that does other things besides.
PATIENCE = 25.0
# A feed that is not called stale has what was posted before this many seconds. Flights are shared, and take time.
NEWS_DELAY = 12.0
_ATOM = "{http://www.w3.org/2005/Atom}"
_MEDIA = re.compile(re.escape(BASE_URL) + r"(/media/(-?\d+)/(\d+)/[^\"\s<>&\\]+)")
_POST = re.compile(r"/html/[^/\"]+/(\d+)\"|https://t\.me/[a-z0-9_]+/(\d+)\"")


class Wrong(Exception):
    """An answer that no fault of Telegram's excuses."""


class Readers:
    """Asks the service at random. What is wrong with an answer is noted in `wrong`, one line each."""

    def __init__(self, service: ServiceProcess, channels: Channels, draw: random.Random) -> None:
        self.wrong: list[str] = []
        self.statuses: Counter[str] = Counter()
        self.slowest: dict[str, float] = {}
        self.pings: list[float] = []
        # Addresses of files that feeds have shown.
        self.media: dict[str, bytes] = {}
        self._service = service
        self._channels = channels
        self._draw = draw
        self._tags: dict[str, str] = {}

    @asynccontextmanager
    async def at_work(self, *, count: int, pause: float) -> AsyncIterator[None]:
        """`count` readers who rest about `pause` seconds between two requests, and one who asks for `/ping` alone."""
        stop = threading.Event()
        pinging = asyncio.create_task(asyncio.to_thread(self._ping, stop))
        async with self._service.client() as client:
            readers = [asyncio.create_task(self._read_on(client, pause)) for _ in range(count)]
            try:
                yield
            finally:
                stop.set()
                for reader in readers:
                    reader.cancel()
                for ended in await asyncio.gather(*readers, return_exceptions=True):
                    if not isinstance(ended, asyncio.CancelledError):
                        self.wrong.append(f"a reader ended with {ended!r}")
                await pinging

    async def feed(self, client: httpx.AsyncClient, name: str, kind: str, *, by_id: bool = False) -> bool:
        """Read a feed or page of a channel; whether it came, and was not stale. Raises Wrong."""
        key = -(10**12) - self._channels.chat(name).id if by_id else name
        path = f"/{kind}/{key}"
        headers = {}
        if (tag := self._tags.get(path)) and self._draw.random() < 0.3:
            headers["If-None-Match"] = tag
        began = time.monotonic()
        answer = await client.get(path, headers=headers)
        self._note(f"/{kind}", answer.status_code, time.monotonic() - began)
        if not self._came(path, answer, not_modified="If-None-Match" in headers):
            return False
        if answer.status_code == 304:
            return "cache-status" not in answer.headers
        self._tags[path] = answer.headers["etag"]
        for url, channel_id, post_id in _MEDIA.findall(answer.text):
            if url not in self.media and int(post_id):
                self.media[url] = self._channels.content(int(channel_id), int(post_id))
        posts = shown_posts(kind, answer)
        if not posts:
            raise Wrong(f"{path}: 200 without a post")
        if not posts <= self._channels.ids(name):
            raise Wrong(f"{path}: posts that do not exist: {sorted(posts - self._channels.ids(name))}")
        stale = "cache-status" in answer.headers
        newest = self._channels.top(name, began - NEWS_DELAY)
        # Pages do not tell whether they are stale.
        if kind != "html" and not stale and max(posts) < newest:
            raise Wrong(f"{path}: called fresh, but its newest post is {max(posts)} instead of {newest}")
        return not stale

    async def post(self, client: httpx.AsyncClient, name: str) -> None:
        """Read a page of one post. Raises Wrong."""
        post_id = self._draw.choice(sorted(self._channels.ids(name)))
        path = f"/html/{name}/{post_id}"
        began = time.monotonic()
        answer = await client.get(path)
        self._note("/html/post", answer.status_code, time.monotonic() - began)
        if self._came(path, answer) and f"Post {post_id} of" not in answer.text:
            raise Wrong(f"{path}: not the post")

    async def file(self, client: httpx.AsyncClient, path: str, *, ranged: bool = False) -> bool:
        """Read a file, whole or a range of it; whether it came to its end. Raises Wrong."""
        content = self.media[path]
        headers = {}
        if ranged:
            first = self._draw.randrange(len(content))
            last = self._draw.randrange(first, len(content))
            headers["Range"] = f"bytes={first}-{last}"
            content = content[first : last + 1]
        began = time.monotonic()
        got = b""
        async with client.stream("GET", path, headers=headers) as answer:
            self._note("/media", answer.status_code, time.monotonic() - began)
            if answer.status_code not in {200, 206}:
                await answer.aread()
            if not self._came(path, answer, status=206 if ranged else 200):
                return False
            # After the headers a failure can't be told but by a connection that is cut.
            with contextlib.suppress(httpx.RemoteProtocolError, httpx.ReadError):
                async for chunk in answer.aiter_raw():
                    got += chunk
        self._note("/media to its end", 0, time.monotonic() - began)
        if not content.startswith(got):
            raise Wrong(f"{path} {headers}: wrong bytes")
        return len(got) == len(content)

    async def leave_midway(self, client: httpx.AsyncClient, path: str) -> None:
        """Ask for something and leave before it has come."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._draw.choice((0.01, 0.05, 0.3, 1))), client.stream("GET", path) as answer:
                async for _ in answer.aiter_raw():
                    break

    async def health(self, client: httpx.AsyncClient) -> None:
        """Read `/health`, which is there at any time. Raises Wrong."""
        began = time.monotonic()
        answer = await client.get("/health")
        self._note("/health", answer.status_code, time.monotonic() - began)
        if answer.status_code != 200:
            raise Wrong(f"/health: {answer.status_code}")

    def _note(self, kind: str, status: int, seconds: float) -> None:
        self.statuses[f"{kind} {status or ''}".strip()] += 1
        self.slowest[kind] = max(self.slowest.get(kind, 0.0), seconds)
        if seconds > PATIENCE:
            raise Wrong(f"{kind}: {status} after {seconds:.1f} s")

    def _came(self, path: str, answer: httpx.Response, *, status: int = 200, not_modified: bool = False) -> bool:
        """Whether it was answered, or else refused as it should be."""
        if answer.status_code == status or (not_modified and answer.status_code == 304):
            return True
        if answer.status_code not in {429, 503, 504}:
            raise Wrong(f"{path}: {answer.status_code} {answer.text[:200]}")
        if not answer.headers.get("retry-after", "").isdigit():
            raise Wrong(f"{path}: {answer.status_code} without Retry-After")
        return False

    async def _read_on(self, client: httpx.AsyncClient, pause: float) -> None:
        while True:
            await asyncio.sleep(self._draw.expovariate(1 / pause))
            await self.guarded(lambda: self._read_something(client))

    async def guarded(self, work: Callable[[], Awaitable[object]]) -> None:
        """Do the work and note what is wrong with its answer."""
        try:
            await work()
        except (Wrong, httpx.HTTPError) as fault:
            self.wrong.append(f"{time.strftime('%H:%M:%S')} {fault!r}")

    async def _read_something(self, client: httpx.AsyncClient) -> None:
        name = self._draw.choice(self._channels.names)
        known = list(self.media)
        choice = self._draw.random()
        if choice < 0.4 or not known:
            await self.feed(client, name, self._draw.choice(FEEDS), by_id=self._draw.random() < 0.2)
        elif choice < 0.5:
            await self.post(client, name)
        elif choice < 0.85:
            await self.file(client, self._draw.choice(known), ranged=self._draw.random() < 0.4)
        elif choice < 0.95:
            await self.leave_midway(client, self._draw.choice([self._draw.choice(known), f"/rss/{name}"]))
        else:
            await self.health(client)

    def _ping(self, stop: threading.Event) -> None:
        """Ask for `/ping` some times a second, in a thread of its own: the loop here has other things to do."""
        while not stop.wait(0.25):
            began = time.monotonic()
            connection = http.client.HTTPConnection("127.0.0.1", self._service.port, timeout=PATIENCE)
            try:
                connection.request("GET", "/ping")
                answer = connection.getresponse()
                state = json.loads(answer.read())
            except (OSError, ValueError) as fault:
                self.wrong.append(f"/ping: {fault!r}")
                continue
            finally:
                connection.close()
            self.pings.append(time.monotonic() - began)
            if answer.status != (200 if state["status"] == "ok" else 503):
                self.wrong.append(f"/ping: {answer.status} {state}")


def shown_posts(kind: str, answer: httpx.Response) -> set[int]:
    """The ids of the posts in a feed or page."""
    if kind == "html":
        return {int(one or other) for one, other in _POST.findall(answer.text)}
    if kind == "feed.json":
        links = [item["url"] for item in answer.json()["items"]]
    elif kind == "rss":
        links = [link.text for link in etree.fromstring(answer.content).iterfind("channel/item/link")]
    else:
        entries = etree.fromstring(answer.content).iterfind(f"{_ATOM}entry/{_ATOM}link[@rel='alternate']")
        links = [entry.get("href") for entry in entries]
    return {int(link.rpartition("/")[2]) for link in links}
