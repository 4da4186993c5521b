"""Query parameters of feeds and pages: parsed strictly, each fault a BadParameter that says what is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from errors import BadParameter
from feeds.feed import FeedFormat

LIMIT_DEFAULT, LIMIT_MIN, LIMIT_MAX = 50, 1, 200
MERGE_SECONDS_DEFAULT, MERGE_SECONDS_MAX = 5, 86_400


class FeedQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What a request asks of a channel. `limit` counts posts; `merge_seconds` is None where merging is off."""

    limit: int = LIMIT_DEFAULT
    merge_seconds: int | None = None


def parse_feed_query(params: Mapping[str, str], *, merge: bool) -> FeedQuery:
    """The query of a feed or page. `merge` is whether messages near in time are joined (TIME_BASED_MERGE).

    Names that the bridge does not know are ignored, since readers and trackers add their own. Raises BadParameter.
    """
    merge_seconds = _integer(params, "merge_seconds", MERGE_SECONDS_DEFAULT, 0, MERGE_SECONDS_MAX)
    return FeedQuery(
        limit=_integer(params, "limit", LIMIT_DEFAULT, LIMIT_MIN, LIMIT_MAX),
        merge_seconds=merge_seconds if merge else None,
    )


def parse_format(params: Mapping[str, str], formats: Sequence[FeedFormat]) -> FeedFormat:
    """The `output_type` of `/rss`, by default RSS. Raises BadParameter."""
    text = params.get("output_type", FeedFormat.RSS.value)
    for candidate in formats:
        if text == candidate.value:
            return candidate
    allowed = ", ".join(candidate.value for candidate in formats)
    raise BadParameter("output_type", f"must be one of {allowed}, got {text[:40]!r}")


def _integer(params: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = params.get(name)
    if text is None:
        return default
    # int() takes more than a person means by a number: signs, underscores, other scripts' digits.
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and low <= int(text) <= high):
        raise BadParameter(name, f"must be a number from {low} to {high}, got {text[:40]!r}")
    return int(text)
