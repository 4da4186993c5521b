from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.excerpt import excerpt


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("", 10, ""),
        ("  one \n\n two\t ", 10, "one two"),
        ("exactly 10", 10, "exactly 10"),
        ("First one. Second sentence", 16, "First one."),
        ("Ends at ten", 10, "Ends at…"),
        ("It is 3.14 and more", 12, "It is 3.14…"),
        ("One, two, three, four", 10, "One, two…"),
        ("unbreakable" * 3, 10, "unbreakab…"),
        ("日本語の文章です。続きがここにあります", 12, "日本語の文章です。"),
        ("Oh. " + "x" * 20, 10, "Oh. xxxxx…"),
        (" " * 100 + "behind much space", 10, "behind…"),
        ("a b" + " " * 100 + "c", 10, "a b c"),
    ],
)
def test_a_text_is_cut_where_a_reader_would(text: str, limit: int, expected: str) -> None:
    assert excerpt(text, limit) == expected


@pytest.mark.parametrize("cluster", ["👨‍👩‍👧", "🇩🇪", "👍🏽", "e\u0301", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "नि"], ids=ascii)
def test_no_cut_goes_through_what_looks_like_one_character(cluster: str) -> None:
    for limit in range(16, 40):
        cut = excerpt(cluster * 40, limit)
        assert cut.endswith("…")
        assert set(cut[:-1].split(cluster)) == {""}


def test_a_single_endless_cluster_is_cut_all_the_same() -> None:
    assert len(excerpt("e" + "\u0301" * 500, 300)) == 300


@given(st.text(), st.integers(2, 50))
def test_an_excerpt_is_one_line_within_its_limit(text: str, limit: int) -> None:
    cut = excerpt(text, limit)
    assert len(cut) <= limit
    assert cut == " ".join(cut.split())
    assert bool(cut) == bool(text.split())
