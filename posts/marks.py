"""Words that tell what a post is about: streams, appeals for money, advertisements, paywalls."""

from __future__ import annotations

import re

import re2

# By flag: whole words in lower case, ё as е; `*` at the end stands for any ending.
_MARKS: dict[str, tuple[str, ...]] = {
    "stream": ("стрим*", "livestream*", "онлайн-лекци*", "вебинар*"),
    "donat": ("донат*", "cloudtips*", "t.me/boost*"),
    "advert": (
        "#реклама", "#промо", "#спонсор*", "#ad", "#ads", "#advert", "#advertisement", "#advertising", "#promo",
        "#sponsored", "о рекламодателе", "партнерский пост", "партнерского поста", "по промокоду", "erid",
    ),
    "paywall": ("boosty*", "бусти", "sponsr*", "дзен.премиум*", "дзен премиум*", "patreon*"),
}  # fmt: skip


def marks_of(text: str) -> set[str]:
    """The flags of which a word stands in the text, which has to be in lower case, with е for ё."""
    candidates = _STEMS.Match(text.encode("utf-8", "surrogatepass"))
    if not candidates:
        return set()
    return {flag for index in candidates if _WORDS[flag := _FLAGS[index]].search(text) is not None}


def _whole_words(words: tuple[str, ...]) -> re.Pattern[str]:
    endings = ["" if word.endswith("*") else r"(?!\w)" for word in words]
    stems = [word.removesuffix("*") for word in words]
    return re.compile("|".join(rf"(?<!\w){re.escape(stem)}{end}" for stem, end in zip(stems, endings, strict=True)))


def _stems() -> tuple[re2.Set, list[str]]:
    """All words without regard to where they end, to be looked for in one go, and the flag of each."""
    options = re2.Options()
    options.never_capture = True
    options.max_mem = 256 * 1024
    stems, flags = re2.Set.SearchSet(options), []
    for flag, words in _MARKS.items():
        for word in words:
            stems.Add(re2.escape(word.removesuffix("*")))
            flags.append(flag)
    stems.Compile()
    return stems, flags


# Nearly no post has any of them, and the set knows so in a tenth of the time that looking for each of them takes.
_STEMS, _FLAGS = _stems()
_WORDS = {flag: _whole_words(words) for flag, words in _MARKS.items()}
