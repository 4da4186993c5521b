"""One post as JSON for programs. All fields are always there: null and empty lists stand for what a post has not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from feeds import dates, xml
from feeds.assembly import entity_tag
from feeds.feed import Document, Item
from model.attachment import Attachment, FileRef, LivePhoto
from model.channel import Channel, PeerName
from model.files import attachments_of
from model.media import Game, Media, WebPage
from model.message import Forward, Message, Reaction, Reply
from model.place import Location, Venue
from model.poll import Poll
from posts.kinds import describe, kind_of
from posts.post import MediaLinks

CONTENT_TYPE = "application/json"

# What changes without anybody having written anything is no part of the entity tag.
_COUNTERS = frozenset({"views", "forwards", "reactions", "comments"})


class PeerJson(msgspec.Struct, frozen=True, kw_only=True):
    """A chat or person. `id` is null for somebody hidden."""

    id: int | None
    title: str
    username: str | None
    kind: str | None


class AuthorJson(msgspec.Struct, frozen=True, kw_only=True):
    """Who is named as the author, with the address of their page if they have one."""

    name: str
    url: str | None


class FileJson(msgspec.Struct, frozen=True, kw_only=True):
    """A file of this bridge. `role`: `file`, `thumbnail` or `preview`; sizes are in bytes, pixels and seconds."""

    role: str
    url: str
    mime_type: str | None
    file_name: str | None
    size: int | None
    width: int | None
    height: int | None
    duration: float | None


class MediaJson(msgspec.Struct, frozen=True, kw_only=True):
    """What one message carries besides its text; `kind` is one of docs/kinds.md."""

    message_id: int
    kind: str
    description: str
    spoiler: bool
    latitude: float | None
    longitude: float | None
    files: list[FileJson]


class ReactionJson(msgspec.Struct, frozen=True, kw_only=True):
    """One of `emoji`, `custom_emoji_id` and `paid`, and how many gave it."""

    emoji: str | None
    custom_emoji_id: str | None
    paid: bool
    count: int


class ForwardJson(msgspec.Struct, frozen=True, kw_only=True):
    """Where a forwarded post comes from."""

    origin: PeerJson
    date: str | None
    post_id: int | None
    signature: str | None
    url: str | None


class ReplyJson(msgspec.Struct, frozen=True, kw_only=True):
    """What the post answers. `chat` is null for this chat; `quote` is what Telegram sent of it along."""

    message_id: int | None
    story_id: int | None
    chat: PeerJson | None
    author: PeerJson | None
    quote: str | None
    chosen: bool


class OptionJson(msgspec.Struct, frozen=True, kw_only=True):
    """A poll's answer; `voters` is null while the results are hidden."""

    text: str
    voters: int | None
    correct: bool


class PollJson(msgspec.Struct, frozen=True, kw_only=True):
    """A poll or quiz."""

    question: str
    options: list[OptionJson]
    quiz: bool
    closed: bool
    multiple: bool
    total_voters: int | None
    solution: str | None


class PreviewJson(msgspec.Struct, frozen=True, kw_only=True):
    """A link's preview."""

    url: str
    site_name: str | None
    title: str | None
    description: str | None


class ButtonJson(msgspec.Struct, frozen=True, kw_only=True):
    """A button that opens an address."""

    text: str
    url: str


class PostJson(msgspec.Struct, frozen=True, kw_only=True):
    """A post. Dates are RFC 3339 in UTC."""

    id: str
    chat: PeerJson
    message_ids: tuple[int, ...]
    url: str
    page_url: str
    date: str | None
    edited: str | None
    title: str
    author: AuthorJson
    flags: tuple[str, ...]
    tags: tuple[str, ...]
    html: str
    text: str
    media: list[MediaJson]
    poll: PollJson | None
    preview: PreviewJson | None
    forward: ForwardJson | None
    reply: ReplyJson | None
    service: str | None
    via_bot: str | None
    buttons: list[ButtonJson]
    views: int | None
    forwards: int | None
    reactions: list[ReactionJson]
    comments: int | None
    comments_url: str | None


def render(item: Item, channel: Channel, page_url: str, messages: Sequence[Message], media: MediaLinks) -> Document:
    """The channel's post, made of those messages; `page_url` is its page. Its entity tag leaves out counters."""
    complete = _clean(msgspec.to_builtins(_post(item, channel, page_url, messages, media)))
    lasting = {name: value for name, value in complete.items() if name not in _COUNTERS}
    return Document(
        body=msgspec.json.encode(complete),
        content_type=CONTENT_TYPE,
        etag=entity_tag([msgspec.json.encode(lasting)]),
        last_modified=item.post.updated or item.post.date or 0,
    )


