"""Starts, watches, kills and measures the service in a process of its own."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import msgspec
import psutil
from test_process import environment

from tgserver import Server

TESTS = Path(__file__).resolve().parent
# What addresses in feeds begin with, so that they stay equal when the port changes.
BASE_URL = "http://bridge.test"


class Holdings(msgspec.Struct, frozen=True):
    """What the process holds, as `soak_process` reports it."""

    number: int
    tasks: list[str]
    threads: list[str]
    descriptors: list[str]
    sessions: int
    unanswered: int
    objects: dict[str, int]


class ServiceProcess:
    """The service in `folder`, which lives on when the process ends; one process at a time."""

    def __init__(self, server: Server, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.log = folder / "log"
        self.port = 0
        self._key = f"{server.rsa_key.public.n:x}"
        self._report = folder / "report.json"
        self._settings = {
            "TG_API_ID": "1",
            "TG_API_HASH": "0" * 32,
            "PYROGRAM_BRIDGE_URL": BASE_URL,
            "PYTHONPATH": str(TESTS.parent),
        } | settings
        self._process: subprocess.Popen[str] | None = None
        self._reports = 0

    @property
    def process(self) -> subprocess.Popen[str]:
        """The process that runs, or ran last."""
        assert self._process is not None
        return self._process

    async def start(self) -> None:
        """Start it; it listens when this returns."""
        self._reports = 0
        with self.log.open("a") as log:
            process = self._process = subprocess.Popen(
                [sys.executable, str(TESTS / "soak_process.py"), self._key, str(self._report)],
                cwd=self.folder,
                env=environment(self.folder, **self._settings),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert process.stdout is not None
        with process.stdout as printed:
            line = await asyncio.to_thread(printed.readline)
        assert line, self.log.read_text("utf-8")[-4000:]
        self.port = int(line)

    def client(self, timeout: float = 60) -> httpx.AsyncClient:
        """An HTTP client for the process that runs now."""
        return httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=timeout, trust_env=False)

    async def health(self) -> dict[str, Any]:
        """What `/health` says."""
        async with self.client() as client:
            found: dict[str, Any] = (await client.get("/health")).json()
            return found

    async def until_connected(self, within: float) -> float:
        """Wait until `/ping` is content; the seconds that it took. Raises TimeoutError."""
        began = time.monotonic()
        async with asyncio.timeout(within), self.client() as client:
            while True:
                try:
                    answer = await client.get("/ping")
                    if answer.status_code == 200 and answer.json()["connected"]:
                        break
                except httpx.TransportError:
                    assert self.process.poll() is None, self.log.read_text("utf-8")[-4000:]
                await asyncio.sleep(0.05)
        return time.monotonic() - began

    async def holdings(self) -> Holdings:
        """What the process holds now."""
        self._reports += 1
        self.process.send_signal(signal.SIGUSR1)
        async with asyncio.timeout(20):
            while True:
                if self._report.exists():
                    report = msgspec.json.decode(self._report.read_bytes(), type=Holdings)
                    if report.number == self._reports:
                        return report
                await asyncio.sleep(0.05)

    def memory(self) -> int:
        """Resident memory in bytes."""
        size: int = psutil.Process(self.process.pid).memory_info().rss
        return size

    def kill(self) -> None:
        """SIGKILL: nothing can be finished."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._report.unlink(missing_ok=True)

    async def stop(self) -> int:
        """SIGTERM; the exit code."""
        self.process.terminate()
        return await asyncio.to_thread(self.process.wait, 20)

    def complaints(self) -> list[str]:
        """Lines of the log that no fault of Telegram's explains."""
        bad = ("CRITICAL", "Traceback", "never retrieved", "was destroyed", "left behind", "can't be rendered")
        return [line for line in self.log.read_text("utf-8").splitlines() if any(word in line for word in bad)]
