"""Words that are searched for in texts, as people type them: in any case, with or without accents."""

from __future__ import annotations

import re
import unicodedata

LONGEST_SEARCH = 200
"""The most characters of what is searched for."""

# Letters that Unicode does not take apart, though people who have no key for them type others.
_PLAIN = {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"}
# Cyrillic letters of their own, whatever Unicode takes them apart into.
_WHOLE = frozenset("йїў")
_HALVES = {"и\u0306": "й", "і\u0308": "ї", "у\u0306": "ў", "И\u0306": "й", "І\u0308": "ї", "У\u0306": "ў"}
# Tatweel, the soft hyphen, and characters that look like nothing at all.
_UNSEEN = frozenset("\u0640\u00ad\u200b\u200c\u200d\u2060\ufe0e\ufe0f\ufeff")
# What stands around words and belongs to none: quotes and brackets, and behind them commas, stops and the like.
_AROUND = "\"'`()[]{}«»‹›“”„‟‘’‚‛「」『』《》〈〉【】"
_BEHIND = _AROUND + ",;:.!?\u060c\u061b\u061f\u06d4\u3001\u3002\u0964"
# Scripts that put no space between words, so that a word may begin anywhere: Thai to Burmese, Khmer, kana, Han.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


class _Folding(dict[int, str]):
    """What a character becomes, by its code point: worked out when it first comes."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _folded(chr(code))
        return folded


class SearchError(ValueError):
    """What is searched for can't be; the text says why, in one line."""


class Search:
    """Words made ready. A text matches if each of them begins a word of it, in any order.

    Matching takes time in proportion to the text.
    """

    def __init__(self, text: str) -> None:
        """Raises SearchError if there is no word in the text, or too much of it."""
        if len(text) > LONGEST_SEARCH:
            raise SearchError(f"must have at most {LONGEST_SEARCH} characters, has {len(text)}")
        self._folding = _Folding()
        words = dict.fromkeys(map(_bare, self._fold(text).split()))
        if not words:
            raise SearchError("has no word to look for")
        self._words = [(word, _beginning(word)) for word in words]

    def matches(self, text: str) -> bool:
        """Whether all the words are in the text."""
        folded = self._fold(text)
        # Most texts have no such letters at all, which is quickest to see.
        return all(word in folded and beginning.search(folded) is not None for word, beginning in self._words)

    def _fold(self, text: str) -> str:
        if text.isascii():
            return text.lower()
        for halves, letter in _HALVES.items():
            if halves[1] in text:
                text = text.replace(halves, letter)
        # Character by character: sorting the marks of a whole text takes quadratic time.
        return text.translate(self._folding)


def _folded(char: str) -> str:
    lower = char.casefold()
    if lower in _WHOLE:
        return lower
    if char in _UNSEEN:
        return ""
    # Syllables of Hangul are read as they are, not by what they begin with.
    if "가" <= char <= "힣":
        return char
    parts = unicodedata.normalize("NFKD", lower)
    return "".join(_PLAIN.get(part, part) for part in parts.casefold() if not _is_accent(part))


def _is_accent(char: str) -> bool:
    """Whether the character is a mark that people leave out: an accent, a Hebrew or Arabic vowel.

    Vowels of Indic scripts and the voicing of kana make other words.
    """
    kind = unicodedata.combining(char)
    return 10 <= kind <= 36 or kind >= 200


def _bare(word: str) -> str:
    """The word without what stands around it in a sentence; a sign that stands alone is what is looked for."""
    bare = word.lstrip(_AROUND).rstrip(_BEHIND)
    return bare if any(map(str.isalnum, bare)) else word


def _beginning(word: str) -> re.Pattern[str]:
    """Finds the word where it begins one; anywhere if it is a sign, or of a script that has no space between words."""
    apart = "" if not word[0].isalnum() or _UNSPACED.match(word) else r"(?<![^\W_])"
    return re.compile(apart + re.escape(word))
