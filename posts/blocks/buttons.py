"""Links on buttons below a message."""

from __future__ import annotations

from model.message import Message
from posts.blocks.sheet import Sheet
from posts.plain import escape, one_line
from posts.urls import safe_url


def buttons(sheet: Sheet, message: Message) -> str:
    """The buttons as a list of links; those whose URL may not be a link are left out."""
    items = [
        f'<li dir="auto"><a href="{escape(url)}">{escape(one_line(button.text) or url)}</a></li>'
        for button in message.buttons
        if (url := safe_url(button.url)) is not None
    ]
    return f'<ul class="buttons">{"".join(items)}</ul>' if items else ""
