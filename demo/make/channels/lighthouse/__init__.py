"""The Lighthouse Notebook (English): nature and town life of Saltmere, by its keeper and a naturalist."""

from __future__ import annotations

from pathlib import Path

from demo.make.channels.lighthouse import days, gatherings, sights, words
from demo.make.channels.people import (
    ADA,
    HARBOUR_TALK,
    LIGHTHOUSE,
    MILO,
    OBSERVATORY,
    SALMA,
    STATION,
    TOMAS,
    chats,
    users,
)
from demo.make.export import Export
from demo.make.media import jpeg
from demo.make.scenes import coast


def build(folder: Path) -> None:
    """Write the channel's export."""
    channel = Export(
        folder,
        "The Lighthouse Notebook",
        "public_channel",
        LIGHTHOUSE,
        username="demo_lighthouse",
        about="Weather, birds, buns and one large lamp. Written in Saltmere by the "
        "keeper and her friends. A demo channel.",
        photo="avatar.jpg",
        verified=True,
        users=users(ADA, TOMAS, MILO, SALMA),
        chats=chats(STATION, OBSERVATORY, HARBOUR_TALK),
    )
    channel.put("avatar.jpg", jpeg(coast.lighthouse_dawn().crop((60, 80, 500, 520))))
    words.opening(channel)
    words.words(channel)
    sights.sights(channel)
    sights.sounds_and_papers(channel)
    giveaway = gatherings.gatherings(channel)
    gatherings.friends(channel)
    gatherings.lamp_day(channel)
    days.last_days(channel, giveaway)
    channel.write()
