"""Saltmere Noticeboard: rich messages, with every block and every mark that they know."""

from __future__ import annotations

from demo.make import tl
from demo.make.channels.noticeboard.shelf import Shelf
from demo.make.channels.people import INES, LIGHTHOUSE, MILO, user_id
from demo.make.export import Export, unix
from demo.make.markup import Json
from demo.make.tl import tl as tl_object

_EMPTY = tl_object("TextEmpty")


def articles(board: Export, shelf: Shelf) -> None:
    """A long article with everything in it, one from right to left, and one that goes on in Telegram."""
    photos = [{"_photo": shelf.path(name)} for name in ("dawn", "harbour", "bread", "aurora", "tile1")]
    documents = [{"_document": shelf.files[name]} for name in ("wave", "tune", "rules")]
    board.message("2026-11-22 08:00", sender=INES, bridge={"rich_message": _rich(_blocks(shelf), photos, documents)})
    arabic = [
        _block("Heading1", "لوحة الإعلانات"),
        _block("Paragraph", "كل شيء مرة واحدة: صور وأوراق وخرائط، و Saltmere في وسط السطر."),
        tl_object("PageBlockList", items=[_item("دبابيس: 414"), _item("قواعد: 3")]),
        tl_object("PageBlockBlockquote", text=_plain("خذ دبابيسك معك."), caption=_plain("القواعد")),
    ]
    board.message("2026-11-22 08:10", sender=INES, bridge={"rich_message": _rich(arabic, [], [], rtl=True)})
    start = [
        _block("Title", "The History of the Board, Volume One"),
        _block("Paragraph", "In the beginning was a nail."),
    ]
    board.message("2026-11-22 08:20", sender=INES, bridge={"rich_message": _rich(start, [], [], part=True)})


def _rich(blocks: list[Json], photos: list[Json], documents: list[Json], **flags: bool) -> Json:
    return tl_object("RichMessage", blocks=blocks, photos=photos, documents=documents, **flags)


def _plain(text: str) -> Json:
    return tl_object("TextPlain", text=text)


def _mark(kind: str, text: str, /, **fields: object) -> Json:
    return tl_object(f"Text{kind}", text=_plain(text), **fields)


def _line(*parts: str | Json) -> Json:
    return tl_object("TextConcat", texts=[_plain(part) if isinstance(part, str) else part for part in parts])


def _block(kind: str, text: str | Json) -> Json:
    return tl_object(f"PageBlock{kind}", text=_plain(text) if isinstance(text, str) else text)


def _caption(text: str = "", credit: str = "") -> Json:
    return tl_object("PageCaption", text=_plain(text) if text else _EMPTY, credit=_plain(credit) if credit else _EMPTY)


def _item(text: str, **fields: object) -> Json:
    return tl_object("PageListItemText", text=_plain(text), **fields)


def _picture(shelf: Shelf, name: str, text: str = "", **fields: object) -> Json:
    photo_id = {"_id": {"_photo": shelf.path(name)}}
    return tl_object("PageBlockPhoto", photo_id=photo_id, caption=_caption(text), **fields)


def _file_id(shelf: Shelf, name: str) -> Json:
    return {"_id": {"_document": shelf.files[name]}}


def _blocks(shelf: Shelf) -> list[Json]:
    return [*_head(shelf), *_words(), *_structure(), *_media(shelf), *_rest(shelf)]


def _head(shelf: Shelf) -> list[Json]:
    return [
        tl_object("PageBlockCover", cover=_picture(shelf, "harbour", "The board is behind the mast.")),
        _block("Kicker", "From the archive"),
        _block("Title", "How the Board Came to the Quay"),
        _block("Subtitle", "A history in pins"),
        tl_object("PageBlockAuthorDate", author=_plain("Inês Duarte"), published_date=unix("2026-11-20 09:00")),
        tl_object("PageBlockAnchor", name="top"),
        *(_block(f"Heading{level}", f"Heading of level {level}") for level in range(1, 7)),
        _block("Header", "A header"),
        _block("Subheader", "A subheader"),
    ]


