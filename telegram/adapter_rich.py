"""TL rich messages as the model's articles."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from pyrogram import raw

from model import rich
from model.attachment import Attachment
from model.entity import EntityType, Text
from telegram.adapter_files import to_document, to_photo
from telegram.adapter_peers import to_channel
from telegram.adapter_rich_text import Budget, Pen
from telegram.adapter_special import to_point
from telegram.adapter_text import URL_BUTTONS, words

_Blocks = list[rich.Block]

_LARGEST_SPAN = 1000
_NUMBERING = frozenset({"1", "a", "A", "i", "I"})

_LEVELS: dict[type[raw.base.PageBlock], int] = {
    raw.types.PageBlockTitle: 1,
    raw.types.PageBlockSubtitle: 2,
    raw.types.PageBlockHeader: 3,
    raw.types.PageBlockSubheader: 4,
    raw.types.PageBlockHeading1: 1,
    raw.types.PageBlockHeading2: 2,
    raw.types.PageBlockHeading3: 3,
    raw.types.PageBlockHeading4: 4,
    raw.types.PageBlockHeading5: 5,
    raw.types.PageBlockHeading6: 6,
}


def to_rich(message: raw.base.RichMessage, beside: Attachment | None = None) -> rich.Rich:
    """The article, with `beside` (a file that the message has besides) before it.

    At most 2000 nodes, nested at most 20 deep; what is left out is told by `truncated`.
    """
    reader = _Reader(message)
    first = () if beside is None else (rich.Figure(media=beside),)
    blocks = (*first, *reader.blocks(message.blocks, 1))
    return rich.Rich(blocks=blocks, rtl=bool(message.rtl), truncated=bool(message.part) or reader.budget.truncated)


class _Reader:
    """Reads the blocks of one message, each with the depth at which it stands."""

    def __init__(self, message: raw.base.RichMessage) -> None:
        self.budget = Budget()
        self._photos = {photo.id: photo for photo in message.photos}
        self._documents = {document.id: document for document in message.documents}

    def blocks(self, blocks: Iterable[raw.base.PageBlock], depth: int) -> tuple[rich.Block, ...]:
        found: _Blocks = []
        for block in blocks:
            if not self.budget.admits(depth):
                break
            read = BLOCKS.get(type(block), _Reader.missing)
            try:
                found += read(self, block, depth + 1)
            except (AttributeError, TypeError, ValueError):
                # A shape that this module was not written for, as after an upgrade of the library.
                found += self.missing(block, depth)
        return tuple(found)

    def text(self, text: raw.base.RichText | None, depth: int) -> Text:
        pen = Pen(self.budget)
        pen.tree(text, depth)
        return pen.text

    # What follows reads one block; `depth` is where the things inside it stand.

    def missing(self, block: raw.base.PageBlock, depth: int) -> _Blocks:
        return [rich.Missing(kind=words(block, "PageBlock"))]

    def nothing(self, block: raw.types.PageBlockAnchor, depth: int) -> _Blocks:
        return []

    def divider(self, block: raw.types.PageBlockDivider, depth: int) -> _Blocks:
        return [rich.Divider()]

    def heading(self, block: Any, depth: int) -> _Blocks:
        return [rich.Heading(text=self.text(block.text, depth), level=_LEVELS[type(block)])]

    def paragraph(self, block: raw.types.PageBlockParagraph, depth: int) -> _Blocks:
        return [rich.Paragraph(text=self.text(block.text, depth))]

    def small(self, block: Any, depth: int) -> _Blocks:
        return [rich.Paragraph(text=self.text(block.text, depth), small=True)]

    def byline(self, block: raw.types.PageBlockAuthorDate, depth: int) -> _Blocks:
        pen = Pen(self.budget)
        pen.tree(block.author, depth)
        if block.published_date > 0:
            pen.write(" · " if pen.text.text else "")
            with pen.marked(EntityType.DATE, date=block.published_date):
                pen.write(datetime.fromtimestamp(block.published_date, UTC).date().isoformat())
        return [rich.Paragraph(text=pen.text, small=True)]

    def code(self, block: raw.types.PageBlockPreformatted, depth: int) -> _Blocks:
        return [rich.Code(text=self.text(block.text, depth), language=block.language)]

    def formula(self, block: raw.types.PageBlockMath, depth: int) -> _Blocks:
        return [rich.Code(text=Text(block.source), language="latex")]

    def quote(self, block: Any, depth: int) -> _Blocks:
        return [
            rich.Quote(
                blocks=(rich.Paragraph(text=self.text(block.text, depth)),),
                caption=self.text(block.caption, depth),
                pulled=isinstance(block, raw.types.PageBlockPullquote),
            )
        ]

    def quoted_blocks(self, block: raw.types.PageBlockBlockquoteBlocks, depth: int) -> _Blocks:
        return [rich.Quote(blocks=self.blocks(block.blocks, depth), caption=self.text(block.caption, depth))]

    def unordered_list(self, block: raw.types.PageBlockList, depth: int) -> _Blocks:
        return [rich.List(items=self._items(block.items, depth))]

    def ordered_list(self, block: raw.types.PageBlockOrderedList, depth: int) -> _Blocks:
        return [
            rich.List(
                items=self._items(block.items, depth),
                ordered=True,
                start=block.start,
                descending=bool(block.reversed),
                style=block.type if block.type in _NUMBERING else "",
            )
        ]

    def _items(self, items: Iterable[Any], depth: int) -> tuple[rich.ListItem, ...]:
        found = []
        for item in items:
            if not self.budget.admits(depth):
                break
            blocks: tuple[rich.Block, ...]
            if isinstance(item, raw.types.PageListItemText | raw.types.PageListOrderedItemText):
                blocks = (rich.Paragraph(text=self.text(item.text, depth + 1)),)
            else:
                blocks = self.blocks(item.blocks, depth + 1)
            checked = bool(item.checked) if item.checkbox else None
            # Only items of ordered lists have a number of their own.
            found.append(rich.ListItem(blocks=blocks, checked=checked, value=getattr(item, "value", None)))
        return tuple(found)

    def table(self, block: raw.types.PageBlockTable, depth: int) -> _Blocks:
        title = self.text(block.title, depth)
        rows = [
            tuple(self._cell(cell, depth + 2) for cell in row.cells if self.budget.admits(depth + 1))
            for row in block.rows
            if self.budget.admits(depth)
        ]
        return [rich.Table(rows=tuple(rows), title=title)]

    def _cell(self, cell: raw.base.PageTableCell, depth: int) -> rich.Cell:
        return rich.Cell(
            text=self.text(cell.text, depth),
            header=bool(cell.header),
            columns=max(1, min(cell.colspan or 1, _LARGEST_SPAN)),
            rows=max(1, min(cell.rowspan or 1, _LARGEST_SPAN)),
        )

    def photo(self, block: raw.types.PageBlockPhoto, depth: int) -> _Blocks:
        photo = to_photo(self._photos.get(block.photo_id), spoiler=bool(block.spoiler))
        return self._figure(block, photo, depth, block.url)

    def video(self, block: raw.types.PageBlockVideo, depth: int) -> _Blocks:
        video = to_document(self._documents.get(block.video_id), spoiler=bool(block.spoiler))
        return self._figure(block, video, depth)

    def audio(self, block: raw.types.PageBlockAudio, depth: int) -> _Blocks:
        return self._figure(block, to_document(self._documents.get(block.audio_id)), depth)

    def document(self, block: raw.types.PageBlockDocument, depth: int) -> _Blocks:
        return self._figure(block, to_document(self._documents.get(block.document_id)), depth)

    def embed(self, block: raw.types.PageBlockEmbed, depth: int) -> _Blocks:
        """A page of another site: the link to it, with its poster if there is one."""
        poster = to_photo(self._photos.get(block.poster_photo_id or 0))
        return self._figure(block, poster, depth, block.url)

    def _figure(self, block: Any, media: Attachment | None, depth: int, link: str | None = None) -> _Blocks:
        """A file with caption and link; without the file these alone, and without them a note."""
        pen = Pen(self.budget)
        pen.tree(block.caption.text, depth)
        if link:
            pen.write("\n" if pen.text.text else "")
            pen.link(link)
        credit = self.text(block.caption.credit, depth)
        if media is not None:
            return [rich.Figure(media=media, caption=pen.text, credit=credit)]
        caption: _Blocks = [rich.Paragraph(text=text, small=True) for text in (pen.text, credit) if text.text]
        return caption if link else [*self.missing(block, depth), *caption]

    def cover(self, block: raw.types.PageBlockCover, depth: int) -> _Blocks:
        return [*self.blocks((block.cover,), depth)]

    def collage(self, block: Any, depth: int) -> _Blocks:
        return [
            rich.Collage(
                blocks=self.blocks(block.items, depth),
                caption=self.text(block.caption.text, depth),
                credit=self.text(block.caption.credit, depth),
            )
        ]

    def map(self, block: raw.types.PageBlockMap, depth: int) -> _Blocks:
        return [
            rich.Map(
                point=to_point(block.geo),
                caption=self.text(block.caption.text, depth),
                credit=self.text(block.caption.credit, depth),
            )
        ]

    def details(self, block: raw.types.PageBlockDetails, depth: int) -> _Blocks:
        title = self.text(block.title, depth)
        return [rich.Details(blocks=self.blocks(block.blocks, depth), title=title, open=bool(block.open))]

    def embedded_post(self, block: raw.types.PageBlockEmbedPost, depth: int) -> _Blocks:
        """Somebody's post elsewhere, as a quote."""
        pen = Pen(self.budget)
        pen.link(block.url, block.author)
        return [rich.Quote(blocks=self.blocks(block.blocks, depth), caption=pen.text)]

    def channel(self, block: raw.types.PageBlockChannel, depth: int) -> _Blocks:
        channel = to_channel(block.channel)
        pen = Pen(self.budget)
        pen.write(channel.title)
        if channel.username:
            pen.write(" ")
            with pen.marked(EntityType.MENTION):
                pen.write(f"@{channel.username}")
        return [rich.Paragraph(text=pen.text)]

    def buttons(self, block: raw.types.PageBlockButtonRow, depth: int) -> _Blocks:
        """The buttons as words, those with a URL as links."""
        pen = Pen(self.budget)
        for number, button in enumerate(block.buttons):
            pen.write(" · " if number else "")
            if isinstance(button.type, URL_BUTTONS):
                with pen.marked(EntityType.TEXT_LINK, url=button.type.url):
                    pen.tree(button.text, depth)
            else:
                pen.tree(button.text, depth)
        return [rich.Paragraph(text=pen.text)]

    def related(self, block: raw.types.PageBlockRelatedArticles, depth: int) -> _Blocks:
        title = rich.Heading(text=self.text(block.title, depth), level=4)
        items = []
        for article in block.articles:
            if not self.budget.admits(depth):
                break
            pen = Pen(self.budget)
            pen.link(article.url, article.title or "")
            if article.description:
                pen.write(f"\n{article.description}")
            items.append(rich.ListItem(blocks=(rich.Paragraph(text=pen.text),)))
        return [title, rich.List(items=tuple(items))]


