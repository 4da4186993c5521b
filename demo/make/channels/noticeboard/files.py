"""Saltmere Noticeboard: pictures, films, sounds, papers, and albums of them."""

from __future__ import annotations

from demo.make import tl
from demo.make.channels.noticeboard.shelf import Shelf
from demo.make.channels.people import ADA, GRACE, INES, LIGHTHOUSE, MILO, TOMAS
from demo.make.export import Export
from demo.make.markup import Json
from demo.make.media import raw_media


def files(board: Export, shelf: Shelf) -> None:
    """Every kind of file, alone and in albums."""
    _pictures(board, shelf)
    _films(board, shelf)
    _others(board, shelf)
    _albums(board, shelf)
    _passed_on(board, shelf)


def _pictures(board: Export, shelf: Shelf) -> None:
    board.message("2026-11-05 08:00", "Dawn, free to look at.", media=shelf.photo("dawn"), sender=ADA)
    board.message("2026-11-05 08:10", media=shelf.photo("tall"), sender=INES)
    board.message("2026-11-05 08:20", media=shelf.photo("wide"), sender=INES)
    board.message(
        "2026-11-05 08:30",
        "The winning loaf. Only for who was not there.",
        media=shelf.photo("bread", media_spoiler=True),
        sender=GRACE,
    )
    board.message(
        "2026-11-05 08:40",
        "Above: the words. Below: what they are about.",
        media=shelf.photo("harbour"),
        sender=TOMAS,
        bridge={"invert_media": True},
    )
    film = shelf.files["wave"]
    live = raw_media("Photo", photo={"_photo": shelf.path("harbour")}, live_photo=True, video={"_document": film})
    board.message("2026-11-05 09:00", "Hold it down and it moves.", media=live, sender=MILO)
    board.message("2026-11-05 09:10", "To be printed, so uncompressed.", media=shelf.file("plan"), sender=INES)


def _films(board: Export, shelf: Shelf) -> None:
    board.message("2026-11-06 08:00", "Two seconds of Thursday.", media=shelf.file("wave"), sender=TOMAS)
    cover = {"_photo": shelf.path("dawn")}
    hidden = raw_media(
        "Document", document={"_document": shelf.files["wave"]}, video=True, spoiler=True, video_cover=cover
    )
    board.message("2026-11-06 08:05", "The end of the film, covered.", media=hidden, sender=TOMAS)
    board.message("2026-11-06 08:10", media=shelf.file("gif"), sender=MILO)
    board.message("2026-11-06 08:20", media=shelf.file("window"), sender=GRACE)


def _others(board: Export, shelf: Shelf) -> None:
    board.message("2026-11-07 08:00", media=shelf.file("voice"), sender=ADA)
    board.message("2026-11-07 08:10", "For the band.", media=shelf.file("tune"), sender=TOMAS)
    for minute, name in enumerate(("seal", "greeting", "star"), 20):
        board.message(f"2026-11-07 08:{minute}", media=shelf.file(name), sender=GRACE)
    board.message("2026-11-07 08:30", "The rules, in full.", media=shelf.file("rules"), sender=INES)
    # Telegram still knows that there was a file.
    board.message(
        "2026-11-07 08:40", "This one has been taken away by the wind.", media=raw_media("Document"), sender=INES
    )


def _albums(board: Export, shelf: Shelf) -> None:
    board.album("2026-11-08 08:00", [shelf.photo("dawn"), shelf.photo("tall")], "Before and after.", sender=ADA)
    board.album("2026-11-08 08:10", [shelf.photo("wide"), shelf.file("wave"), shelf.photo("aurora")], sender=TOMAS)
    board.album("2026-11-08 08:20", shelf.tiles(), "All ten entries. Vote by pebble.", sender=GRACE)
    board.album("2026-11-08 08:30", [shelf.file("rules"), shelf.file("pins")], "Papers.", sender=INES)
    board.album("2026-11-08 08:40", [shelf.file("tune"), shelf.file("tune", title="High Water")], sender=TOMAS)


def _passed_on(board: Export, shelf: Shelf) -> None:
    """Forwards of files, and replies that bring some."""
    board.album(
        "2026-11-09 08:00",
        [shelf.photo("harbour"), shelf.photo("aurora")],
        "From the Notebook.",
        sender=ADA,
        forwarded_from="The Lighthouse Notebook",
        forwarded_from_id=f"channel{LIGHTHOUSE}",
    )
    heard = board.message("2026-11-09 08:10", media=shelf.file("voice"), sender=MILO, forwarded_from="A Former Mate")
    board.message("2026-11-09 08:20", media=shelf.photo("bread"), sender=GRACE, reply_to=heard)
    board.message(
        "2026-11-09 08:30",
        media=raw_media("PaidMedia", stars_amount=5, extended_media=[_preview(1280, 853), _preview(640, 360, 94)]),
        sender=ADA,
    )
    bought = [
        tl.tl("MessageExtendedMedia", media=tl.photo(shelf.path("aurora"))),
        tl.tl("MessageExtendedMedia", media=tl.document(shelf.files["wave"])),
    ]
    board.message(
        "2026-11-09 08:40",
        "Bought for the board, so it hangs here whole.",
        media=raw_media("PaidMedia", stars_amount=25, extended_media=bought),
        sender=ADA,
    )


def _preview(width: int, height: int, seconds: int | None = None) -> Json:
    return tl.tl("MessageExtendedMediaPreview", w=width, h=height, video_duration=seconds)
