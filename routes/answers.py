"""A document as an HTTP response: validators, freshness, and what every answer tells browsers."""

from __future__ import annotations

import time

from starlette.requests import Request
from starlette.responses import Response

from routes.channels import FEED_MAX_AGE_S, Served
from routes.content_coding import Encoded, accepts_gzip
from routes.headers import COMMON_HEADERS
from routes.preconditions import Verdict, evaluate, http_date

STALE_MAX_AGE_S = 60
STALE_IF_ERROR_S = 86_400


def feed_response(request: Request, served: Served, *, private: bool) -> Response:
    """A feed, or 304 if the client has it. `private` keeps shared caches from storing it (RFC 9111 5.2.2.7).

    A stale one says so with its age and the reason (RFC 9111 5.1, RFC 9211).
    """
    max_age = STALE_MAX_AGE_S if served.stale else FEED_MAX_AGE_S
    scope = "private" if private else "public"
    headers = {
        "Cache-Control": f"{scope}, max-age={max_age}, stale-if-error={STALE_IF_ERROR_S}",
        "Link": served.link,
    }
    if served.stale:
        age = max(0, int(time.time() - served.fetched_at))
        headers["Age"] = str(age)
        headers["Cache-Status"] = f"bridge; hit; ttl={FEED_MAX_AGE_S - age}; detail={served.stale.value}"
    return _conditional(request, served.encoded, headers)


def page_response(request: Request, encoded: Encoded, security_policy: str) -> Response:
    """A page, or 304 if the browser has it. Browsers ask each time, since a page is opened to see what is new."""
    return _conditional(request, encoded, {"Cache-Control": "no-cache", "Content-Security-Policy": security_policy})


def _conditional(request: Request, encoded: Encoded, headers: dict[str, str]) -> Response:
    document = encoded.document
    headers |= COMMON_HEADERS | {
        # Weak, and so the same whatever the coding (RFC 9110 8.8.1).
        "ETag": document.etag,
        "Last-Modified": http_date(document.last_modified),
        "Vary": "Accept-Encoding",
    }
    # Our tag is weak, and If-None-Match compares weakly (RFC 9110 13.1.2): only the opaque part counts.
    if evaluate(request.headers, document.etag.removeprefix("W/"), document.last_modified) is Verdict.NOT_MODIFIED:
        return Response(status_code=304, headers=headers)
    if accepts_gzip(request.headers.getlist("accept-encoding")):
        headers["Content-Encoding"] = "gzip"
        return Response(encoded.gzipped, headers=headers, media_type=document.content_type)
    return Response(document.body, headers=headers, media_type=document.content_type)
