"""Query parameters: what is allowed, and that each fault names its parameter."""

from __future__ import annotations

import pytest

from errors import BadParameter
from feeds.feed import FeedFormat
from routes.query import FeedQuery, parse_feed_query, parse_format


def test_nothing_asked_gives_the_defaults() -> None:
    assert parse_feed_query({}, merge=False) == FeedQuery(limit=50, merge_seconds=None)
    assert parse_feed_query({}, merge=True) == FeedQuery(limit=50, merge_seconds=5)


def test_what_is_asked_is_taken_and_unknown_names_are_ignored() -> None:
    params = {"limit": "200", "merge_seconds": "0", "utm_source": "reader"}
    assert parse_feed_query(params, merge=True) == FeedQuery(limit=200, merge_seconds=0)


@pytest.mark.parametrize("value", ["0", "201", "-1", "+5", "5.0", "", "ten", "1_0", "٥", "9" * 5000])
def test_a_wrong_limit_is_a_bad_parameter_that_says_what_is_allowed(value: str) -> None:
    with pytest.raises(BadParameter, match=r"^limit: must be a number from 1 to 200, got ") as caught:
        parse_feed_query({"limit": value}, merge=False)
    assert len(str(caught.value)) < 120


def test_wrong_merge_seconds_are_named_even_where_merging_is_off() -> None:
    with pytest.raises(BadParameter, match=r"^merge_seconds: must be a number from 0 to 86400"):
        parse_feed_query({"merge_seconds": "soon"}, merge=False)


def test_the_output_type_is_one_of_those_offered() -> None:
    offered = (FeedFormat.RSS, FeedFormat.HTML)
    assert parse_format({}, offered) is FeedFormat.RSS
    assert parse_format({"output_type": "html"}, offered) is FeedFormat.HTML
    with pytest.raises(BadParameter, match=r"^output_type: must be one of rss, html, got 'atom'"):
        parse_format({"output_type": "atom"}, offered)
