"""Child processes that live and end with this one, and the little HTTP that talks to them."""

from __future__ import annotations

import asyncio
import ctypes
import http.client
import json
import os
import signal
import sys
import urllib.request
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self

STOP_TIMEOUT_S = 10
HTTP_TIMEOUT_S = 10
# From Linux's <linux/prctl.h>.
PR_SET_PDEATHSIG = 1
# Loopback is never reached through the proxies that the environment may name.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class ChildFailed(Exception):
    """A child ended by itself. `code` is its exit code, negative for the signal that killed it.

    `has_said_why`: it refused to start and its own standard error tells the reason, so that nothing is to be added.
    """

    def __init__(self, name: str, code: int, *, starting: bool = False) -> None:
        super().__init__(f"{name} ended with exit code {code}" if code >= 0 else f"{name} was killed (signal {-code})")
        self.code = code
        self.has_said_why = starting and code > 0


class Child:
    """A process that is started on entering and stopped on leaving: SIGTERM, then SIGKILL after 10 s.

    It gets a session of its own, so that Ctrl-C in a terminal reaches the parent alone, which stops its
    children in order. Should the parent be killed, Linux stops them. `quiet` drops the standard output.
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
            *self._command,
            cwd=self._folder,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=self._output,
            start_new_session=True,
            preexec_fn=_end_with_parent(),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.returncode is not None:
            return
        self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), STOP_TIMEOUT_S)
        except TimeoutError:
            pass
        finally:
            # Also after a second Ctrl-C, which cancels the waiting.
            if self._process.returncode is None:
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
        """Do the work that belongs to starting, unless the process ends before it is done: then raise ChildFailed."""
        working, ending = asyncio.ensure_future(work), asyncio.ensure_future(self._process.wait())
        try:
            await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ChildFailed(self._name, ending.result(), starting=True)
            working.result()
        finally:
            working.cancel()
            ending.cancel()
            await asyncio.gather(working, ending, return_exceptions=True)


def _end_with_parent() -> Callable[[], None] | None:
    """What a child does between fork and exec to get SIGTERM when its parent dies, however that dies.

    None where the system has no such thing.
    """
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def tie() -> None:
        prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM))
        # The parent may have died before it could be watched.
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return tie


async def http_json(method: str, port: int, path: str, body: object = None) -> Any:
    """The JSON answer of a loopback service, None if empty. Raises OSError (HTTP errors included) and ValueError."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )

    def ask() -> Any:
        try:
            with DIRECT.open(request, timeout=HTTP_TIMEOUT_S) as answer:
                content = answer.read()
        except http.client.HTTPException as error:
            raise OSError(f"port {port} does not answer in HTTP: {error!r}") from error
        return json.loads(content) if content else None

    return await asyncio.to_thread(ask)


async def poll_until(is_true: Callable[[], Awaitable[bool]], timeout_s: float | None, pause_s: float = 0.1) -> None:
    """Return when the condition holds, which is tried with a pause between. Raises TimeoutError; None: never."""
    async with asyncio.timeout(timeout_s):
        while not await is_true():
            await asyncio.sleep(pause_s)


async def reminding(work: Coroutine[Any, Any, None], remind: Callable[[float], None], *, after_s: float) -> None:
    """Do the work; as long as it takes, call `remind` with the seconds so far: after `after_s`, then each 30 s."""

    async def remind_on() -> None:
        began = asyncio.get_running_loop().time()
        pause = after_s
        while True:
            await asyncio.sleep(pause)
            remind(asyncio.get_running_loop().time() - began)
            pause = 30

    reminders = asyncio.create_task(remind_on())
    try:
        await work
    finally:
        reminders.cancel()
