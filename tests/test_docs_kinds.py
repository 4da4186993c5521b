"""The table of kinds in the documentation is the table in the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from posts.blocks.kind import MediaKind
from posts.kinds import KINDS

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "kinds.md"


def rows() -> dict[str, list[str]]:
    """Each kind's cells, by the kind's name."""
    lines = DOCUMENT.read_text("utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    return {name.strip("`"): rest for name, *rest in cells}


def test_every_kind_is_documented_and_no_other() -> None:
    assert list(rows()) == [kind.name for kind in KINDS]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_kind_is_documented_with_its_enclosure_and_title(kind: MediaKind) -> None:
    shown, enclosure, title = rows()[kind.name]
    assert shown
    assert enclosure == ("yes" if kind.enclosure else "no")
    assert title and (not kind.one or f"`{kind.one}`" in title)
