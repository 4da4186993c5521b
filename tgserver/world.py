"""What a server serves: users, chats with their messages, and files. Data only, no network.

Everything is kept as Kurigram's own TL objects, so that what goes over the wire is exactly
what was put in. Readers (exports, the control port, tests) fill a `World`; the RPC handlers
read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pyrogram import raw

TLPeer = raw.types.Channel | raw.types.Chat | raw.types.User
TLMessage = raw.types.Message | raw.types.MessageService

DEFAULT_DC = 2


@dataclass(slots=True, frozen=True)
class ServedFile:
    """The bytes behind one file location.

    `id` is the id of the document or photo; `thumb_size` is the TL thumb type ("" for a
    document itself; a photo has no file without a type, for example "y"). `content` is the
    bytes themselves, or the path of a file that is read part by part. `size` is in bytes.
    """

    id: int
    access_hash: int
    file_reference: bytes
    size: int
    content: Path | bytes
    thumb_size: str = ""
    dc_id: int = DEFAULT_DC
    mime_type: str = "application/octet-stream"

    def read(self, offset: int, limit: int) -> bytes:
        """Bytes [offset, offset + limit), shorter at the end of the file, empty past it."""
        if isinstance(self.content, bytes):
            return self.content[offset : offset + limit]
        with self.content.open("rb") as source:
            source.seek(offset)
            return source.read(limit)


@dataclass(slots=True)
class Chat:
    """One dialog: its TL peer, what its full info adds, and all its messages by id."""

    peer: TLPeer
    about: str = ""
    full_photo: raw.types.Photo | None = None
    messages: dict[int, TLMessage] = field(default_factory=dict)
    pts: int = 1
    # Messages that once were, so that a difference can name them.
    deleted: set[int] = field(default_factory=set)

    @property
    def id(self) -> int:
        """The bare id, always positive, as TL has it."""
        return self.peer.id

    def newest_first(self) -> list[TLMessage]:
        """All messages by falling id, as `messages.getHistory` orders them."""
        return [self.messages[key] for key in sorted(self.messages, reverse=True)]


class World:
    """Users, chats and files by id; usernames in lower case."""

    def __init__(self) -> None:
        self.users: dict[int, raw.types.User] = {}
        self.chats: dict[int, Chat] = {}
        self.files: dict[tuple[int, str], ServedFile] = {}
        self.usernames: dict[str, TLPeer] = {}

    def add_user(self, user: raw.types.User) -> raw.types.User:
        """Add or replace a user, found from now on by id and username."""
        self.users[user.id] = user
        self._index_names(user)
        return user

    def add_chat(self, chat: Chat) -> Chat:
        """Add or replace a chat, found from now on by bare id and username."""
        self.chats[chat.id] = chat
        self._index_names(chat.peer)
        return chat

    def add_file(self, file: ServedFile) -> ServedFile:
        """Make a file's bytes available under (id, thumb type)."""
        self.files[file.id, file.thumb_size] = file
        return file

    def chat_named(self, username: str) -> TLPeer | None:
        """The user or chat with that username, in any case, without the `@`."""
        return self.usernames.get(username.lower())

    def _index_names(self, peer: TLPeer) -> None:
        for name in [name for name, owner in self.usernames.items() if owner.id == peer.id and type(owner) is type(peer)]:
            del self.usernames[name]
        names = [getattr(peer, "username", None)]
        names += [entry.username for entry in getattr(peer, "usernames", None) or []]
        for name in names:
            if name:
                self.usernames[name.lower()] = peer
