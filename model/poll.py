"""Polls."""

from __future__ import annotations

import msgspec

from model.attachment import Attachment
from model.entity import Text
from model.place import Location, Venue

PollMedia = Attachment | Location | Venue
"""What may illustrate a poll's question, answers and explanation."""


class PollOption(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """One answer. `voters` is None while the results are hidden."""

    text: Text
    voters: int | None = None
    correct: bool = False
    media: PollMedia | None = None


class Poll(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="poll", tag_field="_"):
    """A poll or quiz. `solution` explains the answer; a poll's description is its message's text."""

    question: Text
    options: tuple[PollOption, ...]
    quiz: bool = False
    closed: bool = False
    multiple: bool = False
    total_voters: int | None = None
    solution: Text = Text()
    media: PollMedia | None = None
    solution_media: PollMedia | None = None
