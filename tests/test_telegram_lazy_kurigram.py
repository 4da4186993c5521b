"""Kurigram's classes are all there, though only those in use are loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# What a program sees of Kurigram's packages: each name with what it stands for, the table of constructors, and what is
# raised for names and numbers that are not there.
_LOOK = """
import ast, json, re, sys
from importlib import import_module
if "lazy" in sys.argv:
    import telegram
from pyrogram import Client, raw, types
loaded = sum(name.startswith(("pyrogram.raw.", "pyrogram.types.")) for name in sys.modules)
import pyrogram.raw.all

def names(package):
    with open(package.__file__) as file:
        imports = [part for part in ast.parse(file.read()).body if isinstance(part, ast.ImportFrom) and part.level]
    for part in imports:
        for name in sorted(alias.name for alias in part.names):
            there = getattr(package, name)
            if part.module is None:
                yield from names(there)
            else:
                yield [package.__name__, name, there.__module__, getattr(there, "ID", None)]

packages = (raw.types, raw.functions, raw.base, types)
seen = [entry for package in packages for entry in names(package)]
table = []
with open(raw.all.__file__) as file:
    numbers = re.findall(r"^ +(0x\\w+):", file.read(), re.MULTILINE)
for number in numbers:
    constructor = raw.all.objects[int(number, 16)]
    table.append([number, constructor.__module__, constructor.__name__])

def fault(look):
    try:
        look()
    except Exception as error:
        return type(error).__name__

faults = [fault(lambda: raw.types.NoSuchType), fault(lambda: raw.functions.nowhere), fault(lambda: raw.all.objects[1])]
faults += [fault(lambda: import_module("pyrogram.raw.types.no_such_type")), hasattr(types, "no_such_name")]
star = {}
exec("from pyrogram.types import *", star)
del star["__builtins__"]
print(json.dumps({"loaded": loaded, "names": seen, "table": table, "faults": faults, "star": sorted(star)}))
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
    assert set(lazy["star"]) >= set(eager["star"])
    assert lazy["loaded"] < eager["loaded"] / 5
