"""The beginning of a text, cut where a reader would cut it."""

from __future__ import annotations

import re

from posts.graphemes import clusters

# Chinese and Japanese put no space after a sentence.
_FULL_STOPS = "。！？"
_SENTENCE_END = re.compile(rf"[.!?…{_FULL_STOPS}]+[)\]»”\"'」』）]*")
_ELLIPSIS = "…"


def excerpt(text: str, limit: int) -> str:
    """The text on one line, in at most `limit` characters (2 or more).

    Cut after a sentence if one ends in the second half, else at a word's end in the second half, else between
    two grapheme clusters; an ellipsis marks all but the first kind of cut.
    """
    # A post can be long, and its beginning is enough unless it is mostly white space.
    looked_at = 2 * limit
    flat = " ".join(text[:looked_at].split())
    if len(flat) <= limit and len(text) > looked_at:
        flat = " ".join(text.split())
    if len(flat) <= limit:
        return flat
    # One character more is looked at: it decides whether a sentence or word ends right at the limit.
    ends = [
        match.end()
        for match in _SENTENCE_END.finditer(flat, limit // 2, limit + 1)
        if match.end() <= limit and (flat[match.end()] == " " or match[0][0] in _FULL_STOPS)
    ]
    if ends:
        return flat[: ends[-1]]
    space = flat.rfind(" ", limit // 2, limit)
    head = flat[:space] if space > 0 else _whole_clusters(flat[:limit])
    return head.rstrip(" ,;:-–—") + _ELLIPSIS


def _whole_clusters(head: str) -> str:
    """The text without its last cluster, which may have been cut; without its last character if it is all one."""
    *whole, _ = clusters(head)
    return "".join(whole) or head[:-1]
