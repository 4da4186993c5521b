"""Saltmere Noticeboard: words, in every form that Telegram has for them, and what surrounds them."""

from __future__ import annotations

from demo.make.channels.people import ADA, FERRY_BOT, GRACE, HARBOUR_TALK, INES, LIGHTHOUSE, MILO, TOMAS, user_id
from demo.make.export import Export, unix
from demo.make.markup import Json, bold, code, plain, span

_EVERY_MARK = (
    "Bold, italic, underlined, struck out, hidden. Code in a line.\n"
    "knots = miles / 1.15\n"
    "Quoted from the harbour rules.\n"
    "A long quotation that opens when it is touched, since the harbour rules go on and on,\n"
    "and on,\nand on,\nand on.\n"
    "https://example.org/saltmere, the town's page, @demo_grace_odum, Milo, #lost, $TIDE, board@example.org, "
    "+44 1632 960 123, /pin, 4242 4242 4242 4242, 30 November, 🦭.\n"
    "The ferry leaves at nine ten from the north south quay."
)


def texts(board: Export) -> None:
    """Entities, replies, forwards, senders, counters, buttons."""
    first = board.message(
        "2026-11-02 08:00",
        bold("One of everything"),
        "\n\nPins are in the box. Take yours down when it is over.",
        sender=ADA,
        bridge={"pinned": True},
    )
    board.message("2026-11-02 08:05", plain(_EVERY_MARK), sender=INES, bridge={"entities": _marks()})
    _answers(board, first)
    _from_elsewhere(board)
    _around(board)


def _marks() -> list[Json]:
    def mark(words: str, kind: str, **fields: object) -> Json:
        return span(_EVERY_MARK, words, kind, **fields)

    return [
        mark("Bold", "Bold"),
        mark("italic", "Italic"),
        mark("underlined", "Underline"),
        mark("struck out", "Strike"),
        mark("hidden", "Spoiler"),
        mark("Code in a line", "Code"),
        mark("knots = miles / 1.15", "Pre", language="python"),
        mark("Quoted from the harbour rules.", "Blockquote"),
        mark(
            _EVERY_MARK[_EVERY_MARK.index("A long") : _EVERY_MARK.index("https")].strip(), "Blockquote", collapsed=True
        ),
        mark("https://example.org/saltmere", "Url"),
        mark("the town's page", "TextUrl", url="https://example.org/saltmere/town?a=1&b=2"),
        mark("@demo_grace_odum", "Mention"),
        mark("Milo", "MentionName", user_id=user_id(MILO)),
        mark("#lost", "Hashtag"),
        mark("$TIDE", "Cashtag"),
        mark("board@example.org", "Email"),
        mark("+44 1632 960 123", "Phone"),
        mark("/pin", "BotCommand"),
        mark("4242 4242 4242 4242", "BankCard"),
        mark("30 November", "FormattedDate", date=unix("2026-11-30 09:00")),
        mark("🦭", "CustomEmoji", document_id=5_368_324_170_671_202_286),
        mark("nine", "DiffDelete"),
        mark("ten", "DiffInsert"),
        mark("north", "DiffReplace", old_text="south"),
        # Overlapping and nested marks.
        mark("the north south quay", "Italic"),
        mark("south quay", "Bold"),
    ]


def _answers(board: Export, first: int) -> None:
    board.message(
        "2026-11-02 08:30", "There are 414 pins. I counted.", sender=GRACE, reply_to=first, reactions={"👏": 3}
    )
    board.message(
        "2026-11-02 08:31",
        "Whose?",
        sender=MILO,
        reply_to=first,
        bridge=board.quoting(first, "Take yours down when it is over."),
    )
    board.message(
        "2026-11-02 08:40",
        "The three hundred and ninth candle, too?",
        sender=TOMAS,
        bridge={
            "reply_to": {"chat_id": HARBOUR_TALK, "message_id": 6, "from_name": "Milo Finch"},
            "quote": {"text": "then who lit the other three"},
        },
    )
    board.message(
        "2026-11-02 08:50",
        "That was no seal in your story. That was Mr Odum.",
        sender=MILO,
        bridge={"reply_to": {"story_id": 12, "user_id": user_id(GRACE)}},
    )


def _from_elsewhere(board: Export) -> None:
    board.message(
        "2026-11-03 09:00",
        "0",
        sender=ADA,
        forwarded_from="The Lighthouse Notebook",
        forwarded_from_id=f"channel{LIGHTHOUSE}",
        bridge={
            "forward": {
                "channel_id": LIGHTHOUSE,
                "channel_post": 46,
                "post_author": "Tomas Reyes",
                "date": unix("2026-11-11 18:30"),
            }
        },
    )
    board.message(
        "2026-11-03 09:05",
        "Found: one oar, left-handed.",
        sender=ADA,
        forwarded_from=MILO[0],
        forwarded_from_id=MILO[1],
    )
    board.message("2026-11-03 09:06", "Mine. I would rather not say how.", sender=ADA, forwarded_from="A Former Mate")
    board.message("2026-11-03 10:00", "Whatever hangs here without a name is from the keepers of the board.")
    board.message(
        "2026-11-03 10:05",
        "The Notebook will hang here on Fridays.",
        sender=("The Lighthouse Notebook", f"channel{LIGHTHOUSE}"),
        bridge={"silent": True},
    )
    board.message("2026-11-03 11:00", "Next sailing: 12:10", sender=INES, via_bot="demo_ferry_bot")
    board.message(
        "2026-11-03 11:30",
        "Signed by the treasurer, as the rules want it.",
        author="Grace Odum",
        edited="2026-11-03 11:32",
    )


def _around(board: Export) -> None:
    board.message(
        "2026-11-04 08:00",
        "Choose your boat:",
        sender=FERRY_BOT,
        bridge={
            "keyboard": [
                [
                    {"text": "08:10 to Ness", "url": "https://example.org/saltmere/ferry?to=ness&at=0810"},
                    {"text": "12:10 to Ness", "url": "https://example.org/saltmere/ferry?to=ness&at=1210"},
                ],
                [{"text": "The whole timetable with all remarks", "url": "https://example.org/saltmere/ferry"}],
            ]
        },
    )
    board.message(
        "2026-11-04 09:00",
        "The band plays on Sunday, weather permitting.",
        sender=GRACE,
        views=1204,
        forwards=17,
        reactions={"❤": 120, "🎺": 8, "paid": 3, "5368324170671202286": 2},
        bridge={"comments": {"count": 24, "chat_id": HARBOUR_TALK}},
    )
    board.message(
        "2026-11-04 09:30",
        "One notice had to be taken down.",
        bridge={"restriction": "This message couldn't be displayed on your device because it was about engines."},
    )
    board.message("2026-11-04 10:00", "https://example.org/saltmere/lost-and-found", sender=INES)
    board.message(
        "2026-11-04 10:30",
        "RindfleischetikettierungsüberwachungsaufgabenübertragungsgesetzundanderelangeWörterdieaufkeinSchildpassen\n\n",
        code("0x" + "5a17" * 40),
        sender=INES,
    )
