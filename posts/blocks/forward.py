"""Where forwarded messages come from, and through which bots messages were written."""

from __future__ import annotations

from collections.abc import Sequence

from model.message import Forward, Message
from posts.author import origin_name
from posts.blocks.names import isolated
from posts.blocks.sheet import Sheet
from posts.identity import peer_link
from posts.plain import escape, one_line
from posts.urls import path_part


def forward_header(sheet: Sheet, messages: Sequence[Message]) -> str:
    """A line for each origin, in the messages' order; messages with the same origin share one."""
    seen = set()
    lines = []
    for message in messages:
        forward = message.forward
        if forward is None or (key := (forward.origin.id, forward.origin.title, forward.signature)) in seen:
            continue
        seen.add(key)
        lines.append(f'<p class="forward" dir="auto">Forwarded from {_origin(sheet, forward)}</p>')
    return "".join(lines)


def via_bots(sheet: Sheet, messages: Sequence[Message]) -> str:
    """A line for each bot through which somebody has written a message."""
    names = dict.fromkeys(name for message in messages if (name := one_line(message.via_bot)))
    lines = [
        f'<p class="forward">Via <a href="{escape(f"{sheet.options.link_host}/{path_part(name)}")}">'
        f"@{escape(name)}</a></p>"
        for name in names
    ]
    return "".join(lines)


def _origin(sheet: Sheet, forward: Forward) -> str:
    name = f"<b>{isolated(origin_name(forward.origin))}</b>"
    if link := peer_link(forward.origin, sheet.options.link_host, forward.post_id):
        name = f'<a href="{escape(link)}">{name}</a>'
    signature = one_line(forward.signature)
    return f"{name} ({isolated(signature)})" if signature else name


def original_url(forward: Forward, link_host: str) -> str:
    """The message that was forwarded, on the web; "" if that can't be told."""
    if forward.post_id is None:
        return ""
    link = peer_link(forward.origin, link_host, forward.post_id)
    # People have addresses in the app alone.
    return link if link.startswith("http") else ""
