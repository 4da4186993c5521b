"""A post as every document shows it, and what rendering one depends on."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import msgspec

from model.channel import PeerName
from model.media import FileRef
from model.message import Reaction


class MediaLinks(Protocol):
    """Makes the public URL of a file. A pure function of its key and base URL."""

    def url(self, channel_id: int, post_id: int, file: FileRef) -> str:
        """The absolute, signed URL of the file that the post carries (post id 0: the channel's own photo)."""
        ...


class RenderOptions(msgspec.Struct, frozen=True, gc=False, kw_only=True, cache_hash=True):
    """All that rendering depends on besides the messages.

    `base_url` has no slash at its end. `link_host` is the web front of Telegram (`https://t.me`).
    `merge_seconds` None switches time-based merging off. Quotes of near posts (`reply_quote_distance` ids) are
    cut to `reply_quote_chars` visible characters.
    """

    base_url: str
    media: MediaLinks
    link_host: str = "https://t.me"
    merge_seconds: int | None = None
    show_flags: bool = False
    show_bridge_link: bool = False
    reply_quote_chars: int = 200
    reply_quote_distance: int = 2


class Enclosure(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A file that a reader may download: audio, voice, video or document, never a photo.

    `size` in bytes (0 unknown), `duration` in seconds (0 none).
    """

    url: str
    mime_type: str
    size: int = 0
    duration: float = 0
    title: str = ""


class Image(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An image or poster that the body shows. Sizes in pixels, 0 unknown."""

    url: str
    width: int = 0
    height: int = 0


class Placeholder(NamedTuple):
    """What pages may show where an image or film of the body comes later: a stripped thumbnail.

    `url` is the element's `src`.
    """

    url: str
    stripped: bytes


class PostFile(NamedTuple):
    """A file that the post's HTML names, and the message of the post that carries it."""

    message_id: int
    file: FileRef


class Counters(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """How many have seen, forwarded and answered a post with a sign; None where Telegram does not say."""

    views: int | None = None
    forwards: int | None = None
    reactions: tuple[Reaction, ...] = ()


class Post(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One item of every feed and page.

    `html` is the content, `footer_html` counters and links that change without the post changing; both have all
    text escaped and have yet to pass the sanitizer. `text` is the plain text. `date` is the first message's, `updated`
    the latest visible edit (None: never edited). `link` is the post at `link_host`.
    `forward_url` is the original of a forwarded post, "" where it has no address on the web. `counters` says in
    numbers what the footer says in words. `placeholders` have one entry for each image and film that has one, at most.
    `files` are all that the HTML has addresses of; they hold what
    Telegram wants to know, so they are not to be shown.
    """

    guid: str
    channel_id: int
    message_ids: tuple[int, ...]
    date: int | None
    title: str
    author: str
    link: str
    html: str
    footer_html: str = ""
    text: str = ""
    updated: int | None = None
    author_url: str = ""
    flags: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    enclosures: tuple[Enclosure, ...] = ()
    images: tuple[Image, ...] = ()
    placeholders: tuple[Placeholder, ...] = ()
    forwarded_from: PeerName | None = None
    forward_url: str = ""
    comments_url: str = ""
    counters: Counters = Counters()
    files: tuple[PostFile, ...] = ()
    failed: bool = False
