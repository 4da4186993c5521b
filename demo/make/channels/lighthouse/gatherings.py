"""The Lighthouse Notebook: the weeks around Lamp Day."""

from __future__ import annotations

from demo.make import ffmpeg, motion, sounds, stickers
from demo.make.channels.lighthouse import texts
from demo.make.channels.people import (
    ADA,
    HARBOUR_TALK,
    INES,
    LIGHTHOUSE,
    MILO,
    OBSERVATORY,
    STATION,
    TOMAS,
)
from demo.make.export import Export, date_keys, unix
from demo.make.markup import (
    bold,
    plain,
)
from demo.make.media import document, photo, poll, preview, raw_media
from demo.make.scenes import coast, north

_ADA, _TOMAS, _INES = ADA[0], TOMAS[0], INES[0]


def gatherings(channel: Export) -> int:
    """The days before Lamp Day; gives the id of the giveaway."""
    channel.message(
        "2026-11-10 12:00",
        "Lamp Day is on Saturday. Grace has to know by Thursday.",
        author=_ADA,
        views=3021,
        reactions={"🍰": 40},
        media=poll(
            "Which cake for Lamp Day?",
            [
                ("Lemon, with the thick icing", 141),
                ("Seed cake, as in 1871", 58),
                ("The dark one", 97),
                ("All of them", 203),
            ],
            multiple_choice=True,
        ),
    )
    channel.message(
        "2026-11-11 12:00",
        views=2650,
        author=_TOMAS,
        media=poll(
            "How far does an 18-mile light reach, in the end?",
            [("Eighteen miles", 122), ("To the horizon", 61), ("To whoever is looking for it", 340)],
            closed=True,
            quiz=True,
            correct=[2],
            solution="It is a trick question. All three answers are right, but the third is why we do it.",
        ),
    )
    channel.message(
        "2026-11-11 17:00",
        "In which year was the library's oldest sea chart drawn? Inês says: "
        "answers by pigeon or below. The solution comes at six.",
        author=_TOMAS,
        views=2110,
    )
    channel.message("2026-11-11 18:00", "2024", views=2090, reactions={"😁": 160})
    channel.message(
        "2026-11-11 18:01",
        "(It was a copy. She is very sorry. The original is from 1702.)\n\n"
        "And how many ships have been lost on the reef since the lamp was lit?",
        author=_TOMAS,
        views=2074,
    )
    channel.message("2026-11-11 18:30", "0", views=2166, reactions={"❤": 288, "👏": 120})
    channel.service("2026-11-12 09:00", "group_call_scheduled", **date_keys("schedule_date", "2026-11-12 19:00"))
    channel.message(
        "2026-11-12 09:01",
        "Tonight at seven: a ",
        bold("livestream"),
        " from the gallery. You bring questions, the moon brings itself.",
        author=_TOMAS,
        views=1850,
    )
    channel.service("2026-11-12 19:00", "group_call")
    channel.service("2026-11-12 20:12", "group_call", duration=4320)
    giveaway = channel.message(
        "2026-11-13 11:00",
        "The cabinet-makers of Chandlers' Row are giving three of our readers a "
        "barometer, of the kind that is always right afterwards.",
        views=2333,
        author=_ADA,
        media=raw_media(
            "Giveaway",
            channels=[LIGHTHOUSE, OBSERVATORY],
            quantity=3,
            until_date=unix("2026-11-27 18:00"),
            only_new_subscribers=True,
            months=3,
            prize_description="a walnut barometer",
            countries_iso2=["GB", "PT"],
        ),
    )
    channel.message(
        "2026-11-13 15:00",
        "#sponsored by nobody but the bakery: a bag of six for the price of five, "
        "against the word “lamp”. Promo code: LAMP.",
        views=1702,
        author="Grace Odum",
    )
    return giveaway


