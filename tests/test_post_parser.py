from __future__ import annotations

from itertools import permutations
from typing import Any

import msgspec
import pytest
from post_samples import OPTIONS, PRIVATE, PUBLIC, Links, file, message, options, text

from model.channel import Channel, ChannelKind, PeerName
from model.entity import EntityType, Text
from model.media import FileRef, Photo, Poll, PollOption, Video, WebPage
from model.message import Forward, Message, Reply, Service
from post_parser import Memory, build_posts, post_of
from posts.post import Image, Post, PostFile

E = EntityType
PHOTO = Photo(file=file(width=8, height=6))
ALBUM = [message(n, "Caption" if n == 4 else "", PHOTO, media_group_id=99) for n in (3, 4, 5)]


class Broken(Links):
    """Media links that fail for one message."""

    def url(self, channel_id: int, post_id: int, file: FileRef) -> str:
        if post_id == 4:
            raise RuntimeError("no key")
        return super().url(channel_id, post_id, file)


def test_a_post_in_full() -> None:
    source = message(
        7,
        text("The harbour opens #Sea #sea $TON", (E.HASHTAG, "#Sea"), (E.HASHTAG, "#sea"), (E.CASHTAG, "$TON")),
        PHOTO,
        date=1_796_126_400,
        edit_date=1_796_126_460,
        signature="Ann",
        forward=Forward(origin=PeerName(title="X", username="x")),
        comments=3,
    )
    (post,) = build_posts([source], PRIVATE, OPTIONS)
    assert post == Post(
        guid="urn:uuid:9ec9d719-f6b8-52cb-a8b1-36d2ece12f17",
        channel_id=-1001234567890,
        message_ids=(7,),
        date=1_796_126_400,
        updated=1_796_126_460,
        title="FWD: The harbour opens #Sea #sea $TON",
        author="Ann",
        link="https://t.me/c/1234567890/7",
        html='<p class="forward" dir="auto">Forwarded from <a href="https://t.me/x"><b><bdi>X</bdi></b></a></p>'
        '<div class="media photo"><img src="https://b.test/media/7/F1" width="8" height="6" alt="Photo" loading="lazy">'
        '</div><div class="text" dir="auto">The harbour opens #Sea #sea $TON</div>'
        '<p class="comments"><a href="https://t.me/c/1234567890/7?comment=1">💬 Comments</a></p>',
        footer_html=post.footer_html,
        text="The harbour opens #Sea #sea $TON",
        flags=("fwd",),
        tags=("Sea", "TON"),
        images=(Image(url="https://b.test/media/7/F1", width=8, height=6),),
        forwarded_from=PeerName(title="X", username="x"),
        comments_url="https://t.me/c/1234567890/7?comment=1",
        files=(PostFile(7, PHOTO.file),),
    )


def test_posts_come_newest_first_and_the_limit_counts_posts() -> None:
    messages = [message(1, "old"), *ALBUM, message(9, "new"), message(10, service=Service(kind="pin_message"))]
    assert [post.message_ids for post in build_posts(messages, PUBLIC, OPTIONS)] == [(9,), (3, 4, 5), (1,)]
    assert [post.message_ids for post in build_posts(messages, PUBLIC, OPTIONS, limit=2)] == [(9,), (3, 4, 5)]
    assert build_posts(messages, PUBLIC, OPTIONS, limit=0) == []


def test_the_input_is_not_changed_and_its_order_means_nothing() -> None:
    messages = [message(1, "a"), *ALBUM]
    before = msgspec.json.encode(messages)
    posts = build_posts(messages, PUBLIC, OPTIONS)
    assert msgspec.json.encode(messages) == before
    assert all(build_posts(order, PUBLIC, OPTIONS) == posts for order in permutations(messages))


def test_stored_messages_render_as_live_ones_do() -> None:
    messages = [
        *ALBUM,
        message(6, "x", Video(file=file(), thumb=file("T"))),
        message(7, "", Poll(question=Text("Q"), options=(PollOption(text=Text("a"), voters=1),))),
        message(8, "x", WebPage(url="https://a.b", photo=file()), reply=Reply(message_id=7, quote=Text("q"))),
    ]
    stored = msgspec.msgpack.decode(msgspec.msgpack.encode(messages), type=list[Message])
    assert build_posts(stored, PUBLIC, OPTIONS) == build_posts(messages, PUBLIC, OPTIONS)


