"""Saltmere Noticeboard (a public supergroup, English): the catalogue, where each kind of message hangs once."""

from __future__ import annotations

from pathlib import Path

from demo.make.channels.noticeboard import article, cards, events, files, texts
from demo.make.channels.noticeboard.shelf import Shelf
from demo.make.channels.people import (
    ADA,
    FERRY_BOT,
    GRACE,
    HARBOUR_TALK,
    INES,
    LIGHTHOUSE,
    MILO,
    NIKOLAI,
    NOTICEBOARD,
    OBSERVATORY,
    TOMAS,
    chats,
    users,
)
from demo.make.export import Export
from demo.make.media import jpeg
from demo.make.scenes import bay


def build(folder: Path) -> None:
    """Write the group's export."""
    board = Export(
        folder,
        "Saltmere Noticeboard",
        "public_supergroup",
        NOTICEBOARD,
        username="demo_noticeboard",
        about="By the ferry, under glass: one of everything that can be pinned up. A demo group.",
        photo="avatar.jpg",
        users=users(ADA, TOMAS, GRACE, MILO, INES, NIKOLAI, FERRY_BOT),
        chats=chats(LIGHTHOUSE, OBSERVATORY, HARBOUR_TALK),
    )
    board.put("avatar.jpg", jpeg(bay.harbour().crop((200, 300, 500, 600)), 60))
    shelf = Shelf(board)
    texts.texts(board)
    files.files(board, shelf)
    cards.cards(board, shelf)
    article.articles(board, shelf)
    events.events(board, shelf)
    board.write()
