"""Service messages: which `action` of an export makes which TL action, in one table."""

from __future__ import annotations

import re
from collections.abc import Callable

from pyrogram import raw

from tgserver.export.files import build_photo
from tgserver.export.identity import stable_id
from tgserver.export.peers import parse_peer
from tgserver.export.polls import task_ids, todo_items
from tgserver.export.scope import Scope
from tgserver.export.text import parse_text, with_entities
from tgserver.export.values import Json, as_dict, as_int, as_list, as_text, count, int32, timestamp

Action = raw.base.MessageAction
_Build = Callable[[Scope, int, Json], Action]
_t = raw.types

_DEFAULT_TOPIC_COLOR = 0x6FB9F0
_DAYS_A_MONTH = 30


def build_action(scope: Scope, message_id: int, data: Json) -> Action:
    """The TL action of a service message.

    An action that nobody knows becomes `MessageActionCustomAction` with a readable text.
    """
    name = as_text(data.get("action"))
    build = _ACTIONS.get(name)
    return build(scope, message_id, data) if build else _custom(name, data)


def _custom(name: str, data: Json) -> Action:
    told = as_text(data.get("information_text"))
    if not told:
        words = [name.replace("_", " ").capitalize(), as_text(data.get("title")), parse_text(data.get("text"))[0]]
        told = ": ".join(word for word in words if word) or "Service message"
    return _t.MessageActionCustomAction(message=told)


def _yes(data: Json, *keys: str) -> bool | None:
    return any(data.get(key) is True for key in keys) or None


def _members(scope: Scope, data: Json) -> list[int]:
    """The members' user ids; exports give names alone, `null` for a deleted account."""
    actor = as_text(data.get("actor"))
    by_actor = parse_peer(data.get("actor_id"))
    ids = []
    for name in as_list(data.get("members")):
        if name and name == actor and by_actor and by_actor[0] == "user":
            ids.append(scope.peers.user(by_actor[1], actor))
        elif (user_id := scope.peers.named(name)) is not None:
            ids.append(user_id)
    return ids


def _actor_id(scope: Scope, data: Json) -> int:
    parsed = parse_peer(data.get("actor_id"))
    return parsed[1] if parsed and parsed[0] == "user" else 0


def _removed(scope: Scope, message_id: int, data: Json) -> Action:
    members = _members(scope, data)
    return _t.MessageActionChatDeleteUser(user_id=members[0] if members else _actor_id(scope, data))


def _joined_by_link(scope: Scope, message_id: int, data: Json) -> Action:
    return _t.MessageActionChatJoinedByLink(inviter_id=scope.peers.named(data.get("inviter")) or 0)


def _photo(scope: Scope, message_id: int, data: Json) -> raw.base.Photo:
    if "photo" not in data:
        return _t.PhotoEmpty(id=0)
    return build_photo(scope, message_id, "photo", data.get("photo"), data)


def _call(scope: Scope, message_id: int) -> raw.types.InputGroupCall:
    call_id = scope.id_for(message_id, "call")
    return _t.InputGroupCall(id=call_id, access_hash=stable_id("call", call_id))


_DISCARD_REASONS: dict[str, Callable[[], raw.base.PhoneCallDiscardReason]] = {
    "busy": _t.PhoneCallDiscardReasonBusy,
    "disconnect": _t.PhoneCallDiscardReasonDisconnect,
    "hangup": _t.PhoneCallDiscardReasonHangup,
    "missed": _t.PhoneCallDiscardReasonMissed,
}


def _phone_call(scope: Scope, message_id: int, data: Json) -> Action:
    reason = _DISCARD_REASONS.get(as_text(data.get("discard_reason")))
    return _t.MessageActionPhoneCall(
        call_id=scope.id_for(message_id, "call"),
        video=_yes(data, "video", "is_video"),
        reason=reason() if reason else None,
        duration=count(data.get("duration_seconds")) or None,
    )


def _conference_call(scope: Scope, message_id: int, data: Json) -> Action:
    return _t.MessageActionConferenceCall(
        call_id=scope.id_for(message_id, "call"),
        missed=_yes(data, "missed", "is_missed"),
        active=_yes(data, "active", "is_active"),
        video=_yes(data, "video", "is_video"),
        duration=count(data.get("duration_seconds", data.get("duration"))) or None,
    )


