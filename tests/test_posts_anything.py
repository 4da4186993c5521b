"""Whatever the model can hold, a post comes of it."""

from __future__ import annotations

import unicodedata
from typing import Any

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from post_samples import OPTIONS, options, visible_text

from feeds import post_json
from feeds.xml import clean
from model import rich
from model.channel import Channel, ChannelKind, PeerName
from model.entity import Entity, EntityType, Text
from model.media import (
    Audio,
    Checklist,
    ChecklistItem,
    Contact,
    Dice,
    Document,
    FileLocation,
    FileRef,
    Game,
    Giveaway,
    GiveawayResults,
    Invoice,
    LivePhoto,
    Location,
    PaidMedia,
    PaidPreview,
    Photo,
    Point,
    Poll,
    PollOption,
    Rich,
    Sticker,
    Story,
    Unsupported,
    Venue,
    Video,
    VideoKind,
    WebPage,
)
from model.message import Button, Forward, Message, Reaction, Reply, Service
from post_parser import build_posts
from posts.services import is_noise
from rss_generator import make_item

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
PHOTOS = st.builds(Photo, file=FILES, thumb=THUMBS, spoiler=st.booleans())
VIDEOS = st.builds(
    Video,
    file=FILES,
    kind=st.sampled_from(VideoKind),
    thumb=THUMBS,
    width=NUMBERS,
    height=NUMBERS,
    duration=DURATIONS,
    spoiler=st.booleans(),
)
ATTACHMENTS = st.one_of(
    PHOTOS,
    VIDEOS,
    st.builds(LivePhoto, photo=PHOTOS, video=VIDEOS),
    st.builds(Audio, file=FILES, voice=st.booleans(), duration=DURATIONS, title=WORDS, performer=WORDS, thumb=THUMBS),
    st.builds(Sticker, file=FILES, emoji=WORDS, thumb=THUMBS, width=NUMBERS, height=NUMBERS),
    st.builds(Document, file=FILES, thumb=THUMBS, spoiler=st.booleans()),
)
DEGREES = st.sampled_from([-90.0, -0.0, 1e-9, 89.999999])
POINTS = st.none() | st.builds(Point, latitude=DEGREES, longitude=DEGREES, accuracy=NUMBERS)
PLACES = st.one_of(
    st.builds(Location, point=POINTS, live_period=NUMBERS, heading=MAYBE_NUMBER),
    st.builds(Venue, title=WORDS, address=WORDS, point=POINTS),
)
PREVIEWS = st.builds(PaidPreview, width=NUMBERS, height=NUMBERS, duration=NUMBERS)
PEOPLE = st.lists(PEERS, max_size=2).map(tuple)


def few(things: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(things, max_size=2).map(tuple)


def holders(blocks: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    item = st.builds(
        rich.ListItem, blocks=few(blocks), checked=st.none() | st.booleans(), value=st.none() | st.integers(-3, 3)
    )
    return st.one_of(
        st.builds(rich.Quote, blocks=few(blocks), caption=TEXTS, pulled=st.booleans()),
        st.builds(rich.Collage, blocks=few(blocks), caption=TEXTS, credit=TEXTS),
        st.builds(rich.Details, blocks=few(blocks), title=TEXTS, open=st.booleans()),
        st.builds(
            rich.List,
            items=few(item),
            ordered=st.booleans(),
            start=MAYBE_NUMBER,
            descending=st.booleans(),
            style=WORDS,
        ),
    )


CELLS = st.builds(rich.Cell, text=TEXTS, header=st.booleans(), columns=NUMBERS, rows=NUMBERS)
BLOCKS = st.recursive(
    st.one_of(
        st.builds(rich.Heading, text=TEXTS, level=NUMBERS),
        st.builds(rich.Paragraph, text=TEXTS, small=st.booleans()),
        st.builds(rich.Code, text=TEXTS, language=WORDS),
        st.builds(rich.Table, rows=few(few(CELLS)), title=TEXTS),
        st.builds(rich.Divider),
        st.builds(rich.Figure, media=ATTACHMENTS, caption=TEXTS, credit=TEXTS),
        st.builds(rich.Map, point=POINTS, caption=TEXTS),
        st.builds(rich.Missing, kind=WORDS),
    ),
    holders,
    max_leaves=4,
)
MEDIA = st.one_of(
    st.none(),
    ATTACHMENTS,
    PLACES,
    st.builds(Contact, phone=WORDS, first_name=WORDS, last_name=WORDS, user_id=NUMBERS),
    st.builds(Dice, emoji=WORDS, value=NUMBERS),
    st.builds(Game, title=WORDS, description=WORDS, photo=THUMBS),
    st.builds(
        Invoice,
        title=WORDS,
        description=WORDS,
        currency=WORDS | st.sampled_from(["XTR", "JPY", "KWD"]),
        amount=NUMBERS,
        photo_url=WORDS,
        media=st.none() | PREVIEWS | ATTACHMENTS,
        paid=st.booleans(),
    ),
    st.builds(PaidMedia, stars=NUMBERS, items=few(PREVIEWS | ATTACHMENTS)),
    st.builds(
        Giveaway,
        channels=PEOPLE,
        winners=NUMBERS,
        months=NUMBERS,
        stars=NUMBERS,
        prize=WORDS,
        until=MAYBE_NUMBER,
        countries=few(WORDS),
    ),
    st.builds(
        GiveawayResults,
        channel=st.none() | PEERS,
        post_id=MAYBE_NUMBER,
        count=NUMBERS,
        unclaimed=NUMBERS,
        winners=PEOPLE,
        prize=WORDS,
    ),
    st.builds(Story, id=NUMBERS, author=st.none() | PEERS, text=TEXTS, media=st.none() | ATTACHMENTS),
    st.builds(Checklist, title=TEXTS, items=few(st.builds(ChecklistItem, text=TEXTS, done=st.booleans()))),
    st.builds(Rich, blocks=few(BLOCKS), rtl=st.booleans(), truncated=st.booleans()),
    st.builds(
        Poll,
        question=TEXTS,
        options=few(
            st.builds(
                PollOption,
                text=TEXTS,
                voters=MAYBE_NUMBER,
                correct=st.booleans(),
                media=st.none() | PLACES | ATTACHMENTS,
            )
        ),
        quiz=st.booleans(),
        total_voters=MAYBE_NUMBER,
        solution=TEXTS,
        media=st.none() | PLACES | ATTACHMENTS,
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


# The strategies are many, and nobody wants to read them written out.
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
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
        addresses = (post.link, post.author_url, post.forward_url, post.comments_url)
        for whole in (post.html, post.footer_html, post.text, *addresses):
            assert not any(char in whole for char in "\x00\ud800")
        assert all(one.size >= 0 and one.duration >= 0 for one in post.enclosures)
        msgspec.json.encode(msgspec.structs.replace(post, forwarded_from=None, files=()))
        assert all(one.width >= 0 and one.height >= 0 for one in post.images)
        parts = [one for one in messages if one.id in post.message_ids]
        document = post_json.render(make_item(post), channel, "https://b.test/html/c/1", parts, OPTIONS.media)
        read = msgspec.json.decode(document.body)
        assert (read["title"], read["author"]["name"], read["text"]) == (post.title, post.author, post.text)
        typed = [clean(button.text) for one in parts for button in one.buttons]
        assert [button["text"] for button in read["buttons"]] == typed
        quotes = [clean(one.reply.quote.text) for one in parts if one.reply]
        assert read["reply"] is None or (read["reply"]["quote"] or "") in quotes
