"""Posts with anything in any field, for property tests of documents."""

from __future__ import annotations

from hypothesis import strategies as st

from model.channel import ChannelKind, PeerName
from model.message import Reaction
from posts.post import Counters, Enclosure, Image, Post

# What formats treat in a way of its own would come too rarely by chance.
_TRICKY = (
    "&",
    "<",
    ">",
    '"',
    "'",
    "&amp;",
    "]]>",
    "<![CDATA[",
    "<b>",
    " ",
    "\t",
    "\r\n",
    "\0",
    "\ufffe",
    "\ud800",
    "a",
)
anything = st.lists(st.sampled_from(_TRICKY), max_size=6).map("".join) | st.text(st.characters())
# TL knows no larger numbers.
longs = st.integers(-(2**63), 2**63 - 1)
any_peer = st.builds(
    PeerName, title=anything, username=st.none() | anything, kind=st.none() | st.sampled_from(list(ChannelKind))
)
any_post = st.builds(
    Post,
    guid=anything,
    channel_id=longs,
    message_ids=st.lists(longs, max_size=2).map(tuple),
    date=st.none() | st.integers(),
    updated=st.none() | st.integers(),
    title=anything,
    author=anything,
    author_url=anything,
    link=anything,
    html=anything,
    footer_html=anything,
    text=anything,
    flags=st.lists(anything, max_size=2).map(tuple),
    tags=st.lists(anything, max_size=2).map(tuple),
    enclosures=st.lists(
        st.builds(
            Enclosure,
            url=anything,
            mime_type=anything,
            size=longs,
            duration=st.floats(-1e9, 1e9),
            title=anything,
        ),
        max_size=3,
    ).map(tuple),
    images=st.lists(st.builds(Image, url=anything, width=st.integers()), max_size=2).map(tuple),
    forwarded_from=st.none() | any_peer,
    forward_url=anything,
    comments_url=anything,
    counters=st.builds(
        Counters,
        views=st.none() | longs,
        forwards=st.none() | longs,
        reactions=st.lists(
            st.builds(Reaction, count=longs, emoji=anything, custom_emoji_id=longs, paid=st.booleans()), max_size=2
        ).map(tuple),
    ),
)
