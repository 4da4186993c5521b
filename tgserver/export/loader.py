"""The front doors: a whole export into a world, and one message for a chat."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pyrogram import raw

from tgserver.export import messages, peers
from tgserver.export.bridge import ChatExtra, chat_extra
from tgserver.export.errors import ExportError
from tgserver.export.files import build_chat_photo, named_file
from tgserver.export.identity import stable_id
from tgserver.export.peers import PeerBook
from tgserver.export.reader import RawChat, RawExport, read_export
from tgserver.export.scope import Scope
from tgserver.export.values import INT32_MAX, Json, as_dict, as_int, as_text, timestamp
from tgserver.world import DEFAULT_DC, Chat, TLMessage, TLPeer, World

log = logging.getLogger(__name__)

# Telegram Desktop numbers the history from before a migration downwards from this shift.
_MIGRATED_SHIFT = 1_000_000_000

_PERSONAL = frozenset({"personal_chat", "bot_chat", "saved_messages", "replies", "verification_codes"})
_FIXED_NAMES = {
    "saved_messages": "Saved Messages",
    "replies": "Replies",
    "verification_codes": "Verification Codes",
}


def load_export(folder: Path, world: World) -> list[Chat]:
    """Read an export of Telegram Desktop and put its chats, people and files into the world.

    `folder` is the folder with `result.json`, or that file itself; both the export of one chat and that
    of an account are understood. Answers the chats that the export holds, in its order; a supergroup
    with history from before its migration is followed by that basic group. A chat that the world
    already has is replaced. Files are read later, when asked for, so the folder must stay.

    Raises `ExportError` (one line: where, what is wrong, what to do) if the structure or a `bridge`
    object is faulty; an odd message never is a reason.
    """
    export = read_export(folder)
    book = PeerBook(world)
    own_id = _load_people(export, world)
    loaded: list[Chat] = []
    for told in export.chats:
        loaded += _load_chat(export, told, world, book, own_id)
    return loaded


def build_message(chat: Chat, data: Json, folder: Path | None, world: World) -> TLMessage:
    """One TL message for a chat from a message in an export's form, `bridge` object included.

    Paths in it are relative to `folder`; without one no file is served. Without an `id` it gets the next
    free one of the chat; without a date, its date is 0. People, chats and files that it names are added
    to the world; the message itself is not added to the chat. Raises `ExportError` for a bad id or a
    faulty `bridge` object.
    """
    scope = Scope(world, chat, PeerBook(world), folder, source=f"chat {chat.id}")
    if data.get("id") is None:
        last = max((*chat.messages, *chat.deleted), default=0)
        return messages.build(scope, max(0, last) + 1, data)
    message_id = messages.message_id_of(data)
    if message_id is None or message_id < 0:
        written = f"{data['id']!r:.40}"
        raise ExportError(f"{scope.where(written)}: the id must be a number from 1 to {INT32_MAX}")
    return messages.build(scope, message_id, data)


def _load_people(export: RawExport, world: World) -> int | None:
    """The exporter's contacts and own account; answers the own id, `None` if the export does not say it."""
    for entry in [export.personal, *export.contacts]:
        told = as_dict(entry)
        user_id = as_int(told.get("user_id"))
        if user_id <= 0:
            continue
        username = as_text(told.get("username")).removeprefix("@") or None
        name = f"{as_text(told.get('first_name'))} {as_text(told.get('last_name'))}".strip()
        if username and world.chat_named(username) is not None:
            username = None
        world.add_user(peers.make_user(user_id, name or None, username=username))
    return max(0, as_int(export.personal.get("user_id"))) or None


def _load_chat(export: RawExport, told: RawChat, world: World, book: PeerBook, own_id: int | None) -> list[Chat]:
    label = as_text(told.data.get("name")) or told.type
    where = f"{export.source}: chat {label}"
    extra = chat_extra(told.data, where)
    rows = [as_dict(entry) for entry in told.messages]
    _add_named(extra, world, where)
    chat = Chat(_peer(told, rows, extra, world, where), about=extra.about)
    _refuse_clash(world, chat.peer, where)
    world.add_chat(chat)
    if isinstance(chat.peer, raw.types.User):
        world.add_user(chat.peer)
    scope = Scope(world, chat, book, export.folder, where, own_id)
    if extra.photo is not None:
        _add_photo(scope, extra.photo, where)
    older: Scope | None = None
    if _is_supergroup(chat.peer) and (before := [row for row in rows if _id(row) < 0]):
        rows = [row for row in rows if _id(row) >= 0]
        older = _older_group(scope, label)
        scope.migrated_from = older.chat.id
        _fill(older, before, shift=_MIGRATED_SHIFT)
    _fill(scope, rows)
    return [chat, older.chat] if older else [chat]


def _id(row: Json) -> int:
    return messages.message_id_of(row) or 0


def _fill(scope: Scope, rows: Iterable[Json], shift: int = 0) -> None:
    """Build all messages; of two with one id the last wins. A message that has no date (Telegram Desktop
    writes none for kinds that it does not know) gets that of the message before it."""
    skipped = 0
    last_date = 0
    for row in rows:
        message_id = _id(row) + shift if row else 0
        if not 0 < message_id <= INT32_MAX:
            skipped += 1
            continue
        message = messages.build(scope, message_id, row)
        message.date = last_date = message.date or last_date
        scope.chat.messages[message_id] = message
    if skipped:
        log.warning("%s: left out %d entries without a usable message id", scope.source, skipped)


