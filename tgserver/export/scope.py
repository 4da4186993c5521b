"""What every part of the reader needs to know of the place that it reads."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from pyrogram import raw

from tgserver.export.identity import stable_id
from tgserver.export.peers import PeerBook, peer_of
from tgserver.world import Chat, World


@dataclass(slots=True)
class Scope:
    """One chat being filled.

    `source` names the export in error lines. `folder` holds its files, `None` if there are none;
    `root` is the same without symlinks.
    `own_id` is the user who made the export, where known. `migrated_to` and `migrated_from` are the
    bare ids of the supergroup that a basic group became, and the other way round; 0 if unknown.
    `losses` counts what could not be kept, by what it is.
    """

    world: World
    chat: Chat
    peers: PeerBook
    folder: Path | None
    source: str
    own_id: int | None = None
    migrated_to: int = 0
    migrated_from: int = 0
    root: Path | None = field(init=False)
    losses: Counter[str] = field(init=False, default_factory=Counter)

    def __post_init__(self) -> None:
        self.root = None if self.folder is None else Path(os.path.realpath(self.folder))

    @property
    def peer(self) -> raw.base.Peer:
        """The chat's TL peer."""
        return peer_of(self.chat.peer)

    @property
    def is_broadcast(self) -> bool:
        """Whether the chat is a channel whose messages are posts."""
        return isinstance(self.chat.peer, raw.types.Channel) and bool(self.chat.peer.broadcast)

    def where(self, message_id: int | str) -> str:
        """The beginning of an error line about a message."""
        return f"{self.source}: message {message_id}"

    def id_for(self, message_id: int, role: str) -> int:
        """The id of something that belongs to a message: equal at each load, unlike any other."""
        return stable_id(type(self.chat.peer).__name__, self.chat.id, message_id, role)
