"""TL media that is neither a file nor a text: people, places, prizes, prices, tasks."""

from __future__ import annotations

from pyrogram import raw

from model.place import Location, Point, Venue
from model.special import Checklist, ChecklistItem, Contact, Dice, Game, Giveaway, GiveawayResults
from telegram.adapter_files import document_thumb, photo_file
from telegram.adapter_peers import Peers, marked_channel_id
from telegram.adapter_text import titled

_HIGHEST_LATITUDE = 90
_HIGHEST_LONGITUDE = 180


def to_point(geo: raw.base.GeoPoint | None) -> Point | None:
    """The point; None for none and for one that no map has."""
    if not isinstance(geo, raw.types.GeoPoint):
        return None
    latitude, longitude = geo.lat, geo.long
    # NaN fails both comparisons.
    if not (abs(latitude) <= _HIGHEST_LATITUDE and abs(longitude) <= _HIGHEST_LONGITUDE):
        return None
    return Point(latitude=latitude, longitude=longitude, accuracy=geo.accuracy_radius or 0)


def to_contact(media: raw.types.MessageMediaContact, peers: Peers) -> Contact:
    """A person's name and number. What else the vCard tells is left out, as in Telegram's own clients."""
    return Contact(
        phone=media.phone_number,
        first_name=media.first_name,
        last_name=media.last_name,
        user_id=media.user_id,
    )


def to_location(media: raw.types.MessageMediaGeo, peers: Peers) -> Location:
    """A place."""
    return Location(point=to_point(media.geo))


def to_live_location(media: raw.types.MessageMediaGeoLive, peers: Peers) -> Location:
    """Where somebody is, or was last."""
    return Location(point=to_point(media.geo), live_period=media.period, heading=media.heading)


def to_venue(media: raw.types.MessageMediaVenue, peers: Peers) -> Venue:
    """A place with a name."""
    return Venue(title=media.title, address=media.address, point=to_point(media.geo))


def to_dice(media: raw.types.MessageMediaDice, peers: Peers) -> Dice:
    """A throw."""
    return Dice(emoji=media.emoticon, value=media.value)


def to_game(media: raw.types.MessageMediaGame, peers: Peers) -> Game:
    """A game with its picture, or its film's."""
    game = media.game
    photo = photo_file(game.photo)
    if photo is None and isinstance(game.document, raw.types.Document):
        photo = document_thumb(game.document)
    return Game(title=game.title, description=game.description, photo=photo)


def to_giveaway(media: raw.types.MessageMediaGiveaway, peers: Peers) -> Giveaway:
    """A draw that is announced."""
    return Giveaway(
        channels=tuple(peers.named(marked_channel_id(channel)) for channel in media.channels),
        winners=media.quantity,
        months=media.months or 0,
        stars=media.stars or 0,
        prize=media.prize_description or "",
        until=media.until_date or None,
        countries=tuple(media.countries_iso2 or ()),
        only_new=bool(media.only_new_subscribers),
    )


def to_giveaway_results(media: raw.types.MessageMediaGiveawayResults, peers: Peers) -> GiveawayResults:
    """A draw that is over. Winners of whom the answer tells nothing are only counted."""
    return GiveawayResults(
        channel=peers.named(marked_channel_id(media.channel_id)) if media.channel_id else None,
        post_id=media.launch_msg_id or None,
        count=media.winners_count,
        unclaimed=media.unclaimed_count,
        winners=tuple(name for winner in media.winners if (name := peers.known(winner)) is not None),
        months=media.months or 0,
        stars=media.stars or 0,
        prize=media.prize_description or "",
        refunded=bool(media.refunded),
    )


def to_checklist(media: raw.types.MessageMediaToDo, peers: Peers) -> Checklist:
    """Tasks, and which are done."""
    done = {completion.id for completion in media.completions or ()}
    return Checklist(
        title=titled(media.todo.title),
        items=tuple(ChecklistItem(text=titled(item.title), done=item.id in done) for item in media.todo.list),
    )
