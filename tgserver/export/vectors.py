"""Empty vectors that TL demands.

Some TL fields share one flag: a number and a vector are both sent, or neither. Kurigram sets the flag for
the number and then leaves out an empty vector, which no client can read.
"""

from __future__ import annotations

from typing import Any

from pyrogram import raw


class EmptyVector(list[Any]):
    """An empty list that counts as present, so that Kurigram writes it."""

    def __bool__(self) -> bool:
        return True


def complete(built: object) -> None:
    """Give an object, in place, the empty vectors without which it can't travel."""
    if isinstance(built, raw.types.PollAnswerVoters):
        if built.voters is not None and not built.recent_voters:
            built.recent_voters = EmptyVector()
    elif isinstance(built, raw.types.PollResults) and built.solution is not None and not built.solution_entities:
        built.solution_entities = EmptyVector()
