"""Service messages about money: gifts, prizes, payments, paid posts."""

from __future__ import annotations

import re
from collections.abc import Callable

from pyrogram import raw

from tgserver.export.identity import stable_id
from tgserver.export.scope import Scope
from tgserver.export.text import with_entities
from tgserver.export.values import Json, as_int, as_text, count, int32, timestamp

Action = raw.base.MessageAction
Build = Callable[[Scope, int, Json], Action]
_t = raw.types

_DAYS_A_MONTH = 30


def yes(data: Json, *keys: str) -> bool | None:
    """`True` if one of the keys holds `true`, else `None`, as TL has flags."""
    return any(data.get(key) is True for key in keys) or None


_CURRENCY_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "₽": "RUB", "¥": "JPY", "₹": "INR", "₴": "UAH"}


def read_price(value: object) -> tuple[str, int]:
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


def gift_premium(scope: Scope, message_id: int, data: Json) -> Action:
    """Premium for somebody, as a gift."""
    currency, amount = read_price(data.get("cost"))
    days = count(data.get("days")) or count(data.get("months")) * _DAYS_A_MONTH
    return _t.MessageActionGiftPremium(currency=currency, amount=amount, days=int32(days))


def gift_stars(scope: Scope, message_id: int, data: Json) -> Action:
    """Stars for somebody, as a gift."""
    currency, amount = read_price(data.get("cost"))
    stars = max(0, as_int(data.get("stars")) or as_int(data.get("amount_whole")))
    return _t.MessageActionGiftStars(currency=currency, amount=amount, stars=stars)


def gift_ton(scope: Scope, message_id: int, data: Json) -> Action:
    """TON for somebody, as a gift; the amount in billionths."""
    currency, amount = read_price(data.get("cost"))
    nano = max(0, as_int(as_int(data.get("amount_whole")) * 10**9 + as_int(data.get("amount_nano"))))
    return _t.MessageActionGiftTon(currency=currency, amount=amount, crypto_currency="TON", crypto_amount=nano)


def gift_code(scope: Scope, message_id: int, data: Json) -> Action:
    """A code for Premium, won or given."""
    return _t.MessageActionGiftCode(
        days=int32(count(data.get("days")) or count(data.get("months")) * _DAYS_A_MONTH),
        slug=as_text(data.get("gift_code")),
        via_giveaway=yes(data, "via_giveaway"),
        unclaimed=yes(data, "unclaimed"),
        boost_peer=scope.peers.peer(data.get("boost_peer_id"), data.get("boost_peer_name")),
    )


def prize_stars(scope: Scope, message_id: int, data: Json) -> Action:
    """Stars won in a giveaway."""
    return _t.MessageActionPrizeStars(
        stars=max(0, as_int(data.get("stars"))),
        transaction_id=as_text(data.get("transaction_id")),
        boost_peer=scope.peers.peer(data.get("boost_peer_id"), data.get("boost_peer_name")) or scope.peer,
        giveaway_msg_id=int32(data.get("giveaway_msg_id")),
        unclaimed=yes(data, "is_unclaimed", "unclaimed"),
    )


def star_gift(scope: Scope, message_id: int, data: Json) -> Action:
    """A gift bought with stars."""
    limited = yes(data, "is_limited")
    gift_id = as_int(data.get("gift_id")) or scope.id_for(message_id, "gift")
    text = data.get("gift_text")
    return _t.MessageActionStarGift(
        gift=_t.StarGift(
            id=gift_id,
            sticker=_t.DocumentEmpty(id=stable_id("gift sticker", gift_id)),
            stars=max(0, as_int(data.get("stars"))),
            convert_stars=0,
            limited=limited,
            # A limited gift tells how many there are; exports don't know.
            availability_remains=0 if limited else None,
            availability_total=0 if limited else None,
        ),
        name_hidden=yes(data, "is_anonymous"),
        message=with_entities(text) if text else None,
    )


def payment(scope: Scope, message_id: int, data: Json) -> Action:
    """A payment made to a bot or channel."""
    recurring = as_text(data.get("recurring"))
    return _t.MessageActionPaymentSent(
        currency=as_text(data.get("currency")),
        total_amount=as_int(data.get("amount")),
        recurring_init=recurring == "init" or yes(data, "recurring_init"),
        recurring_used=recurring == "used" or yes(data, "recurring_used"),
    )


def refund(scope: Scope, message_id: int, data: Json) -> Action:
    """A payment that came back."""
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


def suggested_post(*, rejected: bool | None = None) -> Build:
    """The answer to a suggested post; `rejected` fixes it, else the export's fields say which."""

    def build(scope: Scope, message_id: int, data: Json) -> Action:
        return _t.MessageActionSuggestedPostApproval(
            rejected=rejected or yes(data, "rejected", "is_rejected"),
            balance_too_low=yes(data, "balance_too_low", "is_balance_too_low"),
            reject_comment=as_text(data.get("reject_comment", data.get("comment"))) or None,
            schedule_date=timestamp(data, "schedule_date") or timestamp(data, "scheduled_date") or None,
            price=_price(data),
        )

    return build


def suggested_post_success(scope: Scope, message_id: int, data: Json) -> Action:
    """A suggested post has been paid."""
    return _t.MessageActionSuggestedPostSuccess(price=_price(data) or _t.StarsAmount(amount=0, nanos=0))
