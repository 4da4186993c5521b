"""The table of log lines has every line of WARNING and above that the code writes, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = sorted(
    path
    for path in (*ROOT.glob("*.py"), *ROOT.glob("*/*.py"), *ROOT.glob("*/*/*.py"))
    if path.relative_to(ROOT).parts[0] not in {"tests", "tgserver", "bench", "demo", ".venv"}
)
LOUD = {"warning", "error", "exception", "critical"}


def shape(text: str) -> str:
    """A message with its values left out, as the documentation writes it."""
    return re.sub(r"%[-#0 +]*[\d.]*[a-z]", "…", text).replace("`", "")


def texts(tree: ast.AST) -> Iterator[str]:
    """Every string of the code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def logged(tree: ast.AST) -> Iterator[str]:
    """The format strings of WARNING and above."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in {"log", "logger"}
            and node.func.attr in LOUD
        ):
            assert isinstance(node.args[0], ast.Constant), ast.unparse(node)
            yield str(node.args[0].value)


TREES = [ast.parse(path.read_text("utf-8")) for path in PRODUCT]
MESSAGES = sorted({shape(text) for tree in TREES for text in logged(tree)})
TEXTS = {shape(text) for tree in TREES for text in texts(tree)}


def documented() -> list[str]:
    section = (ROOT / "docs/operations.md").read_text("utf-8").partition("## Lines in the log")[2].partition("\n## ")[0]
    cells = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
    return [line for cell in cells for line in re.findall(r"`([^`]+)`", cell)]


def tells_of(line: str, message: str) -> bool:
    """Whether a documented line is that message, or its beginning."""
    return re.match(".*".join(re.escape(part) for part in line.split("…")), message, re.DOTALL) is not None


def test_there_are_messages_to_compare() -> None:
    assert len(MESSAGES) > 20


@pytest.mark.parametrize("message", MESSAGES)
def test_every_warning_is_documented(message: str) -> None:
    assert any(tells_of(line, message) for line in documented()), f"docs/operations.md does not tell of: {message}"


@pytest.mark.parametrize("line", documented())
def test_every_documented_line_is_written_by_the_code(line: str) -> None:
    assert any(tells_of(line, text) for text in TEXTS), f"nothing in the code says: {line}"
