"""Rich messages: trees of blocks and texts become articles, and never more than they may."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from pyrogram import raw
from pyrogram.raw.core import TLObject
from tl_files import document_file, named, photo_file, square, tl_document, tl_photo
from tl_objects import arbitrary, constructors, decoded

from model import rich
from model.attachment import Audio, Document, Photo, Video
from model.channel import Channel, ChannelKind
from model.entity import Entity, EntityType, Text
from model.files import files_of
from model.message import Message
from model.place import Point
from telegram.adapter import to_message
from telegram.adapter_peers import Peers
from telegram.adapter_rich import BLOCKS, UNTRANSLATED, to_rich
from telegram.adapter_rich_text import MARKS, MAX_DEPTH, MAX_NODES

T = raw.types
E = EntityType

PHOTO = photo_file("x", 800, 3)
# All files of these tests have this id.
FILE = 77


def plain(text: str) -> raw.types.TextPlain:
    return T.TextPlain(text=text)


def joined(*texts: Any) -> raw.types.TextConcat:
    return T.TextConcat(texts=list(texts))


def caption(text: str = "", credit: str = "") -> raw.types.PageCaption:
    return T.PageCaption(text=plain(text) if text else T.TextEmpty(), credit=plain(credit) if credit else T.TextEmpty())


def article(*blocks: Any, photos: Any = (), documents: Any = (), **fields: Any) -> rich.Rich:
    message = T.RichMessage(blocks=list(blocks), photos=list(photos), documents=list(documents), **fields)
    return to_rich(decoded(message))


def entity(type_: EntityType, offset: int, length: int, **fields: Any) -> Entity:
    return Entity(type=type_, offset=offset, length=length, **fields)


def paragraph(text: str, *entities: Entity) -> rich.Paragraph:
    return rich.Paragraph(text=Text(text, entities))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (plain("a"), Text("a")),
        (T.TextEmpty(), Text()),
        (joined(plain("a "), T.TextBold(text=plain("b"))), Text("a b", (entity(E.BOLD, 2, 1),))),
        (
            joined(plain("👍"), T.TextBold(text=joined(plain("b"), T.TextItalic(text=plain("👍"))))),
            Text("👍b👍", (entity(E.BOLD, 2, 3), entity(E.ITALIC, 3, 2))),
        ),
        (T.TextBold(text=T.TextEmpty()), Text()),
        (T.TextUrl(text=plain("a"), url="https://a.b", webpage_id=0), Text("a", (entity(E.TEXT_LINK, 0, 1, url="https://a.b"),))),
        (T.TextEmail(text=plain("a"), email="a@b.c"), Text("a", (entity(E.TEXT_LINK, 0, 1, url="mailto:a@b.c"),))),
        (T.TextPhone(text=plain("a"), phone="+1"), Text("a", (entity(E.TEXT_LINK, 0, 1, url="tel:+1"),))),
        (T.TextMentionName(text=plain("a"), user_id=7), Text("a", (entity(E.TEXT_MENTION, 0, 1, user_id=7),))),
        (T.TextDate(text=plain("a"), date=7), Text("a", (entity(E.DATE, 0, 1, date=7),))),
        (T.TextMath(source="x^2"), Text("x^2", (entity(E.CODE, 0, 3),))),
        (T.TextCustomEmoji(document_id=1, alt="🦊"), Text("🦊")),
        (T.TextImage(document_id=1, w=2, h=3), Text("🖼")),
        (T.TextAnchor(text=plain("a"), name="n"), Text("a")),
        (
            T.TextDiff(text=plain("new"), old_text=plain("old")),
            Text("oldnew", (entity(E.DIFF_DELETE, 0, 3), entity(E.DIFF_INSERT, 3, 3))),
        ),
        (
            T.TextButton(text=plain("go"), type=T.InlineButtonTypeUrl(url="https://a.b")),
            Text("go", (entity(E.TEXT_LINK, 0, 2, url="https://a.b"),)),
        ),
        (T.TextButton(text=plain("go"), type=T.InlineButtonTypeDisabled()), Text("go")),
    ],
)  # fmt: skip
def test_a_tree_of_texts_becomes_a_text_with_entities(text: Any, expected: Text) -> None:
    blocks = article(T.PageBlockParagraph(text=text)).blocks
    assert blocks == (rich.Paragraph(text=expected),)


@pytest.mark.parametrize("constructor", MARKS, ids=lambda c: c.__name__)
def test_each_mark_covers_what_is_inside(constructor: Any) -> None:
    marked: Any = arbitrary(constructor, random.Random(1))
    marked.text = plain("inside")
    (block,) = article(T.PageBlockParagraph(text=joined(plain("a "), marked))).blocks
    assert isinstance(block, rich.Paragraph)
    (found,) = block.text.entities
    assert (block.text.text, found.type, found.offset, found.length) == ("a inside", MARKS[constructor], 2, 6)


BLOCK_CASES: dict[str, tuple[Any, tuple[rich.Block, ...]]] = {
    "title": (T.PageBlockTitle(text=plain("a")), (rich.Heading(text=Text("a")),)),
    "heading": (T.PageBlockHeading4(text=plain("a")), (rich.Heading(text=Text("a"), level=4),)),
    "footer": (T.PageBlockFooter(text=plain("a")), (rich.Paragraph(text=Text("a"), small=True),)),
    "by-line": (
        T.PageBlockAuthorDate(author=plain("Ann"), published_date=86_400),
        (rich.Paragraph(text=Text("Ann · 1970-01-02", (entity(E.DATE, 6, 10, date=86_400),)), small=True),),
    ),
    "by-line without a date": (
        T.PageBlockAuthorDate(author=plain("Ann"), published_date=0),
        (rich.Paragraph(text=Text("Ann"), small=True),),
    ),
    "code": (
        T.PageBlockPreformatted(text=plain("a\nb"), language="py"),
        (rich.Code(text=Text("a\nb"), language="py"),),
    ),
    "formula": (T.PageBlockMath(source="x^2"), (rich.Code(text=Text("x^2"), language="latex"),)),
    "quote": (
        T.PageBlockBlockquote(text=plain("a"), caption=plain("b")),
        (rich.Quote(blocks=(paragraph("a"),), caption=Text("b")),),
    ),
    "pulled quote": (
        T.PageBlockPullquote(text=plain("a"), caption=T.TextEmpty()),
        (rich.Quote(blocks=(paragraph("a"),), pulled=True),),
    ),
    "quoted blocks": (
        T.PageBlockBlockquoteBlocks(blocks=[T.PageBlockDivider()], caption=T.TextEmpty()),
        (rich.Quote(blocks=(rich.Divider(),)),),
    ),
    "list": (
        T.PageBlockList(
            items=[
                T.PageListItemText(text=plain("a"), checkbox=True, checked=True),
                T.PageListItemBlocks(blocks=[T.PageBlockDivider()], checkbox=True),
            ]
        ),
        (
            rich.List(
                items=(
                    rich.ListItem(blocks=(paragraph("a"),), checked=True),
                    rich.ListItem(blocks=(rich.Divider(),), checked=False),
                )
            ),
        ),
    ),
    "numbered list": (
        T.PageBlockOrderedList(
            items=[
                T.PageListOrderedItemText(text=plain("a"), value=7),
                T.PageListOrderedItemBlocks(blocks=[T.PageBlockDivider()]),
            ],
            start=3,
            reversed=True,
            type="i",
        ),
        (
            rich.List(
                items=(
                    rich.ListItem(blocks=(paragraph("a"),), value=7),
                    rich.ListItem(blocks=(rich.Divider(),)),
                ),
                ordered=True,
                start=3,
                descending=True,
                style="i",
            ),
        ),
    ),
    "list numbered in a way that HTML has not": (
        T.PageBlockOrderedList(items=[], type='"><script>'),
        (rich.List(items=(), ordered=True),),
    ),
    "table": (
        T.PageBlockTable(
            title=plain("t"),
            rows=[
                T.PageTableRow(cells=[T.PageTableCell(header=True, text=plain("a"), colspan=2)]),
                T.PageTableRow(cells=[T.PageTableCell(rowspan=-5), T.PageTableCell(colspan=2_000_000_000)]),
            ],
        ),
        (
            rich.Table(
                rows=((rich.Cell(text=Text("a"), header=True, columns=2),), (rich.Cell(), rich.Cell(columns=1000))),
                title=Text("t"),
            ),
        ),
    ),
    "divider": (T.PageBlockDivider(), (rich.Divider(),)),
    "photo": (
        T.PageBlockPhoto(photo_id=FILE, caption=caption("a", "b"), spoiler=True),
        (rich.Figure(media=Photo(file=PHOTO, spoiler=True), caption=Text("a"), credit=Text("b")),),
    ),
    "photo with a link": (
        T.PageBlockPhoto(photo_id=FILE, caption=caption("a"), url="https://a.b", webpage_id=0),
        (
            rich.Figure(
                media=Photo(file=PHOTO),
                caption=Text("a\nhttps://a.b", (entity(E.TEXT_LINK, 2, 11, url="https://a.b"),)),
            ),
        ),
    ),
    "photo that is not there": (
        T.PageBlockPhoto(photo_id=1, caption=caption("a")),
        (rich.Missing(kind="photo"), rich.Paragraph(text=Text("a"), small=True)),
    ),
    "map": (
        T.PageBlockMap(geo=T.GeoPoint(long=2, lat=1, access_hash=0), zoom=1, w=2, h=3, caption=caption("a")),
        (rich.Map(point=Point(latitude=1, longitude=2), caption=Text("a")),),
    ),
    "details": (
        T.PageBlockDetails(blocks=[T.PageBlockDivider()], title=plain("a"), open=True),
        (rich.Details(blocks=(rich.Divider(),), title=Text("a"), open=True),),
    ),
    "cover": (T.PageBlockCover(cover=T.PageBlockDivider()), (rich.Divider(),)),
    "collage": (
        T.PageBlockCollage(items=[T.PageBlockPhoto(photo_id=FILE, caption=caption())], caption=caption("a")),
        (rich.Collage(blocks=(rich.Figure(media=Photo(file=PHOTO)),), caption=Text("a")),),
    ),
    "page of another site": (
        T.PageBlockEmbed(caption=caption("a"), url="https://a.b"),
        (rich.Paragraph(text=Text("a\nhttps://a.b", (entity(E.TEXT_LINK, 2, 11, url="https://a.b"),)), small=True),),
    ),
    "frame without an address": (
        T.PageBlockEmbed(caption=caption(), html="<script>"),
        (rich.Missing(kind="embed"),),
    ),
    "post of another site": (
        T.PageBlockEmbedPost(
            url="https://a.b",
            webpage_id=0,
            author_photo_id=0,
            author="Ann",
            date=1,
            blocks=[T.PageBlockDivider()],
            caption=caption(),
        ),
        (rich.Quote(blocks=(rich.Divider(),), caption=Text("Ann", (entity(E.TEXT_LINK, 0, 3, url="https://a.b"),))),),
    ),
    "channel": (
        T.PageBlockChannel(channel=T.Channel(id=5, title="News", photo=T.ChatPhotoEmpty(), date=0, username="news")),
        (paragraph("News @news", entity(E.MENTION, 5, 5)),),
    ),
    "buttons": (
        T.PageBlockButtonRow(
            buttons=[
                T.PageButton(text=plain("a"), type=T.InlineButtonTypeUrl(url="https://a.b")),
                T.PageButton(text=plain("b"), type=T.InlineButtonTypeDisabled()),
            ]
        ),
        (paragraph("a · b", entity(E.TEXT_LINK, 0, 1, url="https://a.b")),),
    ),
    "related articles": (
        T.PageBlockRelatedArticles(
            title=plain("More"),
            articles=[T.PageRelatedArticle(url="https://a.b", webpage_id=0, title="a", description="b")],
        ),
        (
            rich.Heading(text=Text("More"), level=4),
            rich.List(
                items=(rich.ListItem(blocks=(paragraph("a\nb", entity(E.TEXT_LINK, 0, 1, url="https://a.b")),)),)
            ),
        ),
    ),
    "anchor": (T.PageBlockAnchor(name="a"), ()),
    "what a newer app shows": (T.PageBlockUnsupported(), (rich.Missing(kind="unsupported"),)),
}


@pytest.mark.parametrize("case", BLOCK_CASES)
def test_each_block(case: str) -> None:
    block, expected = BLOCK_CASES[case]
    found = article(block, photos=[tl_photo(square("x", 800, 3))])
    assert found == rich.Rich(blocks=expected)
    message = Message(id=1, date=2, media=found)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(message), type=Message) == message


@pytest.mark.parametrize(
    ("block", "document", "media"),
    [
        (
            T.PageBlockVideo(video_id=FILE, caption=caption(), spoiler=True),
            tl_document("video/mp4", T.DocumentAttributeVideo(duration=2, w=3, h=4)),
            Video(file=document_file("video/mp4", "", 3, 4), width=3, height=4, duration=2, spoiler=True),
        ),
        (
            T.PageBlockAudio(audio_id=FILE, caption=caption()),
            tl_document("audio/mpeg", T.DocumentAttributeAudio(duration=2)),
            Audio(file=document_file("audio/mpeg"), duration=2),
        ),
        (
            T.PageBlockDocument(document_id=FILE, caption=caption()),
            tl_document("text/plain", named("a.txt")),
            Document(file=document_file("text/plain", "a.txt")),
        ),
    ],
)
def test_files_come_from_the_message(block: Any, document: Any, media: Any) -> None:
    found = article(block, documents=[document])
    assert found.blocks == (rich.Figure(media=media),)
    assert list(files_of(Message(id=1, date=2, media=found))) == [media.file]


def test_files_are_found_however_deep_they_lie() -> None:
    photo = T.PageBlockPhoto(photo_id=FILE, caption=caption())
    inside: Any = T.PageBlockList(items=[T.PageListItemBlocks(blocks=[photo])])
    inside = T.PageBlockDetails(blocks=[inside], title=T.TextEmpty())
    inside = T.PageBlockBlockquoteBlocks(blocks=[inside], caption=T.TextEmpty())
    inside = T.PageBlockCollage(items=[inside], caption=caption())
    found = article(inside, photos=[tl_photo(square("x", 800, 3))])
    assert list(files_of(Message(id=1, date=2, media=found))) == [PHOTO]


@pytest.mark.parametrize(
    ("fields", "rtl", "truncated"), [({}, False, False), ({"rtl": True}, True, False), ({"part": True}, False, True)]
)
def test_direction_and_completeness_are_kept(fields: Any, rtl: bool, truncated: bool) -> None:
    found = article(T.PageBlockDivider(), **fields)
    assert (found.rtl, found.truncated) == (rtl, truncated)


def nested_blocks(depth: int) -> Any:
    block: Any = T.PageBlockDivider()
    for _ in range(depth - 1):
        block = T.PageBlockDetails(blocks=[block], title=T.TextEmpty())
    return block


def depth_of(blocks: tuple[rich.Block, ...]) -> int:
    return max((1 + depth_of(getattr(block, "blocks", ())) for block in blocks), default=0)


@pytest.mark.parametrize(("depth", "truncated"), [(MAX_DEPTH, False), (MAX_DEPTH + 1, True), (100, True)])
def test_blocks_nest_so_deep_and_no_deeper(depth: int, truncated: bool) -> None:
    found = article(nested_blocks(depth))
    assert depth_of(found.blocks) == min(depth, MAX_DEPTH)
    assert found.truncated is truncated


@pytest.mark.parametrize(("depth", "truncated"), [(MAX_DEPTH - 3, False), (MAX_DEPTH - 2, True), (100, True)])
def test_texts_nest_so_deep_and_no_deeper(depth: int, truncated: bool) -> None:
    text: Any = plain("deep")
    for _ in range(depth):
        text = T.TextBold(text=text)
    found = article(T.PageBlockParagraph(text=joined(plain("top "), text)), T.PageBlockDivider())
    assert found.blocks[1:] == (rich.Divider(),)
    first = found.blocks[0]
    assert isinstance(first, rich.Paragraph)
    assert first.text.text == ("top " if truncated else "top deep")
    assert found.truncated is truncated


@pytest.mark.parametrize(
    "block",
    [
        T.PageBlockDivider(),
        T.PageBlockParagraph(text=plain("a")),
        T.PageBlockList(items=[T.PageListItemText(text=plain("a"))]),
        T.PageBlockTable(title=T.TextEmpty(), rows=[T.PageTableRow(cells=[T.PageTableCell(text=plain("a"))])]),
    ],
    ids=lambda block: type(block).__name__,
)
def test_an_endless_article_is_cut(block: Any) -> None:
    found = article(*[block] * (MAX_NODES + 1))
    assert found.truncated
    assert 0 < len(found.blocks) <= MAX_NODES
    assert article(*[block] * (MAX_NODES // 5)).truncated is False


def test_an_endless_text_is_cut() -> None:
    found = article(T.PageBlockParagraph(text=joined(*[plain("a")] * (MAX_NODES + 1))), T.PageBlockDivider())
    assert found.truncated
    (block,) = found.blocks
    assert isinstance(block, rich.Paragraph)
    assert 0 < len(block.text.text) < MAX_NODES


def test_every_block_of_the_layer_has_a_translation_or_is_consciously_without() -> None:
    assert not set(BLOCKS) & UNTRANSLATED
    assert set(BLOCKS) | UNTRANSLATED == set(constructors("PageBlock"))


def test_every_text_of_the_layer_keeps_its_words() -> None:
    for constructor in constructors("RichText"):
        text: Any = arbitrary(constructor, random.Random(1))
        silent = constructor in (T.TextEmpty,)
        for field in ("text", "alt", "source"):
            if hasattr(text, field):
                value = plain("words") if field == "text" and constructor is not T.TextPlain else "words"
                setattr(text, field, value)
        if constructor is T.TextConcat:
            text.texts = [plain("words")]
        (block,) = article(T.PageBlockParagraph(text=text)).blocks
        assert isinstance(block, rich.Paragraph)
        assert silent or "words" in block.text.text or constructor is T.TextImage, constructor


@pytest.mark.parametrize("constructor", constructors("PageBlock"), ids=lambda c: c.__name__)
@pytest.mark.parametrize("seed", range(3))
def test_any_block_is_read(constructor: type[TLObject[Any]], seed: int) -> None:
    message = T.RichMessage(blocks=[arbitrary(constructor, random.Random(seed))], photos=[], documents=[])
    found = to_rich(message)
    assert found.blocks or constructor is T.PageBlockAnchor or constructor is T.PageBlockCover


def test_a_block_of_an_unknown_shape_is_missing_and_the_others_are_there() -> None:
    no_caption: Any = T.TextEmpty()
    odd = T.PageBlockMap(geo=T.GeoPointEmpty(), zoom=1, w=2, h=3, caption=no_caption)
    message = T.RichMessage(blocks=[odd, T.PageBlockDivider()], photos=[], documents=[])
    assert to_rich(message).blocks == (rich.Missing(kind="map"), rich.Divider())


def adapted(**fields: Any) -> Message:
    peer = Channel(id=-1000000000005, kind=ChannelKind.CHANNEL, title="News")
    message = T.Message(id=1, peer_id=T.PeerChannel(channel_id=5), date=2, **fields)
    found = to_message(message, Peers([], []), peer=peer)
    assert found is not None
    return found


DIVIDED = T.RichMessage(blocks=[T.PageBlockDivider()], photos=[], documents=[])


def test_a_messages_article_is_its_media_and_its_text_stays() -> None:
    found = adapted(message="words", rich_message=DIVIDED)
    assert (found.text, found.media) == (Text("words"), rich.Rich(blocks=(rich.Divider(),)))


def test_a_file_beside_an_article_comes_first_in_it() -> None:
    photo = T.MessageMediaPhoto(photo=tl_photo(square("x", 800, 3)))
    found = adapted(message="", media=photo, rich_message=DIVIDED)
    assert found.media == rich.Rich(blocks=(rich.Figure(media=Photo(file=PHOTO)), rich.Divider()))
