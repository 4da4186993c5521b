"""The HTTP server: the socket it listens on, and uvicorn as the bridge wants it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from http_connection import HttpConnection

# How long SIGTERM leaves to requests under way; with the stop of everything else it must stay below 10 s.
SHUTDOWN_GRACE_S = 3
BACKLOG = 2048
# So many seconds a client may take none of the bytes that wait for it; then its connection is closed. Players that go
# on after a longer pause ask again from where they were.
MOST_STALL = 600.0


class _Server(uvicorn.Server):
    """uvicorn, less its signal handlers: they would end the process before the objects are stopped."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve`."""
        yield


def create_server(app: FastAPI, *, connection: type[HttpConnection] = HttpConnection) -> uvicorn.Server:
    """The HTTP server of the application, whose lifespan is the caller's to enter."""
    return _Server(
        uvicorn.Config(
            app,
            http=connection,
            # The lifespan is entered in `serve`, so that its faults reach `main` instead of a log.
            lifespan="off",
            log_config=None,
            # Addresses may hold the token.
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=SHUTDOWN_GRACE_S,
        )
    )


def listen(host: str, port: int, *, most_stall: float = MOST_STALL) -> socket.socket:
    """A socket bound to the address. Raises OSError.

    A client that takes no bytes for `most_stall` seconds, though there are some, loses its connection; on systems that
    have no such limit it keeps it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, so that asyncio knows the connections for TCP's and sends what it has at once. Headers and body are two
    # pieces, and else the second waits until the client acknowledges the first, which takes it up to 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if (user_timeout := getattr(socket, "TCP_USER_TIMEOUT", None)) is not None:
            # Linux: the connections that are accepted have it too. It counts also while the client's window is shut.
            listener.setsockopt(socket.IPPROTO_TCP, user_timeout, int(most_stall * 1000))
        listener.bind((host, port))
        # Two sockets can be bound to a port as long as neither listens.
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener
