"""Which URLs may be links."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote

# Browsers skip these characters inside and around a URL, so a scheme could hide behind them.
_SKIPPED = re.compile("[\x00-\x20\x7f-\xa0\u2028\u2029]+")
# The usual case: an absolute URL with nothing to skip.
_PLAIN = re.compile("(?:https?|tg)://[^\x00-\x20\x7f-\xa0\u2028\u2029]+", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_ALLOWED = re.compile(r"(?:https?|tg)://.|(?:mailto|tel):.", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"[^\s/:?#@]+\.[^\s/:?#@]+:\d+(?:[/?#]|$)")


def safe_url(url: str) -> str | None:
    """The URL as a link may carry it, or None.

    Schemes http, https, tg, mailto and tel pass; what has no scheme (`example.org/a`, `example.org:8080`) gets
    https. Everything else (other schemes, relative references, nothing) is None. The result has yet to be escaped.
    """
    if _PLAIN.fullmatch(url):
        return url
    url = _SKIPPED.sub("", url)
    if _ALLOWED.match(url):
        return url
    if _SCHEME.match(url) and not _HOST_AND_PORT.match(url):
        return None
    if url.startswith("//"):
        url = url[2:]
    return f"https://{url}" if url[:1].isalnum() else None


@lru_cache(1024)
def path_part(name: str) -> str:
    """A name (of a chat, a tag) as one part of a path or query: percent-encoded where needed."""
    return name if name.isascii() and name.isidentifier() else quote(name, safe="", errors="replace")
