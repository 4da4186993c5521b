"""gPodder, a podcast program, by its command line."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

# What a busy machine may take for a command.
PATIENCE_S = 60


class GPodder:
    """gPodder's command line, with all that it keeps in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        """Begin a command, in a process group of its own."""
        command = shutil.which("gpo")
        assert command is not None, "gpo is missing; ./run.sh test installs it"
        environment = os.environ | {"HOME": str(self._folder), "GPODDER_HOME": str(self._folder), "no_proxy": "*"}
        return await asyncio.create_subprocess_exec(
            command,
            *arguments,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )

    async def run(self, *arguments: str) -> str:
        """What a command prints."""
        process = await self.start(*arguments)
        async with asyncio.timeout(PATIENCE_S):
            output, _ = await process.communicate()
        text = output.decode()
        assert process.returncode == 0, text
        return text

    def files(self, pattern: str) -> list[Path]:
        """What it has downloaded so far."""
        return sorted((self._folder / "Downloads").rglob(pattern))
