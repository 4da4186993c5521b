"""Saltmere Noticeboard: polls, people, places, games, prizes, stories, previews."""

from __future__ import annotations

from demo.make import tl
from demo.make.channels.noticeboard.shelf import Shelf
from demo.make.channels.people import (
    ADA,
    FERRY_BOT,
    GRACE,
    INES,
    LIGHTHOUSE,
    MILO,
    NOTICEBOARD,
    OBSERVATORY,
    TOMAS,
    user_id,
)
from demo.make.export import Export, Media, unix
from demo.make.markup import Json, span
from demo.make.media import keys_only, poll, raw_media
from demo.make.tl import tl as tl_object

_SLIP = {"latitude": 55.8714, "longitude": -2.0896}


def cards(board: Export, shelf: Shelf) -> None:
    """Everything that is neither a text nor a file."""
    _polls(board, shelf)
    _people_and_places(board)
    _games(board, shelf)
    _prizes(board)
    _stories(board, shelf)
    _previews(board, shelf)
    board.message("2026-11-21 10:00", "A notice in a hand that nobody can read yet.", media=raw_media("Unsupported"))
    call = tl_object("InputGroupCall", id=1, access_hash=1)
    board.message("2026-11-21 10:10", media=raw_media("VideoStream", call=call), sender=TOMAS)


def _polls(board: Export, shelf: Shelf) -> None:
    board.message(
        "2026-11-10 08:00",
        sender=GRACE,
        media=poll("Shall the board be painted?", [("Blue", 31), ("Blue, but the other blue", 30), ("Leave it", 2)]),
    )
    board.message(
        "2026-11-10 08:10",
        "Results when it closes.",
        sender=GRACE,
        media=_illustrated(shelf, tl_object("PollResults", total_voters=41), hide_results_until_close=True),
    )
    explained = "Look at the dog in its corner.\nDogs came in 1871."
    voters = [
        tl_object("PollAnswerVoters", option=tl.bytes_of(str(number)), voters=votes, correct=number == 1 or None)
        for number, votes in enumerate((9, 77, 14))
    ]
    results = tl_object(
        "PollResults",
        results=voters,
        total_voters=100,
        solution=explained,
        solution_entities=[span(explained, "dog", "Bold")],
        solution_media=tl.photo(shelf.path("wide")),
    )
    board.message(
        "2026-11-10 08:20",
        sender=INES,
        media=_illustrated(shelf, results, quiz=True, closed=True),
        forwarded_from=INES[0],
        forwarded_from_id=INES[1],
    )


def _illustrated(shelf: Shelf, results: Json, **fields: object) -> Media:
    """A poll in which each part has a picture, a film or a place."""
    question = "Where was this taken, and when?"
    venue = tl_object(
        "MessageMediaVenue",
        geo=tl.point(55.8714, -2.0896),
        title="Old slip",
        address="Quay Street",
        provider="",
        venue_id="",
        venue_type="",
    )
    answers = [("The mole, 1870", tl.photo(shelf.path("tile0"))), ("The old slip, 1902", venue), ("Here, today", None)]
    return raw_media(
        "Poll",
        poll=tl_object(
            "Poll",
            id=unix("2026-11-10 08:00") + len(fields),
            question=tl.words(question, span(question, "when", "Italic")),
            answers=[
                tl_object("PollAnswer", text=tl.words(text), option=tl.bytes_of(str(number)), media=media)
                for number, (text, media) in enumerate(answers)
            ],
            hash=0,
            **fields,
        ),
        results=results,
        attached_media=tl.photo(shelf.path("harbour")),
    )


def _people_and_places(board: Export) -> None:
    contact = {"first_name": "Grace", "last_name": "Odum", "phone_number": "+44 1632 960 456"}
    known = contact | {"user_id": user_id(GRACE)}
    board.message("2026-11-11 08:00", "For cakes:", sender=ADA, media=keys_only(contact_information=known))
    board.message("2026-11-11 08:10", sender=ADA, media=keys_only(location_information=_SLIP))
    live = raw_media("GeoLive", geo=tl.point(55.8731, -2.0817), period=28_800, heading=215)
    board.message("2026-11-11 08:20", "Follow the parade.", sender=MILO, media=live)
    board.message("2026-11-11 08:30", sender=MILO, media=keys_only(location_information=None))
    venue = keys_only(place_name="The Board", address="Ferry quay, left of the tide bell", location_information=_SLIP)
    board.message("2026-11-11 08:40", sender=INES, media=venue)


