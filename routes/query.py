"""Query parameters of feeds and pages: parsed strictly, each fault a BadParameter that says what is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec
from starlette.datastructures import QueryParams

from errors import BadParameter
from feeds.feed import FeedFormat
from model.message import LARGEST_ID
from posts.combined import Place
from posts.filters import ALL_FLAGS, Filters, PatternError, compile_pattern
from posts.flags import FLAGS, MERGED
from posts.plain import one_line
from posts.search import Search, SearchError

LIMIT_DEFAULT, LIMIT_MIN, LIMIT_MAX = 50, 1, 200
MERGE_SECONDS_DEFAULT, MERGE_SECONDS_MAX = 5, 86_400

FLAG_NAMES = tuple(sorted(flag.name for flag in FLAGS))


# A time, a chat's id, a message's.
_PLACE = re.compile(r"([0-9]{1,12}),(-?[0-9]{1,16}),([0-9]{1,10})", re.ASCII)
_LISTS = ("exclude_flags", "include_flags")


class FeedQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What a request asks of a channel.

    `limit` counts posts; `merge_seconds` is None where merging is off; only posts older than the one with the message
    `before` are wanted, and of several chats only those that come after `place`. Queries that ask for the same are
    equal.
    """

    limit: int = LIMIT_DEFAULT
    merge_seconds: int | None = None
    filters: Filters = Filters()
    before: int | None = None
    place: Place | None = None

    def choice(self) -> dict[str, str]:
        """What chooses the posts, wherever the page begins and ends: parameters that are part of a feed's identity."""
        merge = (
            {} if self.merge_seconds in (None, MERGE_SECONDS_DEFAULT) else {"merge_seconds": str(self.merge_seconds)}
        )
        return self.filters.parameters() | merge

    def parameters(self) -> dict[str, str]:
        """The parameters that make this query, without those that only repeat a default."""
        limit = {} if self.limit == LIMIT_DEFAULT else {"limit": str(self.limit)}
        at = self.place if self.before is None else self.before
        before = {} if at is None else {"before": str(at)}
        return self.choice() | limit | before


def parse_feed_query(params: Mapping[str, str], *, merge: bool, several: bool = False) -> FeedQuery:
    """The query of a feed or page, perhaps of `several` chats.

    `merge` is whether messages near in time are joined (TIME_BASED_MERGE).

    Names that the bridge does not know are ignored, since readers and trackers add their own. Raises BadParameter.
    """
    merge_seconds = _integer(params, "merge_seconds", MERGE_SECONDS_DEFAULT, 0, MERGE_SECONDS_MAX)
    return FeedQuery(
        limit=_integer(params, "limit", LIMIT_DEFAULT, LIMIT_MIN, LIMIT_MAX),
        merge_seconds=merge_seconds if merge else None,
        filters=Filters(
            exclude_flags=_flags(params, "exclude_flags", may_be_all=True),
            include_flags=_flags(params, "include_flags"),
            exclude_text=_pattern(params, "exclude_text"),
            include_text=_pattern(params, "include_text"),
            q=_search(params, "q"),
        ),
        before=None if several else _before(params),
        place=_place(params, "before") if several else None,
    )


def with_whole_lists(params: QueryParams) -> Mapping[str, str]:
    """The parameters, with the flags that a form sends one by one as the comma lists that they are meant to be."""
    lists = {name: ",".join(values) for name in _LISTS if len(values := params.getlist(name)) > 1}
    return {**params, **lists} if lists else params


def parse_format(params: Mapping[str, str], formats: Sequence[FeedFormat]) -> FeedFormat:
    """The `output_type` of `/rss`, by default RSS. Raises BadParameter."""
    text = params.get("output_type", FeedFormat.RSS.value)
    for candidate in formats:
        if text == candidate.value:
            return candidate
    allowed = ", ".join(candidate.value for candidate in formats)
    raise BadParameter("output_type", f"must be one of {allowed}, got {text[:40]!r}")


def parse_flag(params: Mapping[str, str], name: str) -> bool:
    """A parameter that is true or false, by default false. Raises BadParameter."""
    text = params.get(name, "false")
    if text.lower() not in {"true", "1", "yes", "on", "false", "0", "no", "off"}:
        raise BadParameter(name, f"must be true or false, got {text[:40]!r}")
    return text.lower() in {"true", "1", "yes", "on"}


def _integer(params: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = params.get(name)
    if text is None:
        return default
    # int() takes more than a person means by a number: signs, underscores, other scripts' digits.
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and low <= int(text) <= high):
        raise BadParameter(name, f"must be a number from {low} to {high}, got {text[:40]!r}")
    return int(text)


def _before(params: Mapping[str, str]) -> int | None:
    """A message's id. That of a place will do, since several spellings of a chat may turn out to be of one."""
    found = _PLACE.fullmatch(params.get("before", ""))
    return _integer(params if found is None else {"before": found[3]}, "before", 0, 1, LARGEST_ID) or None


def _place(params: Mapping[str, str], name: str) -> Place | None:
    """The place of a post among those of several chats."""
    text = params.get(name)
    if text is None:
        return None
    if not (found := _PLACE.fullmatch(text)):
        raise BadParameter(
            name, f"must be as links to older posts have it here (date,chat id,message id), got {text[:40]!r}"
        )
    return Place(*map(int, found.groups()))


def _flags(params: Mapping[str, str], name: str, *, may_be_all: bool = False) -> tuple[str, ...]:
    """The flags of a comma list, sorted, each once. A form sends an empty list for what nobody has filled in."""
    text = params.get(name)
    if not text:
        return ()
    wanted = {part.strip().lower() for part in text.split(",")} - {""}
    unknown = sorted(wanted - set(FLAG_NAMES) - ({ALL_FLAGS} if may_be_all else set()))
    if unknown:
        allowed = f"{ALL_FLAGS}, {', '.join(FLAG_NAMES)}" if may_be_all else ", ".join(FLAG_NAMES)
        raise BadParameter(name, f"there is no flag {unknown[0][:40]!r}; the flags are {allowed}")
    if ALL_FLAGS in wanted:
        # What it holds already is not said twice, so that equal queries are equal.
        wanted &= {ALL_FLAGS, MERGED}
    return tuple(sorted(wanted))


def _search(params: Mapping[str, str], name: str) -> str:
    """Words to search for, on one line.

    Nothing at all, as forms send it, is no search; what has no word in it is a mistake.
    """
    text = params.get(name, "")
    if not text:
        return ""
    # What is left of the text is searched for, and there may be nothing left.
    line = one_line(text)
    try:
        Search(line)
    except SearchError as fault:
        raise BadParameter(name, str(fault)) from None
    return line


def _pattern(params: Mapping[str, str], name: str) -> str:
    """An expression that compiles. An empty one, as forms send it, is none."""
    text = params.get(name, "")
    if text:
        try:
            compile_pattern(text)
        except PatternError as fault:
            raise BadParameter(name, str(fault)) from None
    return text
