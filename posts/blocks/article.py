"""Rich messages, which are articles."""

from __future__ import annotations

from collections.abc import Iterable

from model import rich
from model.entity import Entity, EntityType, Text
from model.message import Message
from posts.blocks.attachment import attachment
from posts.blocks.kind import MediaKind
from posts.blocks.place import map_link
from posts.blocks.sheet import Sheet
from posts.blocks.unsupported import notice
from posts.plain import escape

# A page has its own name at levels one and two.
_HIGHEST_LEVEL, _LOWEST_LEVEL = 3, 6


def article(sheet: Sheet, message: Message, media: rich.Rich, kind: MediaKind) -> str:
    """All blocks, and a note if there is more than these."""
    html = _Writer(sheet, message, rtl=media.rtl).blocks(media.blocks)
    if media.truncated:
        html += notice(sheet, message, "Truncated")
    return f'<div class="{kind.name}">{html}</div>' if html else ""


class _Writer:
    """Writes the blocks of one article, which are all of one direction if the article is from right to left."""

    def __init__(self, sheet: Sheet, message: Message, *, rtl: bool) -> None:
        self._sheet = sheet
        self._message = message
        self._dir = ' dir="rtl"' if rtl else ' dir="auto"'

    def blocks(self, blocks: Iterable[rich.Block]) -> str:
        return "".join(map(self._block, blocks))

    def _block(self, block: rich.Block) -> str:
        match block:
            case rich.Paragraph():
                text = self._inline(block.text)
                return self._paragraph(f"<small>{text}</small>" if block.small and text else text)
            case rich.Heading():
                level = max(_HIGHEST_LEVEL, min(block.level + _HIGHEST_LEVEL - 1, _LOWEST_LEVEL))
                text = self._inline(block.text)
                return f"<h{level}{self._dir}>{text}</h{level}>" if text else ""
            case rich.Code():
                whole = Entity(type=EntityType.PRE, offset=0, length=2 * len(block.text.text), language=block.language)
                return self._sheet.text(Text(block.text.text, (whole, *block.text.entities)))
            case rich.Quote():
                caption = self._inline(block.caption)
                source = self._paragraph(f"<small>— {caption}</small>") if caption else ""
                name = ' class="pulled"' if block.pulled else ""
                return f"<blockquote{name}{self._dir}>{self.blocks(block.blocks)}{source}</blockquote>"
            case rich.List():
                return self._list(block)
            case rich.Table():
                return self._table(block)
            case rich.Divider():
                return "<hr>"
            case rich.Figure():
                return self._figure(attachment(self._sheet, self._message, block.media), block.caption, block.credit)
            case rich.Collage():
                items = "".join(map(self._block, block.blocks))
                return self._figure(f'<div class="album">{items}</div>', block.caption, block.credit)
            case rich.Map():
                where = "📍" if block.point is None else f"📍 {map_link(block.point)}"
                return self._figure(f"<p>{where}</p>", block.caption, block.credit)
            case rich.Details():
                title = self._inline(block.title) or "Details"
                opened = " open" if block.open else ""
                return f"<details{opened}><summary{self._dir}>{title}</summary>{self.blocks(block.blocks)}</details>"
            case rich.Missing():
                words = block.kind.strip()
                return notice(self._sheet, self._message, words[:1].upper() + words[1:] or "This part")

    def _inline(self, text: Text) -> str:
        return self._sheet.inline(text)

    def _paragraph(self, html: str) -> str:
        return f"<p{self._dir}>{html}</p>" if html else ""

    def _figure(self, html: str, caption: Text, credit: Text) -> str:
        lines = [self._inline(text) for text in (caption, credit) if text.text]
        if not lines:
            return html
        return f"<figure>{html}<figcaption{self._dir}>{'<br>'.join(lines)}</figcaption></figure>"

    def _list(self, block: rich.List) -> str:
        items = "".join(map(self._item, block.items))
        if not block.ordered:
            return f"<ul{self._dir}>{items}</ul>" if items else ""
        start = "" if block.start is None else f' start="{block.start}"'
        backwards = " reversed" if block.descending else ""
        style = f' type="{escape(block.style)}"' if block.style else ""
        return f"<ol{self._dir}{start}{backwards}{style}>{items}</ol>" if items else ""

    def _item(self, item: rich.ListItem) -> str:
        value = "" if item.value is None else f' value="{item.value}"'
        box = "" if item.checked is None else "☑ " if item.checked else "☐ "
        if box:
            value = f'{value} class="task"'
        # A lone paragraph is the item's own line.
        first, *others = item.blocks or (None,)
        if isinstance(first, rich.Paragraph) and not first.small:
            return f"<li{value}>{box}{self._inline(first.text)}{self.blocks(others)}</li>"
        return f"<li{value}>{box}{self.blocks(item.blocks)}</li>"

    def _table(self, block: rich.Table) -> str:
        title = self._inline(block.title)
        rows = "".join(f"<tr>{self._row(row)}</tr>" for row in block.rows)
        if not rows:
            return self._paragraph(title)
        caption = f"<caption>{title}</caption>" if title else ""
        return f"<table{self._dir}>{caption}<tbody>{rows}</tbody></table>"

    def _row(self, row: tuple[rich.Cell, ...]) -> str:
        above = all(cell.header or not cell.text.text for cell in row)
        return "".join(self._cell(cell, "col" if above else "row") for cell in row)

    def _cell(self, cell: rich.Cell, heads: str) -> str:
        """A cell; as a header it is one of the `heads`, `col` or `row`."""
        text = self._inline(cell.text)
        columns = f' colspan="{cell.columns}"' if cell.columns > 1 else ""
        rows = f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
        if not cell.header or not text:
            return f"<td{columns}{rows}>{text}</td>"
        many = cell.columns > 1 if heads == "col" else cell.rows > 1
        return f'<th scope="{heads}{"group" if many else ""}"{columns}{rows}>{text}</th>'
