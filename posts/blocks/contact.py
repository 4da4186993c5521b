"""Somebody's phone number."""

from __future__ import annotations

import re

from model.message import Message
from model.special import Contact
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet
from posts.plain import escape, one_line

_NOT_IN_A_NUMBER = re.compile(r"[^0-9+*#,;]+")


def contact_name(media: Contact) -> str:
    """First and last name in a plain line; "" if there is neither."""
    return " ".join(filter(None, (one_line(media.first_name), one_line(media.last_name))))


def contact(sheet: Sheet, message: Message, media: Contact, kind: MediaKind) -> str:
    """Name and number, linked, and the way to the account if there is one."""
    lines = [f"<p>{kind.icon} <b>{escape(contact_name(media) or kind.one)}</b></p>"]
    if phone := one_line(media.phone):
        number = _NOT_IN_A_NUMBER.sub("", phone)
        shown = f"<bdi>{escape(phone)}</bdi>"
        lines.append(f'<p><a href="tel:{number}">{shown}</a></p>' if number else f"<p>{shown}</p>")
    if media.user_id > 0:
        lines.append(f'<p><a href="tg://user?id={media.user_id}">Open in Telegram</a></p>')
    return f'<div class="card {kind.name}" dir="auto">{"".join(lines)}</div>'
