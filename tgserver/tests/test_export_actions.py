"""Service messages of exports, one row a kind."""

from __future__ import annotations

from typing import Any

import pytest
from pyrogram import raw

from tgserver.export.actions import ACTIONS
from tgserver.export.payments import read_price
from tgserver.tests.export_builders import CHANNEL, built, chat_data, load, service
from tgserver.world import World

T = raw.types
TEXT = [{"type": "bold", "text": "For you"}]

# The action's own keys -> the TL action and its fields that matter.
ROWS: list[tuple[dict[str, Any], type, dict[str, Any]]] = [
    ({"action": "create_group", "title": "Crew", "members": ["Ada Lovelace"]}, T.MessageActionChatCreate,
     {"title": "Crew", "users": [10]}),
    ({"action": "edit_group_title", "title": "New"}, T.MessageActionChatEditTitle, {"title": "New"}),
    ({"action": "edit_group_photo", "photo": "(File not included.)", "width": 640, "height": 640},
     T.MessageActionChatEditPhoto, {"photo.sizes.1.w": 640}),
    ({"action": "delete_group_photo"}, T.MessageActionChatDeletePhoto, {}),
    ({"action": "invite_members", "members": ["Ada Lovelace", None]}, T.MessageActionChatAddUser, {"users": [10]}),
    ({"action": "remove_members", "members": ["Ada Lovelace"]}, T.MessageActionChatDeleteUser, {"user_id": 10}),
    ({"action": "remove_members", "members": [None]}, T.MessageActionChatDeleteUser, {"user_id": 10}),
    ({"action": "join_group_by_link", "inviter": None}, T.MessageActionChatJoinedByLink, {"inviter_id": 0}),
    ({"action": "join_group_by_request"}, T.MessageActionChatJoinedByRequest, {}),
    ({"action": "create_channel", "title": "Harbour"}, T.MessageActionChannelCreate, {"title": "Harbour"}),
    ({"action": "migrate_to_supergroup"}, T.MessageActionChatMigrateTo, {"channel_id": 0}),
    ({"action": "migrate_from_group", "title": "Old"}, T.MessageActionChannelMigrateFrom, {"title": "Old"}),
    ({"action": "pin_message", "message_id": 5}, T.MessageActionPinMessage, {}),
    ({"action": "clear_history"}, T.MessageActionHistoryClear, {}),
    ({"action": "score_in_game", "game_message_id": 4, "score": 90}, T.MessageActionGameScore, {"score": 90}),
    ({"action": "send_payment", "amount": 500, "currency": "EUR", "invoice_message_id": 3},
     T.MessageActionPaymentSent, {"total_amount": 500, "currency": "EUR", "recurring_used": False}),
    ({"action": "send_payment", "amount": 500, "currency": "EUR", "recurring": "used"}, T.MessageActionPaymentSent,
     {"recurring_used": True}),
    ({"action": "refunded_payment", "amount": 5, "currency": "XTR", "peer_id": "user11", "charge_id": "c1"},
     T.MessageActionPaymentRefunded, {"peer.user_id": 11, "charge.id": "c1", "total_amount": 5}),
    ({"action": "phone_call", "duration_seconds": 12, "discard_reason": "hangup"}, T.MessageActionPhoneCall,
     {"duration": 12, "reason": T.PhoneCallDiscardReasonHangup()}),
    ({"action": "phone_call", "discard_reason": "missed"}, T.MessageActionPhoneCall,
     {"duration": None, "reason": T.PhoneCallDiscardReasonMissed()}),
    ({"action": "conference_call", "duration_seconds": 9}, T.MessageActionConferenceCall, {"duration": 9}),
    ({"action": "group_call", "duration": 60}, T.MessageActionGroupCall, {"duration": 60}),
    ({"action": "group_call"}, T.MessageActionGroupCall, {"duration": None}),
    ({"action": "group_call_scheduled", "schedule_date": 1704067999}, T.MessageActionGroupCallScheduled,
     {"schedule_date": 1704067999}),
    ({"action": "invite_to_group_call", "members": ["Ada Lovelace"]}, T.MessageActionInviteToGroupCall,
     {"users": [10]}),
    ({"action": "take_screenshot"}, T.MessageActionScreenshotTaken, {}),
    ({"action": "attach_menu_bot_allowed"}, T.MessageActionBotAllowed, {"attach_menu": True}),
    ({"action": "web_app_bot_allowed"}, T.MessageActionBotAllowed, {"from_request": True}),
    ({"action": "allow_sending_messages", "reason_domain": "e.org"}, T.MessageActionBotAllowed, {"domain": "e.org"}),
    ({"action": "allow_sending_messages", "reason_app_name": "chess"}, T.MessageActionBotAllowed,
     {"app.title": "chess", "domain": None}),
    ({"action": "send_passport_values", "values": ["passport", "email", "soul"]}, T.MessageActionSecureValuesSent,
     {"types": [T.SecureValueTypePassport(), T.SecureValueTypeEmail()]}),
    ({"action": "joined_telegram"}, T.MessageActionContactSignUp, {}),
    ({"action": "proximity_reached", "from": "Ada", "from_id": "user10", "to_id": "user11", "distance": 50},
     T.MessageActionGeoProximityReached, {"from_id.user_id": 10, "to_id.user_id": 11, "distance": 50}),
    ({"action": "requested_phone_number"}, T.MessageActionCustomAction, {"message": "Phone number requested"}),
    ({"action": "set_messages_ttl", "period": 86400}, T.MessageActionSetMessagesTTL, {"period": 86400}),
    ({"action": "edit_chat_theme", "emoticon": "🎄"}, T.MessageActionSetChatTheme, {"theme.emoticon": "🎄"}),
    ({"action": "set_chat_wallpaper", "message_id": 2}, T.MessageActionSetChatWallPaper, {"same": False}),
    ({"action": "set_same_chat_wallpaper", "message_id": 2}, T.MessageActionSetChatWallPaper, {"same": True}),
    ({"action": "send_webview_data", "text": "Ok"}, T.MessageActionWebViewDataSent, {"text": "Ok"}),
    ({"action": "topic_created", "title": "Sails"}, T.MessageActionTopicCreate, {"title": "Sails"}),
    ({"action": "topic_edit", "new_title": "Oars", "new_icon_emoji_id": 0}, T.MessageActionTopicEdit,
     {"title": "Oars", "icon_emoji_id": 0, "closed": None}),
    ({"action": "suggest_profile_photo", "photo": "(File not included.)"}, T.MessageActionSuggestProfilePhoto,
     {"photo.sizes.0.type": "y"}),
    ({"action": "suggest_birthday", "day": 10, "month": 12, "year": 1815}, T.MessageActionSuggestBirthday,
     {"birthday.day": 10, "birthday.month": 12, "birthday.year": 1815}),
    ({"action": "requested_peer", "button_id": 3, "peers": ["user11", "channel12"]}, T.MessageActionRequestedPeer,
     {"button_id": 3, "peers": [T.PeerUser(user_id=11), T.PeerChannel(channel_id=12)]}),
    ({"action": "boost_apply", "boosts": 4}, T.MessageActionBoostApply, {"boosts": 4}),
    ({"action": "send_premium_gift", "cost": "$11.99", "months": 3}, T.MessageActionGiftPremium,
     {"currency": "USD", "amount": 1199, "days": 90}),
    ({"action": "gift_code_prize", "gift_code": "abc", "boost_peer_id": f"channel{CHANNEL}", "months": 12,
      "unclaimed": True, "via_giveaway": True}, T.MessageActionGiftCode,
     {"slug": "abc", "days": 360, "unclaimed": True, "via_giveaway": True, "boost_peer.channel_id": CHANNEL}),
    ({"action": "send_stars_gift", "cost": "€2", "stars": 100}, T.MessageActionGiftStars,
     {"stars": 100, "currency": "EUR", "amount": 200}),
    ({"action": "send_ton_gift", "cost": "5", "amount_whole": 1, "amount_nano": 5}, T.MessageActionGiftTon,
     {"crypto_currency": "TON", "crypto_amount": 1_000_000_005}),
    ({"action": "stars_prize", "boost_peer_id": f"channel{CHANNEL}", "stars": 50, "giveaway_msg_id": 7,
      "is_unclaimed": False, "transaction_id": "t"}, T.MessageActionPrizeStars,
     {"stars": 50, "giveaway_msg_id": 7, "unclaimed": False}),
    ({"action": "send_star_gift", "gift_id": 99, "stars": 15, "is_limited": True, "is_anonymous": True,
      "gift_text": TEXT}, T.MessageActionStarGift,
     {"gift.id": 99, "gift.stars": 15, "gift.limited": True, "name_hidden": True, "message.text": "For you"}),
    ({"action": "giveaway_launch"}, T.MessageActionGiveawayLaunch, {"stars": None}),
    ({"action": "giveaway_results", "winners": 3, "unclaimed": 1}, T.MessageActionGiveawayResults,
     {"winners_count": 3, "unclaimed_count": 1}),
    ({"action": "paid_messages_refund", "messages_count": 2, "stars_count": 20}, T.MessageActionPaidMessagesRefunded,
     {"count": 2, "stars": 20}),
    ({"action": "paid_messages_price_change", "price_stars": 7, "is_broadcast_messages_allowed": True},
     T.MessageActionPaidMessagesPrice, {"stars": 7, "broadcast_messages_allowed": True}),
    ({"action": "todo_completions", "completed": [1, 2], "incompleted": [3]}, T.MessageActionTodoCompletions,
     {"completed": [1, 2], "incompleted": [3]}),
    ({"action": "todo_append_tasks", "items": [{"id": 4, "text": TEXT}]}, T.MessageActionTodoAppendTasks,
     {"list.0.id": 4, "list.0.title.text": "For you"}),
    ({"action": "process_suggested_post", "price_amount_whole": 5, "price_currency": "Stars"},
     T.MessageActionSuggestedPostApproval, {"rejected": False, "price": T.StarsAmount(amount=5, nanos=0)}),
    ({"action": "process_suggested_post", "rejected": True, "comment": "No"}, T.MessageActionSuggestedPostApproval,
     {"rejected": True, "reject_comment": "No", "price": None}),
    ({"action": "suggested_post_approval", "scheduled_date": 1704067999}, T.MessageActionSuggestedPostApproval,
     {"schedule_date": 1704067999}),
    ({"action": "suggested_post_rejected"}, T.MessageActionSuggestedPostApproval, {"rejected": True}),
    ({"action": "suggested_post_success", "price_amount_whole": 2, "price_currency": "TON"},
     T.MessageActionSuggestedPostSuccess, {"price": T.StarsTonAmount(amount=2_000_000_000)}),
    ({"action": "suggested_post_refund", "user_initiated": True}, T.MessageActionSuggestedPostRefund,
     {"payer_initiated": True}),
    ({"action": "new_creator_pending", "new_creator_id": "user11"}, T.MessageActionNewCreatorPending,
     {"new_creator_id": 11}),
    ({"action": "change_creator", "new_creator_id": 11}, T.MessageActionChangeCreator, {"new_creator_id": 11}),
    ({"action": "no_forwards_toggle", "new_value": True}, T.MessageActionNoForwardsToggle,
     {"new_value": True, "prev_value": False}),
    ({"action": "no_forwards_request", "prev_value": True, "new_value": False}, T.MessageActionNoForwardsRequest,
     {"new_value": False, "prev_value": True}),
    # What nobody knows stays readable.
    ({"action": "teleport_members", "title": "Mars"}, T.MessageActionCustomAction,
     {"message": "Teleport members: Mars"}),
    ({"information_text": "You paid for stamps"}, T.MessageActionCustomAction, {"message": "You paid for stamps"}),
    ({}, T.MessageActionCustomAction, {"message": "Service message"}),
]  # fmt: skip


