"""What surrounds a message's content: forward, reply, comments, buttons, reactions, link preview."""

from __future__ import annotations

import base64
from collections.abc import Callable

from pyrogram import raw

from tgserver.export.bridge import ForwardExtra, MessageExtra, ReplyExtra, WebPageExtra
from tgserver.export.files import build_photo, named_file
from tgserver.export.identity import stable_id
from tgserver.export.peers import parse_peer
from tgserver.export.scope import Scope
from tgserver.export.text import custom_emoji_id, parse_text
from tgserver.export.values import Json, as_dict, as_int, as_list, as_text, count, int32, timestamp

_t = raw.types


def build_forward(scope: Scope, data: Json, extra: MessageExtra) -> raw.types.MessageFwdHeader | None:
    """The header of a forwarded message, `None` if it isn't one.

    A name without an id is somebody who hides the account: only the name travels. Exports do not tell
    when the original was posted, so its date is the message's own unless `bridge` says another.
    """
    told = extra.forward or ForwardExtra()
    written = data.get("forwarded_from_id")
    if extra.forward is None and written is None and "forwarded_from" not in data and "saved_from" not in data:
        return None
    name = told.name if told.name is not None else as_text(data.get("forwarded_from"))
    if told.channel_id is not None:
        from_id: raw.base.Peer | None = _t.PeerChannel(channel_id=scope.peers.channel(told.channel_id, name))
    elif told.user_id is not None:
        from_id = _t.PeerUser(user_id=scope.peers.user(told.user_id, name))
    else:
        from_id = scope.peers.peer(written, name)
    saved_from = scope.peers.peer(data.get("saved_from_id"), data.get("saved_from"))
    return _t.MessageFwdHeader(
        date=told.date if told.date is not None else timestamp(data),
        from_id=from_id,
        from_name=name or None if from_id is None else None,
        channel_post=told.channel_post,
        post_author=told.post_author,
        saved_from_id=saved_from,
        saved_from_name=as_text(data.get("saved_from")) or None if saved_from is None else None,
    )


def build_reply(scope: Scope, data: Json, extra: MessageExtra) -> raw.base.MessageReplyHeader | None:
    """The header of a reply: to which message or story, of which chat, quoting what; `None` if it isn't one."""
    told = extra.reply_to or ReplyExtra()
    if told.story_id is not None:
        return _t.MessageReplyStoryHeader(peer=_story_owner(scope, told), story_id=told.story_id)
    pinned_or_scored = data.get("message_id") or data.get("game_message_id") or data.get("invoice_message_id")
    written = data.get("reply_to_message_id") or (pinned_or_scored if data.get("type") == "service" else None)
    to_id = told.message_id or max(0, int32(written))
    topic = max(0, int32(data.get("topic_id", data.get("reply_to_top_id"))))
    if not (to_id or topic or extra.quote or extra.reply_to):
        return None
    header = _t.MessageReplyHeader(reply_to_msg_id=to_id or topic or None)
    if topic:
        header.forum_topic = True
        header.reply_to_top_id = topic if to_id and to_id != topic else None
    if told.chat_id is not None:
        header.reply_to_peer_id = _t.PeerChannel(channel_id=scope.peers.channel(told.chat_id))
    elif data.get("reply_to_peer_id"):
        header.reply_to_peer_id = scope.peers.peer(data.get("reply_to_peer_id"))
    if told.from_name is not None:
        header.reply_from = _t.MessageFwdHeader(date=timestamp(data), from_name=told.from_name)
    if extra.quote is not None:
        text, entities = parse_text(extra.quote.text_entities or extra.quote.text)
        header.quote = extra.quote.manual or None
        header.quote_text = text
        header.quote_entities = entities or None
        header.quote_offset = extra.quote.offset
    return header


def _story_owner(scope: Scope, told: ReplyExtra) -> raw.base.Peer:
    if told.user_id is not None:
        return _t.PeerUser(user_id=scope.peers.user(told.user_id))
    if told.chat_id is not None:
        return _t.PeerChannel(channel_id=scope.peers.channel(told.chat_id))
    return scope.peer


def build_replies(scope: Scope, extra: MessageExtra) -> raw.types.MessageReplies | None:
    """The number of comments, `None` if the message has no comment section.

    TL names the discussion group with each count, so one is made up where `bridge` names none.
    """
    if extra.comments is None:
        return None
    group_id = extra.comments.chat_id or stable_id("discussion", scope.chat.id, bits=40)
    scope.peers.supergroup(group_id)
    return _t.MessageReplies(replies=extra.comments.count, replies_pts=0, comments=True, channel_id=group_id)


def build_web_page(scope: Scope, message_id: int, told: WebPageExtra, data: Json) -> raw.types.MessageMediaWebPage:
    """A link preview; exports hold none, so all of it comes from `bridge`."""
    photo = None
    if told.photo is not None:
        named_file(scope, told.photo, scope.where(message_id))
        dates = {key: data.get(key) for key in ("date", "date_unixtime")}
        photo = build_photo(scope, message_id, "preview", told.photo, dates)
    page = _t.WebPage(
        id=scope.id_for(message_id, f"page {told.url}"),
        url=told.url,
        display_url=told.display_url or told.url.split("://", 1)[-1].rstrip("/"),
        hash=0,
        has_large_media=told.large or None,
        type=told.type or "article",
        site_name=told.site_name,
        title=told.title,
        description=told.description,
        author=told.author,
        photo=photo,
    )
    return _t.MessageMediaWebPage(webpage=page, force_large_media=told.large or None)


