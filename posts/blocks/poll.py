"""Polls and quizzes."""

from __future__ import annotations

from model.message import Message
from model.place import Location, Venue
from model.poll import Poll, PollMedia, PollOption
from posts.blocks.attachment import attachment
from posts.blocks.kind import MediaKind
from posts.blocks.place import map_link
from posts.blocks.sheet import Sheet
from posts.plain import escape, one_line
from posts.wording import counted


def poll(sheet: Sheet, message: Message, media: Poll, kind: MediaKind) -> str:
    """The question, the options with votes and percent where they are known, a quiz's answer, and the state.

    Each may come with a picture, a film or a place.
    """
    total = media.total_voters
    if total is None:
        total = sum(option.voters or 0 for option in media.options)
    options = "".join(_option(sheet, message, option, total) for option in media.options)
    state = ["Quiz" if media.quiz else kind.one]
    if media.multiple:
        state.append("several answers allowed")
    state.append("closed" if media.closed else "open")
    if media.total_voters is not None:
        state.append(counted(total, "voter", "voters"))
    solution = ""
    if media.solution.text or media.solution_media is not None:
        text = f'<div dir="auto">{sheet.text(media.solution)}</div>' if media.solution.text else ""
        solution = (
            f"<details><summary>Explanation</summary>{text}{_media(sheet, message, media.solution_media)}</details>"
        )
    return (
        f'<div class="poll">{_media(sheet, message, media.media)}'
        f'<div dir="auto">{kind.icon} <b>{sheet.inline(media.question)}</b></div>'
        f"{f'<ul>{options}</ul>' if options else ''}<p>{' · '.join(state)}</p>{solution}</div>"
    )


def _option(sheet: Sheet, message: Message, option: PollOption, total: int) -> str:
    votes = bar = ""
    if option.voters is not None:
        percent = min(100, round(100 * option.voters / total)) if total > 0 else 0
        bar = f'<progress max="100" value="{percent}" aria-hidden="true"></progress>'
        votes = f" — <bdi>{counted(option.voters, 'vote', 'votes')} ({percent}%)</bdi>"
    words = f"{sheet.inline(option.text)}{votes}{' ✓' if option.correct else ''}{bar}"
    return f'<li dir="auto">{words}{_media(sheet, message, option.media)}</li>'


def _media(sheet: Sheet, message: Message, media: PollMedia | None) -> str:
    if media is None:
        return ""
    if isinstance(media, Location | Venue):
        name = escape(one_line(media.title)) if isinstance(media, Venue) else ""
        where = " · ".join(filter(None, (name, "" if media.point is None else map_link(media.point))))
        return f'<p dir="auto">📍 {where}</p>' if where else ""
    return attachment(sheet, message, media)
