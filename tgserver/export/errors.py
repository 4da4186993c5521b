"""The one error that reading an export raises."""

from __future__ import annotations

from tgserver.lines import one_line


class ExportError(ValueError):
    """An export can't be read; the message is one line: where, what is wrong, what to do."""

    def __init__(self, line: str) -> None:
        super().__init__(one_line(line))
