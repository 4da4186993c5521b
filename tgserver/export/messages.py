"""One message: an export's JSON object becomes a `Message` or a `MessageService`."""

from __future__ import annotations

from typing import Any

from pyrogram import raw

from tgserver.export.actions import build_action
from tgserver.export.bridge import MessageExtra, message_extra
from tgserver.export.context import (
    build_forward,
    build_keyboard,
    build_reactions,
    build_replies,
    build_reply,
    build_web_page,
)
from tgserver.export.errors import ExportError
from tgserver.export.media import build_media
from tgserver.export.named_files import named_files
from tgserver.export.scope import Scope
from tgserver.export.text import mentioned_user_id, message_text
from tgserver.export.tl_json import from_json
from tgserver.export.values import INT32_MAX, Json, as_dict, as_id, as_int, as_list, as_text, int32, timestamp
from tgserver.world import TLMessage


def message_id_of(data: Json) -> int | None:
    """The message's id, negative for history from before a migration; `None` if TL can't carry it."""
    number = as_id(data.get("id"))
    return number if number and abs(number) <= INT32_MAX else None


def build(scope: Scope, message_id: int, data: Json) -> TLMessage:
    """The TL message with that id. Only a faulty `bridge` object raises (`ExportError`)."""
    extra = message_extra(data, scope.where(message_id))
    if data.get("type") == "service" or extra.action is not None:
        return _service(scope, message_id, data, extra)
    return _message(scope, message_id, data, extra)


def _service(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> raw.types.MessageService:
    sender = _sender(scope, data.get("actor_id"), data.get("actor"))
    if extra.action is not None:
        action = _from_json(scope, message_id, data, "action", "MessageAction", extra.action)
    else:
        action = build_action(scope, message_id, data)
    return raw.types.MessageService(
        id=message_id,
        peer_id=scope.peer,
        date=timestamp(data),
        action=action,
        from_id=sender,
        out=_is_own(scope, sender),
        post=scope.is_broadcast or None,
        silent=extra.silent or None,
        reply_to=build_reply(scope, data, extra),
        reactions=build_reactions(scope, data, extra),
    )


def _message(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> raw.types.Message:
    text, entities, unreadable = message_text(data)
    if unreadable:
        scope.losses["pieces of text of unknown form"] += unreadable
    for piece in as_list(data.get("text_entities")) or as_list(data.get("text")):
        fields = as_dict(piece)
        if fields.get("type") == "mention_name" and (user_id := mentioned_user_id(fields)):
            scope.peers.user(user_id, fields.get("text"))
    if extra.entities is not None:
        entities = [
            _from_json(scope, message_id, data, f"entities[{index}]", "MessageEntity", entry)
            for index, entry in enumerate(extra.entities)
        ]
    sender = _sender(scope, data.get("from_id"), data.get("from"))
    counted = extra.views is not None or extra.forwards is not None
    return raw.types.Message(
        id=message_id,
        peer_id=scope.peer,
        date=timestamp(data),
        message=text,
        entities=entities or None,
        from_id=sender,
        out=_is_own(scope, sender),
        post=scope.is_broadcast or None,
        post_author=as_text(data.get("author")) or None,
        fwd_from=build_forward(scope, data, extra),
        via_bot_id=scope.peers.bot(data.get("via_bot")),
        reply_to=build_reply(scope, data, extra),
        media=_media(scope, message_id, data, extra),
        reply_markup=build_keyboard(scope, data, extra),
        # TL carries both counters or none.
        views=(extra.views or 0) if counted else None,
        forwards=(extra.forwards or 0) if counted else None,
        replies=build_replies(scope, extra),
        edit_date=timestamp(data, "edited") or None,
        edit_hide=extra.edit_hide or None,
        grouped_id=as_int(extra.grouped_id) if extra.grouped_id is not None else None,
        reactions=build_reactions(scope, data, extra),
        silent=extra.silent or None,
        pinned=extra.pinned or None,
        invert_media=extra.invert_media or None,
        noforwards=None,
        restriction_reason=_restriction(extra),
        from_boosts_applied=int32(data.get("from_boosts_applied", data.get("boosts_applied"))) or None,
        rich_message=_rich_message(scope, message_id, data, extra),
    )


def _media(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> raw.base.MessageMedia | None:
    if extra.media is not None:
        media: raw.base.MessageMedia = _from_json(scope, message_id, data, "media", "MessageMedia", extra.media)
        return media
    built = build_media(scope, message_id, data, extra)
    if extra.web_page is None:
        return built
    if built is not None:
        raise ExportError(
            f"{scope.where(message_id)}: bridge.web_page: a message with other media can't have a link preview;"
            " remove one of them"
        )
    return build_web_page(scope, message_id, extra.web_page, data)


def _rich_message(scope: Scope, message_id: int, data: Json, extra: MessageExtra) -> raw.base.RichMessage | None:
    if extra.rich_message is None:
        return None
    rich: raw.base.RichMessage = _from_json(scope, message_id, data, "rich_message", "RichMessage", extra.rich_message)
    return rich


def _restriction(extra: MessageExtra) -> list[raw.base.RestrictionReason] | None:
    if extra.restriction is None:
        return None
    return [raw.types.RestrictionReason(platform="all", reason="terms", text=extra.restriction)]


def _sender(scope: Scope, written: object, name: object) -> raw.base.Peer | None:
    """Who wrote it; `None` for the chat itself, in whose name channels and hidden admins write."""
    sender = scope.peers.peer(written, name)
    return None if sender == scope.peer and not isinstance(sender, raw.types.PeerUser) else sender


def _is_own(scope: Scope, sender: raw.base.Peer | None) -> bool | None:
    if not isinstance(sender, raw.types.PeerUser):
        return None
    if scope.own_id is not None:
        return sender.user_id == scope.own_id or None
    # A dialog has two sides: what the other one did not write is the exporter's own.
    return (isinstance(scope.chat.peer, raw.types.User) and sender.user_id != scope.chat.id) or None


def _from_json(scope: Scope, message_id: int, data: Json, key: str, kind: str, told: object) -> Any:
    where = f"{scope.where(message_id)}: bridge.{key}"
    try:
        built = from_json(told, named_files(scope, message_id, data))
    except ValueError as error:
        raise ExportError(f"{where}: {error}") from error
    if not type(built).__name__.startswith(kind):
        raise ExportError(f"{where}: {built.QUALNAME} is no {kind}")
    return built