def friends(channel: Export) -> None:
    """Forwards from a station, a stranger and a boy."""
    aurora = channel.message(
        "2026-11-14 08:00",
        "Над озером стояло вот это. Семичасовой остановили на восемь минут, машинист сам попросил.",
        media=photo(north.aurora),
        forwarded_from="Станция Ясная",
        forwarded_from_id=f"channel{STATION}",
        views=2477,
        reactions={"❤": 140},
        bridge={
            "forward": {
                "channel_id": STATION,
                "channel_post": 18,
                "post_author": "Николай Вешняков",
                "date": unix("2026-11-10 22:40"),
            }
        },
    )
    channel.message(
        "2026-11-14 08:06",
        "“This stood over the lake,” writes Nikolai from his station. “The seven o'clock was held for "
        "eight minutes, at the driver's own request.” We would have held it for nine.",
        reply_to=aurora,
        author=_ADA,
        views=2390,
        reactions={"❤": 96},
    )
    channel.message(
        "2026-11-14 09:20",
        "Forty years ago I came in on the Marigold. I still have one of the "
        "candles. It's in the kitchen window every second Saturday of November, "
        "three hundred miles from any sea.",
        forwarded_from="A Former Mate",
        views=3944,
        forwards=97,
        reactions={"❤": 420, "😢": 88},
    )
    channel.message(
        "2026-11-14 10:05",
        "i measured the lighthouse with my shadow and a stick and got 46.2 m!!! "
        "the chart says 47. so either the chart is old or i am short",
        forwarded_from=MILO[0],
        forwarded_from_id=MILO[1],
        views=2705,
        reactions={"👏": 230},
    )


def lamp_day(channel: Export) -> None:
    """The story of the long night, and what came after it."""
    night = channel.message(
        "2026-11-14 17:00",
        bold(texts.LONG_NIGHT.split("\n", 1)[0]),
        plain("\n" + texts.LONG_NIGHT.split("\n", 1)[1]),
        author=_ADA,
        views=6120,
        forwards=410,
        reactions={"❤": 902, "🔥": 120, "😢": 77, "paid": 25},
    )
    channel.message(
        "2026-11-14 23:58",
        "Grace counted three hundred and nine windows. There are three hundred and six in the town.",
        reply_to=night,
        author=_ADA,
        views=4222,
        reactions={"❤": 366},
        bridge=channel.quoting(night, "It is in case."),
    )
    channel.message(
        "2026-11-15 10:00",
        "Milo asked in the Harbour Talk who lit the other three. We have our suspicions.",
        views=2480,
        author=_TOMAS,
        bridge={
            "reply_to": {"chat_id": HARBOUR_TALK, "message_id": 6, "from_name": "Milo Finch"},
            "quote": {"text": "who lit the other three"},
        },
    )
    channel.message(
        "2026-11-16 07:30",
        "The morning ferry, through the round window of the lamp room.",
        views=2560,
        reactions={"❤": 80},
        media=document(
            "round_video_messages/file_1@{at}.mp4",
            lambda: ffmpeg.mp4(motion.porthole(), wave=sounds.wind_chime(), quality=27),
            "video/mp4",
            thumb=motion.porthole_poster,
            size=(384, 384),
            media_type="video_message",
            duration_seconds=6,
        ),
    )
    channel.message(
        "2026-11-16 07:41",
        views=2201,
        reactions={"😁": 90},
        media=document(
            "stickers/sticker.webm",
            lambda: ffmpeg.webm(stickers.seal_frames()),
            "video/webm",
            file_name="sticker.webm",
            thumb=stickers.seal_poster,
            size=(512, 512),
            media_type="sticker",
            sticker_emoji="👋",
        ),
    )
    channel.message(
        "2026-11-17 13:00",
        "A long read about why we see faces in waves, by somebody who has looked "
        "at more of them than is healthy: https://example.org/essays/faces-in-waves",
        author=_TOMAS,
        views=1990,
        forwards=22,
        media=preview(
            "https://example.org/essays/faces-in-waves",
            "Faces in Waves",
            scene=coast.storm,
            site_name="The Slow Review",
            description="What the sea looks like when it looks back: a naturalist on pattern, patience and pareidolia.",
            author="R. Calloway",
            large=True,
        ),
    )
    channel.message(
        "2026-11-18 08:00",
        "The forecast, as text only, as it should be: https://example.com/forecast/saltmere",
        author=_ADA,
        views=1733,
        media=preview(
            "https://example.com/forecast/saltmere",
            "Saltmere: wind NW 4, backing W, fair",
            site_name="Inshore Forecast",
            description="Sea state slight. Visibility good. Outlook: buns.",
        ),
    )
    channel.message("2026-11-18 19:00", "https://example.org/saltmere/live-camera", views=1402)
