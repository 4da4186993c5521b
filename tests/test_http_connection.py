"""Clients that connect and never send a request, or never end it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from fastapi import FastAPI

from http_connection import HttpConnection
from http_server import create_server, listen

GOOD = b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"


class Impatient(HttpConnection):
    request_timeout = 0.5


@asynccontextmanager
async def listening(connection: type[HttpConnection]) -> AsyncIterator[int]:
    """The port of a server."""
    app = FastAPI()

    @app.get("/hello")
    async def hello() -> str:
        # Longer than an impatient server gives a client for its request.
        await asyncio.sleep(1)
        return "hello"

    listener = listen("127.0.0.1", 0)
    server = create_server(app, connection=connection)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    yield listener.getsockname()[1]
    server.should_exit = True
    await running


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async with listening(Impatient) as port:
        yield port


@pytest.fixture
async def patient() -> AsyncIterator[int]:
    """A port, however slow the machine is."""
    async with listening(HttpConnection) as port:
        yield port


@pytest.mark.parametrize("begin", [b"", b"GET /hello HTTP/1.1\r\nHost: x\r\nX-Slow: "], ids=["silent", "half"])
async def test_who_sends_no_whole_request_in_time_is_sent_away(port: int, begin: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(begin)
    async with asyncio.timeout(10):
        assert await reader.read() == b""
    writer.close()


@pytest.mark.parametrize(
    ("header", "drop"), [(b"Content-Length: 1000000", b"x"), (b"Transfer-Encoding: chunked", b"1\r\nx\r\n")]
)
async def test_who_sends_a_body_drop_by_drop_gets_the_answer_and_is_sent_away_then(
    port: int, header: bytes, drop: bytes
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(GOOD[:-2] + header + b"\r\n\r\n")

    async def trickle() -> None:
        while True:
            writer.write(drop)
            await asyncio.sleep(0.05)

    trickling = asyncio.create_task(trickle())
    async with asyncio.timeout(10):
        answer = await reader.readuntil(b'"hello"')
        assert answer.startswith(b"HTTP/1.1 200 ")
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
    trickling.cancel()
    writer.close()


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"GET /hello HTTP/1.1\r\nHost: x\r\n", b"X-More: " + b"y" * 8000 + b"\r\n"),
        (b"GET /hello HTTP/1.1\r\nHost: x\r\nX-Long: ", b"y" * 8000),
        (b"GET /", b"y" * 8000),
    ],
    ids=["many headers", "a long header", "a long address"],
)
async def test_what_is_too_much_for_a_request_is_refused_and_not_kept(patient: int, begin: bytes, more: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", patient)
    writer.write(begin)
    sent = 0
    with suppress(ConnectionError):
        while sent < 20 * HttpConnection.most_head and not reader.at_eof():
            writer.write(more)
            await writer.drain()
            sent += len(more)
    assert sent < 20 * HttpConnection.most_head
    with suppress(ConnectionError):
        assert (await reader.read()).startswith(b"HTTP/1.1 431 ")
    writer.close()


async def test_many_requests_at_once_and_trailers_are_no_large_head(patient: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", patient)
    post = GOOD[:-2].replace(b"GET", b"POST") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"
    writer.write(post + b"X-Trailer: y\r\n" * 40_000 + b"\r\n")
    async with asyncio.timeout(10):
        assert (await reader.readuntil(b'Allowed"}')).startswith(b"HTTP/1.1 405 ")
    writer.write(GOOD)
    async with asyncio.timeout(10):
        assert (await reader.readuntil(b'"hello"')).startswith(b"HTTP/1.1 200 ")
    writer.close()


async def test_a_slow_answer_is_sent_whole_also_while_half_of_the_next_request_is_there(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(GOOD + GOOD[:20])
    async with asyncio.timeout(10):
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b'"hello"')
    writer.close()


async def test_requests_may_follow_each_other_on_one_connection(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(2):
        writer.write(GOOD)
        async with asyncio.timeout(10):
            assert (await reader.readuntil(b'"hello"')).startswith(b"HTTP/1.1 200 ")
    writer.close()


async def test_an_answer_does_not_wait_for_the_client_to_acknowledge_its_headers() -> None:
    at_once: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        at_once.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listener = listen("127.0.0.1", 0)
    async with await asyncio.start_server(serve, sock=listener):
        _, writer = await asyncio.open_connection(*listener.getsockname())
        async with asyncio.timeout(10):
            assert await at_once
        writer.close()