def _words() -> list[Json]:
    """Every mark that a rich text may have."""
    link = tl_object("InlineButtonTypeUrl", url="https://example.org/saltmere/pin")
    return [
        _block(
            "Paragraph",
            _line(
                _mark("Bold", "Bold"), ", ", _mark("Italic", "italic"), ", ", _mark("Underline", "underlined"), ", ",
                _mark("Strike", "struck out"), ", ", _mark("Fixed", "fixed"), ", ", _mark("Marked", "marked"), ", ",
                _mark("Spoiler", "hidden"), ", H", _mark("Subscript", "2"), "O, m", _mark("Superscript", "2"), ", ",
                tl_object("TextMath", source="e^{i\\pi}"), ", ",
                tl_object("TextDiff", text=_plain("ten"), old_text=_plain("nine")), " pins.",
            ),
        ),
        _block(
            "Paragraph",
            _line(
                _mark("Url", "A page", url="https://example.org/saltmere", webpage_id=0), ", ",
                _mark("AutoUrl", "https://example.org/pins"), ", ",
                _mark("Email", "a letter", email="board@example.org"), ", ",
                _mark("AutoEmail", "board@example.org"), ", ",
                _mark("Phone", "a call", phone="+441632960123"), ", ",
                _mark("AutoPhone", "+44 1632 960 123"), ", ", _mark("Mention", "@demo_grace_odum"), ", ",
                _mark("MentionName", "Milo", user_id=user_id(MILO)), ", ", _mark("Hashtag", "#pins"), ", ",
                _mark("Cashtag", "$PIN"), ", ", _mark("BotCommand", "/pin"), ", ",
                _mark("BankCard", "4242 4242 4242 4242"), ", ",
                _mark("Date", "20 November", date=unix("2026-11-20 09:00")), ", ",
                tl_object("TextCustomEmoji", document_id=5, alt="📌"), " ",
                tl_object("TextImage", document_id=6, w=16, h=16), " ", _mark("Anchor", "the top", name="top"), " ",
                _mark("Button", "Pin it", type=link), ".",
            ),
        ),
    ]  # fmt: skip


def _structure() -> list[Json]:
    """Quotes, lists, tables, code."""
    numbered = [
        tl_object("PageListOrderedItemText", text=_plain("Take a pin.")),
        tl_object(
            "PageListOrderedItemBlocks",
            blocks=[
                _block("Paragraph", "Hold it straight:"),
                tl_object("PageBlockList", items=[_item("not so"), _item("so")]),
            ],
        ),
        tl_object("PageListOrderedItemText", text=_plain("Push."), value=10),
    ]
    inside = tl_object("PageListItemBlocks", blocks=[_block("Paragraph", "A box of its own")])
    return [
        tl_object("PageBlockBlockquote", text=_plain("A board is a town's pocket."), caption=_plain("A. Whitlock")),
        tl_object(
            "PageBlockBlockquoteBlocks",
            blocks=[_block("Paragraph", "Two lines,"), _block("Paragraph", "each on its own.")],
            caption=_plain("The rules"),
        ),
        tl_object("PageBlockPullquote", text=_plain("In the beginning was a nail."), caption=_EMPTY),
        tl_object(
            "PageBlockList",
            items=[
                _item("Glass", checkbox=True, checked=True),
                _item("Paint", checkbox=True),
                _item("Just a line"),
                inside,
            ],
        ),
        tl_object("PageBlockOrderedList", items=numbered, start=3, type="i"),
        _table(),
        tl_object(
            "PageBlockPreformatted",
            text=_plain(
                "def pins(notices):\n    return 4 * notices  # one a corner, however long this line of code becomes\n"
            ),
            language="python",
        ),
        tl_object("PageBlockMath", source="\\sum_{n=1}^{104} 4 n < \\infty"),
        tl_object("PageBlockDivider"),
    ]


