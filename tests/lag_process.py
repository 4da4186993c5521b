"""The service as a process that measures its own event loop.

Usage: `python lag_process.py PUBLIC_KEY`. The key is the server's, in hex; the settings come from the environment, but
for the port, which is any free one and is printed. SIGUSR1 begins the measurement. At the end the longest time that the
loop's thread worked in one go is printed, in seconds.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import time

import uvloop

from api_server import serve
from config import Settings, load_settings
from http_server import listen


def main(arguments: list[str]) -> int:
    """Run until a signal; the exit code of the service."""
    # Not before the service's own modules: they decide how Kurigram is loaded.
    from tgserver.crypto.rsa import PublicKey

    with (
        PublicKey(int(arguments[0], 16)).trusted(),
        listen("127.0.0.1", 0) as listener,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        print(listener.getsockname()[1], flush=True)
        return runner.run(_measured(load_settings(None), listener))


async def _measured(settings: Settings, listener: socket.socket) -> int:
    longest = 0.0

    def begin() -> None:
        nonlocal longest
        longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            # The thread's own time: what other processes take from it is none of the service's doing.
            before = time.thread_time()
            await asyncio.sleep(0.001)
            longest = max(longest, time.thread_time() - before)

    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, begin)
    watching = asyncio.create_task(watch())
    try:
        return await serve(settings, listener)
    finally:
        watching.cancel()
        print(longest, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
