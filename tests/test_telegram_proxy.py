"""Proxy settings, and a real connection through a SOCKS5 proxy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pyrogram.connection.proxy import HTTPProxy, MTProxy, SOCKS5Proxy
from telegram_world import client_for, logged_in, small_world, until_state

from telegram.options import ProxySettings
from telegram.proxy import ProxyError, to_proxy
from telegram_client import State
from tgserver import Server

SECRET = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("settings", "kind", "address", "login"),
    [
        (ProxySettings(host="proxy"), SOCKS5Proxy, ("proxy", 1080), (None, None)),
        (
            ProxySettings(host="proxy", port=9, username="me", password="pass"),
            SOCKS5Proxy,
            ("proxy", 9),
            ("me", "pass"),
        ),
        (ProxySettings(url="socks5://me:p%40ss@proxy:9"), SOCKS5Proxy, ("proxy", 9), ("me", "p@ss")),
        (ProxySettings(url="http://proxy:8080"), HTTPProxy, ("proxy", 8080), (None, None)),
        (ProxySettings(host="other", url="http://proxy:8080"), HTTPProxy, ("proxy", 8080), (None, None)),
        (
            ProxySettings(url="tg://socks?server=proxy&port=9&user=me&pass=pass"),
            SOCKS5Proxy,
            ("proxy", 9),
            ("me", "pass"),
        ),
    ],
)
def test_proxies_by_parts_and_by_url(
    settings: ProxySettings, kind: type[Any], address: tuple[str, int], login: tuple[str | None, str | None]
) -> None:
    proxy: Any = to_proxy(settings)
    assert isinstance(proxy, kind)
    assert (proxy.hostname, proxy.port) == address
    assert (proxy.username, proxy.password) == login


@pytest.mark.parametrize("start", ["tg://proxy", "https://t.me/proxy"])
def test_mtproxy_links(start: str) -> None:
    proxy = to_proxy(ProxySettings(url=f"{start}?server=proxy&port=443&secret={SECRET}"))
    assert isinstance(proxy, MTProxy)
    assert (proxy.hostname, proxy.port, proxy.secret.hex()) == ("proxy", 443, SECRET)


def test_no_settings_are_no_proxy() -> None:
    assert to_proxy(ProxySettings()) is None


@pytest.mark.parametrize(
    "url",
    [
        "proxy:1080",
        "ftp://me:hush@proxy:21",
        "socks5://me:hush@proxy",
        "socks5://me:hush@proxy:port",
        "socks5://me:hush@[proxy:1",
        f"tg://proxy?server=hush&secret={SECRET}",
        "tg://proxy?server=hush&port=443&secret=nonsense",
        "tg://proxy?server=hush&port=x&secret=" + SECRET,
    ],
)
def test_a_url_that_makes_no_sense_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ProxyError) as caught:
        to_proxy(ProxySettings(url=url))
    assert "TG_PROXY_URL" in str(caught.value)
    assert "hush" not in str(caught.value)


def test_nothing_that_can_be_logged_shows_the_password() -> None:
    for settings in (
        ProxySettings(host="proxy", username="me", password="hush"),
        ProxySettings(url="http://me:hush@proxy:1"),
        ProxySettings(url="tg://socks?server=proxy&port=9&user=me&pass=hush"),
        ProxySettings(url=f"tg://proxy?server=proxy&port=443&secret={b'hush'.hex() * 4}"),
    ):
        proxy = to_proxy(settings)
        assert "hush" not in f"{settings} {settings!r} {proxy} {proxy!r}"
        assert "proxy" in str(proxy)


@asynccontextmanager
async def socks5_proxy(username: bytes, password: bytes, served: list[int]) -> AsyncIterator[int]:
    """A SOCKS5 proxy with a password (RFC 1928, RFC 1929) on loopback; gives its port."""

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                sink.write(data)
        except ConnectionError:
            pass
        finally:
            sink.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, methods = await reader.readexactly(2)
        assert 2 in await reader.readexactly(methods)
        writer.write(b"\x05\x02")
        _, length = await reader.readexactly(2)
        assert await reader.readexactly(length) == username
        (length,) = await reader.readexactly(1)
        assert await reader.readexactly(length) == password
        writer.write(b"\x01\x00")
        assert await reader.readexactly(4) == b"\x05\x01\x00\x01"
        host = ".".join(map(str, await reader.readexactly(4)))
        port = int.from_bytes(await reader.readexactly(2), "big")
        served.append(port)
        up_reader, up_writer = await asyncio.open_connection(host, port)
        writer.write(b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00")
        await asyncio.gather(pump(reader, up_writer), pump(up_reader, writer))

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listener:
        yield listener.sockets[0].getsockname()[1]


async def test_a_connection_through_a_socks5_proxy_with_a_password(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    served: list[int] = []
    async with Server(small_world()) as server, socks5_proxy(b"me", b"hush!", served) as port:
        proxy = ProxySettings(host="127.0.0.1", port=port, username="me", password="hush!")
        client = client_for(server, await logged_in(server, tmp_path), proxy=proxy)
        await client.start()
        await until_state(client, State.READY)
        assert (await client.resolve("news")).title == "News"
        await client.stop()
        assert served == [server.port()]
    assert "hush!" not in caplog.text


async def test_a_wrong_proxy_url_is_said_in_the_status(tmp_path: Path) -> None:
    async with Server(small_world()) as server:
        client = client_for(server, await logged_in(server, tmp_path), proxy=ProxySettings(url="nonsense"))
        await client.start()
        await until_state(client, State.UNAVAILABLE)
        assert "TG_PROXY_URL" in client.status.reason
        await client.stop()
