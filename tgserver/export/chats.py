"""What kind of chat an export holds: its user, group or channel, with flags, username and photo."""

from __future__ import annotations

from dataclasses import replace

from pyrogram import raw

from tgserver.export import peers
from tgserver.export.bridge import ChatExtra
from tgserver.export.errors import ExportError
from tgserver.export.files import build_chat_photo, named_file
from tgserver.export.identity import stable_id
from tgserver.export.reader import RawChat
from tgserver.export.scope import Scope
from tgserver.export.values import Json, as_text, timestamp
from tgserver.lines import one_line
from tgserver.world import DEFAULT_DC, Chat, TLPeer, World

_PERSONAL = frozenset({"personal_chat", "bot_chat", "saved_messages", "replies", "verification_codes"})
_FIXED_NAMES = {
    "saved_messages": "Saved Messages",
    "replies": "Replies",
    "verification_codes": "Verification Codes",
}


def older_group(scope: Scope, title: str) -> Scope:
    """The basic group that a supergroup was before; an export tells its messages, but not its id."""
    channel_id = scope.chat.id
    group_id = stable_id("migrated", channel_id, bits=31)
    migrated_to = raw.types.InputChannel(channel_id=channel_id, access_hash=peers.access_hash("channel", channel_id))
    group = peers.make_group(group_id, title, migrated_to=migrated_to, deactivated=True)
    chat = scope.world.add_chat(Chat(group))
    return replace(scope, chat=chat, migrated_to=channel_id)


def is_supergroup(peer: TLPeer) -> bool:
    """Whether it is a channel in which members talk."""
    return isinstance(peer, raw.types.Channel) and bool(peer.megagroup)


def export_peer(told: RawChat, rows: list[Json], extra: ChatExtra, world: World, where: str) -> TLPeer:
    """The user, group or channel that the export's chat is, with its flags.

    Raises `ExportError` if the username in `bridge` is somebody else's.
    """
    name = one_line(as_text(told.data.get("name")))
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
    protected = extra.protected or None
    if told.type == "private_group":
        people = {as_text(row.get("from_id")) for row in rows if row.get("from_id")}
        return peers.make_group(bare, name, date=date, participants_count=len(people), noforwards=protected)
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
        # Nobody could read a chat that was left and has no username; but what the export holds is there to be read.
        left=(told.left and username is not None) or None,
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


def add_named(extra: ChatExtra, world: World, where: str) -> None:
    """People and chats that `bridge` describes, since messages name them by id alone."""
    for user in extra.users:
        _refuse_taken(world, user.username, raw.types.User, user.id, where)
        world.add_user(
            raw.types.User(
                id=user.id,
                access_hash=peers.access_hash("user", user.id),
                first_name=user.first_name,
                last_name=user.last_name,
                username=user.username,
                bot=user.bot or None,
                bot_info_version=1 if user.bot else None,
            )
        )
    for named in extra.chats:
        _refuse_taken(world, named.username, raw.types.Channel, named.id, where)
        known = world.channel(named.id)
        if known is not None and not known.mentioned:
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
        world.add_chat(Chat(channel, mentioned=True))


def add_photo(scope: Scope, name: str, where: str) -> None:
    """Give the chat the photo that `bridge` names; `ExportError` if that file is not there."""
    photo = build_chat_photo(scope, named_file(scope, name, where))
    scope.chat.full_photo = photo
    peer = scope.chat.peer
    if isinstance(peer, raw.types.User):
        peer.photo = raw.types.UserProfilePhoto(photo_id=photo.id, dc_id=DEFAULT_DC)
    else:
        peer.photo = raw.types.ChatPhoto(photo_id=photo.id, dc_id=DEFAULT_DC)
