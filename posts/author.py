"""Who wrote a post."""

from __future__ import annotations

from typing import NamedTuple

from model.channel import Channel, PeerName
from model.message import Message
from posts.identity import peer_link
from posts.plain import one_line
from posts.urls import path_part


class Author(NamedTuple):
    """`name` on one line, never empty; `url` "" if there is no address for them."""

    name: str
    url: str


def author_of(message: Message, channel: Channel, link_host: str) -> Author:
    """The sender `Title (@name)`, else the signature, else the channel.

    A post in the channel's own name is the channel's, so its signature, if there is one, tells more.
    """
    sender = message.sender
    if sender is not None and sender.id != channel.id and (name := _full_name(sender.title, sender.username)):
        return Author(name, peer_link(sender, link_host))
    url = f"{link_host}/{path_part(channel.username)}" if channel.username else ""
    name = one_line(message.signature) or _full_name(channel.title, channel.username)
    return Author(name or f"Chat {channel.id}", url)


def origin_name(peer: PeerName) -> str:
    """What a forward or reply calls somebody, never empty."""
    return one_line(peer.title) or _handle(peer.username) or "somebody"


def _full_name(title: str, username: str | None) -> str:
    title, handle = one_line(title), _handle(username)
    return f"{title} ({handle})" if title and handle else title or handle


def _handle(username: str | None) -> str:
    return f"@{name}" if username and (name := one_line(username)) else ""
