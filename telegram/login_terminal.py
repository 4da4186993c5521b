"""Questions and answers in a terminal, without standing in the event loop's way."""

from __future__ import annotations

import asyncio
import sys
import termios


class Terminal:
    """Asks on standard output and reads lines from standard input, which must be a terminal."""

    async def ask(self, question: str) -> str:
        """One line, without its end. Raises KeyboardInterrupt at the input's end (Ctrl-D)."""
        self.show(question, end="")
        return await self._line()

    async def ask_secret(self, question: str) -> str:
        """As `ask`, with nothing of the answer on the screen."""
        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        silent = termios.tcgetattr(descriptor)
        silent[3] &= ~termios.ECHO
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, silent)
        try:
            return await self.ask(question)
        finally:
            termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)
            self.show("")

    def show(self, text: str, end: str = "\n") -> None:
        """Write a text and `end`."""
        sys.stdout.write(text + end)
        sys.stdout.flush()

    async def _line(self) -> str:
        loop = asyncio.get_running_loop()
        typed = loop.create_future()
        # A terminal is readable when a whole line is there. A thread in `input()` could not be broken off.
        loop.add_reader(sys.stdin.fileno(), _resolve, typed)
        try:
            await typed
        finally:
            loop.remove_reader(sys.stdin.fileno())
        line = sys.stdin.readline()
        if not line:
            raise KeyboardInterrupt
        # Bytes that are no UTF-8 come as lone surrogates, which nothing behind can encode.
        return line.rstrip("\r\n").encode("utf-8", "replace").decode()


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
