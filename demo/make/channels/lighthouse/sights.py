"""The Lighthouse Notebook: photos, films, sounds and papers."""

from __future__ import annotations

from demo.make import ffmpeg, motion, papers, sounds
from demo.make.channels.lighthouse import texts
from demo.make.channels.people import (
    ADA,
    INES,
    TOMAS,
)
from demo.make.export import Export
from demo.make.markup import (
    bold,
    italic,
    link,
)
from demo.make.media import document, photo
from demo.make.scenes import bay, coast, town

_ADA, _TOMAS, _INES = ADA[0], TOMAS[0], INES[0]


def sights(channel: Export) -> None:
    """Photos, albums and films."""
    album = channel.album(
        "2026-10-29 15:00",
        [photo(bay.harbour), photo(bay.whale), photo(bay.pebbles), photo(town.bread)],
        bold("Four things from one Thursday."),
        " The harbour, pretending to be a postcard. A visitor off the Ness at "
        "noon, who stayed for eleven breaths. A star on the wrong beach (we "
        "carried it back). And what Grace had left at closing time.",
        author=_ADA,
        views=4533,
        forwards=84,
        reactions={"❤": 301, "😍": 77, "🐳": 40},
    )
    channel.message(
        "2026-10-29 18:22",
        "It was a humpback, and by the notch in the left fluke it's the same one as in 2023. Hello again.",
        reply_to=album[1],
        author=_TOMAS,
        views=3015,
        reactions={"🐳": 121},
    )
    channel.message(
        "2026-10-31 21:15",
        "Above, for once, the words: this is the oldest part of the house, made in "
        "1871 by people who polished one prism for a month. Below, the thing "
        "itself. I dust it with a feather.",
        media=photo(coast.lens, above=True),
        author=_ADA,
        views=3420,
        forwards=36,
        reactions={"❤": 188},
    )
    channel.message(
        "2026-11-01 09:00",
        "Behind this curtain: who sat on my windowsill all night while I was out looking for her. Touch to see.",
        media=photo(town.window_cat, spoiler=True),
        author=_ADA,
        views=3690,
        reactions={"😁": 203, "❤": 95},
    )
    film = document(
        "video_files/beam.mp4",
        lambda: ffmpeg.mp4(motion.beam_night(), wave=sounds.sea_swell(8)),
        "video/mp4",
        file_name="beam.mp4",
        thumb=motion.beam_poster,
        size=(640, 360),
        media_type="video_file",
        duration_seconds=8,
    )
    channel.message(
        "2026-11-02 19:45",
        "Eight seconds of last night, with the clock running. If you see two flashes, you're looking at us.",
        media=film,
        author=_TOMAS,
        views=4102,
        forwards=58,
        reactions={"🔥": 120, "❤": 93},
    )
    waves = document(
        "video_files/north-wester.mp4",
        lambda: ffmpeg.mp4(motion.storm_waves(), quality=27),
        "video/mp4",
        file_name="north-wester.mp4",
        thumb=motion.storm_poster,
        size=(640, 360),
        media_type="video_file",
        duration_seconds=4,
    )
    channel.message("2026-11-04 08:10", media=waves, author=_TOMAS, views=2204, reactions={"👍": 44})
    storm_film = document(
        "video_files/gulls.mp4",
        lambda: ffmpeg.mp4(motion.storm_waves(), quality=30),
        "video/mp4",
        file_name="gulls.mp4",
        thumb=motion.storm_poster,
        size=(640, 360),
        media_type="video_file",
        duration_seconds=4,
    )
    channel.album(
        "2026-11-04 17:30",
        [photo(coast.storm), storm_film, photo(coast.lighthouse_night)],
        "Before, during, after. Force nine on the mole at four, and by ten every star was out, washed.",
        author=_ADA,
        views=3888,
        forwards=51,
        reactions={"⚡": 99, "❤": 87},
    )
    flock = document(
        "video_files/starlings.mp4",
        lambda: ffmpeg.mp4(motion.murmuration(), quality=32),
        "video/mp4",
        file_name="starlings.mp4",
        thumb=motion.murmuration_poster,
        size=(480, 270),
        media_type="animation",
        duration_seconds=4,
    )
    channel.message(
        "2026-11-05 16:52",
        "#starlings — they do this for no reason that anybody has been able to prove.",
        media=flock,
        author=_TOMAS,
        views=3166,
        reactions={"🤩": 88},
    )
    channel.message(
        "2026-11-06 16:40",
        "And the same ten minutes, standing still.",
        media=photo(coast.starlings),
        author=_TOMAS,
        views=2790,
        reactions={"❤": 61},
    )


