"""Which posts a reader asks for."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posts.filters import LONGEST_PATTERN, Filters, PatternError, PostFilter, Traits, compile_pattern
from posts.flags import FLAGS

POST = Traits(("fwd", "video"), "Der Hafen öffnet\num ACHT, <b>sagt</b> die Wache")


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (Filters(), True),
        (Filters(exclude_flags=("fwd",)), False),
        (Filters(exclude_flags=("poll", "video")), False),
        (Filters(exclude_flags=("poll",)), True),
        (Filters(include_flags=("poll", "video")), True),
        (Filters(include_flags=("poll",)), False),
        # What is left out stays out.
        (Filters(include_flags=("video",), exclude_flags=("fwd",)), False),
        (Filters(include_text="hafen"), True),
        (Filters(include_text="ÖFFNET"), True),
        (Filters(include_text="^um acht"), False),
        (Filters(include_text="(?m)^um acht"), True),
        (Filters(include_text="haf.n|wache$"), True),
        (Filters(include_text="öffnet.um"), False),
        (Filters(include_text="(?s)öffnet.um"), True),
        (Filters(include_text=r"^\pL+ \pL+"), True),
        (Filters(include_text="<b>sagt</b>"), True),
        (Filters(include_text="strand"), False),
        (Filters(exclude_text="wache"), False),
        (Filters(exclude_text="strand"), True),
        (Filters(include_text="hafen", exclude_text="acht"), False),
        (Filters(include_flags=("video",), include_text="hafen"), True),
        (Filters(include_flags=("video",), include_text="strand"), False),
        (Filters(include_flags=("poll",), include_text="hafen"), False),
        (Filters(q="offnet wache"), True),
        (Filters(q="offnet strand"), False),
        (Filters(q="hafen", exclude_text="acht"), False),
        (Filters(include_text="strand", q="hafen"), False),
    ],
)
def test_filters(filters: Filters, kept: bool) -> None:
    assert PostFilter(filters).keeps(POST) is kept


@pytest.mark.parametrize("flag", [flag.name for flag in FLAGS])
def test_all_means_any_flag_but_merged(flag: str) -> None:
    assert PostFilter(Filters(exclude_flags=("all",))).keeps(Traits((flag,), "")) is (flag == "merged")


def test_a_post_without_flags_has_none_of_all() -> None:
    assert PostFilter(Filters(exclude_flags=("all",))).keeps(Traits((), ""))
    assert not PostFilter(Filters(exclude_flags=("all", "merged"))).keeps(Traits(("merged",), ""))


@pytest.mark.parametrize(
    ("filters", "matters"),
    [
        (Filters(), False),
        (Filters(exclude_flags=("fwd",), include_text="a"), False),
        (Filters(exclude_flags=("render_failed",)), True),
        (Filters(include_flags=("render_failed",)), True),
        (Filters(exclude_flags=("all",)), True),
    ],
)
def test_it_is_told_whether_posts_have_to_be_rendered_to_be_chosen(filters: Filters, matters: bool) -> None:
    assert PostFilter(filters).on_failure is matters


def test_filters_name_what_is_asked_and_no_more() -> None:
    assert Filters().parameters() == {}
    assert not Filters()
    asked = Filters(exclude_flags=("all", "merged"), include_text="a,b")
    assert asked.parameters() == {"exclude_flags": "all,merged", "include_text": "a,b"}
    assert asked


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("[a", "missing ]"),
        ("(", "missing )"),
        ("*a", "no argument for repetition operator: *"),
        ("a**", "bad repetition operator: **"),
        ("a{1001}", "invalid repetition size"),
        (r"\1", r"invalid escape sequence: \1"),
        ("(?=a)", "invalid perl operator: (?="),
        ("\\", "trailing \\"),
        ("(\n", "missing )"),
        ("[\U0001f47e", "missing ]"),
    ],
)
def test_what_is_no_expression_is_told_why_in_one_line(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern)
    told = str(caught.value)
    assert told.startswith("is no regular expression that RE2 understands (") and reason in told
    assert "\n" not in told and len(told) < 200


@pytest.mark.parametrize("pattern", [r"(?:\pL|\pN){300}", r"(\w{0,100}){0,10}", ".{1000}"])
def test_an_expression_that_grows_without_measure_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match=r"^is too large: use smaller repetitions$"):
        compile_pattern(pattern)


def test_an_expression_has_a_greatest_length() -> None:
    assert compile_pattern("x" * LONGEST_PATTERN)
    with pytest.raises(PatternError, match=r"^must have at most 500 characters, has 501$"):
        compile_pattern("x" * (LONGEST_PATTERN + 1))


def test_half_a_character_is_refused() -> None:
    with pytest.raises(PatternError, match="surrogate"):
        compile_pattern("a\ud83d")


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "^(a|a)*$", "(a|aa)+$", "(.*a){20}$", "(a?){50}a{50}$", r"^(\w+\s?)*$", r"([a-z]+)*\d"]
)
def test_what_runs_away_elsewhere_takes_time_in_proportion_to_the_text(pattern: str) -> None:
    """With backtracking each of these takes longer than the age of the universe."""
    post_filter = PostFilter(Filters(include_text=pattern))
    text = "a" * 4000 + "!"
    began = time.perf_counter()
    assert not post_filter.keeps(Traits((), text))
    assert time.perf_counter() - began < 1


@given(st.text(max_size=60), st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_any_expression_matches_or_is_refused(pattern: str, text: str) -> None:
    try:
        post_filter = PostFilter(Filters(include_text=pattern))
    except PatternError as fault:
        assert "\n" not in str(fault)
    else:
        post_filter.keeps(Traits((), text))
