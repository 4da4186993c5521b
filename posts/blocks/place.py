"""Places, on OpenStreetMap."""

from __future__ import annotations

from model.message import Message
from model.place import Location, Point, Venue
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet
from posts.plain import escape, one_line
from posts.wording import span

_ZOOM = 16


def map_link(point: Point) -> str:
    """The point's coordinates, in degrees, linked to the map, as one piece of left-to-right text."""
    latitude, longitude = f"{point.latitude:.5f}", f"{point.longitude:.5f}"
    url = f"https://www.openstreetmap.org/?mlat={latitude}&amp;mlon={longitude}#map={_ZOOM}/{latitude}/{longitude}"
    accuracy = f" (± {point.accuracy} m)" if point.accuracy > 0 else ""
    return f'<bdi><a href="{url}">{latitude}, {longitude}</a>{accuracy}</bdi>'


def location(sheet: Sheet, message: Message, media: Location, kind: MediaKind) -> str:
    """The point on the map; of a live location also for how long it is shared, and where it moves."""
    where = "no longer known" if media.point is None else map_link(media.point)
    facts = []
    if media.live_period > 0:
        facts.append(f"shared for {span(media.live_period)}")
    if media.heading is not None:
        facts.append(f"heading {media.heading}°")
    about = f"<p><small>{' · '.join(facts)}</small></p>" if facts else ""
    return f'<div class="card {kind.name}"><p>{kind.icon} {kind.one}: {where}</p>{about}</div>'


def venue(sheet: Sheet, message: Message, media: Venue, kind: MediaKind) -> str:
    """Name, address, and the point on the map."""
    lines = [f"<p>{kind.icon} <b>{escape(one_line(media.title) or kind.one)}</b></p>"]
    if address := one_line(media.address):
        lines.append(f"<p>{escape(address)}</p>")
    if media.point is not None:
        lines.append(f"<p>{map_link(media.point)}</p>")
    return f'<div class="card {kind.name}" dir="auto">{"".join(lines)}</div>'