BLOCKS: dict[type[raw.base.PageBlock], Callable[[_Reader, Any, int], _Blocks]] = {
    raw.types.PageBlockAnchor: _Reader.nothing,
    raw.types.PageBlockAudio: _Reader.audio,
    raw.types.PageBlockAuthorDate: _Reader.byline,
    raw.types.PageBlockBlockquote: _Reader.quote,
    raw.types.PageBlockBlockquoteBlocks: _Reader.quoted_blocks,
    raw.types.PageBlockButtonRow: _Reader.buttons,
    raw.types.PageBlockChannel: _Reader.channel,
    raw.types.PageBlockCollage: _Reader.collage,
    raw.types.PageBlockCover: _Reader.cover,
    raw.types.PageBlockDetails: _Reader.details,
    raw.types.PageBlockDivider: _Reader.divider,
    raw.types.PageBlockDocument: _Reader.document,
    raw.types.PageBlockEmbed: _Reader.embed,
    raw.types.PageBlockEmbedPost: _Reader.embedded_post,
    raw.types.PageBlockFooter: _Reader.small,
    raw.types.PageBlockKicker: _Reader.small,
    raw.types.PageBlockList: _Reader.unordered_list,
    raw.types.PageBlockMap: _Reader.map,
    raw.types.PageBlockMath: _Reader.formula,
    raw.types.PageBlockOrderedList: _Reader.ordered_list,
    raw.types.PageBlockParagraph: _Reader.paragraph,
    raw.types.PageBlockPhoto: _Reader.photo,
    raw.types.PageBlockPreformatted: _Reader.code,
    raw.types.PageBlockPullquote: _Reader.quote,
    raw.types.PageBlockRelatedArticles: _Reader.related,
    raw.types.PageBlockSlideshow: _Reader.collage,
    raw.types.PageBlockTable: _Reader.table,
    raw.types.PageBlockThinking: _Reader.small,
    raw.types.PageBlockVideo: _Reader.video,
    **dict.fromkeys(_LEVELS, _Reader.heading),
}
"""A row a constructor."""

UNTRANSLATED: frozenset[type[raw.base.PageBlock]] = frozenset(
    # What a newer app shows, and what is only ever sent.
    {raw.types.PageBlockUnsupported, raw.types.InputPageBlockMap}
)
"""Constructors that are consciously shown as nothing but a note."""
