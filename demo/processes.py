"""Child processes that live and end with this one, and the little HTTP that talks to them."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self

STOP_TIMEOUT_S = 10
HTTP_TIMEOUT_S = 10


class ChildFailed(Exception):
    """A child ended by itself. `code` is its exit code; it has said why on its own standard error."""

    def __init__(self, name: str, code: int) -> None:
        super().__init__(f"{name} ended with exit code {code}")
        self.code = code


class Child:
    """A process that is started on entering and stopped on leaving: SIGTERM, then SIGKILL after 10 s.

    It gets a session of its own, so that Ctrl-C in a terminal reaches the parent alone, which stops its
    children in order. `quiet` drops its standard output.
    """

    def __init__(
        self, name: str, command: list[str], folder: Path, environment: dict[str, str], *, quiet: bool = False
    ) -> None:
        self._name = name
        self._command = command
        self._folder = folder
        self._environment = environment
        self._output = asyncio.subprocess.DEVNULL if quiet else None

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            *self._command, cwd=self._folder, env=self._environment, stdout=self._output, start_new_session=True
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.returncode is not None:
            return
        self._process.terminate()
        try:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    async def wait(self) -> None:
        """Wait for the process to end, which it should not: raises ChildFailed."""
        raise ChildFailed(self._name, await self._process.wait())

    async def guard(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work, unless the process ends before it is done: then raise ChildFailed."""
        working, ending = asyncio.ensure_future(work), asyncio.ensure_future(self.wait())
        try:
            done, _ = await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            working.cancel()
            ending.cancel()
            await asyncio.gather(working, ending, return_exceptions=True)


async def http_json(method: str, port: int, path: str, body: object = None) -> Any:
    """The JSON answer of a loopback service, None if empty. Raises OSError (HTTP errors included) and ValueError."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )

    def ask() -> Any:
        with urllib.request.urlopen(request, timeout=HTTP_TIMEOUT_S) as answer:
            content = answer.read()
            return json.loads(content) if content else None

    return await asyncio.to_thread(ask)


async def poll_until(is_true: Callable[[], Awaitable[bool]], timeout_s: float, pause_s: float = 0.1) -> None:
    """Return when the condition holds, which is tried with a pause between. Raises TimeoutError."""
    async with asyncio.timeout(timeout_s):
        while not await is_true():
            await asyncio.sleep(pause_s)
