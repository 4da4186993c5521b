"""Users and chats: from the names and ids that an export gives to TL peers in the world."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from pyrogram import raw

from tgserver.export.identity import stable_id
from tgserver.export.values import INT64_MAX, as_int, as_text
from tgserver.world import Chat, ChatKey, TLPeer, World

# Exports before 2021 wrote peers as one number: the kind above bit 32, the bare id below.
_OLD_KIND_BITS = 32
_OLD_KINDS = ("user", "chat", "channel")
_OLD_ID_MAX = 2**31 - 1

_WRITTEN_PEER = re.compile(r"(user|chat|channel)(\d{1,19})")
_MARKED_CHANNEL = 1_000_000_000_000


def peer_of(peer: TLPeer) -> raw.base.Peer:
    """The short TL form of a user, chat or channel."""
    if isinstance(peer, raw.types.User):
        return raw.types.PeerUser(user_id=peer.id)
    if isinstance(peer, raw.types.Chat):
        return raw.types.PeerChat(chat_id=peer.id)
    return raw.types.PeerChannel(channel_id=peer.id)


def parse_peer(value: object) -> tuple[str, int] | None:
    """(kind, bare id) of a peer as an export writes it, kind being user, chat or channel.

    Understands `"channel123"`, the numbers of old exports, and marked ids (`-100123`); else `None`.
    """
    if isinstance(value, str):
        match = _WRITTEN_PEER.fullmatch(value)
        if match is not None:
            bare = int(match[2])
            return (match[1], bare) if 0 < bare <= INT64_MAX else None
    number = as_int(value)
    if number < -_MARKED_CHANNEL:
        return "channel", -number - _MARKED_CHANNEL
    if number < 0:
        return "chat", -number
    kind, bare = number >> _OLD_KIND_BITS, number & (2**_OLD_KIND_BITS - 1)
    if 0 < kind < len(_OLD_KINDS) and bare <= _OLD_ID_MAX:
        return _OLD_KINDS[kind], bare
    return ("user", number) if number else None


def old_bare_id(number: int, kind: str) -> int:
    """The bare id of a chat whose `id` an old export wrote with its kind in the high bits."""
    bare = number - (_OLD_KINDS.index(kind) << _OLD_KIND_BITS)
    return bare if 0 < bare <= _OLD_ID_MAX else number


def access_hash(kind: str, bare: int) -> int:
    """The access hash of the user or channel with that id."""
    return stable_id(kind, bare)


def split_name(name: str) -> tuple[str, str | None]:
    """(first name, last name) of a full name as an export writes it."""
    first, _, last = name.strip().partition(" ")
    return first, last.strip() or None


def make_user(user_id: int, name: str | None, **more: Any) -> raw.types.User:
    """A user with a full name; without a name, a deleted account."""
    first, last = split_name(name) if name else (None, None)
    fields: dict[str, Any] = {"first_name": first, "last_name": last, "deleted": None if name else True, **more}
    return raw.types.User(id=user_id, access_hash=access_hash("user", user_id), **fields)


def make_channel(channel_id: int, title: str, **more: Any) -> raw.types.Channel:
    """A channel or supergroup; its flags in `more`."""
    fields: dict[str, Any] = {"photo": raw.types.ChatPhotoEmpty(), "date": 0, **more}
    return raw.types.Channel(
        id=channel_id,
        title=title or f"Channel {channel_id}",
        access_hash=access_hash("channel", channel_id),
        **fields,
    )


def make_group(chat_id: int, title: str, **more: Any) -> raw.types.Chat:
    """A basic group."""
    fields: dict[str, Any] = {
        "photo": raw.types.ChatPhotoEmpty(),
        "participants_count": 0,
        "date": 0,
        "version": 1,
        **more,
    }
    return raw.types.Chat(id=chat_id, title=title or f"Group {chat_id}", **fields)


def public_username(world: World, channel_id: int, title: str) -> str:
    """A username for a public chat whose export names none: readable, valid, free, the same each time.

    The title's ASCII letters if they make a name of 4 to 32 characters, else `channel<id>`; a name that
    another chat has gets the id appended.
    """
    ascii_title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "_", ascii_title.lower()).strip("_0123456789")[:32].strip("_")
    fallback = f"channel{channel_id}"
    if len(slug) < 4:
        return fallback
    if is_free(world, slug, channel_id):
        return slug
    suffix = f"_{channel_id}"
    return slug[: 32 - len(suffix)].strip("_") + suffix


def is_free(world: World, username: str, channel_id: int) -> bool:
    """Whether nobody but that channel has the username."""
    owner = world.chat_named(username)
    return owner is None or (isinstance(owner, raw.types.Channel) and owner.id == channel_id)


def _mentioned_group(chat_id: int, title: str) -> raw.types.Chat:
    return make_group(chat_id, title, left=True)


def _mentioned_channel(channel_id: int, title: str) -> raw.types.Channel:
    return make_channel(channel_id, title, broadcast=True, left=True)


def _mentioned_supergroup(channel_id: int, title: str) -> raw.types.Channel:
    return make_channel(channel_id, title or f"Group {channel_id}", megagroup=True, left=True)


class PeerBook:
    """Finds the people and chats that messages name, and adds to the world those that it lacks.

    Some places of an export give names without ids (members of a service message, bots); they are
    looked up among the people seen so far, else get an id derived from the name.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._ids_by_name: dict[str, int] | None = None

    def user(self, user_id: int, name: object = None) -> int:
        """Make sure that the user exists, named as given if new or nameless; answers the id."""
        written = as_text(name).strip()
        known = self._world.users.get(user_id)
        if known is None or (known.deleted and written and not known.first_name):
            self._world.add_user(make_user(user_id, written or None))
        if written and self._ids_by_name is not None:
            self._ids_by_name.setdefault(written, user_id)
        return user_id

    def channel(self, channel_id: int, title: object = None) -> int:
        """Make sure that the channel exists; answers the id."""
        self._mention(ChatKey("channel", channel_id), as_text(title).strip(), _mentioned_channel)
        return channel_id

    def supergroup(self, channel_id: int) -> int:
        """Make sure that the supergroup exists; answers the id."""
        self._mention(ChatKey("channel", channel_id), "", _mentioned_supergroup)
        return channel_id

    def peer(self, value: object, name: object = None) -> raw.base.Peer | None:
        """The TL peer of an id as an export writes it, known to the world from now on."""
        parsed = parse_peer(value)
        if parsed is None:
            return None
        kind, bare = parsed
        if kind == "user":
            return raw.types.PeerUser(user_id=self.user(bare, name))
        if kind == "chat":
            self._mention(ChatKey("chat", bare), as_text(name).strip(), _mentioned_group)
            return raw.types.PeerChat(chat_id=bare)
        return raw.types.PeerChannel(channel_id=self.channel(bare, name))

    def named(self, name: object) -> int | None:
        """The id of the user with a name, who is added if nobody is called so; `None` without a name."""
        written = as_text(name).strip()
        if not written:
            return None
        if self._ids_by_name is None:
            self._ids_by_name = {}
            for user in self._world.users.values():
                full = " ".join(part for part in (user.first_name, user.last_name) if part)
                self._ids_by_name.setdefault(full, user.id)
        known = self._ids_by_name.get(written)
        return known if known is not None else self.user(stable_id("name", written, bits=40), written)

    def bot(self, username: object) -> int | None:
        """The id of the bot with a username (with or without `@`), who is added if new."""
        written = as_text(username).strip().removeprefix("@")
        if not written:
            return None
        known = self._world.chat_named(written)
        if isinstance(known, raw.types.User):
            return known.id
        bot_id = stable_id("bot", written.lower(), bits=40)
        self._world.add_user(
            make_user(bot_id, written, username=None if known else written, bot=True, bot_info_version=1)
        )
        return bot_id

    def _mention(self, key: ChatKey, title: str, make: Callable[[int, str], TLPeer]) -> None:
        # A chat under that id is never replaced: it may hold messages.
        if key not in self._world.chats:
            self._world.add_chat(Chat(make(key.id, title), mentioned=True))