def _table() -> Json:
    def row(*texts: str, **fields: object) -> Json:
        return tl_object(
            "PageTableRow", cells=[tl_object("PageTableCell", text=_plain(text), **fields) for text in texts]
        )

    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    wide = [tl_object("PageTableCell", text=_plain("All year"), header=True)]
    wide.append(tl_object("PageTableCell", text=_plain("about four a notice, less in the rain"), colspan=12))
    return tl_object(
        "PageBlockTable",
        title=_plain("Pins a month"),
        bordered=True,
        rows=[
            row("", *months, header=True),
            row("Pins", *(str(1000 + 37 * number) for number in range(12))),
            row("Notices", *(str(250 + 9 * number) for number in range(12))),
            tl_object("PageTableRow", cells=wide),
        ],
    )


def _media(shelf: Shelf) -> list[Json]:
    """Pictures, films, sounds, files, maps."""
    return [
        _picture(shelf, "bread", "Under a cloth.", spoiler=True),
        _picture(shelf, "aurora", "A picture with a link.", url="https://example.org/saltmere/aurora", webpage_id=0),
        tl_object("PageBlockVideo", video_id=_file_id(shelf, "wave"), caption=_caption("The sea.", "T. Reyes")),
        tl_object("PageBlockAudio", audio_id=_file_id(shelf, "tune"), caption=_caption()),
        tl_object("PageBlockDocument", document_id=_file_id(shelf, "rules"), caption=_caption("The rules, whole.")),
        tl_object(
            "PageBlockCollage",
            items=[_picture(shelf, "dawn"), _picture(shelf, "tile1"), _picture(shelf, "aurora")],
            caption=_caption("Three together."),
        ),
        tl_object(
            "PageBlockSlideshow",
            items=[_picture(shelf, "dawn"), _picture(shelf, "bread")],
            caption=_caption("In turn."),
        ),
        tl_object("PageBlockMap", geo=tl.point(55.8714, -2.0896), zoom=15, w=600, h=400, caption=_caption("Here.")),
        tl_object(
            "PageBlockEmbed",
            caption=_caption("A film elsewhere"),
            url="https://example.org/films/board",
            poster_photo_id={"_id": {"_photo": shelf.path("harbour")}},
            w=640,
            h=360,
        ),
    ]


def _rest(shelf: Shelf) -> list[Json]:
    """Folded parts, other people's posts, buttons, further reading."""
    link = tl_object("InlineButtonTypeUrl", url="https://example.org/saltmere/join")
    callback = tl_object("InlineButtonTypeCallback", data=tl.bytes_of("like"))
    channel = tl_object(
        "Channel",
        id=LIGHTHOUSE,
        title="The Lighthouse Notebook",
        username="demo_lighthouse",
        photo=tl_object("ChatPhotoEmpty"),
        date=0,
        access_hash=LIGHTHOUSE,
        broadcast=True,
    )
    return [
        tl_object(
            "PageBlockDetails", title=_plain("Footnotes"), blocks=[_block("Paragraph", "The nail is still there.")]
        ),
        tl_object(
            "PageBlockDetails", title=_plain("Open from the start"), blocks=[_block("Paragraph", "Yes.")], open=True
        ),
        tl_object(
            "PageBlockEmbedPost",
            url="https://example.com/post/1",
            webpage_id=0,
            author_photo_id=0,
            author="The Courier",
            date=unix("2026-11-20 09:00"),
            blocks=[_block("Paragraph", "A board! At last.")],
            caption=_caption(),
        ),
        tl_object("PageBlockChannel", channel=channel),
        tl_object(
            "PageBlockButtonRow",
            buttons=[
                tl_object("PageButton", text=_plain("Join"), type=link),
                tl_object("PageButton", text=_plain("Like"), type=callback),
            ],
        ),
        _block("Thinking", "Counting pins …"),
        tl_object(
            "PageBlockRelatedArticles",
            title=_plain("Read on"),
            articles=[
                tl_object(
                    "PageRelatedArticle",
                    url="https://example.org/nails",
                    webpage_id=0,
                    title="On Nails",
                    description="A short history.",
                )
            ],
        ),
        _block("Footer", "Set in whatever type was left."),
        tl_object("PageBlockUnsupported"),
    ]
