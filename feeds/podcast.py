"""What podcast players read of an RSS feed beside RSS itself: tags of Apple's namespace, where there is audio.

Players show such a feed as a podcast. Apple's directory wants more (mp3 or m4a, an image of 1400 pixels) than
Telegram's voice messages and photos are.
"""

from __future__ import annotations

from collections.abc import Iterator

from feeds import xml
from feeds.feed import Feed, Item
from feeds.item_parts import main_file, shown_image
from posts.post import Enclosure

NAMESPACE = "http://www.itunes.com/dtds/podcast-1.0.dtd"
# The widest of Apple's categories, of which there must be one.
CATEGORY = "Society & Culture"


def is_podcast(feed: Feed) -> bool:
    """Whether any item's enclosure is audio."""
    return any((main := main_file(item.post.enclosures)) is not None and is_audio(main) for item in feed.items)


def is_audio(file: Enclosure) -> bool:
    """Whether players can play the file as an episode."""
    return file.mime_type.startswith("audio/")


def channel_tags(feed: Feed) -> Iterator[str]:
    """The tags of a channel that is a podcast."""
    yield f"<itunes:author>{xml.text(feed.author)}</itunes:author>"
    if feed.icon_url:
        yield f"<itunes:image href={xml.attribute(feed.icon_url)}/>"
    yield f"<itunes:category text={xml.attribute(CATEGORY)}/>"
    yield f"<itunes:explicit>{'true' if feed.sensitive else 'false'}</itunes:explicit>"
    yield "<itunes:type>episodic</itunes:type>"


def item_tags(item: Item) -> Iterator[str]:
    """The tags of an item, if its enclosure is audio."""
    main = main_file(item.post.enclosures)
    if main is None or not is_audio(main):
        return
    yield f"<itunes:title>{xml.text(item.post.title)}</itunes:title>"
    if main.duration >= 1:
        yield f"<itunes:duration>{round(main.duration)}</itunes:duration>"
    image = shown_image(item)
    if image is not None:
        yield f"<itunes:image href={xml.attribute(image.url)}/>"
