"""Media of a message: which key of an export's message makes which TL media, in one table."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from pyrogram import raw

from tgserver.export.bridge import MessageExtra
from tgserver.export.documents import build_file
from tgserver.export.files import build_photo, find_file
from tgserver.export.identity import stable_id
from tgserver.export.peers import parse_peer
from tgserver.export.polls import build_poll, build_todo
from tgserver.export.scope import Scope
from tgserver.export.values import Json, as_dict, as_float, as_int, as_list, as_text, count, int32, timestamp

Media = raw.base.MessageMedia
_Build = Callable[[Scope, int, Json, MessageExtra], Media]

# A vCard longer than this is no contact but an attack on memory.
_VCARD_MAX = 64 * 1024


def build_media(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media | None:
    """The media that an export's message holds, `None` if it holds none.

    A media kind that nobody knows becomes `MessageMediaUnsupported`.
    """
    for key, build in MEDIA.items():
        if data.get(key) is not None or (key in data and key in _NULL_MEANS_EMPTY):
            if key not in _WRAPPING:
                further = MEDIA.keys() - {key} - _PARTS.get(key, frozenset())
                scope.losses["further media of a message"] += sum(data.get(other) is not None for other in further)
            return build(scope, message_id, data, extra)
    unknown = data.get("type") not in ("message", None) or "media_type" in data
    if unknown or any(key.endswith("_information") for key in data):
        return raw.types.MessageMediaUnsupported()
    return None


def _ttl(data: Json) -> int | None:
    return count(data.get("self_destruct_period_seconds")) or None


def _photo(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    return raw.types.MessageMediaPhoto(
        photo=build_photo(scope, message_id, "photo", data.get("photo"), data, stripped=extra.stripped),
        spoiler=_spoiler(data, extra),
        ttl_seconds=_ttl(data),
    )


def _spoiler(data: Json, extra: MessageExtra) -> bool | None:
    return extra.spoiler or data.get("media_spoiler") is True or None


def _file(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    kind = data.get("media_type")
    return raw.types.MessageMediaDocument(
        document=build_file(scope, message_id, data, extra),
        spoiler=_spoiler(data, extra),
        video=kind == "video_file" or None,
        round=kind == "video_message" or None,
        voice=kind == "voice_message" or None,
        ttl_seconds=_ttl(data),
    )


def _paid_media(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    free = {key: value for key, value in data.items() if key != "paid_stars_amount"}
    inner = build_media(scope, message_id, free, extra)
    shown: raw.base.MessageExtendedMedia
    if inner is None:
        size = count(data.get("width")), count(data.get("height"))
        shown = raw.types.MessageExtendedMediaPreview(w=size[0], h=size[1])
    else:
        shown = raw.types.MessageExtendedMedia(media=inner)
    stars = max(0, as_int(data.get("paid_stars_amount")))
    return raw.types.MessageMediaPaidMedia(stars_amount=stars, extended_media=[shown])


def _contact(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    contact = as_dict(data.get("contact_information"))
    card = find_file(scope, data.get("contact_vcard"))
    vcard = ""
    if card and card.size <= _VCARD_MAX:
        vcard = card.path.read_text(encoding="utf-8", errors="replace")
    return raw.types.MessageMediaContact(
        phone_number=as_text(contact.get("phone_number")),
        first_name=as_text(contact.get("first_name")),
        last_name=as_text(contact.get("last_name")),
        vcard=vcard,
        user_id=max(0, as_int(contact.get("user_id"))),
    )


def _geo(data: Json) -> raw.base.GeoPoint:
    point = as_dict(data.get("location_information"))
    if not point:
        return raw.types.GeoPointEmpty()
    return raw.types.GeoPoint(long=as_float(point.get("longitude")), lat=as_float(point.get("latitude")), access_hash=0)


def _location(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    period = count(data.get("live_location_period_seconds"))
    if period:
        return raw.types.MessageMediaGeoLive(geo=_geo(data), period=period)
    return raw.types.MessageMediaGeo(geo=_geo(data))


def _venue(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    return raw.types.MessageMediaVenue(
        geo=_geo(data),
        title=as_text(data.get("place_name")),
        address=as_text(data.get("address")),
        provider="",
        venue_id="",
        venue_type="",
    )


def _game(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    try:
        link = parse_qs(urlsplit(as_text(data.get("game_link"))).query)
    except ValueError:
        link = {}
    game_id = scope.id_for(message_id, "game")
    return raw.types.MessageMediaGame(
        game=raw.types.Game(
            id=game_id,
            access_hash=stable_id("game", game_id),
            short_name=link.get("game", [""])[0],
            title=as_text(data.get("game_title")),
            description=as_text(data.get("game_description")),
            photo=raw.types.PhotoEmpty(id=0),
        )
    )


def _invoice(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    invoice = as_dict(data.get("invoice_information"))
    return raw.types.MessageMediaInvoice(
        title=as_text(invoice.get("title")),
        description=as_text(invoice.get("description")),
        currency=as_text(invoice.get("currency")),
        total_amount=as_int(invoice.get("amount")),
        start_param="",
        receipt_msg_id=int32(invoice.get("receipt_message_id")) or None,
    )


def _poll(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    return build_poll(scope, message_id, data, extra.poll)


def _todo(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    return build_todo(scope, data)


def _channel_id(scope: Scope, value: object) -> int:
    parsed = parse_peer(value)
    if parsed is None:
        return scope.chat.id
    return scope.peers.channel(parsed[1])


def _giveaway(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    told = as_dict(data.get("giveaway_information"))
    return raw.types.MessageMediaGiveaway(
        channels=[_channel_id(scope, entry) for entry in as_list(told.get("channels"))] or [scope.chat.id],
        quantity=count(told.get("quantity")),
        until_date=timestamp(told, "until_date"),
        only_new_subscribers=told.get("is_only_new_subscribers") is True or None,
        countries_iso2=[as_text(entry) for entry in as_list(told.get("countries"))] or None,
        prize_description=as_text(told.get("additional_prize")) or None,
        months=count(told.get("months")) or None,
        stars=max(0, as_int(told.get("stars"))) or None,
    )


def _giveaway_results(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    told = as_dict(data.get("giveaway_results"))
    winners = [parsed[1] for entry in as_list(told.get("winners")) if (parsed := parse_peer(entry))]
    for winner in winners:
        scope.peers.user(winner)
    return raw.types.MessageMediaGiveawayResults(
        channel_id=_channel_id(scope, told.get("channel")),
        launch_msg_id=int32(told.get("launch_message_id")),
        winners_count=count(told.get("winners_count")),
        unclaimed_count=count(told.get("unclaimed_count")),
        winners=winners,
        until_date=timestamp(told, "until_date"),
        only_new_subscribers=told.get("is_only_new_subscribers") is True or None,
        refunded=told.get("is_refunded") is True or None,
        additional_peers_count=count(told.get("additional_peers_count")) or None,
        months=count(told.get("months")) or None,
        stars=max(0, as_int(told.get("stars"))) or None,
        prize_description=as_text(told.get("additional_prize")) or None,
    )


def _dice(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    dice = as_dict(data.get("dice"))
    emoticon = as_text(dice.get("emoticon")) or as_text(dice.get("emoji")) or "🎲"
    return raw.types.MessageMediaDice(value=int32(dice.get("value")), emoticon=emoticon)


def _story(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> Media:
    story = as_dict(data.get("story"))
    peer = scope.peers.peer(story.get("peer_id", story.get("from_id")), story.get("from"))
    return raw.types.MessageMediaStory(peer=peer or scope.peer, id=int32(story.get("id")))


# Telegram Desktop writes `null` for a location that is no longer known; elsewhere null is absence.
_NULL_MEANS_EMPTY = frozenset({"location_information"})

# The first key that a message has decides, as a message has one media. A paid media wraps another, a venue has a
# location too.
_WRAPPING = frozenset({"paid_stars_amount"})
_PARTS = {"place_name": frozenset({"location_information"})}

MEDIA: dict[str, _Build] = {
    "paid_stars_amount": _paid_media,
    "photo": _photo,
    "file": _file,
    "contact_information": _contact,
    "place_name": _venue,
    "location_information": _location,
    "game_title": _game,
    "invoice_information": _invoice,
    "poll": _poll,
    "todo_list": _todo,
    "giveaway_information": _giveaway,
    "giveaway_results": _giveaway_results,
    "dice": _dice,
    "story": _story,
}
