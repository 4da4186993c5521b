"""Service messages: which `action` of an export makes which TL action, in one table."""

from __future__ import annotations

from collections.abc import Callable

from pyrogram import raw

from tgserver.export import payments
from tgserver.export.files import build_photo
from tgserver.export.identity import stable_id
from tgserver.export.payments import Action, Build, yes
from tgserver.export.peers import parse_peer
from tgserver.export.polls import task_ids, todo_items
from tgserver.export.scope import Scope
from tgserver.export.text import parse_text
from tgserver.export.values import Json, as_dict, as_int, as_list, as_text, count, int32, timestamp

_t = raw.types

_DEFAULT_TOPIC_COLOR = 0x6FB9F0


def build_action(scope: Scope, message_id: int, data: Json) -> Action:
    """The TL action of a service message.

    An action that nobody knows becomes `MessageActionCustomAction` with a readable text.
    """
    name = as_text(data.get("action"))
    build = ACTIONS.get(name)
    return build(scope, message_id, data) if build else _custom(name, data)


def _custom(name: str, data: Json) -> Action:
    told = as_text(data.get("information_text"))
    if not told:
        words = [name.replace("_", " ").capitalize(), as_text(data.get("title")), parse_text(data.get("text"))[0]]
        told = ": ".join(word for word in words if word) or "Service message"
    return _t.MessageActionCustomAction(message=told)


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
        video=yes(data, "video", "is_video"),
        reason=reason() if reason else None,
        duration=count(data.get("duration_seconds")) or None,
    )


def _conference_call(scope: Scope, message_id: int, data: Json) -> Action:
    return _t.MessageActionConferenceCall(
        call_id=scope.id_for(message_id, "call"),
        missed=yes(data, "missed", "is_missed"),
        active=yes(data, "active", "is_active"),
        video=yes(data, "video", "is_video"),
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


def _wallpaper(*, same: bool) -> Build:
    def build(scope: Scope, message_id: int, data: Json) -> Action:
        paper = _t.WallPaperNoFile(id=scope.id_for(message_id, "wallpaper"))
        return _t.MessageActionSetChatWallPaper(wallpaper=paper, same=same or None)

    return build


def _birthday(scope: Scope, message_id: int, data: Json) -> Action:
    told = as_dict(data.get("birthday")) or data
    birthday = _t.Birthday(
        day=count(told.get("day")), month=count(told.get("month")), year=int32(told.get("year")) or None
    )
    return _t.MessageActionSuggestBirthday(birthday=birthday)


def _todo_append(scope: Scope, message_id: int, data: Json) -> Action:
    return _t.MessageActionTodoAppendTasks(list=todo_items(data.get("items") or data.get("tasks")))


def _owner(build: Callable[..., Action]) -> Build:
    def owner(scope: Scope, message_id: int, data: Json) -> Action:
        parsed = parse_peer(data.get("new_creator_id"))
        name = data.get("new_creator_name", data.get("new_creator"))
        user_id = scope.peers.user(parsed[1], name) if parsed else scope.peers.named(name)
        return build(new_creator_id=user_id or 0)

    return owner


def _no_forwards(build: Callable[..., Action]) -> Build:
    def no_forwards(scope: Scope, message_id: int, data: Json) -> Action:
        new = data.get("new_value", data.get("enabled")) is True
        return build(prev_value=data.get("prev_value", not new) is True, new_value=new)

    return no_forwards


# One row a kind: the export's `action`, and the TL action. `s` the scope, `i` the message's id, `d` its JSON.
ACTIONS: dict[str, Build] = {
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
    "send_payment": payments.payment,
    "refunded_payment": payments.refund,
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
    "send_premium_gift": payments.gift_premium,
    "gift_code_prize": payments.gift_code,
    "send_stars_gift": payments.gift_stars,
    "send_ton_gift": payments.gift_ton,
    "stars_prize": payments.prize_stars,
    "send_star_gift": payments.star_gift,
    "giveaway_launch": lambda s, i, d: _t.MessageActionGiveawayLaunch(stars=max(0, as_int(d.get("stars"))) or None),
    "giveaway_results": lambda s, i, d: _t.MessageActionGiveawayResults(
        winners_count=count(d.get("winners")), unclaimed_count=count(d.get("unclaimed")), stars=yes(d, "stars")
    ),
    "paid_messages_refund": lambda s, i, d: _t.MessageActionPaidMessagesRefunded(
        count=count(d.get("messages_count")), stars=max(0, as_int(d.get("stars_count")))
    ),
    "paid_messages_price_change": lambda s, i, d: _t.MessageActionPaidMessagesPrice(
        stars=max(0, as_int(d.get("price_stars"))),
        broadcast_messages_allowed=yes(d, "is_broadcast_messages_allowed"),
    ),
    "todo_completions": lambda s, i, d: _t.MessageActionTodoCompletions(
        completed=task_ids(d.get("completed")), incompleted=task_ids(d.get("incompleted"))
    ),
    "todo_append_tasks": _todo_append,
    "process_suggested_post": payments.suggested_post(),
    "suggested_post_approval": payments.suggested_post(),
    "suggested_post_rejected": payments.suggested_post(rejected=True),
    "suggested_post_success": payments.suggested_post_success,
    "suggested_post_refund": lambda s, i, d: _t.MessageActionSuggestedPostRefund(
        payer_initiated=yes(d, "payer_initiated", "user_initiated", "is_user_initiated")
    ),
    "new_creator_pending": _owner(_t.MessageActionNewCreatorPending),
    "change_creator": _owner(_t.MessageActionChangeCreator),
    "no_forwards_toggle": _no_forwards(_t.MessageActionNoForwardsToggle),
    "no_forwards_request": _no_forwards(_t.MessageActionNoForwardsRequest),
}
