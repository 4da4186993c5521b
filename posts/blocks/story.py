"""Stories that messages share."""

from __future__ import annotations

from model.message import Message
from model.special import Story
from posts.author import origin_name
from posts.blocks.attachment import attachment
from posts.blocks.kind import MediaKind
from posts.blocks.names import isolated
from posts.blocks.sheet import Sheet
from posts.identity import post_link
from posts.plain import escape
from posts.urls import path_part


def story(sheet: Sheet, message: Message, media: Story, kind: MediaKind) -> str:
    """Whose story it is, where to see it, and what is known of it."""
    author = media.author
    username = None if author is None else author.username
    link = story_link(username, media.id, sheet.options.link_host)
    link = link or post_link(sheet.channel, message.id, sheet.options)
    by = "" if author is None else f" of <b>{isolated(origin_name(author))}</b>"
    file = "" if media.media is None else attachment(sheet, message, media.media)
    text = f'<div dir="auto">{sheet.text(media.text)}</div>' if media.text.text else ""
    return (
        f'<div class="card {kind.name}"><p dir="auto">{kind.icon} {kind.one}{by}: '
        f'<a href="{escape(link)}">see it in Telegram</a></p>{file}{text}</div>'
    )


def story_link(username: str | None, story_id: int, link_host: str) -> str:
    """A story on the web; "" for one of somebody without a public name."""
    return f"{link_host}/{path_part(username)}/s/{story_id}" if username else ""
