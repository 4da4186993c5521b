"""The service as a process of its own, against a tgserver in the test's process."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from telegram_world import logged_in

from tgserver import Server

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = """
import sys
from functools import partial
from pathlib import Path
import api_server
from tgserver.clients import Access
access = Access.read(Path(sys.argv[1]))
api_server.serve = partial(api_server.serve, connection_factory=access.connection_factory)
with access.trust():
    sys.exit(api_server.main(["--no-env-file"]))
"""
# How long a process may take to start on a busy machine, in seconds.
PATIENCE = 30.0


class ServiceProcess:
    """A running service. `http` is a client for it."""

    def __init__(self, process: asyncio.subprocess.Process, http: httpx.AsyncClient) -> None:
        self.process = process
        self.http = http

    async def until_ping(self, *, connected: bool) -> None:
        """Wait until the service answers, and is connected if it is to be. Raises TimeoutError."""
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    if (await self.http.get("/ping")).json()["connected"] or not connected:
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.05)

    async def ended(self) -> tuple[int, str]:
        """Wait for its end: the exit code, and all that it wrote to standard error. Raises TimeoutError."""
        _, err = await asyncio.wait_for(self.process.communicate(), PATIENCE)
        assert self.process.returncode is not None
        return self.process.returncode, err.decode()

    async def terminated(self) -> tuple[int, str, float]:
        """Send SIGTERM and wait: as `ended`, and how many seconds it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code, err = await self.ended()
        return code, err, time.monotonic() - began


@asynccontextmanager
async def service_process(server: Server, folder: Path, **settings: str) -> AsyncIterator[ServiceProcess]:
    """The service, logged in at `server`, with its data in `folder / "data"`; killed at the end if it still runs."""
    access = folder / "access.json"
    server.access().write(access)
    await logged_in(server, folder / "data")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    own = {
        "TG_API_ID": "1",
        "TG_API_HASH": "0" * 32,
        "DATA_PATH": str(folder / "data"),
        "SESSION_PATH": str(folder / "data"),
        "API_HOST": "127.0.0.1",
        "API_PORT": str(port),
        "TG_RPC_MIN_INTERVAL_MS": "0",
        "PYTHONPATH": str(ROOT),
    }
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SCRIPT,
        str(access),
        cwd=folder,
        env=kept | own | settings,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as http:
            yield ServiceProcess(process, http)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
