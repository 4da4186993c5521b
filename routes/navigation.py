"""Whether somebody looks at a feed's address with a browser, who is served better with a page."""

from __future__ import annotations

from collections.abc import Mapping

VARY = "Sec-Fetch-Dest, Sec-Fetch-Mode"
"""The request headers that decide it: part of the `Vary` (RFC 9110 12.5.5) of all that a feed's address answers."""


def opened_in_browser(headers: Mapping[str, str]) -> bool:
    """Whether the answer is to become a page of its own in a browser's window (Fetch Metadata Request Headers, 2).

    Feed readers don't send these headers, and neither do browsers for what scripts and extensions fetch. `Accept` says
    nothing: readers list `text/html` in it. `headers` are looked up by lower-case names.
    """
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
