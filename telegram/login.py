"""The command that logs in: `python -m telegram.login [--qr | --phone]`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys

from config import SettingsError, load_settings
from errors import BridgeError
from telegram.login_terminal import Terminal
from telegram.options import TelegramOptions, options_from
from telegram.session_file import SessionFile


async def _log_in(options: TelegramOptions, method: str | None) -> str:
    # Takes a second to load, which a wrong setting should not have to wait for.
    from telegram.login_flow import Method, login

    return await login(options, Terminal(), method=Method(method) if method else None)


def main(arguments: list[str] | None = None) -> int:
    """The command. Gives the exit code: 0 logged in, 1 not, 130 broken off."""
    parser = argparse.ArgumentParser(prog="login", description="Log the bridge in to your Telegram account.")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--qr", action="store_const", const="qr", dest="method", help="by scanning a QR code")
    how.add_argument("--phone", action="store_const", const="phone", dest="method", help="by phone number")
    method: str | None = parser.parse_args(arguments).method
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        options = options_from(load_settings())
    except SettingsError as error:
        sys.stderr.write(
            f"{error}\nTG_API_ID and TG_API_HASH come from https://my.telegram.org (API development tools).\n"
        )
        return 1
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stderr.write(
            "Logging in asks questions, so it needs a terminal (in Docker: `docker run -it`, `exec -it`).\n"
        )
        return 1
    try:
        name = asyncio.run(_log_in(options, method))
    except KeyboardInterrupt:
        sys.stderr.write("\nBroken off; nothing was changed.\n")
        return 130
    except BridgeError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    sys.stdout.write(f"Logged in as {name}. The session is in {SessionFile(options.session_path).path}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
