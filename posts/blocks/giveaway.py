"""Draws, and who has won."""

from __future__ import annotations

from collections.abc import Sequence

from model.channel import PeerName
from model.message import Message
from model.special import Giveaway, GiveawayResults
from posts.author import origin_name
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet
from posts.identity import peer_link
from posts.plain import escape, one_line
from posts.wording import counted, utc_minute


def giveaway(sheet: Sheet, message: Message, media: Giveaway, kind: MediaKind) -> str:
    """The prizes, until when, and who can win."""
    lines = [*_prizes(media.winners, media)]
    if until := utc_minute(media.until):
        lines.append(f"Until {until}")
    if media.channels:
        lines.append(f"For {'new ' if media.only_new else ''}subscribers of {_names(sheet, media.channels)}")
    if countries := [name for code in media.countries if (name := one_line(code))]:
        lines.append(f"In {escape(', '.join(countries))}")
    return _card(kind, kind.one, lines)


def giveaway_results(sheet: Sheet, message: Message, media: GiveawayResults, kind: MediaKind) -> str:
    """How many have won, who, and what."""
    lines = [*_prizes(media.count, media)]
    if media.winners:
        more = media.count - len(media.winners)
        lines.append(_names(sheet, media.winners) + (f" and {more} more" if more > 0 else ""))
    if media.unclaimed > 0:
        lines.append(f"{counted(media.unclaimed, 'prize', 'prizes')} not claimed")
    if media.refunded:
        lines.append("The giveaway was cancelled: its price was refunded")
    name = kind.one
    if media.channel is not None and media.post_id is not None:
        link = peer_link(media.channel, sheet.options.link_host, media.post_id)
        name = f'<a href="{escape(link)}">{name}</a>' if link else name
    return _card(kind, name, lines)


def _prizes(winners: int, media: Giveaway | GiveawayResults) -> list[str]:
    lines = []
    if winners > 0:
        lines.append(counted(winners, "winner", "winners"))
    if media.months > 0:
        lines.append(f"Telegram Premium for {counted(media.months, 'month', 'months')}")
    if media.stars > 0:
        lines.append(f"{counted(media.stars, 'star', 'stars')} to share")
    if prize := one_line(media.prize):
        lines.append(escape(prize))
    return lines


def _names(sheet: Sheet, peers: Sequence[PeerName]) -> str:
    return ", ".join(_name(sheet, peer) for peer in peers)


def _name(sheet: Sheet, peer: PeerName) -> str:
    name = f"<bdi>{escape(origin_name(peer))}</bdi>"
    link = peer_link(peer, sheet.options.link_host)
    return f'<a href="{escape(link)}">{name}</a>' if link else name


def _card(kind: MediaKind, name: str, lines: Sequence[str]) -> str:
    items = "".join(f'<li dir="auto">{line}</li>' for line in lines)
    return f'<div class="card {kind.name}"><p>{kind.icon} <b>{name}</b></p>{f"<ul>{items}</ul>" if items else ""}</div>'
