"""A chat that the account can read."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from model.attachment import FileRef


class ChannelKind(StrEnum):
    """What Telegram calls the chat."""

    CHANNEL = "channel"
    SUPERGROUP = "supergroup"
    GROUP = "group"
    USER = "user"


class Channel(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A channel, group or private chat.

    `id` is marked as in bots' API and in `/c/` links: -100... for channels and supergroups, negative for
    basic groups, positive for users. `access_hash` belongs to this account and is what a call needs.
    """

    id: int
    kind: ChannelKind
    title: str
    access_hash: int = 0
    username: str | None = None
    about: str = ""
    photo: FileRef | None = None
    # Further active usernames (collectible ones); the first of all is `username`.
    usernames: tuple[str, ...] = ()
    protected: bool = False
    # Telegram's reason when it bars the chat for this account's platform.
    restriction: str = ""
    members: int | None = None
    # Whether Telegram marks the chat as not for everybody's eyes.
    sensitive: bool = False


class PeerName(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Who somebody is, as far as a message tells: a user, a chat, or a bare name.

    `id` is marked like `Channel.id`, None for a hidden user. `title` is never empty for a known peer.
    """

    title: str
    id: int | None = None
    username: str | None = None
    kind: ChannelKind | None = None
