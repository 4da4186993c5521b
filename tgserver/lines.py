"""Text that strangers wrote, as one line that a terminal can show."""

from __future__ import annotations

import re

# C0 and C1 controls, separators of lines, marks and overrides of direction, surrogates.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")


def one_line(text: str) -> str:
    """The text with control characters and changes of direction as spaces, and single spaces between words.

    Some sequences of control characters command a terminal.
    """
    return " ".join(_CONTROLS.sub(" ", text).split())
