"""Whole documents that have been reviewed as text, in `tests/golden`; the README there says how to renew them."""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"
# So many lines tell what has changed.
_SHOWN_LINES = 60


def changes_to_golden(name: str, body: bytes) -> str:
    """How the document differs from the reviewed one, "" if it does not. With UPDATE_GOLDEN set, it becomes that."""
    path = FOLDER / name
    if "UPDATE_GOLDEN" in os.environ:
        path.write_bytes(body)
    reviewed = path.read_bytes() if path.exists() else b""
    if reviewed == body:
        return ""
    old, new = (text.decode("utf-8", "backslashreplace").splitlines() for text in (reviewed, body))
    changed = list(difflib.unified_diff(old, new, f"golden/{name}", "now", n=1, lineterm=""))
    return "\n".join(changed[:_SHOWN_LINES]) or f"{name} differs in its line ends"


def without_static_parts(page: bytes) -> bytes:
    """A page without its style sheet and script, which are files of their own."""
    return re.sub(rb"<(style|script)>.*?</\1>", rb"<\1></\1>", page, flags=re.DOTALL)