def _allowed(scope: Scope, message_id: int, data: Json) -> Action:
    domain, app = as_text(data.get("reason_domain")), as_text(data.get("reason_app_name"))
    shown = None
    if app:
        app_id = stable_id("app", app)
        shown = _t.BotApp(
            id=app_id,
            access_hash=stable_id("access", app_id),
            short_name=app,
            title=app,
            description="",
            photo=_t.PhotoEmpty(id=0),
            hash=0,
        )
    return _t.MessageActionBotAllowed(domain=domain or None, app=shown)


_PASSPORT_VALUES: dict[str, Callable[[], raw.base.SecureValueType]] = {
    "personal_details": _t.SecureValueTypePersonalDetails,
    "passport": _t.SecureValueTypePassport,
    "driver_license": _t.SecureValueTypeDriverLicense,
    "identity_card": _t.SecureValueTypeIdentityCard,
    "internal_passport": _t.SecureValueTypeInternalPassport,
    "address_information": _t.SecureValueTypeAddress,
    "utility_bill": _t.SecureValueTypeUtilityBill,
    "bank_statement": _t.SecureValueTypeBankStatement,
    "rental_agreement": _t.SecureValueTypeRentalAgreement,
    "passport_registration": _t.SecureValueTypePassportRegistration,
    "temporary_registration": _t.SecureValueTypeTemporaryRegistration,
    "phone_number": _t.SecureValueTypePhone,
    "email": _t.SecureValueTypeEmail,
}


def _passport(scope: Scope, message_id: int, data: Json) -> Action:
    names = [as_text(entry) for entry in as_list(data.get("values"))]
    return _t.MessageActionSecureValuesSent(
        types=[_PASSPORT_VALUES[name]() for name in names if name in _PASSPORT_VALUES]
    )


def _proximity(scope: Scope, message_id: int, data: Json) -> Action:
    return _t.MessageActionGeoProximityReached(
        from_id=scope.peers.peer(data.get("from_id"), data.get("from")) or scope.peer,
        to_id=scope.peers.peer(data.get("to_id"), data.get("to")) or scope.peer,
        distance=count(data.get("distance")),
    )


_CURRENCY_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "₽": "RUB", "¥": "JPY", "₹": "INR", "₴": "UAH"}


def _money(value: object) -> tuple[str, int]:
    """(currency code, amount in hundredths) of a written price such as `$11.99` or `1 299,00 RUB`.

    One or two digits after the last separator are hundredths. What can't be read is 0 US dollars.
    """
    written = as_text(value)[:40]
    code = re.search(r"\b[A-Z]{3}\b", written)
    sign = next((sign for sign in _CURRENCY_SIGNS if sign in written), "$")
    groups = re.findall(r"[0-9]+", written)
    cents = groups.pop() if len(groups) > 1 and len(groups[-1]) < 3 else ""
    amount = int("".join(groups) or 0) * 100 + int(cents.ljust(2, "0"))
    return (code[0] if code else _CURRENCY_SIGNS[sign]), as_int(amount)


def _gift_premium(scope: Scope, message_id: int, data: Json) -> Action:
    currency, amount = _money(data.get("cost"))
    days = count(data.get("days")) or count(data.get("months")) * _DAYS_A_MONTH
    return _t.MessageActionGiftPremium(currency=currency, amount=amount, days=int32(days))


def _gift_stars(scope: Scope, message_id: int, data: Json) -> Action:
    currency, amount = _money(data.get("cost"))
    stars = max(0, as_int(data.get("stars")) or as_int(data.get("amount_whole")))
    return _t.MessageActionGiftStars(currency=currency, amount=amount, stars=stars)


def _gift_ton(scope: Scope, message_id: int, data: Json) -> Action:
    currency, amount = _money(data.get("cost"))
    nano = max(0, as_int(as_int(data.get("amount_whole")) * 10**9 + as_int(data.get("amount_nano"))))
    return _t.MessageActionGiftTon(currency=currency, amount=amount, crypto_currency="TON", crypto_amount=nano)


