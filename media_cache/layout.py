"""Where in the media folder a file lies."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from file_io import PART_MARK


class MediaFolder:
    """The media folder. A file's name is a digest of its unique id, spread over 256 folders.

    A digest, because unique ids differ in the case of letters, which some file systems do not, and because nothing
    that came from outside should choose a path.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def name(self, unique_id: str) -> str:
        """The file's final name, without its folder."""
        return hashlib.blake2b(unique_id.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def path(self, unique_id: str) -> Path:
        """Where the file is under its final name."""
        name = self.name(unique_id)
        return self.root / name[:2] / name

    def unlink(self, unique_id: str) -> None:
        """Remove the file, if there is one; blocks. Raises OSError."""
        self.path(unique_id).unlink(missing_ok=True)

    def files(self) -> Iterator[Path]:
        """Every file in the folder, part files included; blocks. Raises OSError."""
        if not self.root.is_dir():
            return
        for folder in self.root.iterdir():
            if folder.is_dir():
                yield from (path for path in folder.iterdir() if path.is_file())


def is_part(path: Path) -> bool:
    """Whether the name is that of a file in the making."""
    return PART_MARK in path.name
