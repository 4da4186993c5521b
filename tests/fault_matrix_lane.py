"""Provokes the faults of the matrix: a whole service with a Telegram of its own for each method."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import httpx
from fault_matrix import CALL_TIMEOUT, HISTORY, SLACK, UNANSWERED, Cell, Kind, Method, Route, Subject, When
from pyrogram import raw
from service import serving
from telegram_world import channel, document
from thread_world import group

from media_cache.signing import MediaSigner, load_signing_key
from model.media import FileLocation, FileRef
from telegram.adapter_peers import unique_file_id
from telegram.session_file import SessionFile
from tgserver import Chat, Server, World
from tgserver.faults import Fault

# How old the stored histories are when the service starts, in seconds.
STORED_AGE = 7200
POSTS = 3
# The id of a topic, or of a post with comments, and of its copy.
ROOT = 10
CONTENT = b"what is in the file " * 100

_lines: ContextVar[list[logging.LogRecord] | None] = ContextVar("lines", default=None)


class LaneLog(logging.Handler):
    """Gives each lane the lines of its own service, though all of them log in one process."""

    def emit(self, record: logging.LogRecord) -> None:
        lines = _lines.get()
        if lines is not None and record.name != "httpx":
            lines.append(record)


@contextmanager
def lane_logs() -> Iterator[None]:
    """Collect lines while the block lasts."""
    handler, root = LaneLog(logging.INFO), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


class Clock:
    """The service's time of the day, which can be put forward."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self._ahead

    def advance(self, seconds: float) -> None:
        self._ahead += seconds


class Chats:
    """A world in which each cell has chats of its own, so that none meets what another has left behind."""

    def __init__(self, method: Method) -> None:
        self.world = World()
        self._subject = method.subject
        self._dc_id = 4 if method.dc_id == 4 or method.when is When.ONCE else 2

    def add(self, number: int) -> None:
        """A chat with posts, the second of which is a file in a channel; a topic or comments for who asks for those."""
        if self._subject in {Subject.TOPIC, Subject.COMMENTS}:
            self._add_thread(number)
            return
        chat = self._chat(number)
        peer = chat.tl_peer
        for post in range(1, POSTS + 1):
            key = self.post_id(number, post)
            media = document(self.world, 5000 + number, CONTENT, self._dc_id) if post == 2 else None
            chat.messages[key] = raw.types.Message(
                id=key, peer_id=peer, date=1_700_000_000 + post, message=f"words {number}.{post}", media=media
            )
        self.world.add_chat(chat)

    def _add_thread(self, number: int) -> None:
        """A forum with a topic, or a channel with a post and its copy in a group; below either the same messages."""
        channel_id, group_id = 1000 + number, 500_000 + number
        forum = self._subject is Subject.TOPIC
        name = f"subject{number}"
        home = group(channel_id, name, name, forum=True) if forum else group(group_id, f"talk{number}", None)
        self.world.add_chat(home)
        if forum:
            opening = raw.types.MessageActionTopicCreate(title="Topic", icon_color=1)
            home.messages[ROOT] = raw.types.MessageService(id=ROOT, peer_id=home.tl_peer, date=1, action=opening)
        else:
            asked = self.world.add_chat(channel(channel_id, name, name))
            replies = raw.types.MessageReplies(replies=POSTS, replies_pts=0, comments=True, channel_id=group_id)
            asked.messages[ROOT] = raw.types.Message(
                id=ROOT, peer_id=asked.tl_peer, date=1, message="post", post=True, replies=replies
            )
            forward = raw.types.MessageFwdHeader(date=1, from_id=asked.tl_peer, channel_post=ROOT)
            home.messages[ROOT] = raw.types.Message(
                id=ROOT, peer_id=home.tl_peer, from_id=asked.tl_peer, date=1, message="post", fwd_from=forward
            )
        for post in range(1, POSTS + 1):
            key = ROOT + post
            home.messages[key] = raw.types.Message(
                id=key,
                peer_id=home.tl_peer,
                date=1_700_000_000 + post,
                message=f"words {number}.{post}",
                reply_to=raw.types.MessageReplyHeader(reply_to_msg_id=ROOT, forum_topic=forum or None),
            )

    def _chat(self, number: int) -> Chat:
        name = f"subject{number}"
        match self._subject:
            case Subject.GROUP:
                return Chat(
                    peer=raw.types.Chat(
                        id=2000 + number,
                        title=name,
                        photo=raw.types.ChatPhotoEmpty(),
                        participants_count=2,
                        date=1_600_000_000,
                        version=1,
                    )
                )
            case Subject.PERSON | Subject.PERSON_ID:
                user = raw.types.User(id=3000 + number, access_hash=number + 1, first_name=name, username=name)
                return Chat(peer=self.world.add_user(user))
            case _:
                chat = channel(1000 + number, name, name if self._subject is Subject.CHANNEL else None)
                chat.invite_hash = f"AbCdEfGhIj{number:04}"
                return chat

    def post_id(self, number: int, post: int) -> int:
        """Private chats and basic groups share their ids."""
        shared = self._subject in {Subject.GROUP, Subject.PERSON, Subject.PERSON_ID}
        return number * 10 + post if shared else post

    def key(self, number: int) -> str:
        """How a reader names the chat."""
        return {
            Subject.CHANNEL: f"subject{number}",
            Subject.CHANNEL_ID: f"{-(10**12) - 1000 - number}",
            Subject.INVITATION: f"t.me/+AbCdEfGhIj{number:04}",
            Subject.GROUP: f"-{2000 + number}",
            Subject.PERSON: f"subject{number}",
            Subject.PERSON_ID: f"{3000 + number}",
            Subject.TOPIC: f"subject{number}/topic/{ROOT}",
            Subject.COMMENTS: f"subject{number}/{ROOT}/comments",
        }[self._subject]

    def file_path(self, number: int, folder: Path) -> str:
        """The address of the file, as the bridge would make it."""
        file = FileRef(
            id=5000 + number,
            access_hash=0,
            file_reference=b"",
            dc_id=2,
            location=FileLocation.DOCUMENT,
            unique_id=unique_file_id(5000 + number),
        )
        return MediaSigner(load_signing_key(folder, ""), "").url(-(10**12) - 1000 - number, 2, file)


