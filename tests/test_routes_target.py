"""What paths name: channels in any spelling, posts, and the token."""

from __future__ import annotations

import pytest

from errors import BadParameter
from routes.target import Target, parse_target

TOKEN = "12345"


def parse(path: str, *, with_post: bool = True) -> Target:
    return parse_target(path, is_token=lambda text: text == TOKEN, with_post=with_post)


@pytest.mark.parametrize(
    ("path", "channel"),
    [
        ("name", "name"),
        ("@Name/", "@Name"),
        ("-1001234567890", "-1001234567890"),
        ("t.me/name", "t.me/name"),
        ("https://t.me/name", "t.me/name"),
        ("https:/t.me/name", "t.me/name"),
        ("t.me/c/1234567890", "t.me/c/1234567890"),
        ("Telegram.me/s/name", "Telegram.me/s/name"),
    ],
)
def test_every_spelling_of_a_channel_is_one_channel_with_and_without_more(path: str, channel: str) -> None:
    assert parse(path) == Target(channel=channel)
    assert parse(f"{path}/7") == Target(channel=channel, post_id=7)
    assert parse(f"{path}/7/secret") == Target(channel=channel, post_id=7, token="secret")
    assert parse(f"{path}/secret", with_post=False) == Target(channel=channel, token="secret")


def test_a_token_of_digits_is_the_token_where_it_stands_last_and_alone() -> None:
    assert parse(f"name/{TOKEN}") == Target(channel="name", token=TOKEN)
    assert parse(f"name/{TOKEN}/{TOKEN}") == Target(channel="name", post_id=int(TOKEN), token=TOKEN)


@pytest.mark.parametrize("path", ["", "/", "t.me", "https://t.me/c"])
def test_a_path_without_a_channel_says_so(path: str) -> None:
    with pytest.raises(BadParameter, match=r"^channel: "):
        parse(path)


def test_more_parts_than_there_are_meanings_is_a_bad_path() -> None:
    with pytest.raises(BadParameter, match=r"^path: "):
        parse("name/7/secret/more")


@pytest.mark.parametrize("post", ["0", "2147483648", "9" * 20, "1" * 5000])
def test_a_message_id_out_of_range_is_named(post: str) -> None:
    with pytest.raises(BadParameter, match=r"^post_id: must be a number from 1 to 2147483647"):
        parse(f"name/{post}/token")


def test_a_token_may_hold_slashes() -> None:
    target = parse_target("name/7/a/b", is_token=lambda text: text == "a/b", with_post=True)
    assert target == Target(channel="name", post_id=7, token="a/b")
