"""Which posts a reader asks for: by their flags and by their words."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import msgspec
import re2

from posts.flags import FLAGS, MERGED, RENDER_FAILED
from posts.search import Search

ALL_FLAGS = "all"
"""Among excluded flags: any flag but `merged`, which says nothing of what a post is about."""

LONGEST_PATTERN = 500
"""The most characters of an expression."""

# A pattern may compile to little more than 2700 instructions. That is what bounds the time of a search, which takes at
# most so many steps for each character.
_MOST_MEMORY = 64 * 1024


class PatternError(ValueError):
    """An expression can't be used; the text says why, in one line."""


class Traits(NamedTuple):
    """What filters look at: a post's flags, and its own words as plain text without lone surrogates."""

    flags: tuple[str, ...]
    text: str


class Pattern(Protocol):
    """An expression that is ready."""

    def search(self, text: str) -> object | None:
        """Where the expression matches, None if nowhere."""
        ...


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of posts. Empty fields ask nothing.

    A post with one of `exclude_flags`, or with words that `exclude_text` matches, is left out. Of the others those stay
    that have one of `include_flags`, words that `include_text` matches, and all the words of the search `q`. Equal
    lists of flags are to be given in equal order, since filters are compared.
    """

    exclude_flags: tuple[str, ...] = ()
    include_flags: tuple[str, ...] = ()
    exclude_text: str = ""
    include_text: str = ""
    q: str = ""

    def __bool__(self) -> bool:
        """Whether anything is asked."""
        return self != _NOTHING

    def parameters(self) -> dict[str, str]:
        """The filters in force, by the names and in the spelling of query parameters."""
        values = {
            "exclude_flags": ",".join(self.exclude_flags),
            "exclude_text": self.exclude_text,
            "include_flags": ",".join(self.include_flags),
            "include_text": self.include_text,
            "q": self.q,
        }
        return {name: value for name, value in values.items() if value}


_NOTHING = Filters()


class PostFilter:
    """Filters made ready. Matching takes time in proportion to the text, whatever the expression."""

    def __init__(self, filters: Filters) -> None:
        """Raises PatternError and SearchError."""
        excluded = set(filters.exclude_flags)
        if ALL_FLAGS in excluded:
            excluded |= {flag.name for flag in FLAGS if flag.name != MERGED}
        self._excluded = frozenset(excluded)
        self._included = frozenset(filters.include_flags)
        self._exclude = compile_pattern(filters.exclude_text) if filters.exclude_text else None
        self._include = compile_pattern(filters.include_text) if filters.include_text else None
        self._search = Search(filters.q) if filters.q else None

    @property
    def on_failure(self) -> bool:
        """Whether it matters if a post could not be rendered."""
        return RENDER_FAILED in self._excluded | self._included

    def keeps(self, traits: Traits) -> bool:
        """Whether a post with these traits is wanted."""
        flags, text = traits
        if not self._excluded.isdisjoint(flags):
            return False
        if self._included and self._included.isdisjoint(flags):
            return False
        if self._exclude is not None and self._exclude.search(text) is not None:
            return False
        if self._include is not None and self._include.search(text) is None:
            return False
        return self._search is None or self._search.matches(text)


def compile_pattern(text: str) -> Pattern:
    """An expression in RE2's syntax, to be searched for in any case. Raises PatternError."""
    if len(text) > LONGEST_PATTERN:
        raise PatternError(f"must have at most {LONGEST_PATTERN} characters, has {len(text)}")
    options = re2.Options()
    options.case_sensitive = False
    # Whether a text matches is all that is asked.
    options.never_capture = True
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    try:
        pattern: Pattern = re2.compile(text, options)
    except UnicodeEncodeError:
        raise PatternError("has half of a surrogate pair, which is no character") from None
    except re2.error as fault:
        raise PatternError(_reason(fault)) from None
    return pattern


def _reason(fault: re2.error) -> str:
    """What RE2 says, in words for whoever has typed the expression."""
    said = fault.args[0] if fault.args else ""
    reason = " ".join((said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)).split())
    if reason.startswith("pattern too large"):
        return "is too large: use smaller repetitions"
    return f"is no regular expression that RE2 understands ({reason[:100]})"
