"""`/media` over real HTTP: whole files and files in flight answer alike."""

from __future__ import annotations

import asyncio
import email
import email.policy
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from media_source import CHANNEL, POST, MemorySource, file_bytes, media_cache
from refusing_disk import RefusingDisk

from errors import BridgeError, FloodWait, MediaGone, PostNotFound, TelegramTimeout, TelegramUnavailable
from media_cache.cache import MediaCache
from media_cache.signing import MediaSigner
from model.media import FileRef
from routes.errors import ErrorAnswers, FaultGuard
from routes.media import media_router

MIB = 1024 * 1024
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01" + file_bytes(50_000)
VIDEO = b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41" + file_bytes(3 * MIB + 77)
DATE = "Tue, 14 Nov 2023 22:13:20 GMT"


@dataclass
class Bridge:
    """A running server, its insides, and a client for it."""

    client: httpx.AsyncClient
    source: MemorySource
    cache: MediaCache
    signer: MediaSigner
    files: dict[str, FileRef | BridgeError] = field(default_factory=dict)

    def put(self, content: bytes, unique_id: str, **fields: object) -> str:
        """Have Telegram serve the content; gives its address."""
        file = self.source.put(content, unique_id, **fields)
        self.files[unique_id] = file
        return self.signer.url(CHANNEL, POST, file)

    async def stored(self, content: bytes, unique_id: str, **fields: object) -> str:
        """The same with the file on the disk already."""
        url = self.put(content, unique_id, **fields)
        assert (await self.client.get(url)).content == content
        await self.settled()
        return url

    async def settled(self) -> None:
        while self.cache.running or self.cache.waiting:
            await asyncio.sleep(0.001)


@asynccontextmanager
async def serving(
    folder: Path,
    source: MemorySource,
    *,
    public: bool = False,
    ttl_days: int = 0,
    key: bytes = b"key" * 11,
    **options: object,
) -> AsyncIterator[Bridge]:
    """The route as production has it, behind uvicorn on a free port."""
    async with media_cache(folder, source, **options) as cache:
        files: dict[str, FileRef | BridgeError] = {}

        async def find(channel_id: int, post_id: int, unique_id: str) -> FileRef:
            assert (channel_id, post_id) == (CHANNEL, POST)
            found = files.get(unique_id, MediaGone("The post does not have this file"))
            if isinstance(found, BridgeError):
                raise found
            return found

        signer = MediaSigner(key, "", ttl_days)
        app = FastAPI()
        app.include_router(media_router(cache, signer, find, public=public))

        @app.get("/page/{name}")
        async def page(name: str) -> HTMLResponse:
            return HTMLResponse(f"<body>{name}</body>")

        answers = ErrorAnswers(lambda status, detail, home: detail.encode(), {})
        answers.install(app)
        config = uvicorn.Config(
            FaultGuard(app, answers),
            log_config=None,
            lifespan="off",
            ws="none",
            http="httptools",
            # Longer than a busy machine lets a test pause between two requests.
            timeout_keep_alive=600,
        )
        config.load()
        server = uvicorn.Server(config)
        server.lifespan = config.lifespan_class(config)
        listener = socket.create_server(("127.0.0.1", 0))
        # Without the server's own main loop, which only looks at the clock ten times a second.
        await server.startup([listener])
        port = listener.getsockname()[1]
        try:
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=10) as client:
                yield Bridge(client, source, cache, signer, files)
        finally:
            # Its own shutdown sleeps; the client has closed its connections.
            for running in server.servers:
                running.close()


@pytest.fixture
async def bridge(tmp_path: Path) -> AsyncIterator[Bridge]:
    async with serving(tmp_path, MemorySource()) as running:
        yield running


Have = Callable[[Bridge, bytes, str], Awaitable[str]]


async def _stored(bridge: Bridge, content: bytes, mime_type: str) -> str:
    return await bridge.stored(content, "AgADabc", mime_type=mime_type)


async def _cold(bridge: Bridge, content: bytes, mime_type: str) -> str:
    return bridge.put(content, "AgADabc", mime_type=mime_type)


