"""The errors that the server answers a call with."""

from __future__ import annotations

import re

from pyrogram.errors.exceptions.all import exceptions

# A name can have several codes; this is the order in which they are what a client meets.
_USUAL = (303, 420, 401, 400, 403, 406, 500)


def _codes() -> dict[str, int]:
    codes: dict[str, int] = {}
    known = [code for code in exceptions if isinstance(code, int)]
    for code in [*_USUAL, *(code for code in known if code not in _USUAL)]:
        for name in exceptions.get(code, {}):
            codes.setdefault(name, code)
    return codes


_CODES = _codes()


def error_code(name: str) -> int:
    """The code that Telegram sends with an error name such as `FLOOD_WAIT_5`; 400 if not known."""
    return _CODES.get(re.sub(r"\d+", "X", name)) or _CODES.get(name, 400)


class RpcFailure(Exception):
    """A call that ends in an error: `name` as Telegram spells it, `code` as it numbers it."""

    def __init__(self, name: str, code: int | None = None) -> None:
        super().__init__(name)
        self.name = name
        self.code = error_code(name) if code is None else code
