"""What feeds are about: how a channel is called, described and found in documents."""

from __future__ import annotations

from feeds.feed import Subject
from model.channel import Channel, ChannelKind
from posts.identity import bare_id
from posts.plain import one_line


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
