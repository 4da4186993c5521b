"""The demo's command line: what it takes, what it says, and how it ends.

Without folders the demo channels are served; else the given Telegram Desktop exports.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import signal
import sys
import tempfile
import unicodedata
import urllib.parse
from collections.abc import Sequence
from pathlib import Path

from demo.live import keep_posting
from demo.processes import ChildFailed
from demo.product import ROOT, listen_error, running

CHANNELS = ROOT / "demo" / "channels"
LIVE_POSTS = ROOT / "demo" / "live_posts.json"
# The local server bans nobody, and new posts are to be seen at once.
SETTINGS = {"TG_RPC_MIN_INTERVAL_MS": "0", "HISTORY_CACHE_TTL_MINUTES": "0", "SHOW_BRIDGE_LINK": "true"}
# How the account has sorted the demo channels in Telegram. One of them is in no folder.
FOLDERS = {"By the sea": ["demo_lighthouse", "demo_harbour_talk"], "Far away": ["demo_station", "demo_observatory"]}
# More chats than this are listed with a line each.
FEW_CHATS = 20
# They turn the direction of what stands around them, which is not a title's business.
DIRECTION_SIGNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """The command line: export folders, the port, and the pace of new posts. Wrong usage raises SystemExit(2)."""
    parser = argparse.ArgumentParser(prog="./run.sh demo", description="Serve a demo without a Telegram account.")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="Telegram Desktop export folders")
    parser.add_argument("--port", type=_port, default=8000, help="the bridge's port (default: 8000)")
    parser.add_argument("--interval", type=_interval, default=60, help="seconds between two new posts (default: 60)")
    return parser.parse_args(arguments)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) < 2**16):
        raise argparse.ArgumentTypeError(f"must be from 1 to 65535, not {text!r}")
    return int(text)


def _interval(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0.1 <= seconds <= 86400:
        raise argparse.ArgumentTypeError(f"must be a number of seconds from 0.1 to 86400 (a day), not {text!r}")
    return seconds


def addresses(base: str, chats: Sequence[tuple[str, str]]) -> str:
    """Where each chat can be read; `chats` as (what its addresses have for `{channel}`, title)."""
    named = [(urllib.parse.quote(key, safe="+"), printable(title) or "(no title)") for key, title in chats]
    lines = [f"The demo is running at {base}/ (Ctrl-C stops it)."]
    if not named:
        lines += ["There is no chat in it."]
    elif len(named) <= FEW_CHATS:
        lines += ["Open a page in a browser, or give a feed to a reader:", ""]
        lines += [f"  {title}\n    page  {base}/html/{key}\n    feed  {base}/rss/{key}" for key, title in named]
    else:
        lines += [f"It has {len(named)} chats. These are their pages; each feed has /rss/ in place of /html/:", ""]
        lines += [f"  {base}/html/{key}  {title}" for key, title in named]
    if named:
        lines += ["", f"All feeds, for a reader to import: {base}/opml"]
    return "\n".join(lines)


def printable(text: str) -> str:
    """The text on one line, without what would steer a terminal: control characters and direction signs."""
    line = " ".join(text.split())
    return "".join(
        "\N{REPLACEMENT CHARACTER}"
        if unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"} or sign in DIRECTION_SIGNS
        else sign
        for sign in line
    )


def tell(line: str) -> None:
    """Print a line at once, also where nobody stands at a terminal."""
    print(line, flush=True)


async def run(folders: list[Path], port: int, interval_s: float, working_folder: Path) -> None:
    """Run the product until this task is cancelled. Raises what `running` raises, ChildFailed later as well."""
    served = folders or sorted(path for path in CHANNELS.iterdir() if path.is_dir())
    sorted_into = {} if folders else FOLDERS
    async with running(served, working_folder, port, SETTINGS, tell, sorted_into=sorted_into) as product:
        tell(f"\n{addresses(f'http://127.0.0.1:{product.port}', await product.chats())}\n")
        posting = [] if folders else [keep_posting(LIVE_POSTS, product.control_port, interval_s)]
        await asyncio.gather(product.telegram.wait(), product.bridge.wait(), *posting)


async def run_until_signal(options: argparse.Namespace, working_folder: Path) -> None:
    """Run until Ctrl-C, SIGTERM, or the terminal is closed."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Under nohup the demo shall outlive its terminal.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    await run(options.folders, options.port, options.interval, working_folder)


def main(arguments: list[str]) -> int:
    """Run the demo; the exit code: 0 after a signal, else 1 or the code of the process that ended."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    options = parse_arguments(arguments)
    if (why := listen_error(options.port)) is not None:
        print(f"Port {options.port} can't be used ({why}); choose another with --port", file=sys.stderr)
        return 1
    try:
        # Each demo has a folder of its own, and the checkout may be read-only.
        with tempfile.TemporaryDirectory(prefix="telegram-bridge-demo-", ignore_cleanup_errors=True) as folder:
            asyncio.run(run_until_signal(options, Path(folder)))
    except (asyncio.CancelledError, KeyboardInterrupt):
        return 0
    except ChildFailed as failure:
        if not failure.has_said_why:
            print(f"{failure}; the demo has stopped", file=sys.stderr)
        return failure.code if failure.code > 0 else 1
    except TimeoutError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read the output has gone. The interpreter must not try to flush the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"The demo can't work: {error}", file=sys.stderr)
        return 1
    return 0
