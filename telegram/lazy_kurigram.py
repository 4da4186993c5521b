"""Kurigram's classes of TL objects and of its own types, each loaded when it is first used.

Kurigram has a module for each of Telegram's some 2500 constructors and methods, hundreds more for types of its own,
and imports them all at once, which costs a second of processor time and 32 MB; the bridge meets a tenth of them. The
packages that do so hold nothing but imports, so their names can as well be looked up one by one.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

_ROOT = "pyrogram"
# Packages with nothing but imports of their own modules.
_PACKAGES = re.compile(r"pyrogram\.(types|raw|raw\.(types|functions|base))(\.\w+)?")
_TABLE = "pyrogram.raw.all"


def install() -> None:
    """From now on, imports of Kurigram are lazy. Has no effect if it is imported already."""
    if _ROOT not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds what Python would find, and gives it another loader where that loads too much."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _TABLE and _PACKAGES.fullmatch(fullname) is None:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            if fullname == _TABLE:
                spec.loader = _TableLoader(spec.loader)
            elif spec.submodule_search_locations is not None:
                spec.loader = _PackageLoader(spec.loader)
        return spec


class _PackageLoader(Loader):
    """Loads a package of imports without doing them: a name is imported when somebody wants it."""

    def __init__(self, source: SourceFileLoader) -> None:
        self._source = source

    def exec_module(self, module: ModuleType) -> None:
        package = module.__name__
        homes = dict(_imports(self._source.get_data(self._source.path)))

        def load(name: str) -> Any:
            if name not in homes:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            home = import_module(f"{package}.{homes[name] or name}")
            found = getattr(home, name) if homes[name] else home
            setattr(module, name, found)
            return found

        # PEP 562.
        vars(module).update(__getattr__=load, __all__=list(homes))


def _imports(source: bytes) -> Iterator[tuple[str, str | None]]:
    """Each name that is imported from inside the package, with its module; None if the name is a module itself."""
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.ImportFrom) and statement.level == 1:
            for alias in statement.names:
                yield alias.name, statement.module


class _TableLoader(Loader):
    """Loads the table from constructor numbers to classes, whose classes are loaded when they are looked up."""

    def __init__(self, source: SourceFileLoader) -> None:
        self._source = source

    def exec_module(self, module: ModuleType) -> None:
        self._source.exec_module(module)
        vars(module)["objects"] = _Constructors(vars(module)["objects"])


class _Constructors(dict[int, type]):
    """Classes by constructor number, of which it knows where they are."""

    def __init__(self, places: Mapping[int, str]) -> None:
        super().__init__()
        self._places = places

    def __missing__(self, number: int) -> type:
        package, _, name = self._places[number].rpartition(".")
        found: type = getattr(import_module(package), name)
        self[number] = found
        return found
