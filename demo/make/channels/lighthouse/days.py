"""The Lighthouse Notebook: the last days of November."""

from __future__ import annotations

from demo.make.channels.lighthouse import texts
from demo.make.channels.people import (
    ADA,
    HARBOUR_TALK,
    INES,
    LIGHTHOUSE,
    MILO,
    SALMA,
    TOMAS,
    user_id,
)
from demo.make.export import Export, unix
from demo.make.markup import (
    bold,
    link,
    quote,
    spoiler,
)
from demo.make.media import keys_only, photo, raw_media
from demo.make.scenes import coast, town

_ADA, _TOMAS, _INES = ADA[0], TOMAS[0], INES[0]


def last_days(channel: Export, giveaway: int) -> None:
    """From the winter talks to the frost; `giveaway` is the id of the giveaway whose winners are told."""
    channel.message(
        "2026-11-19 10:00",
        "The winter talks begin. Everything is free, the stove is on, and the cat is not to be fed.",
        author="Inês Duarte",
        views=2012,
        reactions={"👍": 55},
        bridge={
            "keyboard": [
                [
                    {"text": "📅 Programme", "url": "https://example.org/saltmere/talks"},
                    {"text": "🪑 Keep me a chair", "url": "https://example.org/saltmere/chair"},
                ],
                [{"text": "Ask the keeper", "url": "https://t.me/demo_ada_whitlock"}],
            ]
        },
    )
    channel.message("2026-11-19 10:30", author="Inês Duarte", views=1777, bridge={"rich_message": texts.PROGRAMME})
    channel.message(
        "2026-11-20 09:00",
        "If the lamp looks wrong to you, ring. At any hour.",
        author=_ADA,
        views=2300,
        media=keys_only(
            contact_information={"first_name": "Saltmere", "last_name": "Lighthouse", "phone_number": "+44 1632 960147"}
        ),
    )
    channel.message(
        "2026-11-20 09:02",
        media=keys_only(location_information={"latitude": 55.8706, "longitude": -2.0881}),
        views=1820,
    )
    channel.message(
        "2026-11-20 09:05",
        "Where the buns are.",
        media=keys_only(
            place_name="Odum & Daughter, Bakers",
            address="11 Quay Street, Saltmere",
            location_information={"latitude": 55.8692, "longitude": -2.0903},
        ),
        views=2044,
        reactions={"❤": 51},
    )
    channel.message(
        "2026-11-20 22:00", media=raw_media("Dice", value=6, emoticon="🎲"), views=1700, reactions={"🎉": 60}
    )
    channel.message(
        "2026-11-20 22:01", "(So it's Tomas who repaints the railings.)", author=_ADA, views=1690, reactions={"😁": 88}
    )
    channel.message(
        "2026-11-21 11:00",
        bold("The walk, now with a map."),
        " Forty minutes. We have added the library, which was left out last time by mistake, and heard about it.",
        media=photo(town.town_map),
        edited="2026-11-21 13:40",
        author=_TOMAS,
        views=2912,
        forwards=133,
        reactions={"👍": 91},
    )
    channel.message(
        "2026-11-22 12:00",
        "Corrected quietly: it was a curlew.",
        edited="2026-11-22 12:03",
        author=_TOMAS,
        views=1600,
        bridge={"edit_hide": True},
    )
    channel.message(
        "2026-11-24 16:20",
        "Rain since Sunday. The kettle has been promoted.",
        media=photo(town.teacup),
        author=_ADA,
        views=3020,
        reactions={"❤": 174},
    )
    channel.message(
        "2026-11-26 18:30",
        "From our friends at the ",
        link("Lantern café", "https://t.me/demo_lantern"),
        ", four hundred leagues to the south, a line for people who keep lights:\n\n",
        quote("لا تسأل عن طول الليل، اسأل عمّن أبقى القنديل مضاءً."),
        "\n\n(“Don't ask how long the night is; ask who kept the lantern lit.”) ",
        spoiler("It made me cry a little."),
        author=_ADA,
        views=2755,
        forwards=68,
        reactions={"❤": 233},
        bridge={"silent": True},
    )
    channel.message(
        "2026-11-28 15:45",
        "The winners of the barometers have been told, and it rained.",
        views=1520,
        author=_ADA,
        media=raw_media(
            "GiveawayResults",
            channel_id=LIGHTHOUSE,
            launch_msg_id=giveaway,
            winners_count=3,
            unclaimed_count=0,
            winners=[user_id(MILO), user_id(SALMA)],
            until_date=unix("2026-11-27 18:00"),
            prize_description="a walnut barometer",
            months=3,
        ),
    )
    channel.message(
        "2026-11-30 06:40",
        bold("06:38."),
        " Frost on the rail, Venus over the Ness, both kettles singing. The lamp "
        "goes off in an hour and forty minutes. Until then it is still, strictly "
        "speaking, night, and we're open.",
        media=photo(coast.frosty_morning),
        author=_ADA,
        views=812,
        reactions={"❤": 97},
        gap=3,
    )
    asked = channel.message(
        "2026-11-30 08:00",
        texts.QUESTION,
        author=_ADA,
        views=640,
        reactions={"🤔": 12},
        bridge={"comments": {"count": 5, "chat_id": HARBOUR_TALK}},
    )
    assert asked == texts.QUESTION_ID  # Harbour Talk answers it.
