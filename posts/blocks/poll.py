"""Polls and quizzes."""

from __future__ import annotations

from model.media import Poll, PollOption
from model.message import Message
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet
from posts.wording import counted


def poll(sheet: Sheet, message: Message, media: Poll, kind: MediaKind) -> str:
    """The question, the options with votes and percent where they are known, a quiz's answer, and the state."""
    total = media.total_voters
    if total is None:
        total = sum(option.voters or 0 for option in media.options)
    options = "".join(_option(sheet, option, total) for option in media.options)
    state = ["Quiz" if media.quiz else kind.one]
    if media.multiple:
        state.append("several answers allowed")
    state.append("closed" if media.closed else "open")
    if media.total_voters is not None:
        state.append(counted(total, "voter", "voters"))
    solution = ""
    if media.solution.text:
        solution = (
            f'<details><summary>Explanation</summary><div dir="auto">{sheet.text(media.solution)}</div></details>'
        )
    return (
        f'<div class="poll"><div dir="auto">{kind.icon} <b>{sheet.inline(media.question)}</b></div>'
        f"{f'<ul>{options}</ul>' if options else ''}<p>{' · '.join(state)}</p>{solution}</div>"
    )


def _option(sheet: Sheet, option: PollOption, total: int) -> str:
    votes = bar = ""
    if option.voters is not None:
        percent = min(100, round(100 * option.voters / total)) if total > 0 else 0
        bar = f'<progress max="100" value="{percent}" aria-hidden="true"></progress>'
        votes = f" — {counted(option.voters, 'vote', 'votes')} ({percent}%)"
    return f'<li dir="auto">{sheet.inline(option.text)}{votes}{" ✓" if option.correct else ""}{bar}</li>'