async def _cold_unsized(bridge: Bridge, content: bytes, mime_type: str) -> str:
    return bridge.put(content, "AgADabc", mime_type=mime_type, size=0)


async def _in_flight(bridge: Bridge, content: bytes, mime_type: str) -> str:
    """Only the first part is there; the rest comes slowly."""
    url = bridge.put(content, "AgADabc", mime_type=mime_type)
    bridge.source.gate = asyncio.Event()
    bridge.source.let_through = {0}
    async with bridge.client.stream("GET", url) as response:
        await anext(response.aiter_bytes())
    asyncio.get_running_loop().call_later(0.05, bridge.source.gate.set)
    return url


@pytest.fixture(params=[_stored, _cold, _cold_unsized, _in_flight], ids=["stored", "cold", "cold unsized", "in flight"])
def have(request: pytest.FixtureRequest) -> Have:
    """The ways in which a file can be there or not yet; all answer alike."""
    way: Have = request.param
    return way


# Whole files


@pytest.mark.parametrize(("content", "mime_type"), [(JPEG, "image/jpeg"), (VIDEO, "video/mp4")], ids=["jpeg", "mp4"])
async def test_a_file_comes_with_all_that_readers_and_players_need(
    bridge: Bridge, have: Have, content: bytes, mime_type: str
) -> None:
    response = await bridge.client.get(await have(bridge, content, mime_type))
    assert response.status_code == 200
    assert response.content == content
    headers = {name: value for name, value in response.headers.items() if name not in {"date", "server"}}
    assert headers == {
        "content-type": mime_type,
        "content-length": str(len(content)),
        "accept-ranges": "bytes",
        "etag": '"AgADabc"',
        "last-modified": DATE,
        "cache-control": "private, max-age=31536000, immutable",
        "content-disposition": f'inline; filename="telegram-42.{"jpg" if content is JPEG else "mp4"}"',
        "content-security-policy": "sandbox allow-same-origin; default-src 'none'; img-src 'self'; media-src 'self'; "
        "style-src 'unsafe-inline'",
        "x-content-type-options": "nosniff",
    }


async def test_head_has_the_headers_of_get_and_no_body(bridge: Bridge, have: Have) -> None:
    url = await have(bridge, VIDEO, "video/mp4")
    head = await bridge.client.head(url, headers={"Range": "bytes=0-9"})
    get = await bridge.client.get(url)
    assert head.status_code == 200
    assert head.content == b""
    # Of a file that nobody has seen a byte of, caches are to keep nothing.
    cold = {"cache-control": "no-store"} if have is _cold else {}
    assert {**head.headers, "date": ""} == {**get.headers, "date": "", **cold}


@pytest.mark.parametrize("size", [1, 65536, 65537, 262144, 262145, 512 * 1024, MIB, MIB + 1])
async def test_files_of_every_size_come_whole_cold_and_stored(bridge: Bridge, size: int) -> None:
    url = bridge.put(file_bytes(size), f"size{size}")
    for _ in range(2):
        assert (await bridge.client.get(url)).content == file_bytes(size)
        await bridge.settled()


async def test_a_document_keeps_its_name_in_any_script_and_is_saved_not_shown(bridge: Bridge) -> None:
    url = bridge.put(b"%PDF-1.7\n" + bytes(100), "doc", mime_type="application/pdf", file_name="отчёт 报告 🚀.pdf")
    for method in ["GET", "HEAD"]:
        response = await bridge.client.request(method, url)
        disposition = response.headers["content-disposition"]
        assert disposition.startswith("attachment; ")
        assert disposition.endswith(
            "filename*=UTF-8''%D0%BE%D1%82%D1%87%D1%91%D1%82%20%E6%8A%A5%E5%91%8A%20%F0%9F%9A%80.pdf"
        )


