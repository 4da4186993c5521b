"""The whole product as it runs in production, against a local Telegram server: two processes beside this one."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config import Settings
from demo.processes import Child, http_json, poll_until
from tgserver.clients import Access

ROOT = Path(__file__).resolve().parent.parent
START_TIMEOUT_S = 120
# The bridge's id of a channel or supergroup is this minus Telegram's bare id.
CHANNEL_MARK = -(10**12)


@dataclass(frozen=True, slots=True)
class Product:
    """The two processes and the ports that they listen on."""

    telegram: Child
    bridge: Child
    port: int
    control_port: int

    async def chats(self) -> list[tuple[str, str]]:
        """Each served chat as (what its addresses have for `{channel}`, title)."""
        summaries = await http_json("GET", self.control_port, "/chats")
        return [(chat["username"] or str(marked_id(chat)), chat["title"]) for chat in summaries]


@asynccontextmanager
async def running(
    folders: Sequence[Path], working_folder: Path, port: int, settings: Mapping[str, str]
) -> AsyncIterator[Product]:
    """Serve the exports until the context ends, when both processes are stopped.

    `working_folder` is emptied first; it holds the session and the bridge's data. `settings` are the bridge's,
    over those that lead it to the local server; the caller's own are kept out. Raises ChildFailed if a process ends
    before the bridge has reached Telegram, TimeoutError if that takes too long.
    """
    await asyncio.to_thread(_empty, working_folder)
    ready = working_folder / "server.json"
    server = [sys.executable, "-m", "tgserver", "--control-port", "0", "--ready-file", str(ready)]
    server += ["--session", str(working_folder / "bridge.session")]
    server += ["--export", *(str(Path.cwd() / folder) for folder in folders)]
    bridge = [sys.executable, str(ROOT / "api_server.py"), "--no-env-file"]
    environment = bridge_environment(working_folder, port, settings)
    async with Child("The local Telegram server", server, ROOT, dict(os.environ), quiet=True) as telegram:
        await telegram.guard(poll_until(lambda: asyncio.to_thread(ready.exists), START_TIMEOUT_S))
        control_port = Access.read(ready).control_port
        assert control_port is not None
        async with Child("The bridge", bridge, ROOT, environment) as service:
            await service.guard(poll_until(lambda: is_connected(port), START_TIMEOUT_S))
            yield Product(telegram, service, port, control_port)


def bridge_environment(working_folder: Path, port: int, settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of the bridge: the caller's, less whatever would configure a real bridge."""
    own = {name.upper() for name in Settings.model_fields}
    inherited = {name: value for name, value in os.environ.items() if name.upper() not in own}
    local = {
        "TG_API_ID": "1",
        "TG_API_HASH": "0" * 32,
        "SESSION_PATH": str(working_folder),
        "DATA_PATH": str(working_folder),
        "API_HOST": "127.0.0.1",
        "API_PORT": str(port),
        "LOG_LEVEL": "WARNING",
    }
    return inherited | local | dict(settings)


async def is_connected(port: int) -> bool:
    """Whether the bridge is up and has reached Telegram."""
    try:
        return bool((await http_json("GET", port, "/ping"))["connected"])
    except (OSError, ValueError):
        return False


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)


def listen_error(port: int) -> str | None:
    """Why the loopback port can't be listened on, or None."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            return str(error)
    return None


def free_port() -> int:
    """A loopback port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def marked_id(chat: Mapping[str, Any]) -> int:
    """The bridge's id of a chat, from its bare id and kind."""
    bare: int = chat["id"]
    return {"channel": CHANNEL_MARK - bare, "supergroup": CHANNEL_MARK - bare, "basic group": -bare}.get(
        chat["kind"], bare
    )
