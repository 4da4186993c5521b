"""The people and chats of the demo's little world, by name and id."""

from __future__ import annotations

from demo.make.markup import Json

LIGHTHOUSE, STATION, LANTERN, OBSERVATORY, HARBOUR_TALK, NOTICEBOARD, WORKSHOP = range(1_900_000_101, 1_900_000_108)

# (full name, the export's id)
ADA = ("Ada Whitlock", "user7100000001")
TOMAS = ("Tomas Reyes", "user7100000002")
GRACE = ("Grace Odum", "user7100000003")
MILO = ("Milo Finch", "user7100000004")
INES = ("Inês Duarte", "user7100000005")
NIKOLAI = ("Николай Вешняков", "user7100000006")
SALMA = ("سلمى الحداد", "user7100000007")
MIZUNO = ("水野 薫", "user7100000008")
FERRY_BOT = ("Saltmere Ferry", "user7100000009")

USERNAMES = {
    ADA: "demo_ada_whitlock",
    TOMAS: "demo_tomas_reyes",
    GRACE: "demo_grace_odum",
    FERRY_BOT: "demo_ferry_bot",
}

CHATS: dict[int, Json] = {
    LIGHTHOUSE: {
        "id": LIGHTHOUSE,
        "title": "The Lighthouse Notebook",
        "username": "demo_lighthouse",
        "type": "channel",
    },
    STATION: {"id": STATION, "title": "Станция Ясная", "username": "demo_station", "type": "channel"},
    LANTERN: {"id": LANTERN, "title": "مقهى القنديل", "username": "demo_lantern", "type": "channel"},
    OBSERVATORY: {"id": OBSERVATORY, "title": "坂の上の天文台", "username": "demo_observatory", "type": "channel"},
    HARBOUR_TALK: {"id": HARBOUR_TALK, "title": "Harbour Talk", "username": "demo_harbour_talk", "type": "supergroup"},
}


def user_id(person: tuple[str, str]) -> int:
    """The bare id of a person."""
    return int(person[1].removeprefix("user"))


def users(*people: tuple[str, str]) -> list[Json]:
    """What a chat's `bridge` tells of people."""
    told = []
    for person in people:
        first, _, last = person[0].partition(" ")
        entry: Json = {"id": user_id(person), "first_name": first, "last_name": last}
        if person in USERNAMES:
            entry["username"] = USERNAMES[person]
        if person == FERRY_BOT:
            entry["bot"] = True
        told.append(entry)
    return told


def chats(*ids: int) -> list[Json]:
    """What a chat's `bridge` tells of other chats."""
    return [CHATS[chat] for chat in ids]