def value_at(root: Any, path: str) -> Any:
    """The value of nested fields, `a.0.b`."""
    for step in path.split("."):
        root = root[int(step)] if step.isdigit() else getattr(root, step)
    return root


@pytest.mark.parametrize(("fields", "kind", "expected"), ROWS, ids=[str(row[0].get("action")) for row in ROWS])
def test_each_action_becomes_its_tl_action(fields: dict[str, Any], kind: type, expected: dict[str, Any]) -> None:
    made = built(service(9, **fields))
    assert isinstance(made, T.MessageService)
    assert type(made.action) is kind
    for path, value in expected.items():
        assert value_at(made.action, path) == value, path
    assert (made.id, made.from_id, made.post) == (9, T.PeerUser(user_id=10), True)


def test_the_table_above_has_a_row_for_each_action_that_is_known() -> None:
    assert set(ACTIONS) <= {row[0].get("action") for row in ROWS}


@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_an_action_without_its_fields_still_travels(name: str) -> None:
    made = built({"id": 1, "type": "service", "action": name})
    assert isinstance(made, T.MessageService)
    assert made.action.QUALNAME.startswith("types.MessageAction")


@pytest.mark.parametrize("key", ["message_id", "game_message_id", "invoice_message_id"])
def test_the_message_that_an_action_is_about_is_what_it_replies_to(key: str) -> None:
    assert built(service(9, action="pin_message", **{key: 5})).reply_to.reply_to_msg_id == 5


