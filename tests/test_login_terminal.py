"""Questions in a real terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ASK = """
import asyncio
from telegram.login_terminal import Terminal
terminal = Terminal()
answer = asyncio.run(getattr(terminal, {method!r})("Code: "))
print("got", answer.encode(), flush=True)
"""


def answered(method: str, typed: bytes) -> bytes:
    """What is on the screen after somebody has typed a line at the question."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", ASK.format(method=method)]
    with subprocess.Popen(command, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        screen = b""
        while b"Code: " not in screen:
            screen += os.read(ours, 1000)
        os.write(ours, typed)
        while not screen.partition(b"got")[2].endswith(b"\n") and b"Error" not in screen:
            screen += os.read(ours, 1000)
        process.wait(10)
    os.close(ours)
    return screen


@pytest.mark.parametrize("method", ["ask", "ask_secret"])
def test_an_answer_arrives_as_typed(method: str) -> None:
    assert b"got b'12345'" in answered(method, b"12345\n")


@pytest.mark.parametrize("method", ["ask", "ask_secret"])
def test_bytes_that_are_no_text_become_a_wrong_answer_and_not_a_crash(method: str) -> None:
    assert b"got b'??'" in answered(method, b"\xff\xfe\n")


def test_a_secret_is_not_on_the_screen() -> None:
    assert b"hush" not in answered("ask_secret", b"hush\n").partition(b"got")[0]
    assert b"said" in answered("ask", b"said\n").partition(b"got")[0]