def _post(item: Item, channel: Channel, page_url: str, messages: Sequence[Message], media: MediaLinks) -> PostJson:
    post = item.post
    kinds = [message.media for message in messages if message.media is not None]
    return PostJson(
        id=post.guid,
        chat=PeerJson(id=channel.id, title=channel.title, username=channel.username, kind=channel.kind.value),
        message_ids=post.message_ids,
        url=post.link,
        page_url=page_url,
        date=_date(post.date),
        edited=_date(post.updated),
        title=post.title,
        author=AuthorJson(name=post.author, url=post.author_url or None),
        flags=post.flags,
        tags=post.tags,
        html=item.content,
        text=post.text,
        media=[_media(message.id, message.media, channel.id, media) for message in messages if message.media],
        poll=next((_poll(one) for one in kinds if isinstance(one, Poll)), None),
        preview=next((_preview(one) for one in kinds if isinstance(one, WebPage)), None),
        forward=next((_forward(one.forward, post.forward_url) for one in messages if one.forward), None),
        reply=next((_reply(one.reply) for one in messages if one.reply), None),
        service=next((one.service.kind for one in messages if one.service), None),
        via_bot=next((one.via_bot for one in messages if one.via_bot), None),
        buttons=[ButtonJson(text=button.text, url=button.url) for one in messages for button in one.buttons],
        views=post.counters.views,
        forwards=post.counters.forwards,
        reactions=[_reaction(reaction) for reaction in post.counters.reactions],
        comments=next((one.comments for one in messages if one.comments is not None), None),
        comments_url=post.comments_url or None,
    )


def _media(message_id: int, media: Media, chat_id: int, links: MediaLinks) -> MediaJson:
    point = media.point if isinstance(media, Location | Venue) else None
    return MediaJson(
        message_id=message_id,
        kind=kind_of(media).name,
        description=describe(media),
        spoiler=bool(getattr(media, "spoiler", False)),
        latitude=None if point is None else point.latitude,
        longitude=None if point is None else point.longitude,
        files=[
            _file(role, file, owner, links.url(chat_id, message_id, file)) for role, file, owner in _files_of(media)
        ],
    )


def _files_of(media: Media) -> Iterator[tuple[str, FileRef, object]]:
    """Each file, what it is there for, and what it belongs to."""
    if isinstance(media, WebPage | Game):
        if media.photo is not None:
            yield "preview", media.photo, media
        return
    for attachment in attachments_of(media):
        parts: tuple[Attachment, ...] = (attachment,)
        if isinstance(attachment, LivePhoto):
            parts = (attachment.photo, attachment.video)
        for part in parts:
            if not isinstance(part, LivePhoto):
                yield "file", part.file, part
                if part.thumb is not None:
                    yield "thumbnail", part.thumb, part.thumb


def _file(role: str, file: FileRef, owner: object, url: str) -> FileJson:
    return FileJson(
        role=role,
        url=url,
        mime_type=file.mime_type or None,
        file_name=file.file_name or None,
        size=file.size or None,
        width=file.width or getattr(owner, "width", 0) or None,
        height=file.height or getattr(owner, "height", 0) or None,
        duration=getattr(owner, "duration", 0) or None,
    )


def _poll(poll: Poll) -> PollJson:
    return PollJson(
        question=poll.question.text,
        options=[
            OptionJson(text=option.text.text, voters=option.voters, correct=option.correct) for option in poll.options
        ],
        quiz=poll.quiz,
        closed=poll.closed,
        multiple=poll.multiple,
        total_voters=poll.total_voters,
        solution=poll.solution.text or None,
    )


def _preview(page: WebPage) -> PreviewJson:
    return PreviewJson(
        url=page.url,
        site_name=page.site_name or None,
        title=page.title or None,
        description=page.description or None,
    )


def _forward(forward: Forward, url: str) -> ForwardJson:
    return ForwardJson(
        origin=_peer(forward.origin),
        date=_date(forward.date),
        post_id=forward.post_id,
        signature=forward.signature or None,
        url=url or None,
    )


def _reply(reply: Reply) -> ReplyJson:
    return ReplyJson(
        message_id=reply.message_id,
        story_id=reply.story_id,
        chat=None if reply.chat is None else _peer(reply.chat),
        author=None if reply.author is None else _peer(reply.author),
        quote=reply.quote.text or None,
        chosen=reply.manual,
    )


def _reaction(reaction: Reaction) -> ReactionJson:
    return ReactionJson(
        emoji=reaction.emoji or None,
        # A text, since it is too large for JavaScript's numbers.
        custom_emoji_id=str(reaction.custom_emoji_id) if reaction.custom_emoji_id else None,
        paid=reaction.paid,
        count=reaction.count,
    )


def _peer(peer: PeerName) -> PeerJson:
    kind = None if peer.kind is None else peer.kind.value
    return PeerJson(id=peer.id, title=peer.title, username=peer.username, kind=kind)


def _date(seconds: int | None) -> str | None:
    when = dates.moment(seconds)
    return None if when is None else dates.rfc3339(when)


def _clean(value: Any) -> Any:
    """Without characters that encoders refuse."""
    if isinstance(value, str):
        return xml.clean(value)
    if isinstance(value, dict):
        return {name: _clean(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(part) for part in value]
    return value
