"""Messages become posts.

The one way in: grouping, identity, titles, authors, flags and HTML are in `posts/`. Values in, values out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping, Sequence
from typing import NamedTuple

from model.channel import Channel
from model.message import Message
from posts.answers import answered_by, with_answered
from posts.author import author_of
from posts.blocks.comments import comments_url
from posts.blocks.forward import original_url
from posts.blocks.sheet import Sheet
from posts.blocks.unsupported import notice
from posts.body import body
from posts.counters import counters_of
from posts.filters import Traits
from posts.flags import MERGED, RENDER_FAILED, flags_of
from posts.footer import footer
from posts.grouping import Group, group_messages
from posts.identity import item_id, post_link
from posts.post import Post, RenderOptions
from posts.titles import title_of
from posts.words import words_of

FailureListener = Callable[[int, BaseException], None]
# Channel id, id of the post's first message, options.
MemoryKey = tuple[int, int, RenderOptions]


class Remembered(NamedTuple):
    """A rendered post and what it was made from; `answered` are the messages beside the group that it answers."""

    group: Group
    answered: tuple[Message, ...]
    channel: Channel
    post: Post


Memory = MutableMapping[MemoryKey, Remembered]


def build_posts(
    messages: Sequence[Message],
    channel: Channel,
    options: RenderOptions,
    *,
    limit: int | None = None,
    on_failure: FailureListener | None = None,
    memory: Memory | None = None,
) -> list[Post]:
    """The posts that the messages (any order, not changed) make: newest first, dateless last, at most `limit`.

    A post that fails to render is a placeholder with its final id, flagged `render_failed`; `on_failure` is told its
    first message's id and the exception. The other posts are as they would be without it.

    With a `memory` (which the caller keeps and bounds), posts that are the same as before are not rendered again:
    one new message costs one rendering. Failures are not remembered.
    """
    groups = group_messages(messages, options.merge_seconds)[:limit]
    return render_posts(groups, messages, channel, options, on_failure=on_failure, memory=memory)


def render_posts(
    groups: Iterable[Group],
    messages: Sequence[Message],
    channel: Channel,
    options: RenderOptions,
    *,
    on_failure: FailureListener | None = None,
    memory: Memory | None = None,
) -> list[Post]:
    """The posts of those groups, as `build_posts` makes them; `messages` are all that are at hand of the channel."""
    at_hand = {message.id: message for message in messages}
    posts = []
    for group in groups:
        answered = answered_by(group.messages, at_hand)
        key = (channel.id, group.first.id, options)
        known = None if memory is None else memory.get(key)
        if known is not None and known[:3] == (group, answered, channel):
            posts.append(known.post)
            continue
        post = _build(group, answered, channel, options, on_failure)
        if memory is not None and not post.failed:
            memory[key] = Remembered(group, answered, channel, post)
        posts.append(post)
    return posts


def traits_of(group: Group, channel: Channel) -> Traits:
    """What filters look at in a group that has yet to be rendered; that it can't be shows here in the worst cases."""
    try:
        own = words_of(group.messages)
        return Traits(flags_of(group, own, channel), own.text)
    # Rendering needs the same of the message, and tells of the failure.
    except Exception:  # noqa: BLE001 - one odd message must not take the feed down
        return Traits((RENDER_FAILED,), "")


def post_of(
    messages: Sequence[Message],
    channel: Channel,
    options: RenderOptions,
    post_id: int,
    *,
    on_failure: FailureListener | None = None,
) -> Post | None:
    """The post that a message is part of (any id of an album gives the album), or None."""
    at_hand = {message.id: message for message in messages}
    for group in group_messages(messages, options.merge_seconds):
        if any(message.id == post_id for message in group.messages):
            return _build(group, answered_by(group.messages, at_hand), channel, options, on_failure)
    return None


def _build(
    group: Group,
    answered: tuple[Message, ...],
    channel: Channel,
    options: RenderOptions,
    on_failure: FailureListener | None,
) -> Post:
    try:
        if answered:
            group = group._replace(messages=with_answered(group.messages, answered, options.reply_quote_chars))
        return _render(group, channel, options)
    except Exception as error:  # noqa: BLE001 - one odd message must not take the feed down
        if on_failure is not None:
            on_failure(group.first.id, error)
        return _placeholder(group, channel, options)


def _render(group: Group, channel: Channel, options: RenderOptions) -> Post:
    sheet = Sheet(channel, options)
    author = author_of(group.main, channel, options.link_host)
    own = words_of(group.messages, sheet.spans)
    flags = flags_of(group, own, channel)
    html = body(sheet, group)
    discussed = group.discussed
    forward = next((one.forward for one in group.messages if one.forward is not None), None)
    return Post(
        guid=item_id(channel.id, group.first),
        channel_id=channel.id,
        message_ids=tuple(message.id for message in group.messages),
        date=group.date,
        updated=group.updated,
        title=title_of(group),
        author=author.name,
        author_url=author.url,
        link=post_link(channel, group.first.id, options),
        html=html,
        footer_html=footer(sheet, group, flags),
        text=own.text,
        flags=flags,
        tags=own.tags,
        enclosures=tuple(sheet.enclosures),
        images=tuple(sheet.images),
        placeholders=sheet.placeholders,
        forwarded_from=None if forward is None else forward.origin,
        forward_url="" if forward is None else original_url(forward, options.link_host),
        comments_url="" if discussed is None else comments_url(sheet, discussed),
        counters=counters_of(group),
        files=sheet.files,
    )


def _placeholder(group: Group, channel: Channel, options: RenderOptions) -> Post:
    """What stands for a post that can't be shown. Made of ids alone: what failed may lie in any other field."""
    first = group.first
    return Post(
        guid=item_id(channel.id, first),
        channel_id=channel.id,
        message_ids=tuple(message.id for message in group.messages),
        date=group.date,
        title=f"Post #{first.id}",
        author=author_of(Message(id=first.id, date=None), channel, options.link_host).name,
        link=post_link(channel, first.id, options),
        html=notice(Sheet(channel, options), first, "This post could not be shown here"),
        flags=(*((MERGED,) if group.merged else ()), RENDER_FAILED),
        failed=True,
    )
