"""`python -m demo [FOLDER ...]`: the bridge against a local Telegram server, no account needed.

Without folders the demo channels are served; else the given Telegram Desktop exports.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shutil
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from config import Settings
from demo.live import keep_posting
from demo.processes import Child, ChildFailed, http_json, poll_until

ROOT = Path(__file__).resolve().parent.parent
CHANNELS = ROOT / "demo" / "channels"
LIVE_POSTS = ROOT / "demo" / "live_posts.json"
WORKING_FOLDER = ROOT / ".demo"
START_TIMEOUT_S = 120


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """The command line: export folders, the port, and the pace of new posts."""
    parser = argparse.ArgumentParser(prog="./run.sh demo", description="Serve a demo without a Telegram account.")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="Telegram Desktop export folders")
    parser.add_argument("--port", type=int, default=8000, help="the bridge's port (default: 8000)")
    parser.add_argument("--interval", type=float, default=60, help="seconds between two new posts (default: 60)")
    return parser.parse_args(arguments)


def bridge_environment(port: int) -> dict[str, str]:
    """The environment of the bridge: the caller's, less whatever would configure a real bridge."""
    settings = {name.upper() for name in Settings.model_fields}
    inherited = {name: value for name, value in os.environ.items() if name.upper() not in settings}
    return inherited | {
        "TG_API_ID": "1",
        "TG_API_HASH": "0" * 32,
        "SESSION_PATH": str(WORKING_FOLDER),
        "DATA_PATH": str(WORKING_FOLDER),
        "API_HOST": "127.0.0.1",
        "API_PORT": str(port),
        "LOG_LEVEL": os.environ.get("LOG_LEVEL", "WARNING"),
        # The local server bans nobody, and new posts are to be seen at once.
        "TG_RPC_MIN_INTERVAL_MS": "0",
        "HISTORY_CACHE_TTL_MINUTES": "0",
        "SHOW_BRIDGE_LINK": "true",
    }


def listen_error(port: int) -> str | None:
    """Why the port can't be listened on, or None."""
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


async def run(folders: list[Path], port: int, interval_s: float) -> None:
    """Start the server, the bridge and the posting, and stay. Raises ChildFailed when one of the two ends."""
    shutil.rmtree(WORKING_FOLDER, ignore_errors=True)
    WORKING_FOLDER.mkdir(mode=0o700)
    own_channels = not folders
    folders = folders or sorted(path for path in CHANNELS.iterdir() if path.is_dir())
    control_port, ready = free_port(), WORKING_FOLDER / "server-ready"
    server = [sys.executable, "-m", "tgserver", "--export", *(str(folder.resolve()) for folder in folders)]
    server += ["--port", "0", "--control-port", str(control_port), "--ready-file", str(ready)]
    server += ["--session", str(WORKING_FOLDER / "bridge.session")]
    bridge = [sys.executable, str(ROOT / "api_server.py"), "--no-env-file"]
    async with contextlib.AsyncExitStack() as stack:
        telegram = Child("The local Telegram server", server, ROOT, dict(os.environ))
        await stack.enter_async_context(telegram)
        await telegram.guard(poll_until(lambda: asyncio.to_thread(ready.exists), START_TIMEOUT_S))
        service = Child("The bridge", bridge, ROOT, bridge_environment(port))
        await stack.enter_async_context(service)
        await service.guard(poll_until(lambda: is_connected(port), START_TIMEOUT_S))
        show_addresses(port, await http_json("GET", control_port, "/chats"))
        posting = [keep_posting(LIVE_POSTS, control_port, interval_s)] if own_channels else []
        await asyncio.gather(telegram.wait(), service.wait(), *posting)


async def is_connected(port: int) -> bool:
    """Whether the bridge is up and has reached Telegram."""
    try:
        return bool((await http_json("GET", port, "/ping"))["connected"])
    except (OSError, ValueError):
        return False


def show_addresses(port: int, chats: list[dict[str, Any]]) -> None:
    """Tell where each channel can be read."""
    base = f"http://127.0.0.1:{port}"
    print(f"\nThe demo is running at {base}/ (Ctrl-C stops it).")
    print("Open a page in a browser, or give a feed to a reader:\n")
    for chat in chats:
        key = chat.get("username") or chat["id"]
        print(f"  {chat['title']}\n    page  {base}/html/{key}\n    feed  {base}/rss/{key}")
    print(flush=True)


def main(arguments: list[str]) -> int:
    """Run the demo; the exit code: 0 after Ctrl-C or SIGTERM, 1 or a child's own code otherwise."""
    options = parse_arguments(arguments)
    if (why := listen_error(options.port)) is not None:
        print(f"Port {options.port} can't be used ({why}); choose another with --port", file=sys.stderr)
        return 1

    async def run_until_signal() -> None:
        running = asyncio.current_task()
        assert running is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, running.cancel)
        await run(options.folders, options.port, options.interval)

    try:
        asyncio.run(run_until_signal())
    except asyncio.CancelledError:
        return 0
    except ChildFailed as failure:
        print(f"{failure}; the demo has stopped", file=sys.stderr)
        return failure.code
    except TimeoutError:
        print(f"The demo did not start within {START_TIMEOUT_S} s", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
