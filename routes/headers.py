"""Headers that every answer of the bridge's own words carries, and the methods that it answers."""

from __future__ import annotations

# Tokens may lie in addresses, so no site that a post links to learns them; and feeds are no search results.
COMMON_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
    "Referrer-Policy": "no-referrer",
}

METHODS = ["GET", "HEAD"]