@pytest.mark.parametrize(
    ("mime_type", "name", "told", "inline"),
    [
        ("video/mp4", "film.mp4", "video/mp4", True),
        ("audio/mp3", "song.mp3", "audio/mpeg", True),
        ("image/jpeg", "", "image/jpeg", True),
        # The uploader's word, which no byte has borne out.
        ("text/html", "page.html", None, False),
        ("image/svg+xml", "x.svg", None, False),
        ("application/pdf", "paper.pdf", None, False),
        ("", "", None, False),
    ],
)
async def test_head_of_a_file_that_is_not_stored_tells_what_is_known_and_fetches_nothing(
    bridge: Bridge, mime_type: str, name: str, told: str | None, inline: bool
) -> None:
    url = bridge.put(VIDEO, "cold", mime_type=mime_type, file_name=name)
    response = await bridge.client.head(url)
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-length"] == str(len(VIDEO))
    assert response.headers.get("content-type") == told
    assert response.headers["content-disposition"].startswith("inline; " if inline else "attachment; ")
    assert (response.headers["etag"], response.headers["last-modified"]) == ('"cold"', DATE)
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-store"
    assert (await bridge.client.head(url, headers={"If-Match": '"x"'})).status_code == 412
    await bridge.settled()
    assert bridge.source.asked == []
    whole = await bridge.client.get(url)
    await bridge.settled()
    stored = await bridge.client.head(url)
    changing = {"date", "content-length"}
    assert {**stored.headers} | dict.fromkeys(changing) == {**whole.headers} | dict.fromkeys(changing)


async def test_head_of_a_file_whose_size_nobody_knows_finds_it_out(bridge: Bridge) -> None:
    response = await bridge.client.head(bridge.put(JPEG, "avatar", size=0))
    assert (response.headers["content-length"], response.headers["content-type"]) == (str(len(JPEG)), "image/jpeg")


async def test_head_of_a_file_that_is_gone_or_fails_says_so(bridge: Bridge) -> None:
    url = bridge.put(JPEG, "x")
    bridge.files["x"] = PostNotFound("The post was deleted")
    assert (await bridge.client.head(url)).status_code == 404
    url = bridge.put(JPEG, "y")
    bridge.source.faults = {0: [TelegramUnavailable("down")]}
    assert (await bridge.client.get(url)).status_code == 503
    assert (await bridge.client.head(url)).status_code == 503


@pytest.mark.parametrize(
    "content",
    [
        b"<!DOCTYPE html><script>alert(1)</script>",
        b'<svg xmlns="http://www.w3.org/2000/svg"/>',
        b"<?xml version='1.0'?><x/>",
    ],
)
async def test_what_a_browser_would_run_is_saved_whatever_telegram_calls_it(bridge: Bridge, content: bytes) -> None:
    response = await bridge.client.get(bridge.put(content, "evil", mime_type="image/png", file_name="x.png"))
    assert response.headers["content-disposition"] == 'attachment; filename="x.png"'
    assert response.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert response.headers["x-content-type-options"] == "nosniff"


async def test_shared_caches_may_keep_files_if_the_owner_says_so(tmp_path: Path) -> None:
    async with serving(tmp_path, MemorySource(), public=True) as bridge:
        response = await bridge.client.get(bridge.put(JPEG, "x"))
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"


async def test_an_address_with_an_end_is_cached_until_then(tmp_path: Path) -> None:
    async with serving(tmp_path, MemorySource(), ttl_days=7) as bridge:
        url = bridge.put(JPEG, "x")
        response = await bridge.client.get(url)
        assert response.status_code == 200
        scope, age = response.headers["cache-control"].split(", ")
        assert scope == "private"
        assert 7 * 86400 - 60 < int(age.removeprefix("max-age=")) <= 14 * 86400
        assert (await bridge.client.get(url.partition("?")[0])).status_code == 403


# Ranges


@pytest.mark.parametrize(
    ("header", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=0-", 0, len(VIDEO)),
        ("bytes=1000-1999", 1000, 2000),
        ("bytes=-500", len(VIDEO) - 500, len(VIDEO)),
        (f"bytes={2 * MIB - 5}-{2 * MIB + 5}", 2 * MIB - 5, 2 * MIB + 6),
        (f"bytes={3 * MIB}-99999999999", 3 * MIB, len(VIDEO)),
        ("bytes=5-9,7-20", 5, 21),
    ],
)
async def test_a_range_is_served_with_its_place_in_the_whole(
    bridge: Bridge, have: Have, header: str, start: int, end: int
) -> None:
    response = await bridge.client.get(await have(bridge, VIDEO, "video/mp4"), headers={"Range": header})
    assert response.status_code == 206
    assert response.headers["content-range"] == f"bytes {start}-{end - 1}/{len(VIDEO)}"
    assert response.headers["content-length"] == str(end - start)
    assert response.headers["content-type"] == "video/mp4"
    assert response.headers["etag"] == '"AgADabc"'
    assert response.content == VIDEO[start:end]


