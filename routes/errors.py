"""The one place where a fault becomes an HTTP answer, for all routes."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import secrets
from collections.abc import Callable

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errors import (
    BadParameter,
    BadSignature,
    BridgeError,
    ChannelNotFound,
    ChannelPrivate,
    FloodWait,
    Forbidden,
    MediaGone,
    PassingFault,
    PostNotFound,
    PreconditionFailed,
    TelegramTimeout,
    ThreadNotFound,
    TooManyGuesses,
)
from routes.headers import COMMON_HEADERS
from routes.navigation import opened_in_browser

log = logging.getLogger(__name__)

# The most specific class of a fault wins. Everything passing has a Retry-After and is never a 4xx that
# readers would take for final.
STATUS_OF: dict[type[BridgeError], int] = {
    BadParameter: 400,
    BadSignature: 403,
    Forbidden: 403,
    ChannelPrivate: 403,
    ChannelNotFound: 404,
    PostNotFound: 404,
    ThreadNotFound: 404,
    MediaGone: 404,
    PreconditionFailed: 412,
    TooManyGuesses: 429,
    FloodWait: 429,
    TelegramTimeout: 504,
    PassingFault: 503,
}
RETRY_AFTER_MAX_S = 300
# Readers that were all sent away by one flood must not come back in the same second.
RETRY_JITTER = 0.2
# How long a restart may take.
RESTART_S = 30

ErrorPage = Callable[[int, str, str], bytes]
"""Makes a page of a status, a reason, and the way to the front page."""


def status_of(error: BridgeError) -> int:
    """The HTTP status for a fault: that of the first class in its family that has one, else 500."""
    return next((STATUS_OF[kind] for kind in type(error).__mro__ if kind in STATUS_OF), 500)


def retry_after(seconds: float) -> int:
    """Seconds for a Retry-After header (RFC 9110 10.2.3): an integer from 1 to 300, jitter included."""
    jittered = seconds * (1 + random.uniform(0, RETRY_JITTER))
    return max(1, min(RETRY_AFTER_MAX_S, math.ceil(jittered)))


def wants_page(request: HTTPConnection) -> bool:
    """Whether a fault is shown to a person rather than to a feed reader or program."""
    path = request.scope["path"]
    return path == "/" or path.startswith(("/html/", "/post/html/")) or opened_in_browser(request.headers)


class ErrorAnswers:
    """Makes error responses: JSON `{"detail": ...}`, or a small page for who looks at a page or uses a browser."""

    def __init__(self, error_page: ErrorPage, page_headers: dict[str, str]) -> None:
        self._error_page = error_page
        self._page_headers = page_headers

    def install(self, app: FastAPI) -> None:
        """Make the app answer all known faults through this object."""
        app.add_exception_handler(BridgeError, self._bridge_error)
        app.add_exception_handler(HTTPException, self._http_error)

    def answer(
        self, request: HTTPConnection, status: int, detail: str, headers: dict[str, str] | None = None
    ) -> Response:
        """One error response. Errors are never stored by caches."""
        headers = {"Cache-Control": "no-store", **COMMON_HEADERS, **(headers or {})}
        if wants_page(request):
            return HTMLResponse(
                self._error_page(status, detail, _way_home(request)), status, {**headers, **self._page_headers}
            )
        return JSONResponse({"detail": detail}, status, headers)

    async def _bridge_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, BridgeError)
        headers = {"Retry-After": str(retry_after(error.retry_after))} if isinstance(error, PassingFault) else None
        status = status_of(error)
        if status == 500:
            raise error
        return self.answer(request, status, str(error), headers)

    async def _http_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return self.answer(request, error.status_code, str(error.detail), dict(error.headers or {}))


def _way_home(request: HTTPConnection) -> str:
    """The front page as a reference that needs neither the request's own word for its host nor a proxy's prefix."""
    path: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    return "../" * (path.count(b"/") - 1) or "./"


class FaultGuard:
    """ASGI middleware: a fault of our own is logged with a request id, and answered with nothing but that id."""

    def __init__(self, app: ASGIApp, answers: ErrorAnswers) -> None:
        self._app = app
        self._answers = answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def note_start(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, note_start)
        except ClientDisconnect:
            # Not the whole path: it may hold the token.
            log.debug("the client of /%s went away", scope["path"].lstrip("/").partition("/")[0])
        except asyncio.CancelledError:
            # Only the server's stop cancels requests. A reader comes back; a file that was cut is asked for again.
            if not started:
                headers = {"Retry-After": str(retry_after(RESTART_S))}
                await self._answers.answer(HTTPConnection(scope), 503, "The bridge is restarting", headers)(
                    scope, receive, send
                )
        except Exception:
            # The edge: whatever it is, the client gets an answer and the log the cause.
            request_id = secrets.token_hex(8)
            log.exception("request %s failed", request_id)
            if started:
                # Too late for another status: cutting the connection tells the client that this is not the whole.
                raise ConnectionAbortedError(f"request {request_id} failed after its headers were sent") from None
            detail = f"The bridge failed at this request; its log has more under {request_id}"
            await self._answers.answer(HTTPConnection(scope), 500, detail, {"X-Request-Id": request_id})(
                scope, receive, send
            )
