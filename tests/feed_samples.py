"""Posts and feeds for the tests of documents, built by hand."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

import msgspec

import rss_generator
from feeds.feed import Feed
from feeds.subjects import channel_subject
from model.channel import Channel, ChannelKind, PeerName
from model.message import Reaction
from posts.post import Counters, Enclosure, Image, Post

BASE = "https://bridge.example"
MEDIA = f"{BASE}/media/trains"
CHANNEL = Channel(
    id=-1001234567890,
    kind=ChannelKind.CHANNEL,
    title="Züge & Städte",
    username="trains",
    about="Railways <everywhere>.\nDaily.",
)
# Mon, 30 Nov 2026 12:00:00 +0000
NOON = 1_796_040_000


def post(number: int = 1, **fields: Any) -> Post:
    """A small, complete post; `fields` replace what it has."""
    plain = Post(
        guid=f"urn:uuid:{uuid.UUID(int=number)}",
        channel_id=CHANNEL.id,
        message_ids=(number,),
        date=NOON + 60 * number,
        title=f"Title {number}",
        author="Züge & Städte (@trains)",
        link=f"https://t.me/trains/{number}",
        html=f"<p>Text {number}</p>",
        footer_html=f'<p>{number} views · <a href="https://t.me/trains/{number}">web</a></p>',
        text=f"Text {number}",
    )
    return msgspec.structs.replace(plain, **fields)


def feed(posts: Sequence[Post] = (), channel: Channel = CHANNEL, **fields: Any) -> Feed:
    """A feed of the posts; `fields` replace arguments of `build_feed` and of `channel_subject`."""
    subject = channel_subject(channel, fields.pop("link_host", "https://t.me"), icon_url=fields.pop("icon_url", ""))
    arguments: dict[str, Any] = {
        "base_url": BASE,
        "self_url": f"{BASE}/rss/trains",
        "page_url": f"{BASE}/html/trains",
        "feed_url": f"{BASE}/rss/trains",
        "atom_url": f"{BASE}/atom/trains",
        "json_url": f"{BASE}/feed.json/trains",
        "posts_url": f"{BASE}/html/trains",
        "updated": NOON + 3600,
    }
    return rss_generator.build_feed(posts, subject, **(arguments | fields))


def one_of_each() -> list[Post]:
    """Newest first: a post for each thing that a document treats in a way of its own."""
    photos = [Image(url=f"{MEDIA}/18/photo{index}/aa", width=1280, height=960) for index in range(3)]
    album = "".join(
        f'<div class="media photo"><img src="{photo.url}" width="1280" height="960" alt="Photo" loading="lazy"></div>'
        for photo in photos
    )
    song = Enclosure(
        url=f"{MEDIA}/17/song/bb", mime_type="audio/mpeg", size=4_321_000, duration=213.4, title="Night <Train>"
    )
    score = Enclosure(url=f"{MEDIA}/17/score/cc", mime_type="application/pdf", size=99_000, title="score & parts.pdf")
    return [
        post(
            20,
            title="std::vector<int> and AT&amp;T",
            html="<p>std::vector&lt;int&gt; and AT&amp;amp;T</p><pre><code>if (a &lt; b &amp;&amp; c) {}</code></pre>",
            text="std::vector<int> and AT&amp;T\nif (a < b && c) {}",
            tags=("cpp", "Züge"),
            flags=("link", "no_image"),
            counters=Counters(
                views=1500,
                forwards=2,
                reactions=(Reaction(count=3, emoji="👍"), Reaction(count=1, custom_emoji_id=2**60 + 1)),
            ),
            updated=NOON + 3000,
        ),
        post(
            19,
            title="FWD: رسالة",
            author="Other Channel (@other)",
            author_url="https://t.me/other",
            html='<p class="forward">Forwarded from <a href="https://t.me/other/7">Other &amp; Channel</a></p>'
            '<p dir="auto">مرحبا بالعالم</p>',
            text="مرحبا بالعالم",
            forwarded_from=PeerName(title="Other & Channel", id=-1009, username="other", kind=ChannelKind.CHANNEL),
            forward_url="https://t.me/other/7",
            flags=("fwd",),
        ),
        post(
            18,
            title="3 photos",
            message_ids=(18, 181, 182),
            html=f'<div class="album">{album}</div><p>At the station.</p>',
            text="At the station.",
            images=tuple(photos),
        ),
        post(
            17,
            title="Night <Train>",
            html=f'<div class="album"><div class="media document"><a href="{score.url}">score &amp; parts.pdf</a>'
            f'</div><div class="media audio"><audio src="{song.url}" controls preload="none"></audio></div></div>',
            text="",
            enclosures=(score, song),
            comments_url="https://t.me/trains/17?comment=1",
        ),
        post(
            16,
            title="Poll: Which gauge?",
            html='<div class="poll"><p><b>Which gauge?</b></p><ul><li>1435 mm · 75 %'
            '<progress max="100" value="75"></progress></li><li>1520 mm · 25 %'
            '<progress max="100" value="25"></progress></li></ul></div>',
            text="Which gauge?",
            flags=("poll",),
        ),
        post(15, title="No date", date=None, text="A message that Telegram gave no date.", footer_html=""),
    ]
