"""Events in a chat: which are noise, and what is said about the others.

One row for each action of the TL layer. `{names}` are the people it is about, `{title}` a title or topic, `{amount}` a
number, `{date}` a moment, `{price}` the number in the currency that the title is. A row may name several sentences: the
first whose fields are all known is used.
"""

from __future__ import annotations

from collections.abc import Callable

from model.message import Service
from posts.plain import one_line
from posts.wording import price, utc_minute

_NOISE: tuple[str, ...] = ()

# An action's name in snake case, as `Service.kind` has it -> its sentences, the best first; no sentence: noise.
_SENTENCES: dict[str, tuple[str, ...]] = {
    "boost_apply": _NOISE,
    "bot_allowed": _NOISE,
    "change_community": ("The community of this chat changed",),
    "change_creator": ("{names} became the owner", "The chat has a new owner"),
    "channel_create": _NOISE,
    "channel_migrate_from": _NOISE,
    "chat_add_user": _NOISE,
    "chat_create": _NOISE,
    "chat_delete_photo": _NOISE,
    "chat_delete_user": _NOISE,
    "chat_edit_photo": _NOISE,
    "chat_edit_title": _NOISE,
    "chat_joined_by_link": _NOISE,
    "chat_joined_by_request": _NOISE,
    "chat_joined_via_community": _NOISE,
    "chat_migrate_to": _NOISE,
    "conference_call": ("Group call",),
    "contact_sign_up": _NOISE,
    "custom_action": ("{title}", "Service message"),
    "empty": _NOISE,
    "game_score": ("Game score: {amount}", "New game score"),
    "geo_proximity_reached": ("{names} came within {amount} m of each other", "Somebody came close"),
    "gift_code": ("Gift: Telegram Premium for {amount} days", "Gift: Telegram Premium"),
    "gift_premium": ("Gift: Telegram Premium for {amount} days", "Gift: Telegram Premium"),
    "gift_stars": ("Gift: {amount} stars", "Gift: stars"),
    "gift_ton": ("Gift: TON",),
    "giveaway_launch": ("Giveaway of {amount} stars started", "Giveaway started"),
    "giveaway_results": ("Giveaway ended, winners: {amount}", "Giveaway ended"),
    "group_call": _NOISE,
    "group_call_scheduled": ("Live stream planned for {date}", "Live stream planned"),
    "history_clear": _NOISE,
    "invite_to_group_call": _NOISE,
    "managed_bot_created": ("Bot {names} created", "A bot was created"),
    "new_creator_pending": ("{names} will become the owner", "The chat will have a new owner"),
    "no_forwards_request": ("Permission to save content was asked for",),
    "no_forwards_toggle": ("Content protection switched",),
    "paid_messages_price": ("Messages now cost {amount} stars", "The price of messages changed"),
    "paid_messages_refunded": ("{amount} stars for messages were refunded", "Messages were refunded"),
    "payment_refunded": ("A payment of {price} was refunded", "A payment was refunded"),
    "payment_sent": ("Payment of {price} received", "Payment received"),
    "payment_sent_me": ("Payment of {price} received", "Payment received"),
    "phone_call": ("Call",),
    "pin_message": _NOISE,
    "poll_append_answer": ("Poll option added: {title}", "Poll option added"),
    "poll_delete_answer": ("Poll option removed: {title}", "Poll option removed"),
    "prize_stars": ("Prize: {amount} stars", "Prize: stars"),
    "requested_peer": ("Shared: {names}", "A chat was shared"),
    "requested_peer_sent_me": ("Shared: {names}", "A chat was shared"),
    "screenshot_taken": _NOISE,
    "secure_values_sent": ("Telegram Passport data sent",),
    "secure_values_sent_me": ("Telegram Passport data sent",),
    "set_chat_theme": _NOISE,
    "set_chat_wall_paper": _NOISE,
    "set_messages_ttl": _NOISE,
    "star_gift": ("Gift: {amount} stars", "Gift"),
    "star_gift_purchase_offer": ("Offer for the gift {title}: {amount} stars", "Offer for a gift"),
    "star_gift_purchase_offer_declined": ("Offer for the gift {title} declined", "Offer for a gift declined"),
    "star_gift_unique": ("Collectible gift: {title}", "Collectible gift"),
    "suggest_birthday": ("A birthday was suggested",),
    "suggest_profile_photo": ("A profile photo was suggested",),
    "suggested_post_approval": (
        "Suggested post to appear on {date}",
        "Suggested post declined: {title}",
        "Decision about a suggested post",
    ),
    "suggested_post_refund": ("Suggested post refunded",),
    "suggested_post_success": ("Suggested post paid: {amount} stars", "Suggested post paid"),
    "todo_append_tasks": ("Tasks added to the checklist: {title}", "Tasks added to the checklist"),
    "todo_completions": ("Checklist: tasks done", "Checklist changed"),
    "topic_create": ("Topic created: {title}", "Topic created"),
    "topic_edit": ("Topic changed: {title}", "Topic changed"),
    "web_view_data_sent": ("Data sent from the app {title}", "Data sent from an app"),
    "web_view_data_sent_me": ("Data sent from the app {title}", "Data sent from an app"),
}


def _key(kind: str) -> str:
    """Names compare without underscores: TL's `SetMessagesTTL` has more than one spelling in snake case."""
    return kind.replace("_", "").lower()


_BY_KEY = {_key(kind): sentences for kind, sentences in _SENTENCES.items()}


def is_noise(service: Service) -> bool:
    """Whether the event makes no post: pins, new titles and photos, members, calls that start or end, boosts..."""
    return _BY_KEY.get(_key(service.kind)) == _NOISE


def sentence(service: Service, written: Callable[[str], str] = str) -> str:
    """The event in one line, never empty; of a kind never heard of, its name in words.

    `written` says how names and titles stand in it, by default as they are: a plain line.
    """
    known: dict[str, str] = {}
    if names := [name for peer in service.names if (name := one_line(peer.title))]:
        names = [written(name) for name in names]
        known["names"] = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    if title := one_line(service.title):
        known["title"] = written(title)
    if service.amount is not None:
        known["amount"] = str(service.amount)
        if title:
            known["price"] = written(price(service.amount, title))
    if moment := utc_minute(service.date):
        known["date"] = moment
    for template in _BY_KEY.get(_key(service.kind), ()):
        try:
            return template.format_map(known)
        except KeyError:
            continue
    words = one_line(service.kind.replace("_", " "))
    return f"Service message: {written(words)}" if words else "Service message"
