"""Saltmere Workshop (a public group with topics, English): where things are mended, each at its own bench."""

from __future__ import annotations

from pathlib import Path

from demo.make.channels.people import ADA, GRACE, INES, MILO, TOMAS, WORKSHOP, users
from demo.make.export import Export
from demo.make.markup import bold, code, italic, link, pre
from demo.make.media import jpeg, photo, poll
from demo.make.scenes import port, town


def build(folder: Path) -> None:
    """Write the group's export."""
    group = Export(
        folder,
        "Saltmere Workshop",
        "public_supergroup",
        WORKSHOP,
        username="demo_workshop",
        about="Bring it broken. One topic a bench, and the kettle is in General. A demo group with topics.",
        photo="avatar.jpg",
        forum=True,
        users=users(ADA, TOMAS, GRACE, MILO, INES),
    )
    group.put("avatar.jpg", jpeg(port.lanterns().crop((200, 120, 680, 600))))
    lamps, clocks = _first_week(group)
    _later(group, lamps, clocks)
    group.write()


def _first_week(group: Export) -> tuple[int, int]:
    """The ids of the topics that are opened in it."""
    group.service("2026-11-02 09:00", "create_group", actor=TOMAS, title="Saltmere Workshop", members=[TOMAS[0]])
    group.message(
        "2026-11-02 09:05",
        "Welcome to the shed. Whatever is broken gets a topic; whatever is merely late goes in here.",
        sender=TOMAS,
        reactions={"👍": 6},
    )
    lamps = group.service("2026-11-02 09:10", "topic_created", actor=TOMAS, title="Lamps")
    question = group.message(
        "2026-11-02 18:30",
        bold("Storm lantern, brass, 1920 or so."),
        " It lights, it hisses, and then it sulks. The wick is new. What have I forgotten?",
        media=photo(port.lanterns),
        sender=GRACE,
        reply_to=lamps,
    )
    asked = group.message("2026-11-02 18:41", "Does it sulk sooner when you carry it?", sender=ADA, reply_to=question)
    group.message("2026-11-02 18:43", "It does! How do you know?", sender=GRACE, reply_to=asked)
    group.message(
        "2026-11-02 18:55",
        "Air tube. There is a wasp's nest in it, from ",
        italic("some"),
        " summer. Pipe cleaner, patience, and don't look at what comes out.",
        sender=ADA,
        reply_to=question,
        reactions={"🔥": 4, "😱": 7},
    )
    group.message(
        "2026-11-03 10:12",
        "Two wasps and a receipt for a bun. It burns like a small sun.",
        sender=GRACE,
        reply_to=lamps,
    )
    clocks = group.service("2026-11-04 08:00", "topic_created", actor=INES, title="Clocks and other opinions")
    group.message(
        "2026-11-04 08:02",
        "The reading room clock is eleven minutes fast. Has been since the flood. Do we mend it, or do we go on "
        "catching our ferries?",
        sender=INES,
        reply_to=clocks,
    )
    group.message(
        "2026-11-04 12:15",
        sender=INES,
        reply_to=clocks,
        media=poll("Eleven minutes fast", [("Mend it", 4), ("Keep it", 19), ("Twelve", 8)], public_voters=True),
    )
    group.message("2026-11-04 12:20", "twelve. always twelve", sender=MILO, reply_to=clocks)
    kept = group.message(
        "2026-11-05 09:00",
        "The town has spoken. The clock stays fast, and gets oiled.",
        sender=INES,
        reply_to=clocks,
        reactions={"👏": 8},
    )
    group.message("2026-11-05 09:30", "Oiled with what?", sender=TOMAS, reply_to=kept)
    group.message(
        "2026-11-05 09:41",
        "Not with butter. I have learnt from the hinge.",
        sender=INES,
        reply_to=kept,
        reactions={"😁": 6},
    )
    return lamps, clocks


def _later(group: Export, lamps: int, clocks: int) -> None:
    group.message(
        "2026-11-09 20:00",
        "For the record, the keeper's mixture for brass:\n\n",
        pre("2 parts vinegar\n1 part flour\na pinch of salt\n10 minutes, then water, then pride"),
        sender=ADA,
        reply_to=lamps,
        reactions={"❤": 5},
    )
    group.message(
        "2026-11-18 19:00",
        "Cuckoo clock from the market, four crowns. The cuckoo comes out, looks round and says nothing.",
        sender=GRACE,
        reply_to=clocks,
    )
    group.message("2026-11-18 19:04", "It's Tomas.", sender=ADA, reply_to=clocks, reactions={"😁": 14})
    group.service("2026-11-20 08:00", "topic_edit", actor=INES, new_title="Clocks", reply_to_message_id=clocks)
    group.message(
        "2026-11-21 16:20",
        "Can an LED be taught to flicker? Asking for a candle that may not burn in the library.",
        sender=INES,
        reply_to=lamps,
    )
    group.message(
        "2026-11-21 16:34",
        "It can. Random brightness, never twice the same for longer than ",
        code("120 ms"),
        ", and it must be allowed to nearly go out once a minute.",
        sender=TOMAS,
        reply_to=lamps,
    )
    group.message(
        "2026-11-21 16:35",
        "so it is scared of the dark, like a real one",
        sender=MILO,
        reply_to=lamps,
        reactions={"😁": 9},
    )
    group.message(
        "2026-11-22 10:00",
        "The shed is open on Saturdays from ten, on Sundays if you bring something to eat. Where: ",
        link("behind the chandler's", "https://example.org/saltmere/shed"),
        ".",
        sender=TOMAS,
    )
    group.message("2026-11-22 10:15", "Something to eat is bread. I bring it.", sender=GRACE, media=photo(town.bread))
    late = group.message("2026-11-24 17:00", "Who has the 10 mm spanner?", sender=TOMAS)
    group.message(
        "2026-11-24 17:01",
        "Nobody has ever had the 10 mm spanner.",
        sender=ADA,
        reply_to=late,
        reactions={"😁": 12},
    )
    group.message("2026-11-28 11:00", "found it!!! it was holding the door open", sender=MILO, reply_to=late)
    group.message("2026-11-29 18:30", "The door has now closed. Tomas is inside. He says it's fine.", sender=INES)
