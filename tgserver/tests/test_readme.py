"""The README says what is true."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

from tgserver.faults import Action
from tgserver.rpc import ANONYMOUS, AUTHORIZED
from tgserver.tl import method_name

FOLDER = Path(__file__).parents[1]
README = (FOLDER / "README.md").read_text()


async def test_the_example_runs_as_it_is_and_prints_what_is_said(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert code.count("\n") <= 25
    (tmp_path / "example.py").write_text(code)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(tmp_path / "example.py"),
        cwd=tmp_path,
        env={"PYTHONPATH": str(FOLDER.parent)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 30)
    assert (out.decode(), err.decode()) == ("['hello']\n1\n", "")
    assert "prints `['hello']` and `1`" in README


def test_every_fault_is_explained() -> None:
    section = README.partition("## Faults")[2].partition("## What")[0]
    explained = {
        name for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert set(Action) <= explained


def test_every_method_is_listed() -> None:
    section = README.partition("## What it answers")[2].partition("## Limits")[0]
    words = set(re.findall(r"\w+", section))
    methods: list[Any] = [*ANONYMOUS, *AUTHORIZED]
    assert {method_name(method).partition(".")[2] for method in methods} <= words