async def test_several_ranges_come_as_multipart_that_a_mail_parser_reads(bridge: Bridge, have: Have) -> None:
    url = await have(bridge, VIDEO, "video/mp4")
    response = await bridge.client.get(url, headers={"Range": f"bytes={2 * MIB}-{2 * MIB + 99}, 0-9, -1"})
    assert response.status_code == 206
    assert response.headers["content-length"] == str(len(response.content))
    assert "content-range" not in response.headers
    head = f"Content-Type: {response.headers['content-type']}\r\n\r\n".encode()
    message = email.message_from_bytes(head + response.content, policy=email.policy.HTTP)
    assert message.get_content_type() == "multipart/byteranges"
    parts = [part for part in message.iter_parts() if isinstance(part, EmailMessage)]
    assert [(part["Content-Type"], part["Content-Range"]) for part in parts] == [
        ("video/mp4", f"bytes {2 * MIB}-{2 * MIB + 99}/{len(VIDEO)}"),
        ("video/mp4", f"bytes 0-9/{len(VIDEO)}"),
        ("video/mp4", f"bytes {len(VIDEO) - 1}-{len(VIDEO) - 1}/{len(VIDEO)}"),
    ]
    boundary = b"--" + response.headers["content-type"].partition("boundary=")[2].encode()
    bodies = [part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n") for part in response.content.split(boundary)[1:-1]]
    assert bodies == [VIDEO[2 * MIB : 2 * MIB + 100], VIDEO[:10], VIDEO[-1:]]


async def test_a_range_beyond_the_end_is_refused_with_the_size(bridge: Bridge, have: Have) -> None:
    url = await have(bridge, JPEG, "image/jpeg")
    response = await bridge.client.get(url, headers={"Range": f"bytes={len(JPEG)}-"})
    assert response.status_code == 416
    assert response.headers["content-range"] == f"bytes */{len(JPEG)}"
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("header", ["bytes=5-4", "bytes=x", "lines=1-2", "bytes=0-1\t-3"])
async def test_a_malformed_range_gets_the_whole_file(bridge: Bridge, header: str) -> None:
    response = await bridge.client.get(bridge.put(JPEG, "x"), headers={"Range": header})
    assert (response.status_code, response.content) == (200, JPEG)


async def test_a_second_range_header_makes_the_first_count_for_nothing(bridge: Bridge) -> None:
    response = await bridge.client.get(bridge.put(JPEG, "x"), headers=[("Range", "bytes=0-1"), ("Range", "bytes=5-6")])
    assert (response.status_code, response.content) == (200, JPEG)


@pytest.mark.parametrize(
    ("if_range", "status"),
    [('"AgADabc"', 206), ('W/"AgADabc"', 200), ('"other"', 200), (DATE, 206), ("Tue, 14 Nov 2023 22:13:21 GMT", 200)],
)
async def test_if_range_decides_between_the_range_and_the_whole(
    bridge: Bridge, have: Have, if_range: str, status: int
) -> None:
    url = await have(bridge, JPEG, "image/jpeg")
    response = await bridge.client.get(url, headers={"Range": "bytes=0-9", "If-Range": if_range})
    assert response.status_code == status
    assert response.content == (JPEG[:10] if status == 206 else JPEG)


# Conditions


@pytest.mark.parametrize(
    "headers",
    [
        {"If-None-Match": '"AgADabc"'},
        {"If-None-Match": 'W/"AgADabc"'},
        {"If-None-Match": '"x", "AgADabc"'},
        {"If-None-Match": "*"},
        {"If-Modified-Since": DATE},
        {"If-None-Match": '"AgADabc"', "Range": "bytes=0-1"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_who_has_the_file_gets_304_without_it(
    bridge: Bridge, have: Have, headers: dict[str, str], method: str
) -> None:
    response = await bridge.client.request(method, await have(bridge, JPEG, "image/jpeg"), headers=headers)
    assert response.status_code == 304
    assert response.content == b""
    assert response.headers["etag"] == '"AgADabc"'
    assert response.headers["cache-control"] == "private, max-age=31536000, immutable"


async def test_who_names_the_tag_causes_no_download(bridge: Bridge) -> None:
    url = bridge.put(JPEG, "AgADabc")
    assert (await bridge.client.get(url, headers={"If-None-Match": '"AgADabc"'})).status_code == 304
    await bridge.settled()
    assert bridge.source.asked == []


@pytest.mark.parametrize(
    "headers",
    [
        {"If-Match": '"other"'},
        {"If-Unmodified-Since": "Tue, 14 Nov 2023 22:13:19 GMT"},
        {"If-Match": '"other"', "If-None-Match": '"AgADabc"'},
    ],
)
async def test_a_condition_that_fails_is_412(bridge: Bridge, headers: dict[str, str]) -> None:
    assert (await bridge.client.get(bridge.put(JPEG, "AgADabc"), headers=headers)).status_code == 412


@pytest.mark.parametrize(
    "headers",
    [
        {"If-None-Match": '"other"'},
        {"If-Modified-Since": "Tue, 14 Nov 2023 22:13:19 GMT"},
        {"If-Modified-Since": "soon"},
    ],
)
async def test_who_has_another_file_gets_this_one(bridge: Bridge, have: Have, headers: dict[str, str]) -> None:
    response = await bridge.client.get(await have(bridge, JPEG, "image/jpeg"), headers=headers)
    assert (response.status_code, response.content) == (200, JPEG)


# In flight


async def test_the_first_bytes_are_sent_while_the_rest_has_not_come(bridge: Bridge) -> None:
    bridge.source.gate = asyncio.Event()
    bridge.source.let_through = {0}
    async with asyncio.timeout(5), bridge.client.stream("GET", bridge.put(VIDEO, "v")) as response:
        assert response.headers["content-length"] == str(len(VIDEO))
        chunks = response.aiter_bytes()
        got = await anext(chunks)
        assert bridge.cache.running == 1
        bridge.source.gate.set()
        async for chunk in chunks:
            got += chunk
    assert got == VIDEO


async def test_a_seek_into_a_cold_file_does_not_wait_for_what_lies_between(bridge: Bridge) -> None:
    content = VIDEO + file_bytes(MIB) * 30
    bridge.source.gate = asyncio.Event()
    bridge.source.let_through = {0, MIB // 2, MIB, 30 * MIB}
    url = bridge.put(content, "v")
    async with asyncio.timeout(5):
        response = await bridge.client.get(url, headers={"Range": f"bytes={30 * MIB + 3}-{30 * MIB + 9}"})
    assert response.content == content[30 * MIB + 3 : 30 * MIB + 10]
    assert bridge.cache.running == 1
    bridge.source.gate.set()


async def test_many_viewers_of_a_cold_video_cause_one_download(bridge: Bridge) -> None:
    bridge.source.delay = 0.01
    url = bridge.put(VIDEO, "v")
    responses = await asyncio.gather(*[bridge.client.get(url) for _ in range(40)])
    assert all(response.content == VIDEO for response in responses)
    assert len(bridge.source.asked) == 5


async def test_viewers_that_leave_leave_the_download_to_the_others_and_no_fault_in_the_log(
    bridge: Bridge, caplog: pytest.LogCaptureFixture
) -> None:
    bridge.source.delay = 0.01
    content = VIDEO + file_bytes(MIB) * 12
    url = bridge.put(content, "v")

    async def glance() -> None:
        async with bridge.client.stream("GET", url) as response:
            await anext(response.aiter_bytes())

    with caplog.at_level(logging.WARNING):
        stays = asyncio.create_task(bridge.client.get(url))
        await asyncio.gather(*[glance() for _ in range(30)])
        assert (await stays).content == content
        await bridge.settled()
        await asyncio.gather(*[glance() for _ in range(30)])
        assert (await bridge.client.get(url)).content == content
    assert [record.message for record in caplog.records] == []
    assert bridge.source.at_once == 0


async def test_a_viewer_that_leaves_the_queue_gives_its_place_up(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event())
    async with serving(tmp_path, source, max_parallel=1) as bridge:
        busy = asyncio.create_task(bridge.client.get(bridge.put(b"busy", "busy")))
        while not bridge.cache.running:
            await asyncio.sleep(0.005)
        with suppress(httpx.ReadTimeout):
            await bridge.client.get(bridge.put(b"left", "left"), timeout=0.2)
        async with asyncio.timeout(2):
            while bridge.cache.waiting:
                await asyncio.sleep(0.005)
        assert source.gate is not None
        source.gate.set()
        assert (await busy).content == b"busy"
        await bridge.settled()
        assert source.parts_of("left") == []


# Faults


@pytest.mark.parametrize(
    ("fault", "status", "retry"),
    [
        (FloodWait(20), 429, True),
        (FloodWait(9999), 429, True),
        (TelegramTimeout(), 504, True),
        (TelegramUnavailable("off"), 503, True),
        (MediaGone("gone"), 404, False),
    ],
    ids=repr,
)
@pytest.mark.parametrize("where", ["look-up", "part"])
async def test_faults_before_the_first_byte_have_their_own_status(
    bridge: Bridge, fault: BridgeError, status: int, retry: bool, where: str
) -> None:
    url = bridge.put(VIDEO, "v")
    if where == "look-up":
        bridge.files["v"] = fault
    else:
        bridge.source.faults = {0: [fault]}
    response = await bridge.client.get(url)
    assert response.status_code == status
    assert response.json()["detail"]
    assert response.headers["cache-control"] == "no-store"
    assert ("retry-after" in response.headers) is retry
    assert int(response.headers.get("retry-after", 300)) <= 300
    asked = len(bridge.source.asked)
    await bridge.settled()
    # The second time the answer is remembered.
    assert (await bridge.client.get(url)).status_code == status
    assert len(bridge.source.asked) == asked


async def test_a_fault_in_mid_file_breaks_the_connection_so_that_nobody_takes_the_rest_for_whole(
    bridge: Bridge, caplog: pytest.LogCaptureFixture
) -> None:
    bridge.source.faults = {2 * MIB: [TelegramTimeout()]}
    bridge.source.gate = asyncio.Event()
    bridge.source.let_through = {0}
    with caplog.at_level(logging.WARNING), pytest.raises(httpx.RemoteProtocolError):
        async with bridge.client.stream("GET", bridge.put(VIDEO, "v")) as response:
            assert response.status_code == 200
            async for _ in response.aiter_bytes():
                bridge.source.gate.set()
    assert "was cut off: Telegram did not answer in time" in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_deleted_post_is_404(bridge: Bridge) -> None:
    url = bridge.put(JPEG, "x")
    bridge.files["x"] = PostNotFound("The post was deleted")
    response = await bridge.client.get(url)
    assert (response.status_code, response.json()) == (404, {"detail": "The post was deleted"})


async def test_who_waits_too_long_for_a_turn_is_sent_away_with_503(tmp_path: Path) -> None:
    source = MemorySource(gate=asyncio.Event())
    async with serving(tmp_path, source, max_parallel=1, turn_timeout=0.1) as bridge:
        busy = asyncio.create_task(bridge.client.get(bridge.put(b"busy", "busy")))
        while not bridge.cache.running:
            await asyncio.sleep(0.005)
        response = await bridge.client.get(bridge.put(b"late", "late"))
        assert response.status_code == 503
        assert "retry-after" in response.headers
        assert source.gate is not None
        source.gate.set()
        assert (await busy).content == b"busy"


async def test_the_usual_time_to_wait_for_a_turn_is_half_a_minute(tmp_path: Path) -> None:
    loop, ahead = asyncio.get_running_loop(), 0.0
    time = loop.time
    source = MemorySource(gate=asyncio.Event())
    # Without the rule that a silent data center's downloads lend their turns.
    async with serving(tmp_path, source, max_parallel=1, stall=1000) as bridge:
        client, cache = bridge.client, bridge.cache
        client.timeout = httpx.Timeout(None)
        busy = asyncio.create_task(client.get(bridge.put(b"busy", "busy")))
        while not cache.running:
            await asyncio.sleep(0.005)
        late = asyncio.create_task(client.get(bridge.put(b"late", "late")))
        while not cache.waiting:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.05)
        with patch.object(loop, "time", lambda: time() + ahead):
            ahead = 25.0
            done, _ = await asyncio.wait({late}, timeout=0.2)
            assert not done
            ahead = 31.0
            response = await late
            assert response.status_code == 503
            # Jitter included.
            assert 30 <= int(response.headers["retry-after"]) <= 36
            assert source.gate is not None
            source.gate.set()
            assert (await busy).content == b"busy"


async def test_a_full_disk_is_503_for_what_is_not_stored_and_only_while_it_is_full(
    bridge: Bridge, tmp_path: Path
) -> None:
    stored, cold = await bridge.stored(JPEG, "x"), bridge.put(VIDEO, "v")
    with RefusingDisk(tmp_path.resolve()) as disk:
        disk.refused = {"open", "pwrite", "mkdir"}
        refused = await bridge.client.get(cold)
        assert refused.status_code == 503
        assert refused.json()["detail"] == "The media folder can't take the file: No space left on device"
        assert int(refused.headers["retry-after"]) >= 60
        assert (await bridge.client.get(stored)).content == JPEG
    await bridge.settled()
    assert (await bridge.client.get(cold)).content == VIDEO


async def test_a_file_lost_from_the_disk_is_fetched_again_without_the_viewer_noticing(bridge: Bridge) -> None:
    url = await bridge.stored(VIDEO, "v")
    bridge.cache._folder.path("v").unlink()
    response = await bridge.client.get(url)
    assert (response.status_code, response.content) == (200, VIDEO)


@pytest.mark.parametrize(
    "change",
    [
        lambda url: url[:-1] + ("A" if url[-1] != "A" else "B"),
        lambda url: url.replace("/42/", "/43/"),
        lambda url: url.replace("/42/", "/42x/"),
        lambda url: url.replace("/42/", "/%D9%A4%D9%A2/"),
        lambda url: url.replace("-1001234567890", "durov"),
        lambda url: url.replace("/AgADabc/", "/AgADabd/"),
        lambda url: url.rpartition("/")[0] + "/%D0%BA%D0%BB%D1%8E%D1%87",
        lambda url: url + "?exp=99999999999",
        lambda url: url + "?exp=",
    ],
)
async def test_an_address_that_was_not_made_here_is_403_and_touches_nothing(
    bridge: Bridge, change: Callable[[str], str]
) -> None:
    url = bridge.put(JPEG, "AgADabc")
    if urlsplit(change(url)).query == "exp=":
        # An empty end is no end.
        assert (await bridge.client.get(change(url))).status_code == 200
        return
    response = await bridge.client.get(change(url))
    assert response.status_code == 403
    assert response.json() == {"detail": "This media address is not one that the bridge has made"}
    assert bridge.source.asked == []


async def test_addresses_of_an_old_key_are_403_and_new_ones_find_the_same_stored_file(tmp_path: Path) -> None:
    async with serving(tmp_path, MemorySource(), key=b"old" * 11) as bridge:
        old = await bridge.stored(JPEG, "x")
        assert (await bridge.client.get(old)).content == JPEG
    source = MemorySource()
    async with serving(tmp_path, source, key=b"new" * 11) as bridge:
        new = bridge.put(JPEG, "x")
        assert new != old
        refused = await bridge.client.get(old, headers={"If-None-Match": '"x"'})
        assert refused.status_code == 403
        assert refused.json() == {"detail": "This media address is not one that the bridge has made"}
        assert (await bridge.client.get(new)).content == JPEG
        assert source.asked == []


async def test_other_methods_are_refused(bridge: Bridge) -> None:
    assert (await bridge.client.post(bridge.put(JPEG, "x"))).status_code == 405
