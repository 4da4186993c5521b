"""Keys that open one chat's feeds."""

from __future__ import annotations

import re

import pytest

from media_cache.signing import MediaSigner
from model.media import FileLocation, FileRef
from routes.feed_keys import FeedKeys, joint_subject

KEYS = FeedKeys(b"k" * 32)
CHAT = -1001234567890


def test_a_key_has_128_bits_and_fits_into_an_address() -> None:
    # A vector: what readers have subscribed to must not change.
    assert KEYS.of(CHAT) == "qaN9TIBUO94V7N4VAXsVYw"
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", KEYS.of(CHAT))


def test_a_key_opens_its_chat_and_no_other() -> None:
    assert KEYS.matches(CHAT, KEYS.of(CHAT))
    assert not KEYS.matches(CHAT - 1, KEYS.of(CHAT))
    assert not FeedKeys(b"l" * 32).matches(CHAT, KEYS.of(CHAT))


@pytest.mark.parametrize(
    "candidate", ["", "x", "é", "\udcff", KEYS.of(CHAT)[:-1], KEYS.of(CHAT) + "A", KEYS.of(CHAT).lower()]
)
def test_what_is_no_key_opens_nothing(candidate: str) -> None:
    assert not KEYS.matches(CHAT, candidate)


def test_no_key_opens_a_chat_that_is_not_known() -> None:
    assert not KEYS.matches(None, KEYS.of(0))


def test_a_media_digest_is_no_key() -> None:
    file = FileRef(location=FileLocation.PHOTO, id=1, access_hash=1, file_reference=b"", dc_id=2, unique_id="x")
    digest = MediaSigner(b"k" * 32, "https://b.test").url(CHAT, 0, file).rpartition("/")[2]
    assert len(digest) == len(KEYS.of(CHAT)) and not KEYS.matches(CHAT, digest)


def test_several_chats_have_a_key_of_their_own_in_whatever_order() -> None:
    key = KEYS.of(joint_subject([CHAT, -5, "name"]))
    assert KEYS.matches(joint_subject(["name", CHAT, -5, CHAT]), key)
    fewer: list[list[int | str]] = [[CHAT, -5], [CHAT], [-5, "name"]]
    assert not any(KEYS.matches(joint_subject(chats), key) for chats in fewer)
    assert KEYS.of(joint_subject([CHAT, CHAT])) == KEYS.of(CHAT)
