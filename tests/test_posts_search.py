"""Words that are searched for as people type them."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posts.search import LONGEST_SEARCH, Search, SearchError


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("train", "The night TRAIN"),
        ("TRAIN", "trains"),
        ("night train", "Train, by\nnight"),
        ("zolty lodz", "Żółty, Łódź"),
        ("żółty", "ZOLTY"),
        ("елка", "Ёлка"),
        ("ёлка", "елка"),
        ("zamok", "za\u0301mok"),
        ("замок", "за\u0301мок"),
        ("strasse", "Straße"),
        ("istanbul", "İSTANBUL"),
        ("isparta", "ısparta"),
        ("ῥόδον", "ΡΟΔΟΝ"),
        ("οδος", "ΟΔΌΣ"),
        ("אבג", "אָבָּג"),
        ("مدرسة", "مَدْرَسَة"),
        ("محمد", "محـــمد"),
        ("東京", "今日は東京へ"),
        ("กรุงเทพ", "ไปกรุงเทพฯ"),
        ("fine", "ﬁne"),
        ("2026", "２０２６"),
        ("c++", "I like C++."),
        ("#news", "so: #News"),
        ("news", "#news and _news_"),
        ("🔥", "so🔥hot"),
        ("don't", "I DON'T know"),
        ("cooperate", "co\u00adoperate"),
        ("각", "각하"),
        ("каф é", "кафе e"),
        # As it stands in a sentence, or is copied out of one.
        ('"night train"', "A train at night"),
        ("«ночной» “поезд”", "Поезд, ночной"),
        ("lamps, (oil); wicks...", "oil for lamps and wicks"),
        ("「天文台」、", "坂の上の天文台"),
        ("هل؟", "هل هذا"),
        ("c++, (#news)", "#news about C++"),
        (":)", "well :)"),
    ],
)
def test_found(words: str, text: str) -> None:
    assert Search(words).matches(text)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("ai", "said"),
        ("art", "a party"),
        ("night train", "night"),
        ("night train", ""),
        # Letters of their own, for whoever has them on the keyboard.
        ("мои", "мой"),
        ("іжак", "їжак"),
        ("かき", "がき"),
        ("가", "각하"),
        ("कल", "कुल"),
        # Signs that belong to a word count, and so do those that stand alone.
        ("c++,", "C"),
        ("#news.", "news"),
        (".net", "net"),
        ('"', "no quotes"),
    ],
)
def test_not_found(words: str, text: str) -> None:
    assert not Search(words).matches(text)


def test_letters_in_two_parts_are_the_letters() -> None:
    for words, text in (("мой", "МОЙ"), ("їжак", "Їжак"), ("café", "CAFÉ")):
        for one in (words, unicodedata.normalize("NFD", words)):
            assert Search(one).matches(unicodedata.normalize("NFD", text))
            assert Search(one).matches(text)


@pytest.mark.parametrize("words", ["", "  \n", "\u0301", "\u200b \ufeff"])
def test_without_a_word_there_is_nothing_to_look_for(words: str) -> None:
    with pytest.raises(SearchError, match="has no word to look for"):
        Search(words)


def test_a_search_has_an_end() -> None:
    Search("x" * LONGEST_SEARCH)
    with pytest.raises(SearchError, match=f"at most {LONGEST_SEARCH} characters, has {LONGEST_SEARCH + 1}"):
        Search("x" * (LONGEST_SEARCH + 1))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("a" * 100 + "b", "a" * 400_000),
        ("aaaa", "x" + "a" * 400_000),
        (" ".join("ab" * size for size in range(1, 12)), "ab" * 200_000),
        ("e", "x" + "\u0301\u0327" * 200_000),
    ],
)
def test_no_text_takes_more_than_its_length(words: str, text: str) -> None:
    search = Search(words)
    began = time.process_time()
    search.matches(text)
    # In proportion it is some milliseconds; with the square of the length it would be minutes.
    assert time.process_time() - began < 3


@given(st.text(), st.text(min_size=1, max_size=50), st.text())
def test_any_text_is_found_in_itself_and_in_capitals(before: str, words: str, after: str) -> None:
    try:
        search = Search(words)
    except SearchError:
        return
    assert search.matches(f"{before} {words} {after}")
    assert search.matches(words.lower())
