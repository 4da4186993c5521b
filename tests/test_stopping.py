"""SIGTERM ends the service in time and in order, whatever Telegram does at that moment."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from service_process import ServiceProcess, service_process
from telegram_world import small_world, until

from tgserver import Action, Server

# What whoever keeps the process running gives it before it kills it, in seconds.
MOST = 10.0
LATE = 15.0

# Gives the answers that readers are waiting for when the signal comes.
Scene = Callable[[Server, ServiceProcess], Awaitable[list[asyncio.Task[httpx.Response]]]]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server(small_world()) as running:
        yield running


def read(service: ServiceProcess, path: str) -> asyncio.Task[httpx.Response]:
    return asyncio.create_task(service.http.get(path))


async def nothing_amiss(server: Server, service: ServiceProcess) -> list[asyncio.Task[httpx.Response]]:
    await service.until_ping(connected=True)
    return []


async def a_call_hangs(server: Server, service: ServiceProcess) -> list[asyncio.Task[httpx.Response]]:
    await service.until_ping(connected=True)
    server.fault(Action.HANG, "messages.getHistory")
    # The first one hangs, the others wait for their turn.
    readers = [read(service, path) for path in ("/rss/news", "/atom/news", "/html/ada_friend")]
    await until(lambda: server.calls["messages.getHistory"], LATE)
    return readers


async def all_is_silent(server: Server, service: ServiceProcess) -> list[asyncio.Task[httpx.Response]]:
    await service.until_ping(connected=True)
    server.silence()
    reader = read(service, "/rss/news")
    async with asyncio.timeout(LATE):
        while not (await service.http.get("/health")).json()["gate"]["in_flight"]:
            await asyncio.sleep(0.05)
    return [reader]


async def the_port_is_closed(server: Server, service: ServiceProcess) -> list[asyncio.Task[httpx.Response]]:
    await service.until_ping(connected=True)
    server.refuse()
    server.drop_connections(abort=True)
    reader = read(service, "/rss/news")
    await asyncio.sleep(0.5)
    return [reader]


async def it_is_connecting(server: Server, service: ServiceProcess) -> list[asyncio.Task[httpx.Response]]:
    server.fault(Action.HANG, "initConnection")
    await until(lambda: server.calls["initConnection"], LATE)
    return [read(service, "/rss/news")]


async def it_asks_who_is_logged_in(server: Server, service: ServiceProcess) -> list[asyncio.Task[httpx.Response]]:
    server.fault(Action.HANG, "users.getUsers")
    await until(lambda: server.calls["users.getUsers"], LATE)
    return [read(service, "/rss/news")]


async def it_never_reached_telegram(server: Server, service: ServiceProcess) -> list[asyncio.Task[httpx.Response]]:
    server.refuse()
    await service.until_ping(connected=False)
    return [read(service, "/rss/news")]


async def it_is_restarting(server: Server, service: ServiceProcess) -> list[asyncio.Task[httpx.Response]]:
    await service.until_ping(connected=True)
    server.fault(Action.HANG, "users.getUsers")
    async with asyncio.timeout(LATE):
        while not (await service.http.get("/health")).json()["watchdog"]["restarting"]:
            await asyncio.sleep(0.05)
    return [read(service, "/rss/news")]


async def it_was_asked_to_pause(server: Server, service: ServiceProcess) -> list[asyncio.Task[httpx.Response]]:
    server.fail("initConnection", "FLOOD_WAIT_600")
    await until(lambda: server.calls["initConnection"], LATE)
    await service.until_ping(connected=False)
    return []


async def a_file_is_on_its_way(server: Server, service: ServiceProcess) -> list[asyncio.Task[httpx.Response]]:
    await service.until_ping(connected=True)
    (address,) = set(re.findall(r'"[^"]*(/media/[^"]+)"', (await service.http.get("/html/news/140")).text))
    server.fault(Action.HANG, "upload.getFile")
    reader = read(service, address)
    await until(lambda: server.calls["upload.getFile"], LATE)
    return [reader]


async def a_file_connection_is_being_made(
    server: Server, service: ServiceProcess
) -> list[asyncio.Task[httpx.Response]]:
    await service.until_ping(connected=True)
    (address,) = set(re.findall(r'"[^"]*(/media/[^"]+)"', (await service.http.get("/html/news/141")).text))
    server.fault(Action.HANG, "auth.exportAuthorization")
    reader = read(service, address)
    await until(lambda: server.calls["auth.exportAuthorization"], LATE)
    return [reader]


SCENES: list[Scene] = [
    nothing_amiss,
    a_call_hangs,
    all_is_silent,
    the_port_is_closed,
    it_is_connecting,
    it_asks_who_is_logged_in,
    it_never_reached_telegram,
    it_is_restarting,
    it_was_asked_to_pause,
    a_file_is_on_its_way,
    a_file_connection_is_being_made,
]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
async def test_a_signal_ends_the_service_in_time(server: Server, tmp_path: Path, scene: Scene) -> None:
    watchdog = {"TG_WATCHDOG_INTERVAL": "1", "TG_WATCHDOG_TIMEOUT": "1", "TG_WATCHDOG_FAILURES": "1"}
    quick = watchdog if scene is it_is_restarting else {}
    async with service_process(server, tmp_path, MEDIA_WARM="false", **quick) as service:
        waiting = await scene(server, service)
        # Requests that were just sent are to be there before the signal.
        await asyncio.sleep(0.3)
        code, err, took = await service.terminated()
        assert code == 0, err
        assert took < MOST, err
        assert "Traceback" not in err
        assert "left behind" not in err
        for reader in waiting:
            # Told, and not cut off.
            answer = await reader
            assert (answer.status_code, "retry-after" in answer.headers) == (503, True)
