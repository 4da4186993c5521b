"""The Lighthouse Notebook: its longer texts and its papers."""

from __future__ import annotations

from pathlib import Path

from demo.make import papers
from demo.make.markup import Json
from demo.make.media import small
from demo.make.scenes import coast, town

_FOLDER = Path(__file__).parent

LONG_NIGHT = (_FOLDER / "long_night.txt").read_text("utf-8").removesuffix("\n")

READER_LETTER = (_FOLDER / "reader_letter.txt").read_text("utf-8").removesuffix("\n")

TIDE_TABLE = """day,high_1,height_1_m,low_1,high_2,height_2_m,low_2,remark
Mon 30 Nov,04:02,4.4,10:14,16:20,4.3,22:31,"good for mussels"
Tue 1 Dec,04:39,4.3,10:52,16:58,4.1,23:08,
Wed 2 Dec,05:17,4.1,11:31,17:38,3.9,23:47,"market boat at 09:00"
Thu 3 Dec,05:58,3.9,12:13,18:22,3.7,,"seals on the bar, bring field glasses"
Fri 4 Dec,06:44,3.7,00:29,19:12,3.5,13:01,
"""

SEED_LIST = {
    "read me first 🌊.txt": "What washed up this autumn, written down by the children of Saltmere School.\n",
    "glass.txt": "green 41\nbrown 17\nwhite 23\nblue 4 (four! two are the same blue)\n",
    "разное.txt": "Одна бутылка с запиской. Записка по-русски, про чайник и поезд.\n",
}


def _words(text: str) -> Json:
    return {"_": "types.TextPlain", "text": text}


def _cell(text: str, header: bool = False) -> Json:
    return {"_": "types.PageTableCell", "header": header, "text": _words(text)}


def _row(*texts: str, header: bool = False) -> Json:
    return {"_": "types.PageTableRow", "cells": [_cell(text, header) for text in texts]}


_TALKS = (
    ("3 December", "Tomas Reyes", "Where do godwits go, and could one come along"),
    ("10 December", "Inês Duarte", "Maps of places that are not there"),
    ("17 December", "Grace Odum", "Yeast: an autobiography"),
)

# A page as Telegram's rich messages carry it.
PROGRAMME: Json = {
    "_": "types.RichMessage",
    "blocks": [
        {"_": "types.PageBlockHeading1", "text": _words("The winter talks")},
        {
            "_": "types.PageBlockParagraph",
            "text": {
                "_": "types.TextConcat",
                "texts": [
                    _words("Thursdays at seven, in the library. "),
                    {"_": "types.TextBold", "text": _words("Bring your own cup.")},
                ],
            },
        },
        {
            "_": "types.PageBlockTable",
            "bordered": True,
            "striped": True,
            "title": _words("Programme"),
            "rows": [_row("When", "Who", "What", header=True), *(_row(*talk) for talk in _TALKS)],
        },
        {"_": "types.PageBlockHeading2", "text": _words("House rules")},
        {
            "_": "types.PageBlockList",
            "items": [
                {"_": "types.PageListItemText", "text": _words(rule)}
                for rule in (
                    "Whoever sits nearest feeds the stove.",
                    "Questions first, wisdom later.",
                    "The cat is staff.",
                )
            ],
        },
        {"_": "types.PageBlockDivider"},
        {
            "_": "types.PageBlockBlockquote",
            "text": _words("A library is a lighthouse with the light inside."),
            "caption": _words("written on the stove"),
        },
    ],
    "photos": [],
    "documents": [],
}


def pocket_guide() -> bytes:
    """The two pages of the tide guide."""
    first = [
        ("F2", 21, 0, "A Pocket Guide to Going Out and Coming Back"),
        ("F3", 13, 2, "for the sands of Saltmere, by A. Whitlock, keeper"),
        ("F1", 12, 14, "The sea leaves twice a day and comes back twice a day. It is never late, but it"),
        ("F1", 12, 0, "is not obliged to be convenient. Four rules have served this town for long:"),
        ("F1", 12, 10, "1. Look up the time of low water, and set out two hours before it."),
        ("F1", 12, 4, "2. Turn round at low water, whatever you have found by then."),
        ("F1", 12, 4, "3. If the gulls all leave at once, so do you."),
        ("F1", 12, 4, "4. Tell somebody. The lighthouse is somebody. So is the baker."),
        ("F3", 12, 14, "The chart above shows the heights for one day. The red dots are when to be on land."),
    ]
    second = [
        ("F2", 20, 0, "The walk, with a pause for buns"),
        ("F1", 12, 10, "Begin at the ferry (1). Up Chandlers' Row to the bakery (2), where the pause is."),
        ("F1", 12, 0, "Past the Market Cross (3), which has no cross, and the library (4), which has a"),
        ("F1", 12, 0, "very good stove. From there the path goes along the cliff to the lighthouse (5)."),
        ("F1", 12, 0, "Forty minutes; sixty with buns; an afternoon if Inês is in the library."),
        ("F3", 12, 14, "Printed on the keeper's own machine, which also makes toast."),
    ]
    return papers.pdf(
        "A Pocket Guide to Going Out and Coming Back",
        [(town.tide_chart(), first), (town.town_map().resize((1024, 800)), second)],
    )


def cover() -> bytes:
    """The waltz's cover."""
    return small(coast.starlings().crop((200, 0, 1053, 853)), 400)


# The post that Harbour Talk discusses, and its id.
QUESTION_ID = 81
QUESTION = (
    "Question of the week: what is the best thing to shout from a tower? Answers in the comments, please, not from the "
    "tower."
)