def _older_group(scope: Scope, title: str) -> Scope:
    """The basic group that a supergroup was before; an export tells its messages, but not its id."""
    channel = scope.chat.peer
    group_id = stable_id("migrated", channel.id, bits=31)
    migrated_to = raw.types.InputChannel(channel_id=channel.id, access_hash=channel.access_hash)
    group = peers.make_group(group_id, title, migrated_to=migrated_to, deactivated=True)
    chat = scope.world.add_chat(Chat(group))
    return replace(scope, chat=chat, migrated_to=channel.id)


def _is_supergroup(peer: TLPeer) -> bool:
    return isinstance(peer, raw.types.Channel) and bool(peer.megagroup)


def _peer(told: RawChat, rows: list[Json], extra: ChatExtra, world: World, where: str) -> TLPeer:
    """The user, group or channel that the export's chat is, with its flags."""
    name = as_text(told.data.get("name")).strip()
    bare = _bare_id(told, rows)
    if told.type in _PERSONAL:
        name = name or _FIXED_NAMES.get(told.type, "")
        bot = told.type == "bot_chat"
        return peers.make_user(
            bare,
            name or None,
            username=_username(extra, world, raw.types.User, bare, where) or _known_username(world, bare),
            bot=bot or None,
            bot_info_version=1 if bot else None,
            verified=extra.verified or told.type in ("replies", "verification_codes") or None,
        )
    date = min((moment for row in rows if (moment := timestamp(row))), default=0)
    left = told.left or None
    protected = extra.protected or None
    if told.type == "private_group":
        people = {as_text(row.get("from_id")) for row in rows if row.get("from_id")}
        return peers.make_group(bare, name, date=date, participants_count=len(people), left=left, noforwards=protected)
    username = _username(extra, world, raw.types.Channel, bare, where)
    if username is None and told.type.startswith("public_"):
        username = peers.public_username(world, bare, name)
    broadcast = told.type.endswith("_channel")
    return peers.make_channel(
        bare,
        name,
        date=date,
        username=username,
        broadcast=broadcast or None,
        megagroup=not broadcast or None,
        signatures=(broadcast and any(row.get("author") for row in rows)) or None,
        verified=extra.verified or None,
        noforwards=protected,
        forum=extra.forum or None,
        left=left,
    )


def _bare_id(told: RawChat, rows: list[Json]) -> int:
    """The chat's bare id, also from marked ids and from those of exports before 2021."""
    if told.id < 0:
        parsed = peers.parse_peer(told.id)
        return parsed[1] if parsed else -told.id
    kind = "user" if told.type in _PERSONAL else "chat" if told.type == "private_group" else "channel"
    is_old = any(isinstance(row.get("from_id", row.get("actor_id")), int) for row in rows)
    return peers.old_bare_id(told.id, kind) if is_old else told.id


def _username(extra: ChatExtra, world: World, kind: type[TLPeer], bare: int, where: str) -> str | None:
    _refuse_taken(world, extra.username, kind, bare, where)
    return extra.username


def _refuse_taken(world: World, username: str | None, kind: type[TLPeer], bare: int, where: str) -> None:
    owner = world.chat_named(username) if username else None
    if owner is not None and not (isinstance(owner, kind) and owner.id == bare):
        raise ExportError(f"{where}: bridge: the username {username!r} belongs to {owner.id}; choose another")


def _known_username(world: World, user_id: int) -> str | None:
    known = world.users.get(user_id)
    return known.username if known else None


def _refuse_clash(world: World, peer: TLPeer, where: str) -> None:
    """Users, groups and channels are numbered apart, a world numbers its dialogs together."""
    known = world.chats.get(peer.id)
    if known is not None and type(known.peer) is not type(peer) and known.messages:
        raise ExportError(
            f"{where}: id {peer.id} belongs to a loaded {type(known.peer).__name__.lower()} already;"
            " load this export into a server of its own"
        )


def _add_named(extra: ChatExtra, world: World, where: str) -> None:
    """People and chats that `bridge` describes, since messages name them by id alone."""
    for user in extra.users:
        _refuse_taken(world, user.username, raw.types.User, user.id, where)
        world.add_user(
            raw.types.User(
                id=user.id,
                access_hash=stable_id("user", user.id),
                first_name=user.first_name,
                last_name=user.last_name,
                username=user.username,
                bot=user.bot or None,
                bot_info_version=1 if user.bot else None,
            )
        )
    for named in extra.chats:
        _refuse_taken(world, named.username, raw.types.Channel, named.id, where)
        known = world.chats.get(named.id)
        if known is not None and known.messages:
            continue
        broadcast = named.type == "channel"
        channel = peers.make_channel(
            named.id,
            named.title or "",
            username=named.username,
            broadcast=broadcast or None,
            megagroup=not broadcast or None,
            left=True,
        )
        world.add_chat(Chat(channel))


def _add_photo(scope: Scope, name: str, where: str) -> None:
    photo = build_chat_photo(scope, named_file(scope, name, where))
    scope.chat.full_photo = photo
    peer = scope.chat.peer
    if isinstance(peer, raw.types.User):
        peer.photo = raw.types.UserProfilePhoto(photo_id=photo.id, dc_id=DEFAULT_DC)
    else:
        peer.photo = raw.types.ChatPhoto(photo_id=photo.id, dc_id=DEFAULT_DC)