class Lane:
    """The cells of one method, provoked one after the other."""

    def __init__(self, method: Method, folder: Path) -> None:
        self._method = method
        self._folder = folder
        self._chats = Chats(method)
        self._server = Server(self._chats.world)
        self._clock = Clock()
        self._stack = AsyncExitStack()
        self._opened: httpx.AsyncClient | None = None
        self._place = folder
        self._log: list[logging.LogRecord] = []
        self.calls: set[str] = set()

    async def run(self, cells: Sequence[Cell], outcomes: Mapping[Cell, asyncio.Future[float]]) -> None:
        """Provoke the cells; each outcome is how long the recovery took (s), or what was wrong."""
        self._folder.mkdir()
        _lines.set(self._log)
        for number in range(2 * len(cells)):
            self._chats.add(number)
        async with self._server:
            try:
                if self._method.stored:
                    await self._store([2 * number + 1 for number in range(len(cells))])
                for number, cell in enumerate(cells):
                    outcome = asyncio.ensure_future(self._provoke(cell, 2 * number))
                    await asyncio.wait({outcome})
                    fault = outcome.exception()
                    if fault is None:
                        outcomes[cell].set_result(outcome.result())
                    else:
                        outcomes[cell].set_exception(fault)
                        # Whatever it has left behind, the next cell begins with a service that works.
                        await self._close()
                    # A line that was lost again and again is taken up again with longer and longer pauses.
                    if self._method.when is not When.ASKED or cell.row.kind is Kind.LINE:
                        await self._close()
            finally:
                self.calls |= self._server.calls.keys()
                await self._close()

    async def _close(self) -> None:
        self._opened = None
        self._server.faults.clear()
        await self._stack.aclose()

    async def _open(self, place: Path, *, connected: bool = True) -> httpx.AsyncClient:
        if self._opened is None:
            self._place = place
            service = serving(
                self._server,
                place,
                connected=connected,
                clock=self._clock,
                tg_rpc_timeout=CALL_TIMEOUT,
                tg_rpc_concurrency=8,
                # What a lost connection is, is one thing, what many are is another.
                tg_disconnect_flap_limit=1000,
                log_level="INFO",
            )
            self._opened = await self._stack.enter_async_context(service)
        return self._opened

    async def _store(self, numbers: Sequence[int]) -> None:
        """Have the service read chats, and let what it stored grow old."""
        http = await self._open(self._folder)
        for number in numbers:
            answer = await http.get(f"/rss/{self._chats.key(number)}")
            assert answer.status_code == 200, answer.text
        await self._close()
        with closing(sqlite3.connect(self._folder / "bridge.db")) as database, database:
            past = (time.time() - STORED_AGE,)
            database.execute("UPDATE channels SET expires_at = ?", past)
            database.execute("UPDATE usernames SET expires_at = ?", past)
            database.execute("UPDATE threads SET expires_at = ?", past)
            database.execute("UPDATE windows SET expires_at = ?1, fetched_at = ?1", past)

    async def _provoke(self, cell: Cell, number: int) -> float:
        http, fault = await self._begin(cell, number)
        cold = {route: self._path(route, number) for route in cell.method.routes}
        stored = {route: self._path(route, number + 1) for route in HISTORY} if cell.method.stored else {}
        began, logged = time.monotonic(), len(self._log)

        # While it lasts.
        if cell.connecting:
            async with asyncio.timeout(SLACK):
                while not fault.hits:
                    await asyncio.sleep(0.01)
            if cell.status == 200:
                await self._until(http, {"ready"}, cell.heals)
        answers = await asyncio.gather(*(self._get(http, path) for path in (*cold.values(), *stored.values())))
        for route, answer in zip((*cold, *stored), answers, strict=True):
            check(cell, route, answer, stored=answer.path in stored.values())
        answered = dict(zip(cold, answers, strict=False))
        assert fault.hits, "nobody met the fault"
        await self._until(http, cell.states, SLACK + 8)

        # When it is over.
        self._server.faults.remove(fault)
        if cell.row.kind is Kind.LOGGED_OUT or cell.ends_login:
            await self._server.write_session_file(SessionFile(self._place).path)
        asked = self._server.calls[cell.method.name]
        for route, path in cold.items():
            if cell.remembered(route) and answered[route].response.status_code == cell.status:
                answer = await self._get(http, path)
                check(cell, route, answer, stored=False)
        assert self._server.calls[cell.method.name] == asked, "asked again though the answer is known"
        over = time.monotonic()
        await self._until_served(http, cell, [*cold.values(), *stored.values()])
        took = time.monotonic() - over
        await self._until(http, {"ready"}, SLACK)
        async with asyncio.timeout(SLACK):
            while (await http.get("/health")).json()["gate"]["floods_on"]:
                await asyncio.sleep(0.05)
        lines = self._log[logged:]
        if cell.log:
            assert any(cell.log in line.getMessage() for line in lines), [line.getMessage() for line in lines]
        assert not [line for line in lines if line.exc_info], "a traceback"
        assert time.monotonic() - began < 60
        return took

    async def _begin(self, cell: Cell, number: int) -> tuple[httpx.AsyncClient, Fault]:
        """A service in which the fault is in force."""
        fault = cell.row.provoke(cell.method)
        if cell.connecting:
            self._server.faults.add(fault)
            return await self._open(self._folder, connected=False), fault
        http = await self._open(self._folder if cell.method.when is When.ASKED else self._folder / f"{number}")
        if cell.method.name == "help.getConfig":
            # Asked for again when another data center was out of reach.
            self._server.fail("auth.importAuthorization", "RPC_CALL_FAIL", times=1)
        self._server.faults.add(fault)
        return http, fault

    def _path(self, route: Route, number: int) -> str:
        key = self._chats.key(number)
        match route:
            case Route.FEED:
                return f"/rss/{key}"
            case Route.PAGE:
                return f"/html/{key}"
            case Route.POST:
                return f"/html/{key}/{self._chats.post_id(number, 1)}"
            case Route.FILE:
                return self._chats.file_path(number, self._place)

    async def _get(self, http: httpx.AsyncClient, path: str) -> Answer:
        began = time.monotonic()
        response = await http.get(path)
        return Answer(path, response, time.monotonic() - began)

    async def _until(self, http: httpx.AsyncClient, states: Collection[str], within: float) -> None:
        """Wait until the connection is in one of the states, and see that `/ping` agrees."""
        state = ""
        try:
            async with asyncio.timeout(within):
                while True:
                    health = (await http.get("/health")).json()["connection"]
                    ping = await http.get("/ping")
                    state = health["state"]
                    if state in states:
                        break
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"the connection is {state} and not {sorted(states)} after {within} s") from None
        body = ping.json()
        assert health["connected"] == (state == "ready")
        assert bool(health["reason"]) != health["connected"]
        if body["connected"] == health["connected"] and state != "connecting":
            assert ping.status_code == (200 if state == "ready" else 503), body
            assert ("reason" in body) == (state != "ready")

    async def _until_served(self, http: httpx.AsyncClient, cell: Cell, paths: Sequence[str]) -> None:
        """Wait until all paths are served as if nothing had been."""
        pause = float(max(cell.remembered(route) for route in cell.method.routes))
        answers: list[Answer] = []
        try:
            async with asyncio.timeout(cell.heals):
                while True:
                    if pause:
                        # Just long enough, as it was told by Retry-After or by nobody; then longer each time.
                        self._clock.advance(pause + 1)
                        pause *= 2
                    answers = await asyncio.gather(*(self._get(http, path) for path in paths))
                    if all(answer.response.status_code == 200 and not answer.age for answer in answers):
                        return
                    if any(answer.response.status_code == 504 for answer in answers):
                        # A line that is just being made anew may leave another call unanswered.
                        self._clock.advance(UNANSWERED + 1)
                    await asyncio.sleep(0.1)
        except TimeoutError:
            told = [(answer.path, answer.response.status_code, answer.response.text[:200]) for answer in answers]
            raise AssertionError(f"not healed after {cell.heals} s: {told}") from None


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked, what came, and after how many seconds."""

    path: str
    response: httpx.Response
    seconds: float

    @property
    def age(self) -> str | None:
        """The Age header, which only stale answers have."""
        found: str | None = self.response.headers.get("age")
        return found


def check(cell: Cell, route: Route, answer: Answer, *, stored: bool) -> None:
    """See that an answer is what the cell wants, `stored` for a chat of which a history is stored."""
    response, headers = answer.response, answer.response.headers
    stale = cell.stale if stored else frozenset[str]()
    status = response.status_code
    wanted = {200} if stale else cell.statuses
    assert status in wanted, f"{answer.path}: {status} and not {sorted(wanted)}: {response.text[:300]}"
    assert answer.seconds < cell.patience, f"{answer.path} took {answer.seconds:.1f} s"
    if status == 200:
        whole(route, response)
        if stale and route is Route.FEED and (cell.stored_age or "age" in headers):
            # The posts may be new though what is known of their channel is not.
            assert (STORED_AGE if cell.stored_age else 0) <= int(headers["age"]) < STORED_AGE + 600
            assert headers["cache-status"].startswith("bridge; hit; ttl=")
            assert headers["cache-status"].rpartition("; detail=")[2] in stale, headers["cache-status"]
        elif route is Route.FEED and not stale:
            assert "age" not in headers and "cache-status" not in headers
        return
    assert headers["cache-control"] == "no-store"
    if cell.retry_after:
        assert 1 <= int(headers["retry-after"]) <= cell.retry_after, headers["retry-after"]
    else:
        assert "retry-after" not in headers
    if route in {Route.PAGE, Route.POST}:
        assert headers["content-type"].startswith("text/html") and "<h1>" in response.text
    else:
        assert headers["content-type"] == "application/json" and response.json()["detail"]


def whole(route: Route, response: httpx.Response) -> None:
    """See that an answer has all there is."""
    match route:
        case Route.FEED:
            assert response.text.count("<item>") == POSTS
        case Route.PAGE:
            assert response.text.count("words ") >= POSTS
        case Route.POST:
            assert "words " in response.text
        case Route.FILE:
            assert response.content == CONTENT
