"""What a message answers."""

from __future__ import annotations

from model.entity import Text
from model.message import Message, Reply
from posts.author import origin_name
from posts.blocks.names import isolated
from posts.blocks.sheet import Sheet
from posts.blocks.story import story_link
from posts.identity import peer_link, post_link
from posts.plain import cut, escape


def reply_block(sheet: Sheet, message: Message) -> str:
    """Who is answered, linked, and the quote, fenced; "" if the message answers nothing.

    The quote of a post close by is cut: its reader has just seen it.
    """
    reply = message.reply
    if reply is None or not (
        reply.message_id is not None or reply.chat or reply.author or reply.quote.text or reply.story_id
    ):
        return ""
    quote = reply.quote
    options = sheet.options
    if (
        reply.message_id is not None
        and _is_here(sheet, reply)
        and abs(message.id - reply.message_id) <= options.reply_quote_distance
    ):
        limit = max(options.reply_quote_chars, 0)
        quote = Text(cut(quote.text, limit, limit // 2), quote.entities)
    html = f'<div dir="auto">{sheet.text(quote)}</div>' if quote.text else ""
    return f'<blockquote class="reply"><p dir="auto">In reply to {_answered(sheet, reply)}</p>{html}</blockquote>'


def _is_here(sheet: Sheet, reply: Reply) -> bool:
    return reply.chat is None or reply.chat.id == sheet.channel.id


def _answered(sheet: Sheet, reply: Reply) -> str:
    if reply.story_id is not None:
        return _story(sheet, reply, reply.story_id)
    if reply.author is not None:
        name = origin_name(reply.author)
    elif reply.chat is not None and not _is_here(sheet, reply):
        name = origin_name(reply.chat)
    elif reply.message_id is not None:
        name = f"post #{reply.message_id}"
    else:
        name = "a message"
    link = ""
    if reply.message_id is not None:
        if reply.chat is None or reply.chat.id == sheet.channel.id:
            link = post_link(sheet.channel, reply.message_id, sheet.options)
        else:
            link = peer_link(reply.chat, sheet.options.link_host, reply.message_id)
    return f'<a href="{escape(link)}">{escape(name)}</a>' if link else escape(name)


def _story(sheet: Sheet, reply: Reply, story_id: int) -> str:
    owner = reply.chat
    if owner is None or _is_here(sheet, reply):
        # The channel's own.
        link, whose = story_link(sheet.channel.username, story_id, sheet.options.link_host), ""
    else:
        link = story_link(owner.username, story_id, sheet.options.link_host)
        whose = f" of {isolated(origin_name(owner))}"
    return f'<a href="{escape(link)}">a story</a>{whose}' if link else f"a story{whose}"
