"""The demo as a process of its own, started as `./run.sh demo` does, less the installation."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from demo.product import free_port

ROOT = Path(__file__).resolve().parent.parent
# How long a busy machine may take to start or end the demo.
START_WITHIN_S = 120
STOP_WITHIN_S = 40
# Loopback is never reached through the proxies that the environment may name.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True, slots=True)
class Demo:
    """A running demo: where it is, each channel's feed address by title, all that it printed, and its process."""

    base: str
    feeds: dict[str, str]
    printed: str
    process: subprocess.Popen[str]

    def children(self) -> list[psutil.Process]:
        """The processes that the demo has started."""
        return psutil.Process(self.process.pid).children(recursive=True)


def start(*arguments: str, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    """Start the demo in the folder; what it prints goes to the file `output` there, its standard error to a pipe."""
    with (cwd / "output").open("w") as output:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "demo", *arguments],
            cwd=cwd,
            env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(cwd)} | environment,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
        )


@contextmanager
def started(*arguments: str, cwd: Path, **environment: str) -> Iterator[Demo]:
    """A demo on a free port. However it is ended, no process of it is left afterwards."""
    port = free_port()
    process = start("--port", str(port), *arguments, cwd=cwd, **environment)
    children: list[psutil.Process] = []
    try:
        printed = wait_for_output(process, cwd / "output", r"^The demo is running at [^\0]*\n\n\Z")
        feeds = dict(re.findall(r"^  (\S.*)\n    page  .*\n    feed  (.*)$", printed, re.MULTILINE))
        demo = Demo(f"http://127.0.0.1:{port}", feeds, printed, process)
        children = demo.children()
        yield demo
    finally:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=STOP_WITHIN_S)
        for child in children:
            if child.is_running():
                child.kill()


@contextmanager
def running(*arguments: str, cwd: Path, **environment: str) -> Iterator[Demo]:
    """A demo that is ended by Ctrl-C, which must leave no process and no complaint behind."""
    with started(*arguments, cwd=cwd, **environment) as demo:
        children = demo.children()
        yield demo
        demo.process.send_signal(signal.SIGINT)
        _, complaints = demo.process.communicate(timeout=STOP_WITHIN_S)
        assert demo.process.returncode == 0, complaints
        assert not complaints, complaints
        assert ended(children)


def ended(children: list[psutil.Process]) -> bool:
    """Whether all the processes end soon."""
    return not psutil.wait_procs(children, timeout=STOP_WITHIN_S)[1]


def wait_for_output(process: subprocess.Popen[str], output: Path, pattern: str) -> str:
    """What the running demo has printed, once that matches the pattern."""
    deadline = time.monotonic() + START_WITHIN_S
    while not re.search(pattern, text := output.read_text("utf-8"), re.MULTILINE):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, text
        time.sleep(0.05)
    return text


def fetch(url: str) -> bytes:
    """The body of a loopback address."""
    with DIRECT.open(url, timeout=60) as answer:
        content: bytes = answer.read()
        return content


def write_export(folder: Path, name: str, messages: list[dict[str, Any]]) -> Path:
    """An export of a private channel as Telegram Desktop writes it."""
    folder.mkdir()
    export = {"name": name, "type": "private_channel", "id": 1555000111, "messages": messages}
    (folder / "result.json").write_text(json.dumps(export, indent=1), "utf-8")
    return folder


def text_message(number: int, text: object) -> dict[str, Any]:
    """A message of an export, written by the channel itself."""
    return {
        "id": number,
        "type": "message",
        "date": "2025-03-04T05:06:07",
        "date_unixtime": str(1_741_064_767 + 600 * number),
        "from": "Somebody's notes",
        "from_id": "channel1555000111",
        "text": text,
        "text_entities": [],
    }
