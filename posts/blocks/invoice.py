"""Offers to pay."""

from __future__ import annotations

from model.entity import Text
from model.message import Message
from model.special import Invoice, PaidPreview
from posts.blocks.attachment import attachment
from posts.blocks.kind import MediaKind
from posts.blocks.paid import locked_line
from posts.blocks.sheet import Sheet
from posts.identity import post_link
from posts.plain import escape, one_line
from posts.urls import safe_url
from posts.wording import price


def invoice(sheet: Sheet, message: Message, media: Invoice, kind: MediaKind) -> str:
    """Title, description, the seller's picture, the price, and where to pay."""
    title = one_line(media.title) or kind.one
    lines = [f"<p>{kind.icon} <b>{escape(title)}</b></p>"]
    if media.description.strip():
        lines.append(f"<p>{sheet.text(Text(media.description.strip()))}</p>")
    url = safe_url(media.photo_url)
    if url is not None and url.lower().startswith("http"):
        lines.append(f'<p><img src="{escape(url)}" alt="{escape(title)}" loading="lazy"></p>')
    if isinstance(media.media, PaidPreview):
        lines.append(f"<p>{locked_line(media.media)}</p>")
    elif media.media is not None:
        lines.append(attachment(sheet, message, media.media))
    amount = escape(price(media.amount, one_line(media.currency)))
    state = f"{amount}{' · paid' if media.paid else ''}{' · test' if media.test else ''}"
    link = escape(post_link(sheet.channel, message.id, sheet.options))
    lines.append(
        f'<p><b><bdi>{state}</bdi></b> · <a href="{link}">{"Receipt" if media.paid else "Pay"} in Telegram</a></p>'
    )
    return f'<div class="card {kind.name}" dir="auto">{"".join(lines)}</div>'
