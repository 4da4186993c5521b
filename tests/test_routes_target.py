"""What paths name: channels in any spelling, posts, and the token."""

from __future__ import annotations

import pytest

from errors import BadParameter
from model.thread import ThreadKind
from routes.target import Target, parse_target
from routes.thread_paths import ThreadPart

TOKEN = "12345"
THREADS = {"topic/7": ThreadPart(ThreadKind.TOPIC, 7), "8/comments": ThreadPart(ThreadKind.COMMENTS, 8)}


def parse(path: str, *, with_post: bool = True, with_thread: bool = True, token: str = TOKEN) -> Target:
    return parse_target(path, is_token=lambda text: text == token, with_post=with_post, with_thread=with_thread)


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
    for words, thread in THREADS.items():
        for with_post in (True, False):
            assert parse(f"{path}/{words}", with_post=with_post) == Target(channel=channel, thread=thread)
            named = parse(f"{path}/{words}/secret", with_post=with_post)
            assert named == Target(channel=channel, thread=thread, token="secret")


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


def test_what_may_be_a_thread_or_the_token_is_the_token() -> None:
    assert parse("name/topic/7", token="topic/7") == Target(channel="name", token="topic/7")
    assert parse("name/topic", token="topic") == Target(channel="name", token="topic")
    assert parse("name/8/comments", token="8/comments", with_post=False) == Target(channel="name", token="8/comments")
    assert parse("name/8/comments", token="comments") == Target(channel="name", post_id=8, token="comments")
    # In a feed's address no post stands.
    in_feed = parse("name/8/comments", token="comments", with_post=False)
    assert in_feed == Target(channel="name", thread=THREADS["8/comments"])


def test_a_channel_may_be_called_as_what_follows_one() -> None:
    assert parse("topic/topic/7") == Target(channel="topic", thread=THREADS["topic/7"])
    assert parse("comments/8/comments") == Target(channel="comments", thread=THREADS["8/comments"])


def test_where_there_are_no_threads_their_paths_are_bad() -> None:
    with pytest.raises(BadParameter, match=r"^path: "):
        parse("name/topic/7", with_thread=False)


@pytest.mark.parametrize(
    ("path", "name"), [("name/topic/0", "topic"), ("name/topic/x", "topic"), ("name/0/comments", "post_id")]
)
def test_a_thread_of_no_possible_id_is_named(path: str, name: str) -> None:
    with pytest.raises(BadParameter, match=f"^{name}: must be a number from 1 to 2147483647"):
        parse(path)
