"""What a server serves: users, chats with their messages, and files. Data only, no network.

Everything is kept as Kurigram's own TL objects, so that what goes over the wire is exactly
what was put in. Readers (exports, the control port, tests) fill a `World`; the RPC handlers
read it.
"""

from __future__ import annotations

import os
from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Literal, NamedTuple, TypeVar

from pyrogram import raw

TLPeer = raw.types.Channel | raw.types.Chat | raw.types.User
TLMessage = raw.types.Message | raw.types.MessageService

ChannelUpdate = (
    raw.types.UpdateNewChannelMessage | raw.types.UpdateEditChannelMessage | raw.types.UpdateDeleteChannelMessages
)
CommonUpdate = raw.types.UpdateNewMessage | raw.types.UpdateEditMessage | raw.types.UpdateDeleteMessages

DEFAULT_DC = 2

Kind = Literal["user", "chat", "channel"]
# In marked ids, with which clients number chats of all kinds together, a channel is this minus its bare id.
_CHANNEL_MARK = -(10**12)


class ChatKey(NamedTuple):
    """Which chat is meant. Telegram numbers users, basic groups and channels apart, so one bare id can name three."""

    kind: Kind
    id: int


def key_of(peer: TLPeer) -> ChatKey:
    """The key of a user, basic group or channel."""
    if isinstance(peer, raw.types.User):
        return ChatKey("user", peer.id)
    return ChatKey("chat" if isinstance(peer, raw.types.Chat) else "channel", peer.id)


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
        """Bytes [offset, offset + limit), shorter at the end of the file, empty past it.

        Raises OSError if the file on the disk can't be read, or is another one: of another size.
        """
        if isinstance(self.content, bytes):
            return self.content[offset : offset + limit]
        with self.content.open("rb", buffering=0) as source:
            size = os.fstat(source.fileno()).st_size
            if size != self.size:
                raise OSError(f"{self.content} has {size} bytes now, not {self.size}")
            source.seek(offset)
            return source.read(limit)


class MessageTable(MutableMapping[int, TLMessage]):
    """Messages by id, with their ids in order at any time.

    Adding the newest message costs nothing extra, so a history of any length is read page by
    page without sorting it. A message with views but no forwards, or the reverse, gets 0 of the
    other: TL sends both or none, and Kurigram would write a message that no client can read.
    """

    __slots__ = ("_by_id", "_ids")

    def __init__(self, messages: Mapping[int, TLMessage] | None = None) -> None:
        self._by_id: dict[int, TLMessage] = {}
        self._ids: list[int] = []
        for key in sorted(messages or {}):
            self[key] = (messages or {})[key]

    @property
    def ids(self) -> list[int]:
        """All ids, rising. The table's own list: not to be changed."""
        return self._ids

    def __getitem__(self, key: int) -> TLMessage:
        return self._by_id[key]

    def __setitem__(self, key: int, message: TLMessage) -> None:
        if isinstance(message, raw.types.Message) and (message.views is None) != (message.forwards is None):
            message.views, message.forwards = message.views or 0, message.forwards or 0
        if key not in self._by_id:
            insort(self._ids, key)
        self._by_id[key] = message

    def __delitem__(self, key: int) -> None:
        del self._by_id[key]
        del self._ids[bisect_left(self._ids, key)]

    def __iter__(self) -> Iterator[int]:
        return iter(self._by_id)

    def __len__(self) -> int:
        return len(self._by_id)

    def __repr__(self) -> str:
        return f"MessageTable({self._by_id!r})"


UpdateT = TypeVar("UpdateT", ChannelUpdate, CommonUpdate)


@dataclass(slots=True, frozen=True)
class Change(Generic[UpdateT]):
    """One step of a chat's history of changes: the update that told of it, and when (UNIX s).

    The step leads from `pts - pts_count` to `pts`.
    """

    update: UpdateT
    pts: int
    pts_count: int
    date: int


