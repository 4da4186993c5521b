"""Lists of tasks."""

from __future__ import annotations

from model.message import Message
from model.special import Checklist
from posts.blocks.kind import MediaKind
from posts.blocks.sheet import Sheet


def checklist(sheet: Sheet, message: Message, media: Checklist, kind: MediaKind) -> str:
    """The title, and each task with its box."""
    title = sheet.inline(media.title) or kind.one
    items = "".join(f"<li>{'☑' if item.done else '☐'} {sheet.inline(item.text)}</li>" for item in media.items)
    return f'<div class="card {kind.name}" dir="auto"><p><b>{title}</b></p>{f"<ul>{items}</ul>" if items else ""}</div>'
