"""Kurigram's TL classes are all there, though only those in use are loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# What a program sees of Kurigram's TL: each name of each package and what it stands for, the table of constructors.
_LOOK = """
import json, re, sys
from importlib import import_module
if "lazy" in sys.argv:
    import telegram
from pyrogram import Client, raw
loaded = sum(name.startswith("pyrogram.raw.") for name in sys.modules)
import pyrogram.raw.all

def names(package):
    text = open(package.__file__).read()
    found = dict(re.findall(r"^from [.](\\w+) import (\\w+)$", text, re.MULTILINE))
    for name in sorted(found.values()):
        there = getattr(package, name)
        yield [package.__name__, name, there.__module__, getattr(there, "ID", None)]
    for name in ", ".join(re.findall(r"^from [.] import (.+)$", text, re.MULTILINE)).split(", "):
        if name:
            yield from names(getattr(package, name))

seen = [entry for package in (raw.types, raw.functions, raw.base) for entry in names(package)]
table = []
for number in re.findall(r"^ +(0x\\w+):", open(raw.all.__file__).read(), re.MULTILINE):
    constructor = raw.all.objects[int(number, 16)]
    table.append([number, constructor.__module__, constructor.__name__])

def fault(look):
    try:
        look()
    except Exception as error:
        return type(error).__name__
faults = [fault(lambda: raw.types.NoSuchType), fault(lambda: raw.functions.nowhere), fault(lambda: raw.all.objects[1])]
faults += [fault(lambda: import_module("pyrogram.raw.types.no_such_type")), hasattr(raw.types, "no_such_name")]
print(json.dumps({"loaded": loaded, "names": seen, "table": table, "faults": faults}))
"""


def _look(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-c", _LOOK, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_lazy_classes_are_those_that_kurigram_loads_at_once_and_few_are_loaded() -> None:
    eager, lazy = _look(), _look("lazy")
    assert len(lazy["names"]) > 2500
    assert lazy["names"] == eager["names"]
    assert len(lazy["table"]) > 2000
    assert lazy["table"] == eager["table"]
    assert lazy["faults"] == eager["faults"]
    assert lazy["loaded"] < eager["loaded"] / 5
