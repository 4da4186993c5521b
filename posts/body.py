"""A post's content: its blocks in their order."""

from __future__ import annotations

from posts.blocks.buttons import buttons
from posts.blocks.comments import comments
from posts.blocks.forward import forward_header, via_bots
from posts.blocks.kind import Place
from posts.blocks.media import media_blocks
from posts.blocks.names import isolated
from posts.blocks.reply import reply_block
from posts.blocks.sheet import Sheet
from posts.blocks.unsupported import notice
from posts.grouping import Group
from posts.plain import escape
from posts.services import sentence


def body(sheet: Sheet, group: Group) -> str:
    """Where it comes from, what it answers, media and text, polls, other kinds, preview, buttons, comments.

    Never empty: a message with nothing in it says so.
    """
    messages = group.messages
    media = media_blocks(sheet, messages)
    files = media.pop(Place.MEDIA, "")
    text = _text(sheet, group)
    own = [text, files] if group.main.caption_above else [files, text]
    own += [media[place] for place in sorted(media)]
    own += [buttons(sheet, message) for message in messages if message.buttons]
    if not any(own):
        own = [notice(sheet, group.first, "Nothing to show here")]
    around = [_restriction(group)]
    around += [forward_header(sheet, messages), via_bots(sheet, messages)]
    around += [reply_block(sheet, message) for message in messages if message.reply is not None]
    discussed = group.discussed
    discussion = "" if discussed is None else comments(sheet, discussed)
    return "".join([*around, *own, discussion])


def _restriction(group: Group) -> str:
    reason = next((message.restriction for message in group.messages if message.restriction), "")
    return f'<p class="restricted" dir="auto">Restricted by Telegram: {escape(reason)}</p>' if reason else ""


def _text(sheet: Sheet, group: Group) -> str:
    """Events as sentences, and the texts."""
    events = [
        f'<p class="service" dir="auto">{sentence(message.service, isolated)}</p>'
        for message in group.messages
        if message.service is not None
    ]
    text = group.text
    if text.text:
        events.append(f'<div class="text" dir="auto">{sheet.text(text)}</div>')
    return "".join(events)
