"""Saltmere Noticeboard: what happens in a chat. Each event of which the bridge makes a post, and each that it drops."""

from __future__ import annotations

from demo.make import tl
from demo.make.channels.noticeboard.shelf import Shelf
from demo.make.channels.people import ADA, FERRY_BOT, GRACE, HARBOUR_TALK, MILO, NOTICEBOARD, TOMAS, user_id
from demo.make.export import Export, unix
from demo.make.markup import Json
from demo.make.tl import tl as tl_object

_BOARD = tl_object("PeerChannel", channel_id=NOTICEBOARD)
_CALL = tl_object("InputGroupCall", id=1, access_hash=1)


def events(board: Export, shelf: Shelf) -> None:
    """The events, a few minutes apart, noise first."""
    told = [*_noise(shelf), *_chat(), *_gifts(), *_money(), *_others(shelf)]
    for number, action in enumerate(told):
        day, minute = divmod(number * 7, 600)
        when = f"2026-11-{23 + day} {8 + minute // 60:02}:{minute % 60:02}"
        board.service(when, "", actor=ADA, bridge={"action": action})


def _action(name: str, **fields: object) -> Json:
    return tl_object(f"MessageAction{name}", **fields)


def _user(person: tuple[str, str]) -> Json:
    return tl_object("PeerUser", user_id=user_id(person))


def _noise(shelf: Shelf) -> list[Json]:
    everybody = [user_id(person) for person in (GRACE, TOMAS)]
    return [
        _action("ChannelCreate", title="Noticeboard"),
        _action("ChannelMigrateFrom", title="Board", chat_id=55),
        _action("ChatAddUser", users=everybody),
        _action("ChatDeleteUser", user_id=user_id(TOMAS)),
        _action("ChatEditTitle", title="Saltmere Noticeboard"),
        _action("ChatEditPhoto", photo={"_photo": shelf.path("harbour")}),
        _action("ChatDeletePhoto"),
        _action("ChatJoinedByLink", inviter_id=user_id(ADA)),
        _action("ChatJoinedByRequest"),
        _action("PinMessage"),
        _action("GroupCall", call=_CALL),
        _action("GroupCall", call=_CALL, duration=3720),
        _action("InviteToGroupCall", call=_CALL, users=everybody),
        _action("BoostApply", boosts=4),
        _action("SetMessagesTTL", period=86_400),
        _action("SetChatTheme", theme=tl_object("ChatTheme", emoticon="🌊")),
        _action("ScreenshotTaken"),
    ]


def _chat() -> list[Json]:
    """Owners, topics, calls, protection, checklists and polls that change."""
    answer = tl_object("PollAnswer", text=tl.words("Green"), option=tl.bytes_of("3"))
    return [
        _action("TopicCreate", title="Lost & Found", icon_color=0x6FB9F0),
        _action("TopicEdit", title="Lost, Found & Swapped"),
        _action("TopicEdit", closed=True),
        _action("NewCreatorPending", new_creator_id=user_id(GRACE)),
        _action("ChangeCreator", new_creator_id=user_id(GRACE)),
        _action("ChangeCommunity", community_id=7),
        _action("NoForwardsRequest", prev_value=False, new_value=True),
        _action("NoForwardsToggle", prev_value=False, new_value=True),
        _action("GroupCallScheduled", call=_CALL, schedule_date=unix("2026-12-01 19:00")),
        _action("ConferenceCall", call_id=2, duration=600),
        _action("PhoneCall", call_id=3, duration=60),
        _action("PollAppendAnswer", answer=answer),
        _action("PollDeleteAnswer", answer=answer),
        _action("TodoAppendTasks", list=[tl_object("TodoItem", id=4, title=tl.words("Oil the hinges"))]),
        _action("TodoCompletions", completed=[2], incompleted=[]),
        _action("GameScore", game_id=4, score=4120),
        _action("GeoProximityReached", from_id=_user(MILO), to_id=_user(GRACE), distance=50),
    ]


def _gifts() -> list[Json]:
    gift = tl_object("StarGift", id=1, sticker=tl_object("DocumentEmpty", id=1), stars=50, convert_stars=40)
    unique = tl_object(
        "StarGiftUnique",
        id=2,
        gift_id=1,
        title="Brass Pin",
        slug="BrassPin-7",
        num=7,
        attributes=[],
        availability_issued=7,
        availability_total=100,
    )
    price = tl_object("StarsAmount", amount=900, nanos=0)
    return [
        _action("GiftPremium", currency="GBP", amount=1199, days=90),
        _action("GiftCode", days=90, slug="pins", boost_peer=_BOARD),
        _action("GiftStars", currency="GBP", amount=199, stars=100),
        _action("GiftTon", currency="GBP", amount=300, crypto_currency="TON", crypto_amount=10**9),
        _action("StarGift", gift=gift, from_id=_user(GRACE), message=tl.words("For the board")),
        _action("StarGiftUnique", gift=unique),
        _action("StarGiftPurchaseOffer", gift=unique, price=price, expires_at=unix("2026-12-01 12:00")),
        _action("StarGiftPurchaseOfferDeclined", gift=unique, price=price),
        _action("GiveawayLaunch"),
        _action("GiveawayLaunch", stars=500),
        _action("GiveawayResults", winners_count=5, unclaimed_count=1),
        _action("PrizeStars", stars=100, transaction_id="1", boost_peer=_BOARD, giveaway_msg_id=1),
    ]


def _money() -> list[Json]:
    price = tl_object("StarsAmount", amount=75, nanos=0)
    charge = tl_object("PaymentCharge", id="1", provider_charge_id="1")
    return [
        _action("PaidMessagesPrice", stars=2),
        _action("PaidMessagesRefunded", count=3, stars=6),
        _action("PaymentSent", currency="GBP", total_amount=450),
        _action("PaymentRefunded", peer=_user(TOMAS), currency="GBP", total_amount=450, charge=charge),
        _action("SuggestedPostApproval", schedule_date=unix("2026-12-01 08:00"), price=price),
        _action("SuggestedPostApproval", rejected=True, reject_comment="Engines."),
        _action("SuggestedPostSuccess", price=price),
        _action("SuggestedPostRefund"),
    ]


def _others(shelf: Shelf) -> list[Json]:
    shared = tl_object("PeerChannel", channel_id=HARBOUR_TALK)
    return [
        _action("CustomAction", message="The board has been dusted"),
        _action("ManagedBotCreated", bot_id=user_id(FERRY_BOT)),
        _action("RequestedPeer", button_id=1, peers=[shared]),
        _action("SecureValuesSent", types=[tl_object("SecureValueTypePhone")]),
        _action("SuggestBirthday", birthday=tl_object("Birthday", day=14, month=11)),
        _action("SuggestProfilePhoto", photo={"_photo": shelf.path("tile0")}),
        _action("WebViewDataSent", text="Tide table"),
    ]