def build_reactions(scope: Scope, data: Json, extra: MessageExtra) -> raw.types.MessageReactions | None:
    """Counts of reactions and the recent ones; those of `bridge` replace the export's own."""
    results: list[raw.types.ReactionCount] = []
    recent: list[raw.types.MessagePeerReaction] = []
    for told in extra.reactions:
        reaction: raw.base.Reaction = _t.ReactionPaid()
        if told.emoji is not None:
            reaction = _t.ReactionEmoji(emoticon=told.emoji)
        elif told.custom_emoji_id is not None:
            reaction = _t.ReactionCustomEmoji(document_id=as_int(told.custom_emoji_id))
        results.append(_t.ReactionCount(reaction=reaction, count=told.count))
    for entry in [] if extra.reactions else as_list(data.get("reactions")):
        written = as_dict(entry)
        known = _written_reaction(written)
        if known is None:
            continue
        results.append(_t.ReactionCount(reaction=known, count=count(written.get("count"))))
        for who in map(as_dict, as_list(written.get("recent"))):
            peer = scope.peers.peer(who.get("from_id"), who.get("from"))
            if peer is not None:
                recent.append(_t.MessagePeerReaction(peer_id=peer, date=timestamp(who), reaction=known))
    if not results:
        return None
    return _t.MessageReactions(results=results, can_see_list=bool(recent) or None, recent_reactions=recent or None)


def _written_reaction(written: Json) -> raw.base.Reaction | None:
    kind = as_text(written.get("type"), "emoji")
    if kind == "paid":
        return _t.ReactionPaid()
    if kind == "custom_emoji":
        document_id = custom_emoji_id(written.get("document_id"))
        return None if document_id is None else _t.ReactionCustomEmoji(document_id=document_id)
    emoji = as_text(written.get("emoji"))
    return _t.ReactionEmoji(emoticon=emoji) if emoji else None


def build_keyboard(scope: Scope, data: Json, extra: MessageExtra) -> raw.types.ReplyInlineMarkup | None:
    """Inline buttons; those of `bridge` replace the export's own."""
    rows: list[list[raw.types.KeyboardInlineButton]] = [
        [_t.KeyboardInlineButton(text=button.text, type=_t.InlineButtonTypeUrl(url=button.url)) for button in row]
        for row in extra.keyboard
    ]
    for row in [] if extra.keyboard else as_list(data.get("inline_bot_buttons")):
        built = []
        for written in map(as_dict, as_list(row)):
            build = _BUTTONS.get(as_text(written.get("type")), _inert)
            built.append(_t.KeyboardInlineButton(text=as_text(written.get("text")), type=build(scope, written)))
        rows.append(built)
    rows = [row for row in rows if row]
    if not rows:
        return None
    return _t.ReplyInlineMarkup(rows=[_t.KeyboardInlineButtonRow(buttons=row) for row in rows])


_Button = raw.base.InlineButtonType


def _data(written: Json) -> bytes:
    try:
        decoded = base64.b64decode(as_text(written.get("dataBase64")))
    except ValueError:
        decoded = b""
    return decoded or as_text(written.get("data")).encode()


def _inert(scope: Scope, written: Json) -> _Button:
    return _t.InlineButtonTypeDisabled()


def _auth(scope: Scope, written: Json) -> _Button:
    return _t.InlineButtonTypeUrlAuth(
        url=as_text(written.get("data")),
        button_id=int32(written.get("button_id")),
        fwd_text=as_text(written.get("forward_text")) or None,
    )


def _user_profile(scope: Scope, written: Json) -> _Button:
    parsed = parse_peer(written.get("data")) or parse_peer(written.get("user_id"))
    return _t.InlineButtonTypeUserProfile(user_id=scope.peers.user(parsed[1])) if parsed else _inert(scope, {})


# One row a kind of button; the kinds of reply keyboards do nothing below a message.
_BUTTONS: dict[str, Callable[[Scope, Json], _Button]] = {
    "url": lambda s, b: _t.InlineButtonTypeUrl(url=as_text(b.get("data"))),
    "callback": lambda s, b: _t.InlineButtonTypeCallback(data=_data(b)),
    "callback_with_password": lambda s, b: _t.InlineButtonTypeCallback(data=_data(b), requires_password=True),
    "switch_inline": lambda s, b: _t.InlineButtonTypeSwitchInline(query=as_text(b.get("data"))),
    "switch_inline_same": lambda s, b: _t.InlineButtonTypeSwitchInline(query=as_text(b.get("data")), same_peer=True),
    "game": lambda s, b: _t.InlineButtonTypeGame(),
    "buy": lambda s, b: _t.InlineButtonTypeBuy(),
    "auth": _auth,
    "user_profile": _user_profile,
    "web_view": lambda s, b: _t.InlineButtonTypeWebView(url=as_text(b.get("data"))),
    "simple_web_view": lambda s, b: _t.InlineButtonTypeWebView(url=as_text(b.get("data"))),
    "copy_text": lambda s, b: _t.InlineButtonTypeCopy(copy_text=as_text(b.get("data"))),
}
