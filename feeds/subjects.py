"""What feeds are about: how a channel is called, described and found in documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from feeds.feed import Source, Subject
from model.channel import Channel, ChannelKind
from model.thread import Thread, ThreadKind
from posts.grouping import group_messages
from posts.identity import bare_id, message_link
from posts.plain import one_line
from posts.titles import title_of

# In characters, of a title that is made of several.
_LONGEST_TITLE = 80


def channel_subject(channel: Channel, link_host: str, *, icon_url: str = "") -> Subject:
    """The channel as a feed's subject. `link_host` is Telegram's web front, `icon_url` where its photo is."""
    title = feed_title(channel)
    return Subject(
        name=str(channel.id),
        title=title,
        author=title,
        description=channel.about or title,
        about=channel.about,
        link=channel_link(channel, link_host),
        handle=f"@{channel.username}" if channel.username else "",
        icon_url=icon_url,
        sensitive=channel.sensitive,
    )


def thread_subject(thread: Thread, link_host: str, *, icon_url: str = "") -> Subject:
    """A topic, or the comments on a post, as a feed's subject; `icon_url` is where the chat's photo is."""
    chat = thread.chat
    of_chat = channel_subject(chat, link_host, icon_url=icon_url)
    if thread.kind is ThreadKind.TOPIC:
        title = f"{one_line(thread.title) or f'Topic {thread.root_id}'} - {of_chat.title}"
        about = ""
    else:
        title = comments_title(_post_title(thread), of_chat.title)
        about = f"What is said in {feed_title(thread.home)} about this post."
    return Subject(
        name=thread.name,
        title=title,
        author=feed_title(thread.home),
        description=about or of_chat.description,
        about=about or of_chat.about,
        link=message_link(chat, thread.root_id, link_host),
        icon_url=icon_url,
        sensitive=chat.sensitive or thread.home.sensitive,
    )


def comments_title(post_title: str, channel_title: str) -> str:
    """What the comments on a post are called, where its channel is called so."""
    return f"Comments on {post_title} - {channel_title}"


def _post_title(thread: Thread) -> str:
    """What the post is called that a thread's comments are on."""
    # It stands in the group as if it were forwarded.
    own = [msgspec.structs.replace(root, forward=None) for root in thread.roots]
    return next((title_of(group) for group in group_messages(own, None)), f"post {thread.root_id}")


def combined_subject(
    name: str,
    titles: Sequence[str],
    sources: Mapping[int, Source],
    *,
    title: str = "",
    notice: str = "",
    sensitive: bool = False,
) -> Subject:
    """Several channels as one subject.

    `titles` are those of all of them, `sources` those that there are posts of. `title` is what they are called
    together, made of the single titles if it is empty. `notice` is added to the description.
    """
    title = title or _joined(titles)
    about = f"Posts of {_listed(titles)}."
    return Subject(
        name=name,
        title=title,
        author=title,
        description=f"{about} {notice}" if notice else about,
        about=notice,
        sensitive=sensitive,
        sources=sources,
    )


def _joined(titles: Sequence[str]) -> str:
    """The titles with a plus between them, as many as make a title of ordinary length."""
    shown = 1
    while shown < len(titles) and sum(map(len, titles[: shown + 1])) + 3 * shown <= _LONGEST_TITLE:
        shown += 1
    rest = len(titles) - shown
    return " + ".join(titles[:shown]) + (f" + {rest} more" if rest else "")


def _listed(titles: Sequence[str]) -> str:
    *most, last = titles
    return f"{', '.join(most)} and {last}" if most else last


def searched(subject: Subject, words: str) -> Subject:
    """The subject as one of a search for these words; as it is if there are none."""
    return msgspec.structs.replace(subject, title=f"{subject.title}: {words}") if words else subject


def feed_title(channel: Channel) -> str:
    """What the channel's feeds are called: one plain line, never empty."""
    return one_line(channel.title) or (f"@{channel.username}" if channel.username else f"Chat {channel.id}")


def channel_link(channel: Channel, link_host: str) -> str:
    """The channel at Telegram's web front, "" if it has no address there (a basic group, a user without a name)."""
    if channel.username:
        return f"{link_host}/{channel.username}"
    if channel.kind in (ChannelKind.CHANNEL, ChannelKind.SUPERGROUP):
        # Without a username only posts have links. The first message (the channel's birth) is always there.
        return f"{link_host}/c/{bare_id(channel.id)}/1"
    return ""