def _games(board: Export, shelf: Shelf) -> None:
    for minute, (emoji, value) in enumerate((("🎲", 6), ("🎯", 1), ("🎰", 64)), 10):
        board.message(f"2026-11-12 08:{minute}", sender=TOMAS, media=raw_media("Dice", value=value, emoticon=emoji))
    game = tl_object(
        "Game",
        id=4,
        access_hash=4,
        short_name="pins",
        title="Pins & Needles",
        description="Hang up as many notices as you can before the rain.",
        photo={"_photo": shelf.path("aurora")},
    )
    board.message("2026-11-12 08:20", sender=FERRY_BOT, media=raw_media("Game", game=game))
    invoice: Json = {"currency": "GBP", "start_param": "", "description": "All year, with a lid."}
    board.message(
        "2026-11-12 08:30",
        sender=FERRY_BOT,
        media=raw_media("Invoice", title="A box of pins", total_amount=450, **invoice),
    )
    film = tl_object("MessageExtendedMediaPreview", w=1280, h=720, video_duration=600)
    board.message(
        "2026-11-12 08:40",
        sender=FERRY_BOT,
        media=raw_media(
            "Invoice",
            title="The whole parade",
            total_amount=90,
            receipt_msg_id=1,
            extended_media=film,
            **(invoice | {"currency": "XTR", "description": "Ten minutes, from the roof."}),
        ),
    )
    board.message(
        "2026-11-12 08:50",
        sender=INES,
        media=keys_only(
            todo_list={
                "title": "Before winter",
                "answers": [
                    {"text": "New glass", "completed_by": ADA[0], "completed_by_id": ADA[1]},
                    {"text": "Paint (the other blue)"},
                    {"text": "Count the pins again", "completed_by": GRACE[0], "completed_by_id": GRACE[1]},
                ],
            }
        ),
    )


def _prizes(board: Export) -> None:
    until = unix("2026-11-20 18:00")
    board.message(
        "2026-11-13 08:00",
        media=raw_media(
            "Giveaway",
            channels=[LIGHTHOUSE, OBSERVATORY],
            quantity=3,
            months=6,
            until_date=until,
            only_new_subscribers=True,
            prize_description="a pin of gold (brass)",
            countries_iso2=["GB", "PT"],
        ),
    )
    board.message(
        "2026-11-13 08:10", media=raw_media("Giveaway", channels=[LIGHTHOUSE], quantity=1, stars=500, until_date=until)
    )
    board.message(
        "2026-11-20 18:00",
        media=raw_media(
            "GiveawayResults",
            channel_id=NOTICEBOARD,
            launch_msg_id=1,
            winners_count=5,
            unclaimed_count=1,
            winners=[user_id(GRACE), user_id(MILO), user_id(TOMAS)],
            until_date=until,
            months=6,
            prize_description="a pin of gold (brass)",
        ),
    )


def _stories(board: Export, shelf: Shelf) -> None:
    caption = "What the baker saw #dawn"
    item = tl_object(
        "StoryItem",
        id=12,
        date=unix("2026-11-20 05:00"),
        expire_date=unix("2026-12-20 05:00"),
        media=tl.photo(shelf.path("dawn")),
        caption=caption,
        entities=[span(caption, "#dawn", "Hashtag")],
    )
    owner = tl_object("PeerUser", user_id=user_id(GRACE))
    board.message("2026-11-20 19:00", sender=GRACE, media=raw_media("Story", peer=owner, id=12, story=item))
    # One that has expired, or may not be seen.
    channel = tl_object("PeerChannel", channel_id=LIGHTHOUSE)
    board.message("2026-11-20 19:10", sender=ADA, media=raw_media("Story", peer=channel, id=3))


def _previews(board: Export, shelf: Shelf) -> None:
    url = "https://example.org/saltmere/parade"
    pages: list[Json] = [
        {
            "site_name": "Saltmere Courier",
            "title": "Parade to Go Uphill This Year",
            "description": "The committee voted twice. Bring a coat, a lantern, and somebody to push.",
            "author": "E. Whitlock",
            "photo": shelf.path("aurora"),
        },
        {
            "site_name": "VideoTube",
            "title": "Parade 2025, whole",
            "type": "video",
            "photo": shelf.path("wide"),
            "large": True,
        },
        {"title": "A page without a picture, whose title goes on for as long as its writer had ink, and then some"},
    ]
    for number, page in enumerate(pages):
        place = f"{url}/{number}"
        board.message(
            f"2026-11-21 08:{number}0", f"Read: {place}", sender=INES, bridge={"web_page": {"url": place, **page}}
        )
    # A link and nothing else: its preview gives the title.
    board.message(
        "2026-11-21 09:00",
        url,
        sender=INES,
        bridge={"web_page": {"url": url, "title": "The Parade", "site_name": "Saltmere"}},
    )
