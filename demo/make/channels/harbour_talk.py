"""Harbour Talk (a public supergroup, English and guests): where Saltmere discusses."""

from __future__ import annotations

from pathlib import Path

from demo.make import stickers
from demo.make.channels.lighthouse.texts import QUESTION, QUESTION_ID
from demo.make.channels.people import (
    ADA,
    FERRY_BOT,
    GRACE,
    HARBOUR_TALK,
    INES,
    LIGHTHOUSE,
    MILO,
    MIZUNO,
    NIKOLAI,
    SALMA,
    TOMAS,
    chats,
    user_id,
    users,
)
from demo.make.export import Export, unix
from demo.make.markup import bold, code, italic, named, piece, plain, pre, quote
from demo.make.media import document, jpeg, keys_only, photo, poll, raw_media
from demo.make.scenes import bay, hill, town

_EVERYBODY = (ADA, TOMAS, GRACE, MILO, INES, NIKOLAI, SALMA, MIZUNO, FERRY_BOT)


def build(folder: Path) -> None:
    """Write the group's export."""
    group = Export(
        folder,
        "Harbour Talk",
        "public_supergroup",
        HARBOUR_TALK,
        username="demo_harbour_talk",
        about="The bench by the ferry, online. Be kind, stay on the quay, no engine noise after nine. A demo group.",
        photo="avatar.jpg",
        users=users(*_EVERYBODY),
        chats=chats(LIGHTHOUSE),
    )
    group.put("avatar.jpg", jpeg(bay.harbour().crop((560, 250, 1040, 730))))
    _lamp_day(group)
    _ordinary_days(group)
    _guests(group)
    _comments(group)
    group.write()


def _lamp_day(group: Export) -> None:
    group.service(
        "2026-11-01 10:00", "create_group", actor=ADA, title="Harbour Talk", members=[ADA[0], TOMAS[0], GRACE[0]]
    )
    group.service("2026-11-01 10:02", "invite_members", actor=ADA, members=[INES[0], MILO[0]])
    group.message(
        "2026-11-01 10:05",
        "Welcome, all. Rules: be kind; no spoilers about tides; whoever writes after midnight brings the buns.",
        sender=ADA,
        reactions={"👍": 5},
    )
    group.message(
        "2026-11-14 19:12",
        "It's lit!! From my roof I can see all of Quay Street 🕯🕯🕯",
        sender=MILO,
        reactions={"🔥": 4, "❤": 6},
    )
    group.message(
        "2026-11-14 19:30",
        "309. I counted twice. I also counted the windows at the town hall: we have 306.",
        sender=GRACE,
    )
    lit = group.message("2026-11-14 19:31", "then who lit the other three", sender=MILO, reactions={"🤔": 7})
    assert lit == 6  # The Lighthouse Notebook answers this message.
    group.message("2026-11-14 19:40", "One is the cat flap.", sender=TOMAS, reply_to=lit, reactions={"😁": 9})
    group.message("2026-11-14 19:41", "Two to go.", sender=INES, reply_to=lit)
    group.message(
        "2026-11-14 20:02",
        "For the record, the view that the library is not supposed to have at night:",
        media=photo(hill.rooftops),
        sender=INES,
        reactions={"❤": 8},
    )


def _ordinary_days(group: Export) -> None:
    group.message(
        "2026-11-16 08:00",
        bold("Today's ferry"),
        "\n\n",
        pre("08:10  Saltmere → Ness\n08:40  Ness → Saltmere\n09:15  by arrangement with the pilot"),
        "\n\nSend ",
        piece("bot_command", "/tides"),
        " or ",
        piece("bot_command", "/fog@demo_ferry_bot"),
        " for more.",
        sender=FERRY_BOT,
        bridge={"keyboard": [[{"text": "⛴ All sailings", "url": "https://example.org/saltmere/ferry"}]]},
    )
    group.message("2026-11-16 08:01", piece("bot_command", "/fog"), sender=MILO)
    group.message(
        "2026-11-16 08:01",
        "Fog: grandmother until ten, then a fret.",
        sender=FERRY_BOT,
        reply_to=11,
        reactions={"😁": 4},
    )
    group.message(
        "2026-11-17 12:30",
        "First batch. Who's near?",
        media=photo(town.bread),
        sender=GRACE,
        reactions={"😍": 9, "❤": 4},
    )
    group.message("2026-11-17 12:31", "me", sender=MILO)
    group.message(
        "2026-11-17 12:31",
        "Me too, if ",
        named("Milo", user_id(MILO)),
        " leaves any. @demo_grace_odum, keep me two?",
        sender=TOMAS,
        reply_to=13,
    )
    group.message(
        "2026-11-17 12:33",
        media=document(
            "stickers/sticker.webp",
            stickers.seal_webp,
            "image/webp",
            file_name="sticker.webp",
            size=(512, 512),
            media_type="sticker",
            sticker_emoji="🦭",
        ),
        sender=GRACE,
    )
    group.message(
        "2026-11-18 18:00",
        sender=INES,
        media=poll(
            "Where shall the new bench look?",
            [("To the sea", 14), ("To the town", 3), ("It should turn", 21)],
            public_voters=True,
        ),
    )
    group.message(
        "2026-11-19 07:00",
        "Chess problem of the week. White to move and be home for supper.\n\n",
        code("4k3/8/4K3/8/8/8/8/7R w - - 0 1"),
        sender=MILO,
        reactions={"🤓": 3},
    )
    group.message(
        "2026-11-19 16:20",
        "Rh8 mate. Do I get the cake?",
        sender=ADA,
        reply_to=18,
        bridge=group.quoting(18, "be home for supper"),
    )
    group.message("2026-11-19 16:21", "it was one move for EVERYBODY", sender=MILO, reply_to=19, reactions={"😁": 11})
    group.message("2026-11-20 21:30", media=raw_media("Dice", value=2, emoticon="🎲"), sender=TOMAS)
    group.message("2026-11-20 21:31", "Ha. The railings are yours.", sender=ADA, reply_to=21)
    group.service(
        "2026-11-21 09:00",
        "edit_group_photo",
        actor=GRACE,
        media=photo(lambda: bay.harbour().crop((560, 250, 1040, 730))),
    )
    group.message(
        "2026-11-22 10:10",
        "A curlew. Definitely a curlew. I have said nothing else, ever.",
        sender=TOMAS,
        edited="2026-11-22 10:12",
        reactions={"😁": 12},
        gap=2,
    )


