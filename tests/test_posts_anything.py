"""Whatever the model can hold, a post comes of it."""

from __future__ import annotations

import unicodedata

import msgspec
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from post_samples import options, visible_text

from model.channel import Channel, ChannelKind, PeerName
from model.entity import Entity, EntityType, Text
from model.media import (
    Audio,
    Document,
    FileLocation,
    FileRef,
    Photo,
    Poll,
    PollOption,
    Sticker,
    Unsupported,
    Video,
    VideoKind,
    WebPage,
)
from model.message import Button, Forward, Message, Reaction, Reply, Service
from post_parser import build_posts
from posts.services import is_noise

WORDS = st.text(alphabet="ab. \n<&\"'#@/:👍🏽\u202e\x00\ud800ыא", max_size=6) | st.sampled_from(
    ["https://a.b/", "0", "javascript:x"]
)
NUMBERS = st.sampled_from([-(2**63), -1, 0, 1, 7, 30, 2**31, 2**63])
MAYBE_NUMBER = st.none() | NUMBERS
TEXTS = st.builds(
    Text,
    WORDS,
    st.lists(
        st.builds(
            Entity,
            type=st.sampled_from(EntityType),
            offset=st.integers(-1, 9),
            length=st.integers(-1, 9),
            url=WORDS,
            language=WORDS,
            user_id=NUMBERS,
            date=NUMBERS,
            collapsed=st.booleans(),
        ),
        max_size=3,
    ).map(tuple),
)
PEERS = st.builds(
    PeerName,
    title=WORDS,
    id=st.none() | st.sampled_from([5, -5, -1000000000005]),
    username=st.none() | WORDS,
    kind=st.none() | st.sampled_from(ChannelKind),
)
FILES = st.builds(
    FileRef,
    location=st.sampled_from(FileLocation),
    id=st.just(1),
    access_hash=st.just(1),
    file_reference=st.just(b""),
    dc_id=st.just(2),
    unique_id=st.sampled_from(["A", "B"]),
    size=NUMBERS,
    mime_type=WORDS | st.sampled_from(["image/png", "video/webm", "application/x-tgsticker"]),
    file_name=WORDS,
    width=NUMBERS,
    height=NUMBERS,
)
THUMBS = st.none() | FILES
DURATIONS = st.sampled_from([-1.0, 0.0, 0.4, 59.6, 1e12])
MEDIA = st.one_of(
    st.none(),
    st.builds(Photo, file=FILES, thumb=THUMBS, spoiler=st.booleans()),
    st.builds(
        Video,
        file=FILES,
        kind=st.sampled_from(VideoKind),
        thumb=THUMBS,
        width=NUMBERS,
        height=NUMBERS,
        duration=DURATIONS,
        spoiler=st.booleans(),
    ),
    st.builds(Audio, file=FILES, voice=st.booleans(), duration=DURATIONS, title=WORDS, performer=WORDS, thumb=THUMBS),
    st.builds(Sticker, file=FILES, emoji=WORDS, thumb=THUMBS, width=NUMBERS, height=NUMBERS),
    st.builds(Document, file=FILES, thumb=THUMBS, spoiler=st.booleans()),
    st.builds(
        Poll,
        question=TEXTS,
        options=st.lists(st.builds(PollOption, text=TEXTS, voters=MAYBE_NUMBER, correct=st.booleans()), max_size=2).map(
            tuple
        ),
        quiz=st.booleans(),
        total_voters=MAYBE_NUMBER,
        solution=TEXTS,
    ),
    st.builds(WebPage, url=WORDS, site_name=WORDS, title=WORDS, description=WORDS, author=WORDS, photo=THUMBS),
    st.builds(Unsupported, kind=WORDS),
)
MESSAGES = st.builds(
    Message,
    id=st.integers(1, 9),
    date=MAYBE_NUMBER,
    text=TEXTS,
    media=MEDIA,
    media_group_id=st.none() | st.integers(0, 1),
    service=st.none()
    | st.builds(
        Service,
        kind=WORDS,
        names=st.lists(PEERS, max_size=2).map(tuple),
        title=WORDS,
        amount=MAYBE_NUMBER,
        date=MAYBE_NUMBER,
    ),
    sender=st.none() | PEERS,
    signature=WORDS,
    forward=st.none() | st.builds(Forward, origin=PEERS, post_id=MAYBE_NUMBER, signature=WORDS),
    reply=st.none()
    | st.builds(
        Reply,
        message_id=MAYBE_NUMBER,
        chat=st.none() | PEERS,
        author=st.none() | PEERS,
        quote=TEXTS,
        story_id=MAYBE_NUMBER,
    ),
    edit_date=MAYBE_NUMBER,
    caption_above=st.booleans(),
    buttons=st.lists(st.builds(Button, text=WORDS, url=WORDS), max_size=2).map(tuple),
    comments=MAYBE_NUMBER,
    restriction=WORDS,
    views=MAYBE_NUMBER,
    forwards=MAYBE_NUMBER,
    reactions=st.lists(st.builds(Reaction, count=NUMBERS, emoji=WORDS, paid=st.booleans()), max_size=2).map(tuple),
)
CHANNELS = st.builds(
    Channel,
    id=st.sampled_from([5, -5, -1000000000005]),
    kind=st.sampled_from(ChannelKind),
    title=WORDS,
    username=st.none() | WORDS,
)


@settings(max_examples=100, deadline=None, phases=set(Phase) - {Phase.shrink, Phase.explain})
@given(
    st.lists(MESSAGES, min_size=1, max_size=4, unique_by=lambda one: one.id),
    CHANNELS,
    st.none() | st.sampled_from([0, 5]),
    st.booleans(),
)
def test_any_message_becomes_a_whole_post(
    messages: list[Message], channel: Channel, merge_seconds: int | None, shown: bool
) -> None:
    failures: list[BaseException] = []
    posts = build_posts(
        messages,
        channel,
        options(merge_seconds=merge_seconds, show_flags=shown, show_bridge_link=shown, reply_quote_chars=4),
        on_failure=lambda _, error: failures.append(error),
    )
    assert not failures
    kept = [one.id for one in messages if one.service is None or not is_noise(one.service)]
    assert sorted(id_ for post in posts for id_ in post.message_ids) == sorted(kept)
    for post in posts:
        assert post.html and post.title.strip() and post.author.strip()
        visible_text(post.html)
        visible_text(post.footer_html)
        for line in (post.title, post.author, *post.tags, *(one.title for one in post.enclosures)):
            assert not any(unicodedata.category(char) in {"Cc", "Cs"} or char == "\u202e" for char in line)
        for whole in (post.html, post.footer_html, post.text, post.link, post.author_url, post.comments_url):
            assert not any(char in whole for char in "\x00\ud800")
        assert all(one.size >= 0 and one.duration >= 0 for one in post.enclosures)
        msgspec.json.encode(msgspec.structs.replace(post, forwarded_from=None))
        assert all(one.width >= 0 and one.height >= 0 for one in post.images)