def sounds_and_papers(channel: Export) -> None:
    """A voice, a waltz and six documents."""
    channel.message(
        "2026-11-06 22:05",
        "For everybody who asked what “grandmother” sounds like.",
        author=_ADA,
        views=2120,
        reactions={"😱": 20, "❤": 46},
        media=document(
            "voice_messages/audio_1@{at}.ogg",
            lambda: ffmpeg.ogg(sounds.fog_signal()),
            "audio/ogg",
            media_type="voice_message",
            duration_seconds=7,
        ),
    )
    channel.message(
        "2026-11-07 18:00",
        "The Harbour Trio has recorded its waltz at last, in the library, between the shelves for ",
        italic("Navigation"),
        " and ",
        italic("Jam"),
        ".",
        author=_ADA,
        views=2433,
        forwards=29,
        reactions={"❤": 118, "👏": 60},
        media=document(
            "files/harbour_waltz.mp3",
            lambda: ffmpeg.mp3(sounds.harbour_waltz(), texts.cover(), "Harbour Waltz", "The Saltmere Trio"),
            "audio/mpeg",
            file_name="harbour_waltz.mp3",
            thumb=lambda: coast.starlings().crop((200, 0, 1053, 853)),
            media_type="audio_file",
            duration_seconds=21,
            performer="The Saltmere Trio",
            title="Harbour Waltz",
        ),
    )
    channel.message(
        "2026-11-08 10:30",
        "Two pages, to be folded into a pocket. ",
        bold("Please"),
        " read number three.",
        author=_ADA,
        views=2871,
        forwards=140,
        media=document(
            "files/A Pocket Guide to Tides.pdf",
            texts.pocket_guide,
            "application/pdf",
            file_name="A Pocket Guide to Tides.pdf",
            thumb=town.tide_chart,
        ),
    )
    channel.message(
        "2026-11-08 10:31",
        media=document(
            "files/tides-week-49.csv", lambda: texts.TIDE_TABLE.encode(), "text/csv", file_name="tides-week-49.csv"
        ),
        author=_ADA,
        views=1960,
    )
    channel.message(
        "2026-11-08 10:32",
        "The same as a picture, uncompressed, for the wall.",
        author=_ADA,
        views=1922,
        media=document(
            "files/tide-chart.png",
            lambda: papers.png(town.tide_chart()),
            "image/png",
            file_name="tide-chart.png",
            thumb=town.tide_chart,
            size=(1200, 675),
        ),
    )
    channel.message(
        "2026-11-09 14:00",
        "The school's beach diary. There is a message in a bottle in it, in Russian; ",
        link("the stationmaster", "https://t.me/demo_station"),
        " has been asked.",
        author=_TOMAS,
        views=1811,
        reactions={"❤": 70},
        media=document(
            "files/находки 🌊 finds.zip",
            lambda: papers.archive(texts.SEED_LIST),
            "application/zip",
            file_name="находки 🌊 finds.zip",
        ),
    )
    channel.message(
        "2026-11-09 14:05",
        "(And a file that arrived without a name. It is a shopping list.)",
        views=1507,
        reactions={"😁": 33},
        media=document("files/file_1@{at}", lambda: b"lamp oil\nbuns\nlamp oil (really)\n", "", file_name=""),
    )
