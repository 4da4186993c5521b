"""The whole service in the test's own loop: tgserver, the real client, uvicorn on a real port."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api_server import create_app
from config import Settings
from http_server import create_server, listen
from telegram.session_file import SessionFile
from tgserver import Server

# Impatient, so that faults show within the time that a test has.
SETTINGS: dict[str, Any] = {
    "tg_api_id": 1,
    "tg_api_hash": "0" * 32,
    "tg_rpc_min_interval_ms": 0,
    "tg_rpc_timeout": 1,
    "tg_watchdog_timeout": 1,
    # What is called when is counted.
    "media_warm": False,
    "log_level": "DEBUG",
}


def settings_for(folder: Path, **changes: Any) -> Settings:
    """Settings with session and data in `folder`; nothing of the environment."""
    return Settings.model_validate(SETTINGS | {"session_path": folder, "data_path": folder} | changes)


Answers = Counter[tuple[str, int]]
"""How often the service has answered, by path and status."""


class _Counting:
    """ASGI middleware that counts answers."""

    def __init__(self, app: ASGIApp, answers: Answers) -> None:
        self._app = app
        self._answers = answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._answers[scope["path"], message["status"]] += 1
            await send(message)

        await self._app(scope, receive, note)


@asynccontextmanager
async def serving(
    server: Server,
    folder: Path,
    *,
    logged_in: bool = True,
    connected: bool = True,
    clock: Callable[[], float] = time.time,
    port: int = 0,
    answers: Answers | None = None,
    **changes: Any,
) -> AsyncIterator[httpx.AsyncClient]:
    """Run the service against `server` with its data in `folder`; gives an HTTP client for it.

    With `logged_in` the session is made ready, and with `connected`, too, the service has connected when this returns.
    `clock` tells the service the time. It listens on `port`, by default a free one, and is counted in `answers`.
    """
    folder.mkdir(exist_ok=True)
    if logged_in:
        await server.write_session_file(SessionFile(folder).path)
    listener = listen("127.0.0.1", port)
    app = create_app(settings_for(folder, **changes), connection_factory=server.connection_factory, clock=clock)
    if answers is not None:
        app.add_middleware(_Counting, answers=answers)
    http_server = create_server(app)
    with server.trust():
        async with app.router.lifespan_context(app):
            running = asyncio.create_task(http_server.serve(sockets=[listener]))
            try:
                base_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
                async with httpx.AsyncClient(base_url=base_url, timeout=20) as client:
                    if logged_in and connected:
                        await until_connected(client)
                    yield client
            finally:
                http_server.should_exit = True
                await running


async def until_connected(client: httpx.AsyncClient, within: float = 10) -> None:
    """Wait until the service has reached Telegram. Raises TimeoutError."""
    async with asyncio.timeout(within):
        while not (await client.get("/ping")).json()["connected"]:
            await asyncio.sleep(0.02)


async def until_degraded(client: httpx.AsyncClient, within: float = 15) -> None:
    """Wait until the service has noticed that Telegram is out of reach. Raises TimeoutError."""
    async with asyncio.timeout(within):
        while (await client.get("/ping")).json()["connected"]:
            await asyncio.sleep(0.05)