def test_a_service_message_in_the_channels_name_has_no_sender() -> None:
    made = built(service(1, action="create_channel", actor="Harbour", actor_id=f"channel{CHANNEL}"))
    assert made.from_id is None


def test_members_get_the_ids_of_people_who_spoke_under_that_name(tmp_path: Any) -> None:
    world = World()
    spoke = {"id": 1, "type": "message", "from": "Grace Hopper", "from_id": "user44", "text": "Aye"}
    invited = service(2, action="invite_members", members=["Grace Hopper", "Never Spoke"])
    [chat] = load(tmp_path, chat_data(spoke, invited, type="private_supergroup"), world)
    known, new = chat.messages[2].action.users
    assert known == 44
    assert (world.users[new].first_name, world.users[new].last_name) == ("Never", "Spoke")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("$11.99", ("USD", 1199)),
        ("11,99 €", ("EUR", 1199)),
        ("1 299,00 RUB", ("RUB", 129900)),
        ("$1,299", ("USD", 129900)),
        ("US$ 4.5", ("USD", 450)),
        ("free", ("USD", 0)),
        (None, ("USD", 0)),
        ("9" * 4000, ("USD", 2**63 - 1)),
    ],
)
def test_a_written_price_is_read_in_hundredths(written: object, expected: tuple[str, int]) -> None:
    assert read_price(written) == expected
