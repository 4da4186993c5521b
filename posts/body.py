"""A post's content: its blocks in their order."""

from __future__ import annotations

from posts.blocks.buttons import buttons
from posts.blocks.comments import comments
from posts.blocks.forward import forward_header
from posts.blocks.kind import Place
from posts.blocks.media import media_blocks
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
    media = media_blocks(sheet, messages, Place.MEDIA)
    text = _text(sheet, group)
    own = "".join(
        (
            _events(group),
            *((text, media) if group.main.caption_above else (media, text)),
            media_blocks(sheet, messages, Place.POLL),
            media_blocks(sheet, messages, Place.SPECIAL),
            media_blocks(sheet, messages, Place.PREVIEW),
            "".join(buttons(sheet, message) for message in messages),
        )
    )
    return "".join(
        (
            forward_header(sheet, messages),
            "".join(reply_block(sheet, message) for message in messages),
            own or notice(sheet, group.first, "Nothing to show here"),
            "" if group.discussed is None else comments(sheet, group.discussed),
        )
    )


def _events(group: Group) -> str:
    return "".join(
        f'<p class="service" dir="auto">{escape(sentence(message.service))}</p>'
        for message in group.messages
        if message.service is not None
    )


def _text(sheet: Sheet, group: Group) -> str:
    text = group.text
    return f'<div class="text" dir="auto">{sheet.text(text)}</div>' if text.text else ""
