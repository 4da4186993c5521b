from __future__ import annotations

import pytest
from post_samples import OPTIONS, PUBLIC, message

from model.channel import ChannelKind, PeerName
from model.message import Forward, Message, Reaction
from post_parser import build_posts
from posts.post import Counters, Post

THUMB = Reaction(count=3, emoji="👍")


def built(*messages: Message) -> Post:
    (post,) = build_posts(messages, PUBLIC, OPTIONS)
    return post


def test_a_post_has_its_messages_numbers_and_none_where_telegram_gives_none() -> None:
    assert built(message(7, "a", views=0, forwards=2, reactions=(THUMB,))).counters == Counters(
        views=0, forwards=2, reactions=(THUMB,)
    )
    assert built(message(7, "a")).counters == Counters()


def test_an_albums_reactions_count_on_whichever_message_they_are() -> None:
    album = built(message(3, "caption", media_group_id=9), message(4, "", media_group_id=9, reactions=(THUMB,)))
    assert album.counters.reactions == (THUMB,)


def test_a_reaction_holds_nothing_that_a_document_may_not() -> None:
    odd = Reaction(count=1, emoji="\x00👍\ud800")
    assert built(message(7, "a", reactions=(odd,))).counters.reactions == (Reaction(count=1, emoji="👍"),)


@pytest.mark.parametrize(
    ("origin", "post_id", "url"),
    [
        (PeerName(title="X", id=-1009, username="x", kind=ChannelKind.CHANNEL), 5, "https://t.me/x/5"),
        (PeerName(title="X", id=-1000000000009, kind=ChannelKind.CHANNEL), 5, "https://t.me/c/9/5"),
        (PeerName(title="X", id=-1009, username="x", kind=ChannelKind.CHANNEL), None, ""),
        (PeerName(title="Ann", id=42, kind=ChannelKind.USER), 5, ""),
        (PeerName(title="Hidden"), None, ""),
    ],
)
def test_a_forward_leads_to_its_original_where_that_is_on_the_web(
    origin: PeerName, post_id: int | None, url: str
) -> None:
    assert built(message(7, "a", forward=Forward(origin=origin, post_id=post_id))).forward_url == url
    assert built(message(7, "a")).forward_url == ""
