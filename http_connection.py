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

    A request line with its headers has at most about `most_head` bytes, or the answer is 431 (RFC 6585 5): the parser
    keeps all that comes until they are whole. Trailers are passed over.
    """

    request_timeout: ClassVar[float] = 60.0
    most_head: ClassVar[int] = 256 * 1024

    _request_due: asyncio.TimerHandle | None = None
    # Whether the headers of a request are under way, and about how many bytes of them have come.
    _in_head = False
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client or the server has closed the connection."""
        self._stop_expecting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > self.most_head and not self.transport.is_closing():
                self._refuse_head()

    def on_message_begin(self) -> None:
        """The first byte of a request has come."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0
        self._expect_request()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header is whole, or a trailer."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The headers of a request are whole."""
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._stop_expecting()
        super().on_message_complete()

    def _refuse_head(self) -> None:
        # Unless that would fall into the answer to the request before.
        if self.cycle is None or self.cycle.response_complete:
            reason = b"The request's address or headers are too large"
            self.transport.write(
                b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/plain; charset=utf-8\r\n"
                b"Content-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(reason), reason)
            )
        self.transport.close()

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