@dataclass(slots=True)
class Chat:
    """One dialog: its TL peer, what its full info adds, and all its messages by id.

    A chat whose peer has `left` set is readable only with a username, as on Telegram, and
    nothing of it is pushed. `private` makes it unreadable in any case. `mentioned` marks one that is
    known only because messages of other chats name it: lists of what is served leave it out.
    """

    peer: TLPeer
    about: str = ""
    full_photo: raw.types.Photo | None = None
    messages: MutableMapping[int, TLMessage] = field(default_factory=MessageTable)
    pts: int = 1
    # Messages that once were, so that a difference can name them.
    deleted: set[int] = field(default_factory=set)
    private: bool = False
    mentioned: bool = False
    invite_hash: str | None = None
    linked_chat_id: int | None = None
    changes: list[Change[ChannelUpdate]] = field(default_factory=list)
    # Which object was found fit to be sent, by message id: each is tried once.
    checked: dict[int, int] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.messages, MessageTable):
            self.messages = MessageTable(self.messages)

    @property
    def id(self) -> int:
        """The bare id, always positive, as TL has it."""
        return self.peer.id

    @property
    def key(self) -> ChatKey:
        """Under which key a world has it."""
        return key_of(self.peer)

    @property
    def ids(self) -> list[int]:
        """The ids of all messages, rising. Not to be changed."""
        if not isinstance(self.messages, MessageTable):
            self.messages = MessageTable(self.messages)
        return self.messages.ids

    @property
    def tl_peer(self) -> raw.types.PeerChannel | raw.types.PeerChat | raw.types.PeerUser:
        """The peer that this chat's messages name as their `peer_id`."""
        if isinstance(self.peer, raw.types.Channel):
            return raw.types.PeerChannel(channel_id=self.id)
        if isinstance(self.peer, raw.types.Chat):
            return raw.types.PeerChat(chat_id=self.id)
        return raw.types.PeerUser(user_id=self.id)

    def newest_first(self) -> list[TLMessage]:
        """All messages by falling id, as `messages.getHistory` orders them."""
        return [self.messages[key] for key in reversed(self.ids)]

    def top_message(self) -> TLMessage | None:
        """The newest message, if there is any."""
        return self.messages[self.ids[-1]] if self.ids else None

    def pinned_id(self) -> int | None:
        """The id of the newest pinned message."""
        for key in reversed(self.ids):
            message = self.messages[key]
            if isinstance(message, raw.types.Message) and message.pinned:
                return key
        return None


class World:
    """Users and files by id, chats by kind and bare id; usernames in lower case; folders in their order.

    `pts` and `changes` are the box that private chats and basic groups share; a channel has
    its own in its `Chat`.
    """

    def __init__(self) -> None:
        self.users: dict[int, raw.types.User] = {}
        self.chats: dict[tuple[Kind, int], Chat] = {}
        self.files: dict[tuple[int, str], ServedFile] = {}
        self.usernames: dict[str, TLPeer] = {}
        self.sticker_sets: dict[str, raw.types.messages.StickerSet] = {}
        self.folders: list[raw.types.DialogFilter | raw.types.DialogFilterChatlist] = []
        self.pts = 1
        self.changes: list[Change[CommonUpdate]] = []

    def add_user(self, user: raw.types.User) -> raw.types.User:
        """Add or replace a user, found from now on by id and username.

        Without an access hash the user's id becomes it: clients need one.
        """
        if user.access_hash is None:
            user.access_hash = user.id
        self.users[user.id] = user
        self._index_names(user)
        return user

    def add_chat(self, chat: Chat) -> Chat:
        """Add or replace a chat, found from now on by its key and username.

        Without an access hash the peer's id becomes it: clients need one.
        """
        if not isinstance(chat.peer, raw.types.Chat) and chat.peer.access_hash is None:
            chat.peer.access_hash = chat.id
        self.chats[chat.key] = chat
        self._index_names(chat.peer)
        return chat

    def channel(self, channel_id: int) -> Chat | None:
        """The channel or supergroup with that bare id."""
        return self.chats.get(ChatKey("channel", channel_id))

    def group(self, chat_id: int) -> Chat | None:
        """The basic group with that bare id."""
        return self.chats.get(ChatKey("chat", chat_id))

    def private_chat(self, user_id: int) -> Chat | None:
        """The private chat with the user of that id."""
        return self.chats.get(ChatKey("user", user_id))

    def chat_by_id(self, number: int) -> Chat | None:
        """The chat with a marked id (-100... for a channel, negative for a basic group) or a bare one.

        A bare id that several chats have means the private chat, as a marked id does, else the channel.
        """
        if number < _CHANNEL_MARK:
            return self.channel(_CHANNEL_MARK - number)
        if number < 0:
            return self.group(-number)
        return self.private_chat(number) or self.channel(number) or self.group(number)

    def chat(self, which: int | str) -> Chat:
        """The chat with that username, marked id or bare id. Raises KeyError."""
        if isinstance(which, int):
            found = self.chat_by_id(which)
        else:
            peer = self.chat_named(which.removeprefix("@"))
            found = None if peer is None else self.chats.get(key_of(peer))
        if found is None:
            raise KeyError(which)
        return found

    def add_file(self, file: ServedFile) -> ServedFile:
        """Make a file's bytes available under (id, thumb type)."""
        self.files[file.id, file.thumb_size] = file
        return file

    def chat_named(self, username: str) -> TLPeer | None:
        """The user or chat with that username, in any case, without the `@`."""
        return self.usernames.get(username.lower())

    def _index_names(self, peer: TLPeer) -> None:
        outdated = [old for old, owner in self.usernames.items() if key_of(owner) == key_of(peer)]
        for old in outdated:
            del self.usernames[old]
        names: list[str | None] = [getattr(peer, "username", None)]
        names += [entry.username for entry in getattr(peer, "usernames", None) or []]
        for name in names:
            if name:
                self.usernames[name.lower()] = peer
