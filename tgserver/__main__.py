"""`python -m tgserver`: serve exports until told to stop."""

from __future__ import annotations

import argparse
import asyncio
import io
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tgserver.control import ControlPort, kind_of, title_of
from tgserver.export import ExportError, load_export
from tgserver.lines import one_line
from tgserver.server import Server
from tgserver.transport import HOST
from tgserver.world import Chat, ChatKey, World

BAD_USAGE = 2
INTERRUPTED = 130
# Seconds that loading an export may take before a line says that it goes on.
PATIENCE = 2.0


class Refusal(Exception):
    """Why the server can't start, in one line."""


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tgserver", description="A local Telegram server that serves Telegram Desktop exports."
    )
    parser.add_argument(
        "--export",
        type=Path,
        action="extend",
        nargs="+",
        required=True,
        metavar="FOLDER",
        help="a folder with result.json and its files; can be given many times",
    )
    parser.add_argument("--port", type=_port, default=0, help="port of the first data center (default: any free one)")
    parser.add_argument("--control-port", type=_port, help="port of the HTTP control (default: no control)")
    parser.add_argument("--session", type=Path, metavar="PATH", help="write a ready session file for Kurigram there")
    parser.add_argument(
        "--ready-file", type=Path, metavar="PATH", help="write ports, key and session string there (JSON) once ready"
    )
    parser.add_argument(
        "--folder",
        action="append",
        nargs="+",
        default=[],
        metavar=("TITLE", "CHAT"),
        help="sort chats (usernames or ids) into a folder of the account; can be given many times",
    )
    return parser.parse_args(arguments)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 2**16):
        raise argparse.ArgumentTypeError(f"{text!r} is no port (0 to 65535)")
    return int(text)


@dataclass(slots=True, frozen=True)
class Loaded:
    """The world of some exports, the chats that they hold, and where each one's files are."""

    world: World
    chats: list[Chat]
    folders: dict[ChatKey, Path]


def load(folders: list[Path]) -> Loaded:
    """Read the exports. Raises Refusal."""
    world = World()
    chats: dict[ChatKey, Chat] = {}
    homes: dict[ChatKey, Path] = {}
    for folder in folders:
        try:
            with _patience(folder):
                loaded = load_export(folder, world)
        except ExportError as error:
            raise Refusal(str(error)) from error
        for chat in loaded:
            chats[chat.key] = chat
            homes[chat.key] = folder if folder.is_dir() else folder.parent
    return Loaded(world, list(chats.values()), homes)


@contextmanager
def _patience(folder: Path) -> Iterator[None]:
    """Say that a folder is being read, if that takes a while."""

    def tell() -> None:
        print(f"tgserver: still reading {one_line(str(folder))}", file=sys.stderr, flush=True)

    timer = threading.Timer(PATIENCE, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


async def serve(loaded: Loaded, options: argparse.Namespace) -> None:
    """Serve until SIGINT or SIGTERM. Raises Refusal."""
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    server = Server(loaded.world, port=options.port)
    for title, *chats in options.folder:
        _add_folder(server, title, chats)
    try:
        await server.start()
    except OSError as error:
        raise Refusal(f"--port {options.port}: {error.strerror or error}; choose another") from error
    control: ControlPort | None = None
    ready: Path | None = None
    try:
        if options.control_port is not None:
            control = ControlPort(server, port=options.control_port, folders=loaded.folders)
            try:
                await control.start()
            except OSError as error:
                why = error.strerror or error
                raise Refusal(f"--control-port {options.control_port}: {why}; choose another") from error
        await _announce(server, control, loaded.chats, options)
        ready = options.ready_file
        await stopping.wait()
    finally:
        if ready:
            ready.unlink(missing_ok=True)
        if control is not None:
            await control.stop()
        await server.stop()


def _add_folder(server: Server, title: str, chats: Sequence[str]) -> None:
    try:
        server.add_folder(title, *(int(chat) if chat.removeprefix("-").isdecimal() else chat for chat in chats))
    except KeyError as error:
        raise Refusal(f"--folder {title}: there is no chat {error.args[0]}") from error
    except ValueError as error:
        raise Refusal(f"--folder: {error}") from error


async def _announce(
    server: Server, control: ControlPort | None, chats: list[Chat], options: argparse.Namespace
) -> None:
    for chat in chats:
        name = one_line(title_of(chat))
        username = getattr(chat.peer, "username", None)
        print(f"{'@' + username if username else chat.id}: {name}, {kind_of(chat)}, {len(chat.messages)} messages")
    try:
        if options.session:
            path = await server.write_session_file(options.session)
            print(f"session file: {path}")
        if options.ready_file:
            server.access(control.port if control else None).write(options.ready_file)
    except (OSError, ValueError) as error:
        raise Refusal(str(error)) from error
    if control is not None:
        print(f"control: http://{HOST}:{control.port}")
    for dc in server.dcs.values():
        print(f"listening on {HOST}:{dc.port()} (DC {dc.id}, media on {dc.port(True)})", flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit code. Wrong usage raises SystemExit(2), as argparse does."""
    options = parse(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Titles are in all scripts, a terminal's encoding may be in none of them.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        # Outside the event loop, which would hold Ctrl-C back until all is read.
        loaded = load(options.export)
        asyncio.run(serve(loaded, options))
    except Refusal as refusal:
        print(f"tgserver: {one_line(str(refusal))}", file=sys.stderr)
        return BAD_USAGE
    except KeyboardInterrupt:
        # While the exports were being read.
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