def _guests(group: Export) -> None:
    group.service("2026-11-23 17:00", "join_group_by_link", actor=NIKOLAI, inviter=ADA[0])
    group.message(
        "2026-11-23 17:05",
        "Здравствуйте! Я со станции. По-английски читаю со словарём, но за чаем понимаю всё. 🚂",
        sender=NIKOLAI,
        reactions={"❤": 10, "👏": 6},
    )
    group.message(
        "2026-11-23 17:20",
        "Welcome, Nikolai! We have translated this to Milo, and Milo asks whether the cat is ",
        italic("really"),
        " called Semaphore.",
        sender=INES,
        reply_to=28,
    )
    group.message(
        "2026-11-23 17:31", "Really. Хвост вверх — путь свободен.", sender=NIKOLAI, reply_to=29, reactions={"😁": 14}
    )
    group.service("2026-11-24 18:00", "invite_members", actor=ADA, members=[SALMA[0], MIZUNO[0]])
    group.message(
        "2026-11-24 18:10",
        "مساء الخير من المقهى. قرأنا رسائلكم بصوت عالٍ، والزبائن يسألون عن المخبز.",
        sender=SALMA,
        reactions={"❤": 9},
    )
    group.message(
        "2026-11-24 18:40",
        "こんばんは。こちらは曇りなので、お茶を飲みながら皆さんの話を読んでいます。",
        sender=MIZUNO,
        reactions={"❤": 9, "🍵": 2},
    )
    group.message("2026-11-24 18:44", "so this chat is now open from 2 am to 1 am", sender=MILO, reactions={"😁": 15})
    group.message(
        "2026-11-25 13:00",
        "For planning the visit, so that nobody swims:",
        sender=GRACE,
        media=keys_only(
            location_information={"latitude": 55.8690, "longitude": -2.0911}, live_location_period_seconds=3600
        ),
    )
    group.message(
        "2026-11-26 12:00",
        "Supper for the deputation: 12 lemon cakes, one dark.",
        sender=GRACE,
        media=keys_only(
            invoice_information={
                "title": "Thirteen cakes",
                "description": "One is for whoever fetches them.",
                "amount": 4680,
                "currency": "GBP",
                "receipt_message_id": 0,
            }
        ),
    )
    group.message(
        "2026-11-26 12:30",
        "While we wait:",
        sender=MILO,
        media=keys_only(
            game_title="Buoy, Buoy, Gull",
            game_description="Steer the market boat home through the fog. Beat Milo's 4 120 points.",
            game_link="https://t.me/demo_ferry_bot?game=buoys",
        ),
    )
    group.message(
        "2026-11-27 20:00",
        quote("White to move and be home for supper."),
        "\n\nI have had this printed for the library door.",
        sender=INES,
        reactions={"❤": 9},
    )
    group.message(
        "2026-11-28 08:15",
        "What the keeper really thinks of the new kettle, from the Notebook:",
        sender=TOMAS,
        media=photo(town.teacup),
        reactions={"❤": 5},
    )
    group.message(
        "2026-11-29 22:00",
        "<3 & goodnight; if (tide < 1.2 && !fog) { bring(buns); } — see &quot;rules&quot;",
        sender=TOMAS,
    )
    group.message(
        "2026-11-30 07:00",
        plain("Frost! Quay Street is a skating rink. I repeat: "),
        bold("DO NOT SKATE ON QUAY STREET"),
        plain(" (Milo)."),
        sender=GRACE,
        reactions={"😁": 16},
    )
    group.message("2026-11-30 07:01", "wheee", sender=MILO, reply_to=41, reactions={"❤": 11})


def _comments(group: Export) -> None:
    """What is said about a post of the Lighthouse Notebook, below the copy that Telegram has put here."""
    moment = "2026-11-30 08:00"
    question = group.message(
        moment,
        QUESTION,
        sender=("The Lighthouse Notebook", f"channel{LIGHTHOUSE}"),
        forwarded_from="The Lighthouse Notebook",
        forwarded_from_id=f"channel{LIGHTHOUSE}",
        bridge={"forward": {"channel_id": LIGHTHOUSE, "channel_post": QUESTION_ID, "date": unix(moment)}},
    )
    group.message("2026-11-30 08:03", "ECHO. it answers", sender=MILO, reply_to=question, reactions={"😁": 13})
    group.message("2026-11-30 08:10", "The time. Somebody always corrects it.", sender=INES, reply_to=question)
    tower = group.message(
        "2026-11-30 08:22",
        "Nothing. From up there, one whispers. (The gulls do the rest.)",
        sender=TOMAS,
        reply_to=question,
        reactions={"❤": 9},
    )
    group.message("2026-11-30 08:24", "He shouted “curlew” for a whole summer.", sender=GRACE, reply_to=tower)
    group.message(
        "2026-11-30 08:40",
        "«Семичасовой прибывает!» Работает и без поезда.",
        sender=NIKOLAI,
        reply_to=question,
        reactions={"🚂": 7},
    )
