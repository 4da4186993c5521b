"""The Lighthouse Notebook: its beginning and what it has to say about words, birds and fog."""

from __future__ import annotations

from demo.make.channels.lighthouse import texts
from demo.make.channels.people import (
    ADA,
    INES,
    MILO,
    TOMAS,
    user_id,
)
from demo.make.export import Export, unix
from demo.make.markup import (
    bold,
    code,
    emoji,
    italic,
    link,
    named,
    piece,
    plain,
    pre,
    quote,
    span,
    strike,
    underline,
)
from demo.make.media import photo
from demo.make.scenes import bay, coast

_ADA, _TOMAS, _INES = ADA[0], TOMAS[0], INES[0]


def opening(channel: Export) -> None:
    """The channel is made, named and introduced."""
    channel.service("2026-10-12 06:30", "create_channel", title="Lamp Log")
    channel.service("2026-10-12 06:34", "edit_group_title", title="The Lighthouse Notebook")
    channel.service(
        "2026-10-12 06:41", "edit_group_photo", media=photo(lambda: coast.lighthouse_dawn().crop((60, 80, 500, 520)))
    )
    first = channel.message(
        "2026-10-12 07:00",
        bold("Good morning from one hundred and forty-four steps up."),
        "\n\nThis is the notebook of the lighthouse at ",
        underline("Saltmere"),
        ", a town of nine streets, two bakeries (",
        strike("rivals"),
        " friends) and ",
        italic("a great deal of weather"),
        ". We write down what the sea brings, what the birds do about it, and what "
        "is in the oven.\n\nAda keeps the lamp. Tomas counts the birds. "
        "Purser, the cat, keeps the stairs. Come and talk in @demo_harbour_talk, "
        "and write to keeper@saltmere.example whenever you like.\n\n"
        "#welcome #saltmere",
        author=_ADA,
        views=4210,
        forwards=63,
        reactions={"❤": 212, "👏": 48, "🕊": 9},
        bridge={"pinned": True},
    )
    channel.service("2026-10-12 07:01", "pin_message", message_id=first)
    channel.message(
        "2026-10-13 06:58",
        bold("06:52, the first of the sun."),
        "\nFour shags on the rock, one trawler, no wind worth the name. I had my tea outside.",
        media=photo(coast.lighthouse_dawn),
        author=_ADA,
        views=3877,
        forwards=41,
        reactions={"❤": 164, "🔥": 31},
        gap=1,
    )
    channel.message("2026-10-14 12:20", media=photo(bay.dunes), author=_TOMAS, views=2950, reactions={"👍": 57})


