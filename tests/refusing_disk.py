"""A disk that refuses some calls for some of its files, as a full or failing one does."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

CALLS = ("open", "pwrite", "fsync", "replace", "unlink", "mkdir")


class RefusingDisk:
    """While its `with` block lasts, calls of `os` named in `refused` fail for what lies below a folder."""

    def __init__(self, below: Path) -> None:
        self.below = below
        self.refused: set[str] = set()
        self._patches = ExitStack()

    def __enter__(self) -> RefusingDisk:
        for name in CALLS:
            self._patches.enter_context(patch.object(os, name, partial(self._call, name, getattr(os, name))))
        return self

    def __exit__(self, *fault: object) -> None:
        self._patches.close()

    def leave_alone(self, work: Callable[[], object]) -> None:
        """Do the work, whatever is refused."""
        refused, self.refused = self.refused, set()
        work()
        self.refused = refused

    def _call(self, name: str, call: Callable[..., Any], target: int | str | Path, *arguments: Any, **more: Any) -> Any:
        if name in self.refused and self._is_below(target) and (name != "open" or arguments[0] & os.O_CREAT):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return call(target, *arguments, **more)

    def _is_below(self, target: int | str | Path) -> bool:
        path = Path(f"/proc/self/fd/{target}").readlink() if isinstance(target, int) else Path(target)
        return path.is_relative_to(self.below)
