"""TL service actions as `Service`: one row an action says where its parts are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pyrogram import raw

from model.channel import PeerName
from model.message import Service
from telegram.adapter_peers import Peers, marked_channel_id, marked_id
from telegram.adapter_text import words


class _Row(NamedTuple):
    """Attribute paths inside one action. `people` hold user ids, TL peers, or lists of them; `chat` a bare id."""

    people: tuple[str, ...] = ()
    channel: str = ""
    chat: str = ""
    title: str = ""
    amount: str = ""
    date: str = ""


# Actions without a row have no parts worth a word besides their kind.
ROWS: dict[type[raw.base.MessageAction], _Row] = {
    raw.types.MessageActionBoostApply: _Row(amount="boosts"),
    raw.types.MessageActionBotAllowed: _Row(title="domain"),
    raw.types.MessageActionChangeCreator: _Row(people=("new_creator_id",)),
    raw.types.MessageActionChannelCreate: _Row(title="title"),
    raw.types.MessageActionChannelMigrateFrom: _Row(title="title", chat="chat_id"),
    raw.types.MessageActionChatAddUser: _Row(people=("users",)),
    raw.types.MessageActionChatCreate: _Row(title="title", people=("users",)),
    raw.types.MessageActionChatDeleteUser: _Row(people=("user_id",)),
    raw.types.MessageActionChatEditTitle: _Row(title="title"),
    raw.types.MessageActionChatJoinedByLink: _Row(people=("inviter_id",)),
    raw.types.MessageActionChatMigrateTo: _Row(channel="channel_id"),
    raw.types.MessageActionConferenceCall: _Row(people=("other_participants",), amount="duration"),
    raw.types.MessageActionCustomAction: _Row(title="message"),
    raw.types.MessageActionGameScore: _Row(amount="score"),
    raw.types.MessageActionGeoProximityReached: _Row(people=("from_id", "to_id"), amount="distance"),
    raw.types.MessageActionGiftCode: _Row(people=("boost_peer",), amount="days", title="message.text"),
    raw.types.MessageActionGiftPremium: _Row(amount="days", title="message.text"),
    raw.types.MessageActionGiftStars: _Row(amount="stars"),
    raw.types.MessageActionGiftTon: _Row(amount="crypto_amount"),
    raw.types.MessageActionGiveawayLaunch: _Row(amount="stars"),
    raw.types.MessageActionGiveawayResults: _Row(amount="winners_count"),
    raw.types.MessageActionGroupCall: _Row(amount="duration"),
    raw.types.MessageActionGroupCallScheduled: _Row(date="schedule_date"),
    raw.types.MessageActionInviteToGroupCall: _Row(people=("users",)),
    raw.types.MessageActionManagedBotCreated: _Row(people=("bot_id",)),
    raw.types.MessageActionNewCreatorPending: _Row(people=("new_creator_id",)),
    raw.types.MessageActionPaidMessagesPrice: _Row(amount="stars"),
    raw.types.MessageActionPaidMessagesRefunded: _Row(amount="stars"),
    raw.types.MessageActionPaymentRefunded: _Row(people=("peer",), title="currency", amount="total_amount"),
    raw.types.MessageActionPaymentSent: _Row(title="currency", amount="total_amount"),
    raw.types.MessageActionPaymentSentMe: _Row(title="currency", amount="total_amount"),
    raw.types.MessageActionPhoneCall: _Row(amount="duration"),
    raw.types.MessageActionPollAppendAnswer: _Row(title="answer.text.text"),
    raw.types.MessageActionPollDeleteAnswer: _Row(title="answer.text.text"),
    raw.types.MessageActionPrizeStars: _Row(people=("boost_peer",), amount="stars"),
    raw.types.MessageActionRequestedPeer: _Row(people=("peers",)),
    raw.types.MessageActionSetChatTheme: _Row(title="theme.emoticon"),
    raw.types.MessageActionSetMessagesTTL: _Row(people=("auto_setting_from",), amount="period"),
    raw.types.MessageActionStarGift: _Row(people=("from_id", "peer"), title="message.text", amount="gift.stars"),
    raw.types.MessageActionStarGiftPurchaseOffer: _Row(title="gift.title", amount="price.amount", date="expires_at"),
    raw.types.MessageActionStarGiftPurchaseOfferDeclined: _Row(title="gift.title", amount="price.amount"),
    raw.types.MessageActionStarGiftUnique: _Row(people=("from_id", "peer"), title="gift.title"),
    raw.types.MessageActionSuggestedPostApproval: _Row(
        title="reject_comment", amount="price.amount", date="schedule_date"
    ),
    raw.types.MessageActionSuggestedPostSuccess: _Row(amount="price.amount"),
    raw.types.MessageActionTodoAppendTasks: _Row(title="list.title.text"),
    raw.types.MessageActionTopicCreate: _Row(title="title"),
    raw.types.MessageActionTopicEdit: _Row(title="title"),
    raw.types.MessageActionWebViewDataSent: _Row(title="text"),
    raw.types.MessageActionWebViewDataSentMe: _Row(title="text"),
}


def to_service(action: raw.base.MessageAction, peers: Peers) -> Service:
    """The event that a service message tells; `kind` alone for actions nobody has described."""
    row = ROWS.get(type(action), _Row())
    names = [name for path in row.people for value in _values(action, path) for name in _people(value, peers)]
    names += [peers.named(marked_channel_id(value)) for value in _numbers(action, row.channel)]
    names += [peers.named(-value) for value in _numbers(action, row.chat)]
    return Service(
        kind=words(action, "MessageAction").replace(" ", "_"),
        names=tuple(names),
        title=", ".join(value for value in _values(action, row.title) if isinstance(value, str)),
        amount=next(_numbers(action, row.amount), None),
        date=next(_numbers(action, row.date), None),
    )


def _values(thing: object, path: str) -> Iterator[object]:
    """What lies at a dotted path; lists on the way are walked, what is absent is left out."""
    if thing is None:
        return
    if isinstance(thing, list):
        for element in thing:
            yield from _values(element, path)
    elif path:
        head, _, rest = path.partition(".")
        # Another constructor of the same type may lack the field (a gift, a theme), so absence is normal.
        found = getattr(thing, head, None)
        if rest:
            yield from _values(found, rest)
        elif isinstance(found, list):
            yield from found
        elif found is not None:
            yield found


def _numbers(action: object, path: str) -> Iterator[int]:
    return (value for value in _values(action, path) if isinstance(value, int))


def _people(value: object, peers: Peers) -> Iterator[PeerName]:
    if isinstance(value, int):
        yield peers.named(value)
    elif isinstance(value, raw.types.PeerUser | raw.types.PeerChat | raw.types.PeerChannel):
        yield peers.named(marked_id(value))