def _gift_code(scope: Scope, message_id: int, data: Json) -> Action:
    return _t.MessageActionGiftCode(
        days=int32(count(data.get("days")) or count(data.get("months")) * _DAYS_A_MONTH),
        slug=as_text(data.get("gift_code")),
        via_giveaway=_yes(data, "via_giveaway"),
        unclaimed=_yes(data, "unclaimed"),
        boost_peer=scope.peers.peer(data.get("boost_peer_id"), data.get("boost_peer_name")),
    )


def _prize_stars(scope: Scope, message_id: int, data: Json) -> Action:
    return _t.MessageActionPrizeStars(
        stars=max(0, as_int(data.get("stars"))),
        transaction_id=as_text(data.get("transaction_id")),
        boost_peer=scope.peers.peer(data.get("boost_peer_id"), data.get("boost_peer_name")) or scope.peer,
        giveaway_msg_id=int32(data.get("giveaway_msg_id")),
        unclaimed=_yes(data, "is_unclaimed", "unclaimed"),
    )


def _star_gift(scope: Scope, message_id: int, data: Json) -> Action:
    gift_id = as_int(data.get("gift_id")) or scope.id_for(message_id, "gift")
    text = data.get("gift_text")
    return _t.MessageActionStarGift(
        gift=_t.StarGift(
            id=gift_id,
            sticker=_t.DocumentEmpty(id=stable_id("gift sticker", gift_id)),
            stars=max(0, as_int(data.get("stars"))),
            convert_stars=0,
            limited=_yes(data, "is_limited"),
        ),
        name_hidden=_yes(data, "is_anonymous"),
        message=with_entities(text) if text else None,
    )


def _topic_edit(scope: Scope, message_id: int, data: Json) -> Action:
    icon = data.get("new_icon_emoji_id")
    closed, hidden = data.get("closed"), data.get("hidden")
    return _t.MessageActionTopicEdit(
        title=as_text(data.get("new_title")) or None,
        icon_emoji_id=as_int(icon) if icon is not None else None,
        closed=closed if isinstance(closed, bool) else None,
        hidden=hidden if isinstance(hidden, bool) else None,
    )


def _topic_created(scope: Scope, message_id: int, data: Json) -> Action:
    return _t.MessageActionTopicCreate(
        title=as_text(data.get("title")),
        icon_color=int32(data.get("icon_color"), _DEFAULT_TOPIC_COLOR),
        icon_emoji_id=as_int(data.get("icon_emoji_id")) or None,
    )


def _requested_peer(scope: Scope, message_id: int, data: Json) -> Action:
    peers = []
    for entry in as_list(data.get("peers")):
        fields = as_dict(entry) or {"id": entry}
        peer = scope.peers.peer(fields.get("id", fields.get("peer_id")), fields.get("name"))
        if peer is not None:
            peers.append(peer)
    return _t.MessageActionRequestedPeer(button_id=int32(data.get("button_id")), peers=peers)


def _wallpaper(*, same: bool) -> _Build:
    def build(scope: Scope, message_id: int, data: Json) -> Action:
        paper = _t.WallPaperNoFile(id=scope.id_for(message_id, "wallpaper"))
        return _t.MessageActionSetChatWallPaper(wallpaper=paper, same=same or None)

    return build


def _payment(scope: Scope, message_id: int, data: Json) -> Action:
    recurring = as_text(data.get("recurring"))
    return _t.MessageActionPaymentSent(
        currency=as_text(data.get("currency")),
        total_amount=as_int(data.get("amount")),
        recurring_init=recurring == "init" or _yes(data, "recurring_init"),
        recurring_used=recurring == "used" or _yes(data, "recurring_used"),
    )


def _refund(scope: Scope, message_id: int, data: Json) -> Action:
    return _t.MessageActionPaymentRefunded(
        peer=scope.peers.peer(data.get("peer_id"), data.get("peer_name")) or scope.peer,
        currency=as_text(data.get("currency")),
        total_amount=as_int(data.get("amount")),
        charge=_t.PaymentCharge(id=as_text(data.get("charge_id")), provider_charge_id=""),
    )


def _price(data: Json) -> raw.base.StarsAmount | None:
    whole = max(0, as_int(data.get("price_amount_whole", data.get("amount_whole", data.get("price_stars")))))
    nano = count(data.get("price_amount_nano", data.get("amount_nano")))
    if as_text(data.get("price_currency", data.get("currency"))).upper() == "TON":
        return _t.StarsTonAmount(amount=as_int(whole * 10**9 + nano))
    return _t.StarsAmount(amount=whole, nanos=nano) if whole or nano else None


