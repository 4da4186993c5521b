"""Link previews."""

from __future__ import annotations

from model.media import WebPage
from model.message import Message
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet
from posts.plain import cut, escape, one_line
from posts.urls import safe_url

_LARGEST_IMAGE = 320
_LONGEST_DESCRIPTION = 300


def preview(sheet: Sheet, message: Message, media: WebPage, kind: MediaKind) -> str:
    """Site, linked title, description and picture, small and fenced."""
    url = safe_url(media.url)
    title = one_line(media.title) or one_line(media.author) or one_line(media.display_url) or one_line(media.url)
    lines = []
    if site := one_line(media.site_name):
        lines.append(f'<p dir="auto"><small>{escape(site)}</small></p>')
    if title:
        name = f"<b>{escape(title)}</b>"
        lines.append(f'<p dir="auto">{name if url is None else f"""<a href="{escape(url)}">{name}</a>"""}</p>')
    if description := one_line(media.description):
        shown = cut(description, _LONGEST_DESCRIPTION, _LONGEST_DESCRIPTION // 2)
        lines.append(f'<p dir="auto">{escape(shown)}</p>')
    if media.photo is not None:
        lines.append(f"<p>{sheet.image(message, media.photo, title, largest=_LARGEST_IMAGE)}</p>")
    return f'<blockquote class="preview">{"".join(lines)}</blockquote>' if lines else ""
