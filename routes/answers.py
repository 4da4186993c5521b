"""A document as an HTTP response: validators, freshness, and what every answer tells browsers."""

from __future__ import annotations

import time

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from errors import PreconditionFailed
from routes.channels import Served
from routes.content_coding import Encoded, accepts_gzip, prefers_brotli
from routes.headers import COMMON_HEADERS
from routes.navigation import VARY
from routes.preconditions import Verdict, conditions_of, evaluate, http_date, is_as_old_as_known
from routes.rendering import FEED_MAX_AGE_S
from tg_cache import StaleReason

STALE_MAX_AGE_S = 60
STALE_IF_ERROR_S = 86_400
LASTING_MAX_AGE_S = 7 * 86_400
# Proxies refuse long headers; the feed's description names all that is left out.
_MOST_NAMED = 10


def feed_response(request: Request, served: Served, *, private: bool) -> Response:
    """A feed, or 304 if the client has it. `private` keeps shared caches from storing it (RFC 9111 5.2.2.7).

    A stale one says so with its age and the reason.
    """
    max_age = STALE_MAX_AGE_S if served.stale else FEED_MAX_AGE_S
    scope = "private" if private else "public"
    headers = {
        "Cache-Control": f"{scope}, max-age={max_age}, stale-if-error={STALE_IF_ERROR_S}",
        "Link": served.link,
    }
    headers |= staleness(served.stale, served.fetched_at, FEED_MAX_AGE_S)
    if served.left_out:
        members = [headers["Cache-Status"]] if "Cache-Status" in headers else []
        headers["Cache-Status"] = ", ".join(members + [_left_out(*each) for each in served.left_out[:_MOST_NAMED]])
    return _conditional(request, served.encoded, headers, vary=VARY)


def _left_out(name: str, status: int) -> str:
    """A channel that a feed of several should have had posts of (RFC 9211 2.2 to 2.4, 2.8)."""
    return f'bridge; fwd=miss; fwd-status={status}; key="{name}"; detail=left-out'


def staleness(reason: StaleReason | None, fetched_at: float, lifetime_s: int) -> dict[str, str]:
    """The headers of an answer that is older than it should be, none for another (RFC 9111 5.1, RFC 9211).

    `fetched_at` is unix time, `lifetime_s` how old the answer may get.
    """
    if reason is None:
        return {}
    age = max(0, int(time.time() - fetched_at))
    return {"Age": str(age), "Cache-Status": f"bridge; hit; ttl={lifetime_s - age}; detail={reason.value}"}


def page_response(request: Request, encoded: Encoded, security_policy: str, *, vary: str = "") -> Response:
    """A page, or 304 if the browser has it. Browsers ask each time, since a page is opened to see what is new.

    `vary` names the request headers that the answer depends on.
    """
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": security_policy}
    return _conditional(request, encoded, headers, vary=vary)


def moved_response(address: str) -> Response:
    """Sends a browser to another address for the same, this time (RFC 9110 15.4.8)."""
    return RedirectResponse(address, 307, {"Cache-Control": "no-store"} | COMMON_HEADERS)


def lasting_response(request: Request, encoded: Encoded) -> Response:
    """A document that is the same for everybody and for long, or 304 if the browser has it."""
    return _conditional(request, encoded, {"Cache-Control": f"public, max-age={LASTING_MAX_AGE_S}"})


def json_response(request: Request, encoded: Encoded) -> Response:
    """A document for programs, or 304 if the client has it. Like a page, it is asked for to see what is new."""
    return _conditional(request, encoded, {"Cache-Control": "no-cache"})


async def offer_brotli(request: Request, response: Response, encoded: Encoded) -> Response:
    """The response with the document, in brotli if that is what the client likes best, else as it was."""
    if encoded.brotli is None or not response.body or not prefers_brotli(request.headers.getlist("accept-encoding")):
        return response
    body = await encoded.brotli.get()
    if body is not None:
        response.body = body
        response.headers["Content-Encoding"] = "br"
        response.headers["Content-Length"] = str(len(body))
    return response


def _conditional(request: Request, encoded: Encoded, headers: dict[str, str], *, vary: str = "") -> Response:
    """The document, as the request's conditions say (RFC 9110 13). Raises PreconditionFailed."""
    document = encoded.document
    headers |= COMMON_HEADERS | {
        # Weak, and so the same whatever the coding (RFC 9110 8.8.1).
        "ETag": document.etag,
        "Vary": f"Accept-Encoding, {vary}" if vary else "Accept-Encoding",
    }
    # Some documents have no time of change: conditions by date don't concern them.
    modified = document.last_modified or None
    if modified is not None:
        headers["Last-Modified"] = http_date(modified)
    verdict = evaluate(conditions_of(request.scope["headers"]), document.etag, modified)
    if verdict is Verdict.FAILED:
        raise PreconditionFailed
    if verdict is Verdict.NOT_MODIFIED:
        return Response(status_code=304, headers=headers)
    if modified is not None and is_as_old_as_known(request.headers, modified):
        # Another document that is no newer by its date: it has changed twice within a second, or is written otherwise.
        # Readers that fetch with libcurl's time condition (newsboat) would drop it, and keep its tag.
        del headers["Last-Modified"]
    if accepts_gzip(request.headers.getlist("accept-encoding")):
        headers["Content-Encoding"] = "gzip"
        return Response(encoded.gzipped, headers=headers, media_type=document.content_type)
    return Response(document.body, headers=headers, media_type=document.content_type)