def _suggested_post(*, rejected: bool | None = None) -> _Build:
    def build(scope: Scope, message_id: int, data: Json) -> Action:
        return _t.MessageActionSuggestedPostApproval(
            rejected=rejected or _yes(data, "rejected", "is_rejected"),
            balance_too_low=_yes(data, "balance_too_low", "is_balance_too_low"),
            reject_comment=as_text(data.get("reject_comment", data.get("comment"))) or None,
            schedule_date=timestamp(data, "schedule_date") or timestamp(data, "scheduled_date") or None,
            price=_price(data),
        )

    return build


def _suggested_post_success(scope: Scope, message_id: int, data: Json) -> Action:
    return _t.MessageActionSuggestedPostSuccess(price=_price(data) or _t.StarsAmount(amount=0, nanos=0))


def _birthday(scope: Scope, message_id: int, data: Json) -> Action:
    told = as_dict(data.get("birthday")) or data
    birthday = _t.Birthday(
        day=count(told.get("day")), month=count(told.get("month")), year=int32(told.get("year")) or None
    )
    return _t.MessageActionSuggestBirthday(birthday=birthday)


def _todo_append(scope: Scope, message_id: int, data: Json) -> Action:
    return _t.MessageActionTodoAppendTasks(list=todo_items(data.get("items") or data.get("tasks")))


def _owner(build: Callable[..., Action]) -> _Build:
    def owner(scope: Scope, message_id: int, data: Json) -> Action:
        parsed = parse_peer(data.get("new_creator_id"))
        name = data.get("new_creator_name", data.get("new_creator"))
        user_id = scope.peers.user(parsed[1], name) if parsed else scope.peers.named(name)
        return build(new_creator_id=user_id or 0)

    return owner


def _no_forwards(build: Callable[..., Action]) -> _Build:
    def no_forwards(scope: Scope, message_id: int, data: Json) -> Action:
        new = data.get("new_value", data.get("enabled")) is True
        return build(prev_value=data.get("prev_value", not new) is True, new_value=new)

    return no_forwards


