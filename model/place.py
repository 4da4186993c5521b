"""Points on the map."""

from __future__ import annotations

import msgspec


class Point(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Degrees of WGS 84, north and east positive, within their ranges. `accuracy` in metres, 0 unknown."""

    latitude: float
    longitude: float
    accuracy: int = 0


class Location(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="location", tag_field="_"):
    """A place, or with `live_period` (seconds) where somebody is while that lasts. No point: no longer known.

    `heading` is the direction of movement in degrees from north, None if it is not told.
    """

    point: Point | None = None
    live_period: int = 0
    heading: int | None = None


class Venue(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, tag="venue", tag_field="_"):
    """A place with a name."""

    title: str = ""
    address: str = ""
    point: Point | None = None
