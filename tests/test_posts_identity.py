from __future__ import annotations

import uuid

import pytest
from post_samples import OPTIONS, PRIVATE, PUBLIC, message, options

from model.channel import Channel, ChannelKind, PeerName
from posts.identity import app_link, bare_id, bridge_link, feed_id, item_id, peer_link, post_link

GROUP = Channel(id=-4242, kind=ChannelKind.GROUP, title="Friends")
USER = Channel(id=777, kind=ChannelKind.USER, title="Ann")


def test_an_items_id_is_a_uuid_of_chat_and_message() -> None:
    assert item_id(-1001234567890, message(12)) == "urn:uuid:47826b8c-ad4f-5744-9599-7b5d5be87888"


def test_an_albums_id_is_that_of_the_album_whichever_photo_is_left() -> None:
    album = "urn:uuid:48f30a96-e585-5c54-8337-ea3655f59aaf"
    assert item_id(-1001234567890, message(12, media_group_id=13057941695911938)) == album
    assert item_id(-1001234567890, message(13, media_group_id=13057941695911938)) == album


def test_ids_are_rfc_9562_version_5() -> None:
    namespace = uuid.UUID("b5210cba-9658-5693-8640-d121c3255d1b")
    for number in range(1, 50):
        assert item_id(-5, message(number)) == f"urn:uuid:{uuid.uuid5(namespace, f'-5/{number}')}"
    assert feed_id(-5) == f"urn:uuid:{uuid.uuid5(namespace, '-5')}"


def test_a_feeds_id_depends_on_its_filters_but_not_on_their_order() -> None:
    assert feed_id(-5, {"exclude_flags": "fwd", "include_text": "a b"}) == feed_id(
        -5, {"include_text": "a b", "exclude_flags": "fwd"}
    )
    assert len({feed_id(-5), feed_id(-6), feed_id(-5, {"exclude_flags": "fwd"})}) == 3
    assert feed_id(-5, {}) == feed_id(-5)


@pytest.mark.parametrize(
    ("channel", "web", "app", "bridge"),
    [
        (PUBLIC, "https://t.me/news/7", "tg://resolve?domain=news&post=7", "https://b.test/html/news/7"),
        (
            PRIVATE,
            "https://t.me/c/1234567890/7",
            "tg://privatepost?channel=1234567890&post=7",
            "https://b.test/html/-1001234567890/7",
        ),
        # Telegram has no address for posts of these.
        (GROUP, "https://b.test/html/-4242/7", "", "https://b.test/html/-4242/7"),
        (USER, "https://b.test/html/777/7", "", "https://b.test/html/777/7"),
    ],
)
def test_where_a_post_is(channel: Channel, web: str, app: str, bridge: str) -> None:
    assert post_link(channel, 7, OPTIONS) == web
    assert app_link(channel, 7) == app
    assert bridge_link(channel, 7, OPTIONS) == bridge


def test_telegrams_web_front_can_be_another_host() -> None:
    assert post_link(PUBLIC, 7, options(link_host="https://telegram.me")) == "https://telegram.me/news/7"


@pytest.mark.parametrize(
    ("peer", "message_id", "link"),
    [
        (PeerName(title="A", username="a_chan", id=-1005), 3, "https://t.me/a_chan/3"),
        (PeerName(title="A", username="a_chan", id=-1005), None, "https://t.me/a_chan"),
        (PeerName(title="A", id=-1000000000005), 3, "https://t.me/c/5/3"),
        (PeerName(title="A", id=-1000000000005), None, ""),
        (PeerName(title="A", id=5, kind=ChannelKind.USER), None, "tg://user?id=5"),
        (PeerName(title="A", id=-5), 3, ""),
        (PeerName(title="A"), 3, ""),
        (PeerName(title="A", username='a"/../b'), None, "https://t.me/a%22%2F..%2Fb"),
    ],
)
def test_where_somebody_is(peer: PeerName, message_id: int | None, link: str) -> None:
    assert peer_link(peer, "https://t.me", message_id) == link


def test_the_mark_of_channels_comes_off() -> None:
    assert [bare_id(one) for one in (-1001234567890, -1000000000001, -42, 42)] == [1234567890, 1, 42, 42]
