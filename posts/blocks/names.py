"""Names, which may run against the direction of the line that they stand in."""

from __future__ import annotations

import unicodedata

from posts.plain import escape


def isolated(name: str) -> str:
    """The name (plain text) as HTML, its order kept apart from what stands beside it."""
    return f"<bdi>{escape(name)}</bdi>"


def direction(name: str) -> str:
    """The direction of a line that is led by the name, `ltr` or `rtl`.

    HTML's `auto` would not look into `bdi`.
    """
    if name.isascii():
        return "ltr"
    for char in name:
        kind = unicodedata.bidirectional(char)
        if kind in {"L", "R", "AL"}:
            return "ltr" if kind == "L" else "rtl"
    return "ltr"
