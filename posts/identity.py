"""Names that never change: ids of items and feeds, and where a post, a chat or a person is on Telegram."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha1
from urllib.parse import urlencode
from uuid import UUID

from model.channel import Channel, ChannelKind, PeerName
from model.message import Message
from posts.post import RenderOptions
from posts.urls import path_part

_NAMESPACE = UUID("b5210cba-9658-5693-8640-d121c3255d1b").bytes
# Marked ids of channels and supergroups are this much below zero.
_MARK = 1_000_000_000_000


def item_id(channel_id: int, first: Message) -> str:
    """The item's id: a UUIDv5 (RFC 9562) of the chat and its first message, or of the message's album."""
    name = str(first.id) if first.media_group_id is None else f"album/{first.media_group_id}"
    return _urn(f"{channel_id}/{name}")


def feed_id(subject: str | int, filters: Mapping[str, str] | None = None) -> str:
    """The feed's id, of what it is about (a chat's id) and the filters in force.

    `filters` are name to value, in any order; no limits, no tokens.
    """
    return _urn(f"{subject}?{urlencode(sorted(filters.items()))}" if filters else str(subject))


def _urn(name: str) -> str:
    """`uuid.uuid5`, which takes four times as long for its intermediate objects."""
    digest = bytearray(sha1(_NAMESPACE + name.encode(), usedforsecurity=False).digest())
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    digits = digest[:16].hex()
    return f"urn:uuid:{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def bare_id(chat_id: int) -> int:
    """The id without its mark, as it stands in `/c/` links: -1001234567890 is 1234567890."""
    return -chat_id - _MARK if chat_id <= -_MARK else abs(chat_id)


def post_link(channel: Channel, message_id: int, options: RenderOptions) -> str:
    """The post on the web: `/name/id`, or `/c/id/id` for a private channel.

    Telegram's site has no pages for basic groups and private chats: theirs is the bridge's own page.
    """
    return message_link(channel, message_id, options.link_host) or bridge_link(channel, message_id, options)


def message_link(channel: Channel, message_id: int, link_host: str) -> str:
    """The message at Telegram's web front, "" if it has no page there. A topic's is that of its first message."""
    if channel.username:
        return f"{link_host}/{path_part(channel.username)}/{message_id}"
    if channel.id <= -_MARK:
        return f"{link_host}/c/{bare_id(channel.id)}/{message_id}"
    return ""


def app_link(channel: Channel, message_id: int) -> str:
    """The post in a Telegram app (`tg://`); "" for basic groups and private chats, which have no such link."""
    if channel.username:
        return f"tg://resolve?domain={path_part(channel.username)}&post={message_id}"
    if channel.id <= -_MARK:
        return f"tg://privatepost?channel={bare_id(channel.id)}&post={message_id}"
    return ""


def bridge_link(channel: Channel, message_id: int, options: RenderOptions) -> str:
    """The post's own page on this bridge."""
    return f"{options.base_url}/html/{path_part(channel.username) if channel.username else channel.id}/{message_id}"


def peer_link(peer: PeerName, link_host: str, message_id: int | None = None) -> str:
    """Where a person or a chat is, or the message there if its id is given; "" if nowhere that can be told."""
    message = "" if message_id is None else f"/{message_id}"
    if peer.username:
        return f"{link_host}/{path_part(peer.username)}{message}"
    if peer.id is None:
        return ""
    if peer.id <= -_MARK:
        return f"{link_host}/c/{bare_id(peer.id)}{message}" if message else ""
    if peer.id > 0 and peer.kind in {None, ChannelKind.USER}:
        return f"tg://user?id={peer.id}"
    return ""
