"""What media says in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from model import rich
from model.entity import Text
from model.media import Media
from model.place import Venue
from model.poll import Poll
from model.special import Checklist, Contact, Game, Giveaway, GiveawayResults, Invoice, Story

_SPEAKING = frozenset({Checklist, Contact, Game, Giveaway, GiveawayResults, Invoice, Poll, rich.Rich, Story, Venue})


def texts_of(media: Media) -> list[Text]:
    """The texts of a poll, an article, a place ..., in their order; none for media that says nothing itself."""
    if type(media) not in _SPEAKING:
        return []
    match media:
        case Poll():
            return [media.question, *(option.text for option in media.options)]
        case rich.Rich():
            return [text for text in _in_blocks(media.blocks) if text.text]
        case Checklist():
            return [media.title, *(item.text for item in media.items)]
        case Contact():
            return _plain(media.first_name, media.last_name, media.phone)
        case Venue():
            return _plain(media.title, media.address)
        case Game() | Invoice():
            return _plain(media.title, media.description)
        case Giveaway() | GiveawayResults():
            return _plain(media.prize)
        case Story():
            return [media.text] if media.text.text else []
    return []


def _plain(*texts: str) -> list[Text]:
    return [Text(text) for text in texts if text]


def _in_blocks(blocks: Iterable[rich.Block]) -> Iterator[Text]:
    for block in blocks:
        match block:
            case rich.Heading() | rich.Paragraph() | rich.Code():
                yield block.text
            case rich.Quote():
                yield from _in_blocks(block.blocks)
                yield block.caption
            case rich.List():
                for item in block.items:
                    yield from _in_blocks(item.blocks)
            case rich.Table():
                yield block.title
                for row in block.rows:
                    yield from (cell.text for cell in row)
            case rich.Collage():
                yield from _in_blocks(block.blocks)
                yield block.caption
                yield block.credit
            case rich.Figure() | rich.Map():
                yield block.caption
                yield block.credit
            case rich.Details():
                yield block.title
                yield from _in_blocks(block.blocks)
