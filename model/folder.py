"""The chats that the account is in, and how its owner has sorted them."""

from __future__ import annotations

import msgspec

from model.channel import Channel


class Folder(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A folder of the account: its title, and the ids (as `Channel.id`) of the chats in it."""

    title: str
    chat_ids: tuple[int, ...]


class JoinedChats(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Channels and groups that the account has joined, and its folders in their order.

    A chat may be in several folders or in none; a folder names no chat that is not among `channels`. Private chats
    with people and bots are left out: nobody joins them.
    """

    channels: tuple[Channel, ...]
    folders: tuple[Folder, ...] = ()
