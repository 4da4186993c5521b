"""Short ways to write messages, for the tests of posts."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import msgspec

from model.channel import Channel, ChannelKind
from model.entity import Entity, EntityType, Text
from model.media import FileLocation, FileRef, Media
from model.message import Message
from posts.post import RenderOptions

PUBLIC = Channel(id=-1001234567890, kind=ChannelKind.CHANNEL, title="News", username="news")
PRIVATE = Channel(id=-1001234567890, kind=ChannelKind.CHANNEL, title="Cellar")


class Links:
    """Media URLs that can be read in an expectation."""

    def url(self, channel_id: int, post_id: int, file: FileRef) -> str:
        return f"https://b.test/media/{post_id}/{file.unique_id}"


OPTIONS = RenderOptions(base_url="https://b.test", media=Links())


def options(**changes: Any) -> RenderOptions:
    return msgspec.structs.replace(OPTIONS, **changes)


def text(content: str, *entities: tuple[EntityType, str] | Entity, **fields: Any) -> Text:
    """A text in which each (type, piece) marks where the piece first stands; `fields` go to all of these."""
    return Text(
        content,
        tuple(
            entity if isinstance(entity, Entity) else mark(content, entity[0], entity[1], **fields)
            for entity in entities
        ),
    )


def mark(content: str, type_: EntityType, piece: str, **fields: Any) -> Entity:
    return Entity(type=type_, offset=units(content[: content.index(piece)]), length=units(piece), **fields)


def units(content: str) -> int:
    """How many UTF-16 code units the text has."""
    return len(content.encode("utf-16-le", "surrogatepass")) // 2


def message(id_: int = 7, content: str | Text = "", media: Media | None = None, **fields: Any) -> Message:
    fields.setdefault("date", 1_700_000_000 + id_)
    return Message(id=id_, text=content if isinstance(content, Text) else Text(content), media=media, **fields)


def file(unique_id: str = "F1", **fields: Any) -> FileRef:
    return FileRef(
        location=FileLocation.DOCUMENT, id=1, access_hash=2, file_reference=b"r", dc_id=2, unique_id=unique_id, **fields
    )


_VOID = {"br", "hr", "img"}
# fmt: off
_TAGS = {
    "a", "audio", "b", "bdi", "blockquote", "br", "caption", "code", "del", "details", "div", "figcaption", "figure",
    "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "li", "mark", "ol", "p", "pre", "progress", "s", "small", "span",
    "sub", "summary", "sup", "table", "tbody", "td", "th", "time", "tr", "u", "ul", "video",
}
_ATTRIBUTES = {
    "alt", "aria-hidden", "autoplay", "class", "colspan", "controls", "datetime", "dir", "height", "href", "loading",
    "loop", "max", "muted", "open", "playsinline", "poster", "preload", "reversed", "rowspan", "scope", "src", "start",
    "type", "value", "width",
}
_BLOCKS = {
    "blockquote", "caption", "details", "div", "figcaption", "figure", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
    "pre", "summary", "table", "tbody", "td", "th", "tr", "ul",
}
# fmt: on


_HEADINGS = {"h3", "h4", "h5", "h6"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _TAGS, f"<{tag}> is none of ours"
        assert {name for name, _ in attrs} <= _ATTRIBUTES, f"attributes of <{tag}>: {attrs}"
        assert not (tag in _BLOCKS and set(self.open) - _BLOCKS), f"block <{tag}> inside {self.open}"
        assert not (tag in _BLOCKS and {"summary", "p", *_HEADINGS} & set(self.open)), f"block <{tag}> in {self.open}"
        assert not (tag == "a" and "a" in self.open), "a link inside a link"
        if tag == "br":
            self.text.append("\n")
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def visible_text(html: str) -> str:
    """The text that the HTML shows, newlines included; fails unless it is balanced and nests as HTML allows."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open, f"never closed: {reader.open}"
    return "".join(reader.text)
