"""Notes in the place of files that Telegram does not have any more."""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

from posts.plain import escape
from posts.post import MediaLinks, Post

# As the blocks write their HTML: values quoted, and no bare quote, `<` or `>` in them or in a text.
_ATTRIBUTES = r'(?: [a-z-]+(?:="[^"]*")?)*'
_NAMED = re.compile(
    rf"<img(?P<picture>{_ATTRIBUTES})>"
    rf"|<(?P<player>video|audio)(?P<played>{_ATTRIBUTES})>(?P<inside>.*?)</(?P=player)>"
    r'|<a href="(?P<address>[^"]*)">(?P<words>.*?)</a>',
    re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")
_NOTE = "no longer at Telegram"


def with_notes(post: Post, gone: Collection[str], media: MediaLinks) -> Post:
    """The post with a note where its HTML shows, plays or links one of the gone files (unique ids).

    A film's poster stays if it is not gone, too. The HTML has yet to pass the sanitizer.
    """
    lost = [one for one in post.files if one.file.unique_id in gone] if gone else []
    if not lost:
        return post
    urls = {media.url(post.channel_id, one.message_id, one.file) for one in lost}
    written = {escape(url) for url in urls}

    def noted(found: re.Match[str]) -> str:
        if (attributes := found["picture"]) is not None:
            return _note(_value(attributes, "alt")) if _value(attributes, "src") in written else found[0]
        if (attributes := found["played"]) is not None:
            return _player(found, attributes, written)
        return f"{found['words']} {_note()}" if found["address"] in written else found[0]

    images = tuple(image for image in post.images if image.url not in urls)
    return msgspec.structs.replace(post, html=_NAMED.sub(noted, post.html), images=images)


def _player(found: re.Match[str], attributes: str, lost: Collection[str]) -> str:
    poster = _value(attributes, "poster")
    if _value(attributes, "src") not in lost:
        # The film itself is there.
        return found[0].replace(f' poster="{poster}"', "", 1) if poster in lost else found[0]
    if found["player"] == "audio":
        # What it was is written above.
        return _note()
    still = ""
    if poster and poster not in lost:
        width, height = _value(attributes, "width"), _value(attributes, "height")
        size = f' width="{width}" height="{height}"' if width and height else ""
        still = f'<img src="{poster}"{size} alt="" loading="lazy">'
    return still + _note(_TAG.sub("", found["inside"]))


def _value(attributes: str, name: str) -> str:
    """The attribute's value as it is written; "" without one."""
    found = re.search(rf' {name}="([^"]*)"', attributes)
    return found[1] if found else ""


def _note(what: str = "") -> str:
    """`what` is HTML."""
    return f'<span class="gone">{what}{": " if what else ""}{_NOTE}</span>'
