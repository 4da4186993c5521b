"""Query parameters: what is allowed, and that each fault names its parameter."""

from __future__ import annotations

import pytest

from errors import BadParameter
from feeds.feed import FeedFormat
from posts.filters import Filters
from routes.query import FLAG_NAMES, FeedQuery, parse_feed_query, parse_flag, parse_format


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


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("video", ("video",)),
        ("video,fwd", ("fwd", "video")),
        (" Video , fwd,,video ", ("fwd", "video")),
        ("all", ("all",)),
        ("all,video,merged", ("all", "merged")),
        ("", ()),
        (",", ()),
    ],
)
def test_lists_of_the_same_flags_are_one_query(text: str, flags: tuple[str, ...]) -> None:
    assert parse_feed_query({"exclude_flags": text}, merge=False).filters == Filters(exclude_flags=flags)


@pytest.mark.parametrize(("name", "text"), [("exclude_flags", "fwd,vidoe"), ("include_flags", "vidoe")])
def test_an_unknown_flag_is_answered_with_all_that_there_are(name: str, text: str) -> None:
    with pytest.raises(BadParameter, match=rf"^{name}: there is no flag 'vidoe'; the flags are ") as caught:
        parse_feed_query({name: text}, merge=False)
    told = str(caught.value).rpartition("the flags are ")[2].split(", ")
    assert told == ["all", *FLAG_NAMES] if name == "exclude_flags" else told == list(FLAG_NAMES)


def test_all_is_no_flag_to_ask_for() -> None:
    with pytest.raises(BadParameter, match=r"^include_flags: there is no flag 'all'"):
        parse_feed_query({"include_flags": "all"}, merge=False)


@pytest.mark.parametrize("name", ["exclude_text", "include_text"])
def test_a_wrong_expression_is_named_with_its_fault(name: str) -> None:
    with pytest.raises(
        BadParameter, match=rf"^{name}: is no regular expression that RE2 understands \(missing \]: \[a\)$"
    ):
        parse_feed_query({name: "[a"}, merge=False)
    with pytest.raises(BadParameter, match=rf"^{name}: must have at most 500 characters, has 501$"):
        parse_feed_query({name: "a" * 501}, merge=False)
    assert not parse_feed_query({name: ""}, merge=False).filters


@pytest.mark.parametrize("value", ["0", "-1", "2147483648", "", "first", "1e3"])
def test_a_page_comes_before_a_message_id(value: str) -> None:
    with pytest.raises(BadParameter, match=r"^before: must be a number from 1 to 2147483647, got "):
        parse_feed_query({"before": value}, merge=False)
    assert parse_feed_query({"before": "2147483647"}, merge=False).before == 2**31 - 1


@pytest.mark.parametrize("value", ["0,-1001,7", "1700000100,-1000000001001,149", "1700000100,5,2147483647"])
def test_a_page_of_several_chats_comes_after_a_place(value: str) -> None:
    query = parse_feed_query({"before": value}, merge=False, several=True)
    assert query.parameters() == {"before": value}
    # What turns out to be of one chat is known by the message.
    assert parse_feed_query({"before": value}, merge=False).before == int(value.rpartition(",")[2])


@pytest.mark.parametrize("value", ["", "7", "1,2", "-1,2,3", "1,2,-3", "1,2,3,4", "9" * 13 + ",1,1", "x,1,1", "1, 1,1"])
def test_anything_else_is_no_place(value: str) -> None:
    with pytest.raises(BadParameter, match=r"^before: must be as links to older posts have it here"):
        parse_feed_query({"before": value}, merge=False, several=True)


def test_a_search_is_words_on_one_line_or_nothing() -> None:
    assert parse_feed_query({"q": " night \n\u202e train "}, merge=False).parameters() == {"q": "night train"}
    assert not parse_feed_query({"q": ""}, merge=False).filters
    with pytest.raises(BadParameter, match=r"^q: must have at most 200 characters, has 201$"):
        parse_feed_query({"q": "x" * 201}, merge=False)


@pytest.mark.parametrize("text", [" ", "\x00", "\x01 \x02", "\u202e", "\u3164", "\ufffe", "\u200b\u200d", "\ufe0f"])
def test_a_search_for_what_nobody_sees_is_refused_and_never_one_for_everything(text: str) -> None:
    with pytest.raises(BadParameter, match=r"^q: has no word to look for$"):
        parse_feed_query({"q": text}, merge=False)


def test_what_chooses_posts_is_apart_from_where_a_page_ends() -> None:
    query = parse_feed_query(
        {"limit": "3", "before": "9", "exclude_flags": "video,fwd", "include_text": "x", "merge_seconds": "7"},
        merge=True,
    )
    assert query.choice() == {"exclude_flags": "fwd,video", "include_text": "x", "merge_seconds": "7"}
    assert query.parameters() == query.choice() | {"limit": "3", "before": "9"}
    assert FeedQuery(merge_seconds=5).parameters() == FeedQuery().parameters() == {}


def test_a_switch_is_true_or_false() -> None:
    assert [parse_flag({"debug": text}, "debug") for text in ("true", "1", "ON", "false", "no")] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert not parse_flag({}, "debug")
    with pytest.raises(BadParameter, match=r"^debug: must be true or false, got 'maybe'"):
        parse_flag({"debug": "maybe"}, "debug")
