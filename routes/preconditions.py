"""Conditional requests of RFC 9110 section 13, as pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from email.utils import formatdate, parsedate_to_datetime
from enum import Enum, auto
from functools import lru_cache

_CONDITIONS = frozenset(
    {b"if-match", b"if-none-match", b"if-modified-since", b"if-unmodified-since", b"if-range", b"range"}
)
_ENTITY_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')


class Verdict(Enum):
    """What a request's conditions say."""

    PROCEED = auto()
    NOT_MODIFIED = auto()
    FAILED = auto()


@lru_cache(maxsize=1024)
def http_date(moment: float) -> str:
    """Unix seconds as an HTTP date (RFC 9110 5.6.7)."""
    return formatdate(int(moment), usegmt=True)


def conditions_of(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The conditional and Range headers, of all headers of a request with lower-case names.

    The values of one that comes twice are joined (RFC 9110 5.3).
    """
    found: dict[str, str] = {}
    for name, value in headers:
        if name in _CONDITIONS:
            key, text = name.decode("latin-1"), value.decode("latin-1")
            found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def tag_listed(header: str, etag: str, *, weak: bool) -> bool:
    """Whether an If-Match or If-None-Match list names the `etag`; `*` does.

    `weak` picks the comparison of RFC 9110 8.8.3.2: the weak one takes `W/"x"` for `"x"`, the strong one takes no weak
    tag for equal to any.
    """
    if header.strip() == "*":
        return True
    own = etag.removeprefix("W/")
    if own != etag and not weak:
        return False
    return any(tag == own and (weak or not mark) for mark, tag in _ENTITY_TAG.findall(header))


def evaluate(headers: Mapping[str, str], etag: str, modified: float | None) -> Verdict:
    """Judge a GET or HEAD for something that exists, in the order of RFC 9110 13.2.2.

    `headers` are looked up by lower-case names, `etag` is quoted, `modified` in unix seconds, None where no time is
    told: then conditions by date don't count (RFC 9110 13.1.3, 13.1.4). A date that can't be read is as if it were not
    there.
    """
    if_match = headers.get("if-match")
    if if_match is not None:
        if not tag_listed(if_match, etag, weak=False):
            return Verdict.FAILED
    elif modified is not None:
        limit = _seconds(headers.get("if-unmodified-since"))
        if limit is not None and int(modified) > limit:
            return Verdict.FAILED
    if_none_match = headers.get("if-none-match")
    if if_none_match is not None:
        return Verdict.NOT_MODIFIED if tag_listed(if_none_match, etag, weak=True) else Verdict.PROCEED
    if modified is not None and is_as_old_as_known(headers, modified):
        return Verdict.NOT_MODIFIED
    return Verdict.PROCEED


def is_as_old_as_known(headers: Mapping[str, str], modified: float) -> bool:
    """Whether the client has something that is not older than `modified` (unix seconds), by its If-Modified-Since."""
    since = _seconds(headers.get("if-modified-since"))
    return since is not None and int(modified) <= since


def range_holds(if_range: str | None, etag: str, modified: float) -> bool:
    """Whether a Range header counts under this If-Range (RFC 9110 13.1.5): the same strong tag or exact date."""
    if if_range is None:
        return True
    text = if_range.strip()
    if text.startswith(('"', "W/")):
        return text == etag
    return _seconds(text) == int(modified)


def _seconds(date: str | None) -> int | None:
    if date is None:
        return None
    try:
        return int(parsedate_to_datetime(date).timestamp())
    except (ValueError, OverflowError):
        return None
