"""Rich messages: articles of blocks instead of one text."""

from __future__ import annotations

import msgspec

from model.attachment import Attachment
from model.entity import Text
from model.place import Point


class Heading(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="heading", tag_field="_"):
    """A heading; `level` 1 (the article's title) to 6."""

    text: Text
    level: int = 1


class Paragraph(
    msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="paragraph", tag_field="_"
):
    """Running text; `small` for by-lines and footnotes."""

    text: Text
    small: bool = False


class Code(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="code", tag_field="_"):
    """Text whose lines are kept as they are; a formula's language is latex."""

    text: Text
    language: str = ""


class Quote(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="quote", tag_field="_"):
    """A quotation; `caption` says whose. `pulled`: words of the article itself that are set off."""

    blocks: tuple[Block, ...]
    caption: Text = Text()
    pulled: bool = False


class ListItem(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """`checked` is None for an item without a box, `value` the number that it has instead of the next one."""

    blocks: tuple[Block, ...]
    checked: bool | None = None
    value: int | None = None


class List(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="list", tag_field="_"):
    """A list. `style` is one of HTML's types of numbering (1, a, A, i, I), or ""."""

    items: tuple[ListItem, ...]
    ordered: bool = False
    start: int | None = None
    descending: bool = False
    style: str = ""


class Cell(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A cell of a table."""

    text: Text = Text()
    header: bool = False
    columns: int = 1
    rows: int = 1


class Table(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="table", tag_field="_"):
    """A table, row by row."""

    rows: tuple[tuple[Cell, ...], ...]
    title: Text = Text()


class Divider(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="divider", tag_field="_"):
    """A line between parts."""


class Figure(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="figure", tag_field="_"):
    """A picture, film, sound or file with its caption."""

    media: Attachment
    caption: Text = Text()
    credit: Text = Text()


class Collage(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="collage", tag_field="_"):
    """Several blocks shown as one, mostly figures."""

    blocks: tuple[Block, ...]
    caption: Text = Text()
    credit: Text = Text()


class Map(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="map", tag_field="_"):
    """A map around a point."""

    point: Point | None = None
    caption: Text = Text()
    credit: Text = Text()


class Details(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="details", tag_field="_"):
    """Blocks that are folded under a title unless `open`."""

    blocks: tuple[Block, ...]
    title: Text = Text()
    open: bool = False


class Missing(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="missing", tag_field="_"):
    """A block that can't be shown. `kind` is the TL constructor's name in plain lower-case words."""

    kind: str


Block = Heading | Paragraph | Code | Quote | List | Table | Divider | Figure | Collage | Map | Details | Missing


class Rich(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="rich", tag_field="_"):
    """An article. `rtl`: its direction is right to left. `truncated`: there is more than these blocks."""

    blocks: tuple[Block, ...]
    rtl: bool = False
    truncated: bool = False
