"""All spellings of a chat lead to one key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors import BadParameter
from model.channel_key import MOST_TOGETHER, parse_channel_key, parse_channel_keys


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("durov", "durov"),
        ("@Durov", "durov"),
        (" DUROV ", "durov"),
        ("t.me/Durov", "durov"),
        ("T.me/durov/", "durov"),
        ("https://t.me/durov/123?single", "durov"),
        ("http://telegram.me/s/durov?before=5", "durov"),
        ("-1001234567890", -1001234567890),
        ("-4012345", -4012345),
        ("93372553", 93372553),
        ("t.me/c/1234567890", -1001234567890),
        ("https://t.me/c/123/45", -1000000000123),
        ("t.me/+AbCdEf_123-x", "+AbCdEf_123-x"),
        ("https://t.me/joinchat/AbCdEf_123", "+AbCdEf_123"),
    ],
)
def test_every_spelling_gives_the_same_key(text: str, key: str | int) -> None:
    assert parse_channel_key(text) == key


@pytest.mark.parametrize(
    "text",
    ["", "@", "a", "1abc", "under score", "ünïcode", "-0", "0", "--5", "-100x", "x" * 33, "1" * 17, "t.me/", "t.me/c/x",
     "t.me/c/", "t.me/c/-5", "t.me/+a", "example.com/durov", "https://example.com/", "٣٤٥", "\u212aelvin"],
)  # fmt: skip
def test_anything_else_is_a_bad_parameter_that_says_what_is_allowed(text: str) -> None:
    with pytest.raises(BadParameter, match=r"channel: must be a username .* got"):
        parse_channel_key(text)


@given(st.text())
def test_no_text_gives_anything_but_a_key_or_a_bad_parameter(text: str) -> None:
    try:
        key = parse_channel_key(text)
    except BadParameter as fault:
        assert "\n" not in str(fault)
    else:
        assert parse_channel_key(str(key) if isinstance(key, int) else f"t.me/{key}") == key


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("durov", ("durov",)),
        ("durov+@News+-1001", ("durov", "news", -1001)),
        ("News+t.me/news+durov+NEWS", ("news", "durov")),
        ("t.me/+AbCdEf_123+t.me/c/5", ("+AbCdEf_123", -1000000000005)),
    ],
)
def test_several_chats_are_keys_in_their_order_each_once(text: str, keys: tuple[str | int, ...]) -> None:
    assert parse_channel_keys(text) == keys


@pytest.mark.parametrize("text", ["", "+", "durov+", "+durov", "durov++news", "durov+!!"])
def test_each_of_several_must_be_a_chat(text: str) -> None:
    with pytest.raises(BadParameter, match=r"channel: must be a username .* got"):
        parse_channel_keys(text)


def test_there_are_so_many_at_most() -> None:
    assert len(parse_channel_keys("+".join(f"name{number}" for number in range(MOST_TOGETHER)))) == MOST_TOGETHER
    with pytest.raises(BadParameter, match="at most 50 channels make one feed, got 51"):
        parse_channel_keys("+".join(["name"] * (MOST_TOGETHER + 1)))
