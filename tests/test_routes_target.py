"""What paths name: channels in any spelling, posts, and the token."""

from __future__ import annotations

import time

import pytest

from errors import BadParameter
from model.thread import ThreadKind
from routes.target import Target, parse_target
from routes.thread_paths import ThreadPart

TOKEN = "12345"
THREADS = {"topic/7": ThreadPart(ThreadKind.TOPIC, 7), "8/comments": ThreadPart(ThreadKind.COMMENTS, 8)}


def parse(path: str, *, with_post: bool = True, with_feeds: bool = True, token: str = TOKEN) -> Target:
    return parse_target(path, is_token=lambda text: text == token, with_post=with_post, with_feeds=with_feeds)


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
        parse("name/topic/7", with_feeds=False)


@pytest.mark.parametrize(
    ("path", "name"), [("name/topic/0", "topic"), ("name/topic/x", "topic"), ("name/0/comments", "post_id")]
)
def test_a_thread_of_no_possible_id_is_named(path: str, name: str) -> None:
    with pytest.raises(BadParameter, match=f"^{name}: must be a number from 1 to 2147483647"):
        parse(path)


@pytest.mark.parametrize(
    "channels",
    [
        "a1+b1",
        "@a1+t.me/b1",
        "t.me/a1+b1+t.me/c/5",
        "t.me/+AbCdEfGh+b1",
        "b1+t.me/+AbCdEfGh",
        "t.me/c/5+t.me/joinchat/AbCdEfGh",
    ],
)
def test_several_channels_are_one_part_of_the_path_links_included(channels: str) -> None:
    assert parse(channels) == Target(channel=channels)
    assert parse(f"{channels}/secret", with_post=False) == Target(channel=channels, token="secret")
    with_schemes = channels.replace("t.me", "https://t.me")
    assert parse(f"{with_schemes}/{TOKEN}", with_post=False) == Target(channel=channels, token=TOKEN)


def test_a_plus_in_the_token_is_the_tokens() -> None:
    assert parse("name/to+ken") == Target(channel="name", token="to+ken")


@pytest.mark.parametrize("path", ["a1+t.me", "t.me/b1+t.me/c"])
def test_a_link_that_leads_nowhere_is_missing_its_channel(path: str) -> None:
    with pytest.raises(BadParameter, match=r"^channel: "):
        parse(path)


def test_a_path_of_many_links_is_taken_apart_in_a_moment() -> None:
    began = time.perf_counter()
    parse("+".join(["t.me/name"] * 5000))
    assert time.perf_counter() - began < 1


def parse_folder(path: str) -> Target:
    return parse_target(path, is_token=lambda text: text in (TOKEN, "a/b"), with_post=False, with_feeds=True)


def test_a_folder_is_named_behind_its_word_and_may_have_slashes() -> None:
    assert parse_folder("folder/Daily") == Target(folder="Daily")
    assert parse_folder("folder/News / Tech/") == Target(folder="News / Tech")
    assert parse_folder(f"folder/Daily/{TOKEN}") == Target(folder="Daily", token=TOKEN)
    assert parse_folder("folder/News/Tech/a/b") == Target(folder="News/Tech", token="a/b")


def test_a_folders_name_has_an_end() -> None:
    for path in (f"folder/{'x' * 101}", f"folder/{'x' * 101}/{TOKEN}"):
        with pytest.raises(BadParameter, match=r"^folder: must have at most 100 characters, has 101$"):
            parse_folder(path)


def test_a_channel_may_be_called_folder() -> None:
    assert parse_folder("folder") == Target(channel="folder")
    assert parse_folder(f"folder/{TOKEN}") == Target(channel="folder", token=TOKEN)
    assert parse("folder/7", with_feeds=False) == Target(channel="folder", post_id=7)
