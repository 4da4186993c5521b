"""Load from wrk, and slow steady probes beside it."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
    url: str, *, connections: int = 4, seconds: int = 5, headers: Mapping[str, str] | None = None, status: int = 200
) -> Load:
    """Load `url` with keep-alive connections. Raises LoadFailed if any answer has another status than `status`."""
    command = ["wrk", "--latency", "--timeout", "30", f"-t{min(2, connections)}", f"-c{connections}", f"-d{seconds}"]
    command += ["-s", str(SCRIPT)]
    for name, value in (headers or {}).items():
        command += ["-H", f"{name}: {value}"]
    process = await asyncio.create_subprocess_exec(
        *command, url, "--", str(status), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
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


async def probe(port: int, path: str, *, seconds: float, pause_s: float = 0.01) -> Load:
    """Ask for one small thing again and again over one connection with pauses, as a person or a health check does."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    times, size, end = [], 0, time.perf_counter() + seconds
    try:
        while time.perf_counter() < end:
            began = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            size += len(await reader.readexactly(length))
            times.append((time.perf_counter() - began) * 1e3)
            await asyncio.sleep(pause_s)
    finally:
        writer.close()
    percentiles = statistics.quantiles(times, n=100)
    return Load(
        requests_s=len(times) / seconds,
        bytes_s=size / seconds,
        p50_ms=percentiles[49],
        p99_ms=percentiles[98],
        max_ms=max(times),
    )
