"""Media that costs stars."""

from __future__ import annotations

from model.message import Message
from model.special import PaidMedia, PaidPreview
from posts.blocks.attachment import attachment
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet
from posts.identity import post_link
from posts.plain import escape
from posts.wording import counted, duration


def paid_media(sheet: Sheet, message: Message, media: PaidMedia, kind: MediaKind) -> str:
    """The price; what has been bought as it is, the rest as what is told of it, and where to buy it."""
    price = f": {counted(media.stars, 'star', 'stars')}" if media.stars > 0 else ""
    locked = [f"<li>{locked_line(item)}</li>" for item in media.items if isinstance(item, PaidPreview)]
    bought = [attachment(sheet, message, item) for item in media.items if not isinstance(item, PaidPreview)]
    shown = f'<div class="album">{"".join(bought)}</div>' if len(bought) > 1 else "".join(bought)
    hidden = ""
    if locked:
        link = escape(post_link(sheet.channel, message.id, sheet.options))
        hidden = f'<ul>{"".join(locked)}</ul><p><a href="{link}">Unlock in Telegram</a></p>'
    return f'<div class="card {kind.name}"><p>{kind.icon} <b>{kind.one}</b>{price}</p>{hidden}</div>{shown}'


def locked_line(item: PaidPreview) -> str:
    """What kind of media is hidden, and its size."""
    length = duration(item.duration)
    size = f"{item.width} × {item.height}" if item.width > 0 and item.height > 0 else ""
    return f"🔒 {', '.join(filter(None, ('Video' if length else 'Photo', size, length)))}"
