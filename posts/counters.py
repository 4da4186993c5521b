"""What counts a post's readers: numbers that change without the post changing."""

from __future__ import annotations

import msgspec

from model.message import Reaction
from posts.grouping import Group
from posts.plain import one_line
from posts.post import Counters


def counters_of(group: Group) -> Counters:
    """The group's counters. An album's reactions are on one of its messages, whichever has the caption."""
    main = group.main
    reactions = main.reactions or next((message.reactions for message in group.messages if message.reactions), ())
    return Counters(views=main.views, forwards=main.forwards, reactions=tuple(map(_readable, reactions)))


def _readable(reaction: Reaction) -> Reaction:
    emoji = one_line(reaction.emoji)
    return reaction if emoji == reaction.emoji else msgspec.structs.replace(reaction, emoji=emoji)
