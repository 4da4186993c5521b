"""What the HTTP server does with a connection, where uvicorn's own way would wait for ever."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class HttpConnection(HttpToolsProtocol):
    """One connection of a client, who has `request_timeout` seconds to send a request up to its end.

    A client that connects and says nothing, or never ends, is sent away: else a few thousand of them would use up the
    process's descriptors. So is one that sends a body for longer, which no route wants: it has its answer by then.
    Between two requests uvicorn's shorter limit counts.
    """

    request_timeout: ClassVar[float] = 60.0

    _request_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client or the server has closed the connection."""
        self._stop_expecting()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """The first byte of a request has come."""
        super().on_message_begin()
        self._expect_request()

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._stop_expecting()
        super().on_message_complete()

    def _expect_request(self) -> None:
        self._stop_expecting()
        self._request_due = self.loop.call_later(self.request_timeout, self._send_away)

    def _stop_expecting(self) -> None:
        if self._request_due is not None:
            self._request_due.cancel()
            self._request_due = None

    def _send_away(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            # The answer to the request before is still being sent.
            self._expect_request()
        else:
            self.transport.close()
