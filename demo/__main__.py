"""`python -m demo [FOLDER ...]`: the bridge against a local Telegram server, no account needed.

Without folders the demo channels are served; else the given Telegram Desktop exports.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from demo.live import keep_posting
from demo.processes import ChildFailed
from demo.product import ROOT, START_TIMEOUT_S, Product, listen_error, running

CHANNELS = ROOT / "demo" / "channels"
LIVE_POSTS = ROOT / "demo" / "live_posts.json"
# One folder a port, so that two demos can run side by side.
WORKING_FOLDER = ROOT / ".demo"
# The local server bans nobody, and new posts are to be seen at once.
SETTINGS = {"TG_RPC_MIN_INTERVAL_MS": "0", "HISTORY_CACHE_TTL_MINUTES": "0", "SHOW_BRIDGE_LINK": "true"}


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """The command line: export folders, the port, and the pace of new posts."""
    parser = argparse.ArgumentParser(prog="./run.sh demo", description="Serve a demo without a Telegram account.")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="Telegram Desktop export folders")
    parser.add_argument("--port", type=int, default=8000, help="the bridge's port (default: 8000)")
    parser.add_argument("--interval", type=float, default=60, help="seconds between two new posts (default: 60)")
    return parser.parse_args(arguments)


async def run(folders: list[Path], port: int, interval_s: float) -> None:
    """Run the product until this task is cancelled. Raises ChildFailed when one of its processes ends."""
    served = folders or sorted(path for path in CHANNELS.iterdir() if path.is_dir())
    async with running(served, WORKING_FOLDER / str(port), port, SETTINGS) as product:
        await show_addresses(product)
        posting = [] if folders else [keep_posting(LIVE_POSTS, product.control_port, interval_s)]
        await asyncio.gather(product.telegram.wait(), product.bridge.wait(), *posting)


async def show_addresses(product: Product) -> None:
    """Tell where each channel can be read."""
    base = f"http://127.0.0.1:{product.port}"
    print(f"\nThe demo is running at {base}/ (Ctrl-C stops it).")
    print("Open a page in a browser, or give a feed to a reader:\n")
    for key, title in await product.chats():
        print(f"  {title}\n    page  {base}/html/{key}\n    feed  {base}/rss/{key}")
    print(flush=True)


def main(arguments: list[str]) -> int:
    """Run the demo; the exit code: 0 after Ctrl-C or SIGTERM, else 1 or the code of the process that ended."""
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
        return failure.code if failure.code > 0 else 1
    except TimeoutError:
        print(f"The demo did not start within {START_TIMEOUT_S} s", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
