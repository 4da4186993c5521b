"""The errors that the server answers a call with."""

from __future__ import annotations

import re

from pyrogram.errors.exceptions.all import exceptions

_CODES: dict[str, int] = {
    name: code for code, names in exceptions.items() for name in names if isinstance(code, int) and name != "_"
}


def error_code(name: str) -> int:
    """The code that Telegram sends with an error name such as `FLOOD_WAIT_5`; 400 if not known."""
    return _CODES.get(re.sub(r"\d+", "X", name)) or _CODES.get(name, 400)


class RpcFailure(Exception):
    """A call that ends in an error: `name` as Telegram spells it, `code` as it numbers it."""

    def __init__(self, name: str, code: int | None = None) -> None:
        super().__init__(name)
        self.name = name
        self.code = error_code(name) if code is None else code