def test_a_merged_post_takes_its_face_from_the_first_text() -> None:
    messages = [
        message(1, "", PHOTO, date=100, sender=PeerName(title="Ann")),
        message(2, "The harbour opens", date=102, sender=PeerName(title="Bob", username="bob")),
        message(3, "Second", date=104, edit_date=200, views=5),
    ]
    (post,) = build_posts(messages, PUBLIC, options(merge_seconds=5))
    assert (post.title, post.author, post.author_url) == ("The harbour opens", "Bob (@bob)", "https://t.me/bob")
    assert (post.text, post.date, post.updated) == ("The harbour opens\n\nSecond", 100, 200)
    assert post.flags == ("merged",)
    assert "#2" in post.footer_html
    assert len(build_posts(messages, PUBLIC, OPTIONS)) == 3


def guid_of(messages: list[Message], merge_seconds: int | None = None) -> str:
    return build_posts(messages, PUBLIC, options(merge_seconds=merge_seconds))[-1].guid


def test_ids_outlive_what_happens_to_a_post() -> None:
    one = message(1, "a", date=100)
    alone = guid_of([one])
    assert guid_of([one, message(2, "b", date=101)], 5) == alone
    assert guid_of([message(1, "edited", date=100, edit_date=300)]) == alone
    assert (
        build_posts([one], msgspec.structs.replace(PUBLIC, username=None), options(base_url="https://c.d"))[0].guid
        == alone
    )
    album = guid_of(ALBUM)
    assert guid_of(ALBUM[1:]) == guid_of(ALBUM[:1]) == album
    assert guid_of([*ALBUM, message(6, "x", date=ALBUM[0].date)], 5) == album


def test_any_message_of_a_post_leads_to_it() -> None:
    messages = [message(1, "a"), *ALBUM, message(9, service=Service(kind="pin_message"))]
    whole = build_posts(messages, PUBLIC, OPTIONS)[0]
    assert [post_of(messages, PUBLIC, OPTIONS, id_) for id_ in (3, 4, 5)] == [whole] * 3
    assert post_of(messages, PUBLIC, OPTIONS, 2) is None
    assert post_of(messages, PUBLIC, OPTIONS, 9) is None


def test_a_post_that_fails_is_a_placeholder_and_the_others_are_unharmed() -> None:
    messages = [message(1, "a", PHOTO), *ALBUM, message(9, "b", PHOTO)]
    good = build_posts(messages, PUBLIC, OPTIONS)
    failures: list[tuple[int, BaseException]] = []
    posts = build_posts(
        messages, PUBLIC, options(media=Broken()), on_failure=lambda id_, error: failures.append((id_, error))
    )
    assert (posts[0], posts[2]) == (good[0], good[2])
    assert posts[1] == Post(
        guid=good[1].guid,
        channel_id=PUBLIC.id,
        message_ids=(3, 4, 5),
        date=good[1].date,
        title="Post #3",
        author="News (@news)",
        link="https://t.me/news/3",
        html='<p class="unsupported" dir="auto">This post could not be shown here: '
        '<a href="https://t.me/news/3">see it in Telegram</a></p>',
        flags=("render_failed",),
        failed=True,
    )
    ((id_, error),) = failures
    assert id_ == 3 and str(error) == "no key"
    assert post_of(messages, PUBLIC, options(media=Broken()), 5) == posts[1]


