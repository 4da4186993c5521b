"""What a reader sees as one character: extended grapheme clusters.

The rules of Unicode's UAX 29 (GB6-GB13) as far as `unicodedata` carries their properties: combining marks,
joiners, variation selectors, emoji with skin tones, tags and ZWJ, flags, Hangul syllables, Indic conjuncts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

# Letters, ideographs and emoji that join with nothing before them (but a joiner, which is none of them).
_ALONE = re.compile(
    "[\t\n\x20-\x7e\xa0-\u02ff\u0370-\u0482\u048a-\u0590\u05d0-\u05ea\u0620-\u064a\u0660-\u066f\u0671-\u06d5"
    "\u2010-\u2027\u2030-\u205e\u20a0-\u20cf"
    "\u2190-\u2bff\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u9fff"
    "\U0001f300-\U0001f3fa\U0001f400-\U0001faff]+"
)
_ZWJ = "\u200d"
# Viramas that tie two consonants into one conjunct (Indic_Conjunct_Break=Linker).
_LINKERS = frozenset("\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d")
_MARKS = frozenset({"Mn", "Me", "Mc"})


def plain_prefix(text: str) -> int:
    """How many of the first characters are certainly single code points; the one after them may join the last."""
    return match.end() if (match := _ALONE.match(text)) else 0


def clusters(text: str) -> Iterator[str]:
    """The text's grapheme clusters in order; joined they are the text."""
    if text.isascii():
        yield from text
        return
    start = 0
    flag_letters = 0
    for index in range(1, len(text) + 1):
        if index < len(text):
            char = text[index]
            if char < "\u0300" or "\u0370" <= char < "\u0483":
                yield text[start:index]
                start = index
                flag_letters = 0
                continue
            before = text[index - 1]
            flag_letters = flag_letters + 1 if "\U0001f1e6" <= before <= "\U0001f1ff" else 0
            if _joined(before, char, flag_letters, text[start]):
                continue
        yield text[start:index]
        start = index


def _joined(before: str, char: str, flag_letters: int, base: str) -> bool:
    """Whether no border is between the two. `flag_letters`: the run of regional indicators that ends in `before`."""
    if _extends(char):
        return category(before) != "Cc"
    if before == _ZWJ:
        return (category(base) == "So" and category(char) == "So") or _is_letter_pair(base, char)
    if before in _LINKERS:
        return category(char) == "Lo"
    if "\U0001f1e6" <= char <= "\U0001f1ff":
        return flag_letters % 2 == 1
    return _is_hangul_pair(before, char)


def _extends(char: str) -> bool:
    return (
        category(char) in _MARKS
        or char in "\u200c\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_letter_pair(base: str, char: str) -> bool:
    """Indic conjuncts may carry a joiner after the virama."""
    return "\u0900" <= base <= "\u0d7f" and category(char) == "Lo"


def _is_hangul_pair(before: str, char: str) -> bool:
    kind = _hangul(char)
    match _hangul(before):
        case "L":
            return kind in {"L", "V", "LV", "LVT"}
        case "V" | "LV":
            return kind in {"V", "T"}
        case "T" | "LVT":
            return kind == "T"
    return False


def _hangul(char: str) -> str:
    if "\uac00" <= char <= "\ud7a3":
        return "LVT" if (ord(char) - 0xAC00) % 28 else "LV"
    if "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    if "\u1160" <= char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "V"
    if "\u11a8" <= char <= "\u11ff" or "\ud7cb" <= char <= "\ud7fb":
        return "T"
    return ""
