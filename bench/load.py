"""Load from wrk, and slow steady probes beside it."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

SCRIPT = Path(__file__).with_name("report.lua")


class LoadFailed(Exception):
    """The load tool could not run, or the service answered with errors. One line."""


@dataclass(frozen=True, slots=True)
class Load:
    """What a run of load came to. Times in milliseconds, `bytes_s` of bodies and headers."""

    requests_s: float
    bytes_s: float
    p50_ms: float
    p99_ms: float
    max_ms: float


async def wrk(
    url: str,
    *,
    connections: int = 4,
    seconds: int = 5,
    headers: Mapping[str, str] | None = None,
    status: int = 200,
    channels: int | None = None,
) -> Load:
    """Load `url` with keep-alive connections. Raises LoadFailed if any answer has another status than `status`.

    With `channels`, `CHANNEL` in the URL is a number below that and `LIMIT` one from 100 down, so that no two
    requests are the same.
    """
    command = ["wrk", "--latency", "--timeout", "30", f"-t{min(2, connections)}", f"-c{connections}", f"-d{seconds}"]
    command += ["-s", str(SCRIPT)]
    for name, value in (headers or {}).items():
        command += ["-H", f"{name}: {value}"]
    process = await asyncio.create_subprocess_exec(
        *command,
        url,
        "--",
        str(status),
        *([] if channels is None else [str(channels)]),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, complaints = await process.communicate()
    if process.returncode:
        raise LoadFailed(f"wrk ended with code {process.returncode}: {complaints.decode()[:200]}")
    report = json.loads(output.decode().rpartition("\nREPORT ")[2])
    if report["unexpected"] or report["socket_errors"]:
        raise LoadFailed(f"{url}: {report['unexpected']} answers not {status}, {report['socket_errors']} socket errors")
    took_s = report["duration_us"] / 1e6
    return Load(
        requests_s=report["requests"] / took_s,
        bytes_s=report["bytes"] / took_s,
        p50_ms=report["p50_us"] / 1e3,
        p99_ms=report["p99_us"] / 1e3,
        max_ms=report["max_us"] / 1e3,
    )


async def ask(port: int, path: str) -> bool:
    """Whether the service answers one request, with whatever status."""
    try:
        async with _Connection(port) as connection:
            await connection.get(path)
    except (OSError, asyncio.IncompleteReadError):
        return False
    return True


async def probe(port: int, path: str, *, seconds: float, pause_s: float = 0.01) -> Load:
    """Ask for one small thing again and again over one connection with pauses, as a person or a health check does."""
    times, size, end = [], 0, time.perf_counter() + seconds
    async with _Connection(port) as connection:
        while time.perf_counter() < end:
            began = time.perf_counter()
            size += await connection.get(path)
            times.append((time.perf_counter() - began) * 1e3)
            await asyncio.sleep(pause_s)
    percentiles = statistics.quantiles(times, n=100)
    return Load(
        requests_s=len(times) / seconds,
        bytes_s=size / seconds,
        p50_ms=percentiles[49],
        p99_ms=percentiles[98],
        max_ms=max(times),
    )


class _Connection:
    """A keep-alive connection for GET requests of small things, with as little of our own time in it as can be."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    async def get(self, path: str) -> int:
        """Bytes of the body. Raises OSError, IncompleteReadError."""
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n\r\n".encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        return len(await self._reader.readexactly(length))