class Counting(Links):
    """Media links that note for which messages they are asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def url(self, channel_id: int, post_id: int, file: FileRef) -> str:
        self.asked.append(post_id)
        return super().url(channel_id, post_id, file)


def test_with_a_memory_one_new_message_costs_one_rendering() -> None:
    links = Counting()
    memory: Memory = {}
    old = [message(n, "x", PHOTO) for n in (1, 2, 3)]
    first = build_posts(old, PUBLIC, options(media=links), memory=memory)
    links.asked.clear()
    # What comes from storage are equal messages, not the same objects.
    stored = msgspec.msgpack.decode(msgspec.msgpack.encode(old), type=list[Message])
    posts = build_posts([*stored, message(4, "new", PHOTO)], PUBLIC, options(media=links), memory=memory)
    assert links.asked == [4]
    assert posts[1:] == first


@pytest.mark.parametrize(
    ("messages", "channel", "changes"),
    [
        ([message(1, "edited", PHOTO)], PUBLIC, {}),
        ([message(1, "x", PHOTO, views=2)], PUBLIC, {}),
        ([message(1, "x", PHOTO)], msgspec.structs.replace(PUBLIC, username="renamed"), {}),
        ([message(1, "x", PHOTO)], PUBLIC, {"base_url": "https://c.d"}),
        ([message(1, "x", PHOTO), message(2, "y")], PUBLIC, {"merge_seconds": 5}),
    ],
)
def test_a_memory_never_gives_what_is_out_of_date(
    messages: list[Message], channel: Channel, changes: dict[str, Any]
) -> None:
    memory: Memory = {}
    build_posts([message(1, "x", PHOTO, views=1)], PUBLIC, OPTIONS, memory=memory)
    build_posts([message(1, "x", PHOTO)], PUBLIC, OPTIONS, memory=memory)
    fresh = build_posts(messages, channel, options(**changes))
    assert build_posts(messages, channel, options(**changes), memory=memory) == fresh


def test_a_failure_is_not_remembered() -> None:
    memory: Memory = {}
    failures: list[int] = []
    for _ in range(2):
        build_posts(
            ALBUM, PUBLIC, options(media=Broken()), on_failure=lambda id_, error: failures.append(id_), memory=memory
        )
    assert failures == [3, 3] and not memory


@pytest.mark.parametrize(
    ("fields", "author", "url"),
    [
        ({"sender": PeerName(title="Club", id=-1009, username="club")}, "Club (@club)", "https://t.me/club"),
        ({"sender": PeerName(title="Ann Lee", id=5)}, "Ann Lee", "tg://user?id=5"),
        ({"sender": PeerName(title="", username="ann")}, "@ann", "https://t.me/ann"),
        ({"sender": PeerName(title="Ann\n\u202eLee"), "signature": "S"}, "Ann Lee", ""),
        ({"signature": "Ann"}, "Ann", "https://t.me/news"),
        (
            {"sender": PeerName(title="News", id=PUBLIC.id, username="news"), "signature": "Ann"},
            "Ann",
            "https://t.me/news",
        ),
        ({"sender": PeerName(title=""), "signature": "Ann"}, "Ann", "https://t.me/news"),
        ({}, "News (@news)", "https://t.me/news"),
    ],
)
def test_who_wrote_it(fields: dict[str, Any], author: str, url: str) -> None:
    (post,) = build_posts([message(7, "x", **fields)], PUBLIC, OPTIONS)
    assert (post.author, post.author_url) == (author, url)


def test_even_a_nameless_chat_has_an_author() -> None:
    nameless = Channel(id=-5, kind=ChannelKind.GROUP, title="\u200b")
    assert build_posts([message(7, "x")], nameless, OPTIONS)[0].author == "Chat -5"


def test_a_polls_words_are_its_text() -> None:
    poll = Poll(question=Text("Tea?"), options=(PollOption(text=Text("yes")), PollOption(text=Text("no"))))
    assert build_posts([message(7, "", poll)], PUBLIC, OPTIONS)[0].text == "Tea?\nyes\nno"


def test_no_text_of_a_post_holds_what_xml_forbids() -> None:
    bad = "a\x00b\ud800c\uffff"
    odd = message(7, Text(bad), signature=bad, buttons=(), forward=Forward(origin=PeerName(title="X"), signature=bad))
    (post,) = build_posts([odd], PUBLIC, OPTIONS)
    fields = [post.title, post.author, post.html, post.footer_html, post.text]
    assert not any(char in field for field in fields for char in "\x00\ud800\uffff")
    assert post.text == "abc"