# One row a kind: the export's `action`, and the TL action. `s` the scope, `i` the message's id, `d` its JSON.
_ACTIONS: dict[str, _Build] = {
    "create_group": lambda s, i, d: _t.MessageActionChatCreate(title=as_text(d.get("title")), users=_members(s, d)),
    "edit_group_title": lambda s, i, d: _t.MessageActionChatEditTitle(title=as_text(d.get("title"))),
    "edit_group_photo": lambda s, i, d: _t.MessageActionChatEditPhoto(photo=_photo(s, i, d)),
    "delete_group_photo": lambda s, i, d: _t.MessageActionChatDeletePhoto(),
    "invite_members": lambda s, i, d: _t.MessageActionChatAddUser(users=_members(s, d)),
    "remove_members": _removed,
    "join_group_by_link": _joined_by_link,
    "join_group_by_request": lambda s, i, d: _t.MessageActionChatJoinedByRequest(),
    "create_channel": lambda s, i, d: _t.MessageActionChannelCreate(title=as_text(d.get("title"))),
    "migrate_to_supergroup": lambda s, i, d: _t.MessageActionChatMigrateTo(channel_id=s.migrated_to),
    "migrate_from_group": lambda s, i, d: _t.MessageActionChannelMigrateFrom(
        title=as_text(d.get("title")), chat_id=s.migrated_from
    ),
    "pin_message": lambda s, i, d: _t.MessageActionPinMessage(),
    "clear_history": lambda s, i, d: _t.MessageActionHistoryClear(),
    "score_in_game": lambda s, i, d: _t.MessageActionGameScore(
        game_id=s.id_for(int32(d.get("game_message_id")), "game"), score=int32(d.get("score"))
    ),
    "send_payment": _payment,
    "refunded_payment": _refund,
    "phone_call": _phone_call,
    "conference_call": _conference_call,
    "group_call": lambda s, i, d: _t.MessageActionGroupCall(
        call=_call(s, i), duration=count(d.get("duration", d.get("duration_seconds"))) or None
    ),
    "group_call_scheduled": lambda s, i, d: _t.MessageActionGroupCallScheduled(
        call=_call(s, i), schedule_date=timestamp(d, "schedule_date")
    ),
    "invite_to_group_call": lambda s, i, d: _t.MessageActionInviteToGroupCall(call=_call(s, i), users=_members(s, d)),
    "take_screenshot": lambda s, i, d: _t.MessageActionScreenshotTaken(),
    "attach_menu_bot_allowed": lambda s, i, d: _t.MessageActionBotAllowed(attach_menu=True),
    "web_app_bot_allowed": lambda s, i, d: _t.MessageActionBotAllowed(from_request=True),
    "allow_sending_messages": _allowed,
    "send_passport_values": _passport,
    "joined_telegram": lambda s, i, d: _t.MessageActionContactSignUp(),
    "proximity_reached": _proximity,
    # Telegram itself has no action for it any more: a request is a contact shared by a button.
    "requested_phone_number": lambda s, i, d: _t.MessageActionCustomAction(message="Phone number requested"),
    "set_messages_ttl": lambda s, i, d: _t.MessageActionSetMessagesTTL(period=count(d.get("period"))),
    "edit_chat_theme": lambda s, i, d: _t.MessageActionSetChatTheme(
        theme=_t.ChatTheme(emoticon=as_text(d.get("emoticon")))
    ),
    "set_chat_wallpaper": _wallpaper(same=False),
    "set_same_chat_wallpaper": _wallpaper(same=True),
    "send_webview_data": lambda s, i, d: _t.MessageActionWebViewDataSent(text=as_text(d.get("text"))),
    "topic_created": _topic_created,
    "topic_edit": _topic_edit,
    "suggest_profile_photo": lambda s, i, d: _t.MessageActionSuggestProfilePhoto(photo=_photo(s, i, d)),
    "suggest_birthday": _birthday,
    "requested_peer": _requested_peer,
    "boost_apply": lambda s, i, d: _t.MessageActionBoostApply(boosts=count(d.get("boosts"))),
    "send_premium_gift": _gift_premium,
    "gift_code_prize": _gift_code,
    "send_stars_gift": _gift_stars,
    "send_ton_gift": _gift_ton,
    "stars_prize": _prize_stars,
    "send_star_gift": _star_gift,
    "giveaway_launch": lambda s, i, d: _t.MessageActionGiveawayLaunch(stars=max(0, as_int(d.get("stars"))) or None),
    "giveaway_results": lambda s, i, d: _t.MessageActionGiveawayResults(
        winners_count=count(d.get("winners")), unclaimed_count=count(d.get("unclaimed")), stars=_yes(d, "stars")
    ),
    "paid_messages_refund": lambda s, i, d: _t.MessageActionPaidMessagesRefunded(
        count=count(d.get("messages_count")), stars=max(0, as_int(d.get("stars_count")))
    ),
    "paid_messages_price_change": lambda s, i, d: _t.MessageActionPaidMessagesPrice(
        stars=max(0, as_int(d.get("price_stars"))),
        broadcast_messages_allowed=_yes(d, "is_broadcast_messages_allowed"),
    ),
    "todo_completions": lambda s, i, d: _t.MessageActionTodoCompletions(
        completed=task_ids(d.get("completed")), incompleted=task_ids(d.get("incompleted"))
    ),
    "todo_append_tasks": _todo_append,
    "process_suggested_post": _suggested_post(),
    "suggested_post_approval": _suggested_post(),
    "suggested_post_rejected": _suggested_post(rejected=True),
    "suggested_post_success": _suggested_post_success,
    "suggested_post_refund": lambda s, i, d: _t.MessageActionSuggestedPostRefund(
        payer_initiated=_yes(d, "payer_initiated", "user_initiated", "is_user_initiated")
    ),
    "new_creator_pending": _owner(_t.MessageActionNewCreatorPending),
    "change_creator": _owner(_t.MessageActionChangeCreator),
    "no_forwards_toggle": _no_forwards(_t.MessageActionNoForwardsToggle),
    "no_forwards_request": _no_forwards(_t.MessageActionNoForwardsRequest),
}
