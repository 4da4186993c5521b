"""The whole product as it runs in production, against a local Telegram server: two processes beside this one."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config import Settings
from demo.processes import Child, http_json, poll_until, reminding

ROOT = Path(__file__).resolve().parent.parent
# How long the bridge may take to reach the local server. Loading exports, which comes before, takes its time.
CONNECT_TIMEOUT_S = 120
# After so long somebody who waits wants to know what for.
PATIENCE_S = 3
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


def _silently(_: str) -> None:
    pass


@asynccontextmanager
async def running(
    folders: Sequence[Path],
    working_folder: Path,
    port: int,
    settings: Mapping[str, str],
    tell: Callable[[str], None] = _silently,
    *,
    sorted_into: Mapping[str, Sequence[str]] | None = None,
) -> AsyncIterator[Product]:
    """Serve the exports until the context ends, when both processes are stopped.

    `working_folder` is made or empty; it gets the session and the bridge's data. `settings` are the bridge's,
    over those that lead it to the local server; the caller's own are kept out. `sorted_into` are the account's folders
    in Telegram: chats (usernames or ids) by the folder's title. `tell` gets a line from time to time
    while the start takes long. Raises ChildFailed if a process ends before the bridge has reached Telegram,
    TimeoutError if the bridge does not reach it, OSError if the folder can't be made.
    """
    await asyncio.to_thread(working_folder.mkdir, mode=0o700, parents=True, exist_ok=True)
    ready = working_folder / "server.json"
    server = [sys.executable, "-m", "tgserver", "--control-port", "0", "--ready-file", str(ready)]
    server += ["--session", str(working_folder / "bridge.session")]
    server += ["--export", *(str(Path.cwd() / folder) for folder in folders)]
    for title, chats in (sorted_into or {}).items():
        server += ["--folder", title, *chats]
    bridge = [sys.executable, str(ROOT / "api_server.py"), "--no-env-file"]
    environment = bridge_environment(working_folder, port, settings)

    def tell_of_loading(seconds: float) -> None:
        tell(f"Loading {len(folders)} export{'s'[: len(folders) > 1]}, {seconds:.0f} s so far; large ones take minutes")

    def tell_of_connecting(seconds: float) -> None:
        tell(f"Starting the bridge, {seconds:.0f} s so far")

    async with Child("The local Telegram server", server, ROOT, _inherited(), quiet=True) as telegram:
        loading = poll_until(lambda: asyncio.to_thread(ready.exists), None)
        await telegram.guard(reminding(loading, tell_of_loading, after_s=PATIENCE_S))
        control_port: int = json.loads(await asyncio.to_thread(ready.read_text, "utf-8"))["control_port"]
        async with Child("The bridge", bridge, ROOT, environment) as service:
            connecting = poll_until(lambda: has_connected(port, control_port), CONNECT_TIMEOUT_S)
            try:
                await telegram.guard(service.guard(reminding(connecting, tell_of_connecting, after_s=PATIENCE_S)))
            except TimeoutError:
                message = f"The bridge did not reach the local Telegram server within {CONNECT_TIMEOUT_S} s"
                raise TimeoutError(message) from None
            yield Product(telegram, service, port, control_port)


def _inherited() -> dict[str, str]:
    """The caller's environment. Where the caller's encoding has no sign for a letter, children escape it."""
    encoding = sys.stderr.encoding if sys.stderr is not None else "utf-8"
    return dict(os.environ) | {"PYTHONIOENCODING": f"{encoding}:backslashreplace"}


def bridge_environment(working_folder: Path, port: int, settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of the bridge: the caller's, less whatever would configure a real bridge."""
    own = {name.upper() for name in Settings.model_fields}
    inherited = {name: value for name, value in _inherited().items() if name.upper() not in own}
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


async def has_connected(port: int, control_port: int) -> bool:
    """Whether a bridge is up on the port and our local server has been called: another demo's would call its own."""
    try:
        answer = await http_json("GET", port, "/ping")
        connected = isinstance(answer, dict) and answer.get("connected") is True
        return connected and bool(await http_json("GET", control_port, "/calls"))
    except (OSError, ValueError):
        return False


def listen_error(port: int) -> str | None:
    """Why the loopback port can't be listened on, or None."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            return error.strerror or str(error)
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