def words(channel: Export) -> None:
    """Posts that live by their formatting."""
    channel.message(
        "2026-10-15 18:05",
        bold("How to read a light"),
        "\n\nEvery lighthouse has a signature, printed on the chart. Ours is ",
        code("Fl(2) W 20s 47m 18M"),
        ", and it reads like this:\n\n",
        pre(
            "Fl(2)  two flashes, then dark\nW      white\n"
            "20s    all of it again every twenty seconds\n"
            "47m    height of the lamp over the sea\n18M    seen eighteen nautical "
            "miles away"
        ),
        "\n\nThe machine that now turns the lens runs on a few lines that Tomas wrote one rainy Sunday:\n\n",
        pre(
            'def flashes(second: float) -> bool:\n    """Whether the lamp shines '
            'towards you."""\n    return second % 20 < 0.6 or 2.4 < second % 20 < 3.0',
            "python",
        ),
        "\n\nThe old mechanism was a weight on a rope. It never needed an update.",
        author=_ADA,
        views=3301,
        forwards=77,
        reactions={"👍": 88, "🤓": 21},
    )
    channel.message(
        "2026-10-17 09:12",
        "A small dictionary of fog, collected in the harbour:\n\n",
        quote(
            "haar — the cold one, from the sea, that arrives like a relative\n"
            "fret — a haar that is only passing through\n"
            "smoke — what it is until somebody finds the shore"
        ),
        "\n\nAnd the rest of the list, for those who have the time:\n\n",
        quote(
            "mizzle — neither mist nor drizzle, will not be told which\n"
            "barber — freezing, it cuts your chin\ngrandmother — so thick that you "
            "walk with one hand out\n"
            "milk — grandmother, at night, with the lamp on\n"
            "Tuesday — any fog at all on the day of the market boat\n"
            "the good one — lies on the water at "
            "dawn only as high as your knees, and the swans come out of it without their legs",
            collapsed=True,
        ),
        author=_TOMAS,
        views=2718,
        forwards=102,
        reactions={"❤": 97, "😁": 40},
    )
    wisdom = "The sea doesn't hurry, and yet it is never late.\n— said by the ferryman, who is always late"
    channel.message("2026-10-18 20:00", quote(wisdom), views=3122, reactions={"😁": 133})
    channel.message(
        "2026-10-19 08:30",
        bold("NO MARKET BOAT ON TUESDAY, THE PILOT'S DAUGHTER IS GETTING MARRIED"),
        "\n\nAll Saltmere is invited, as usual. "
        "Bring a chair. If you are the fiddler: bring the fiddle, too, this time.",
        author=_ADA,
        views=2544,
        reactions={"🎉": 90, "❤": 66},
    )
    channel.message(
        "2026-10-20 11:00",
        "#fieldnotes #waders #october\nThe bar-tailed godwits are back on the mud: "
        "214 at low water, all facing the wind like commuters. One wears a blue "
        "ring, ",
        code("AB7"),
        ". It was ringed in June, 3 900 km north of here.\n\nIt looked well. It looked, in fact, better than I do.",
        author=_TOMAS,
        views=1988,
        reactions={"👍": 41},
    )
    channel.message(
        "2026-10-22 17:40",
        plain("👩‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿🇯🇵 "),
        bold("Signal flags for beginners"),
        "\n\n🚩🧑🏽‍✈️ ",
        italic("U"),
        " — you are running into danger\n👨‍🚀🫖 ",
        underline("T"),
        " — keep clear of me, I am having tea (unofficial)\n𝔖𝔞𝔩𝔱𝔪𝔢𝔯𝔢 𓅓 ",
        code("N over C"),
        " — I am in distress\n\nZoe\u0308's school sends its re\u0301sume\u0301 of "
        "the lesson: \u201cflags are emoji for ships\u201d. ",
        link("The whole code on one page", "https://example.org/flags?set=code&size=a4#letters"),
        ".",
        views=2630,
        forwards=38,
        reactions={"🔥": 70, "🏆": 12},
    )
    nested = (
        "Tomorrow at dusk: look west, very low, and a bit left of the spire. Bring "
        "the good glasses and somebody you like."
    )
    channel.message(
        "2026-10-24 16:10",
        plain(nested),
        author=_TOMAS,
        views=2406,
        bridge={
            "entities": [
                span(nested, "look west, very low", "Bold"),
                span(nested, "very low, and a bit left", "Italic"),
                span(nested, "west", "Underline"),
                span(nested, "a bit left of the spire", "TextUrl", url="https://t.me/demo_observatory"),
                span(nested, "good glasses", "Strike"),
                span(nested, "the good glasses and somebody you like", "Spoiler"),
                span(nested, "Tomorrow at dusk", "FormattedDate", date=unix("2026-10-25 17:00"), relative=True),
            ]
        },
    )
    channel.message(
        "2026-10-26 10:00",
        bold("Noticeboard"),
        "\n\n",
        emoji("🦭", 5368324170671202286),
        " Found on the mole: one left boot, size 44, contents: one crab (released).\n",
        emoji("🫖", 5368324170671202287),
        " Wanted: a second-hand kettle that whistles in tune. Ring ",
        piece("phone", "+44 1632 960144"),
        ".\n",
        "⚓️ ",
        named("Milo", user_id(MILO)),
        " gives chess lessons, any age, paid in cake. Ask @demo_ferry_bot for the timetable with ",
        piece("bot_command", "/tides"),
        ".\n💷 The roof fund takes cards; for trying out the new machine use ",
        piece("bank_card", "4111 1111 1111 1111"),
        ". The till shows ",
        piece("cashtag", "$BUN"),
        " at 1.20, a record.\n🕰 Clock repairs: https://example.org/saltmere/clocks",
        author=_ADA,
        views=2279,
        reactions={"👍": 30, "5368324170671202286": 18},
        gap=2,
    )
    letter, tail = texts.READER_LETTER.split("this link")
    channel.message(
        "2026-10-27 19:30",
        plain(letter),
        link("this link", "javascript:alert('lamp')"),
        plain(tail),
        author=_ADA,
        views=2861,
        forwards=119,
        reactions={"😁": 140, "🤓": 52},
    )
