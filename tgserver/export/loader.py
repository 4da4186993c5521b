"""The front doors: a whole export into a world, and one message for a chat."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pyrogram import raw

from tgserver.export import messages, peers
from tgserver.export.bridge import chat_extra
from tgserver.export.chats import add_named, add_photo, export_peer, is_supergroup, older_group
from tgserver.export.discussions import link_discussions, link_group, sort_into_topics
from tgserver.export.errors import ExportError
from tgserver.export.peers import PeerBook
from tgserver.export.reader import RawChat, RawExport, read_export
from tgserver.export.scope import Scope
from tgserver.export.values import INT32_MAX, Json, as_dict, as_int, as_text, timestamp
from tgserver.lines import one_line
from tgserver.threads import put_in_topic
from tgserver.world import Chat, ChatKey, TLMessage, World, key_of

log = logging.getLogger(__name__)

# Telegram Desktop numbers the history from before a migration downwards from this shift.
_MIGRATED_SHIFT = 1_000_000_000


def load_export(folder: Path, world: World) -> list[Chat]:
    """Read an export of Telegram Desktop and put its chats, people and files into the world.

    `folder` is the folder with `result.json`, or that file itself; both the export of one chat and that
    of an account are understood. Answers the chats that the export holds, in its order; a supergroup
    with history from before its migration is followed by that basic group. A chat that the world
    already has is replaced. Files are read later, when asked for, so the folder must stay.

    Raises `ExportError` (one line: where, what is wrong, what to do) if the structure or a `bridge`
    object is faulty; an odd message never is a reason. The world then holds a part of the export.
    """
    scopes: dict[ChatKey, Scope] = {}
    with _without_collector():
        export = read_export(folder)
        book = PeerBook(world)
        own_id = _load_people(export, world)
        for told in export.chats:
            _load_chat(export, told, world, book, own_id, scopes)
        for scope in scopes.values():
            sort_into_topics(scope.chat)
        # A channel and its group may be exports of their own.
        link_discussions(world, list(world.chats.values()))
    return [scope.chat for scope in scopes.values()]


@contextmanager
def _without_collector() -> Iterator[None]:
    """Without Python's search for garbage in cycles: it takes a quarter of a large load, which makes none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def build_message(chat: Chat, data: Json, folder: Path | None, world: World) -> TLMessage:
    """One TL message for a chat from a message in an export's form, `bridge` object included.

    Paths in it are relative to `folder`; without one no file is served. Without an `id` it gets the next
    free one of the chat; without a date, its date is 0. People, chats and files that it names are added
    to the world; the message itself is not added to the chat. Raises `ExportError` for a bad id or a
    faulty `bridge` object.
    """
    scope = Scope(world, chat, PeerBook(world), folder, source=f"chat {chat.id}")
    message = _built(scope, data)
    if getattr(chat.peer, "forum", None):
        put_in_topic(chat, message)
    return message


def _built(scope: Scope, data: Json) -> TLMessage:
    chat = scope.chat
    if data.get("id") is None:
        last = max([*chat.ids[-1:], *chat.deleted, 0])
        if last >= INT32_MAX:
            raise ExportError(f"{scope.source}: a message has the last possible id, {last}; there is no next one")
        return messages.build(scope, last + 1, data)
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


def _load_chat(
    export: RawExport,
    told: RawChat,
    world: World,
    book: PeerBook,
    own_id: int | None,
    scopes: dict[ChatKey, Scope],
) -> None:
    """Load one chat into the world, and put its scope among those of the export."""
    label = one_line(as_text(told.data.get("name"))) or told.type
    where = f"{export.source}: chat {label}"
    extra = chat_extra(told.data, where)
    rows = [as_dict(entry) for entry in told.messages]
    add_named(extra, world, where)
    peer = export_peer(told, rows, extra, world, where)
    scope = scopes.get(key_of(peer))
    if scope is not None:
        log.warning("%s: the export has another chat with the id %d; their messages are put together", where, peer.id)
    else:
        before = world.chats.get(key_of(peer))
        if before is not None and not before.mentioned:
            log.warning("%s: takes the place of the chat with the id %d that was loaded before", where, peer.id)
        chat = world.add_chat(Chat(peer, about=extra.about))
        if isinstance(peer, raw.types.User):
            world.add_user(peer)
        scope = scopes[chat.key] = Scope(world, chat, book, export.folder, where, own_id)
        if extra.photo is not None:
            add_photo(scope, extra.photo, where)
    if is_supergroup(peer) and (old_rows := [row for row in rows if _id(row) < 0]):
        rows = [row for row in rows if _id(row) >= 0]
        older = scopes.get(ChatKey("chat", scope.migrated_from)) or older_group(scope, label)
        scope.migrated_from = older.chat.id
        scopes[older.chat.key] = older
        _fill(older, old_rows, shift=_MIGRATED_SHIFT)
    _fill(scope, rows)


def _id(row: Json) -> int:
    return messages.message_id_of(row) or 0


def _fill(scope: Scope, rows: Iterable[Json], shift: int = 0) -> None:
    """Build all messages. What can't be kept is counted, and told in one line of the log."""
    chosen: dict[int, Json] = {}
    for row in rows:
        message_id = _id(row) + shift if row else 0
        if not 0 < message_id <= INT32_MAX:
            scope.losses["entries without a usable message id"] += 1
            continue
        if message_id in chosen or message_id in scope.chat.messages:
            scope.losses["messages with the id of another"] += 1
            # The last one wins; but one whose id is written oddly ("7") takes no other's place.
            if message_id in scope.chat.messages or type(row["id"]) is not int:
                continue
        chosen[message_id] = row
    told_dates = [timestamp(row) for row in chosen.values()]
    dates = _completed(told_dates)
    for (message_id, row), told_date, date in zip(chosen.items(), told_dates, dates, strict=True):
        message = messages.build(scope, message_id, row if told_date else {**row, "date_unixtime": date})
        scope.chat.messages[message_id] = message
        discussed = message.replies if isinstance(message, raw.types.Message) else None
        if discussed is not None and discussed.channel_id is not None:
            link_group(scope.chat, discussed.channel_id)
    told = [f"{number} {what}" for what, number in scope.losses.items() if number]
    if told:
        log.warning("%s: left out %s", scope.source, ", ".join(told))
    scope.losses.clear()


def _completed(told: list[int]) -> list[int]:
    """When each message was sent, UNIX s. One that does not say it (0) gets the date of its neighbour.

    Telegram Desktop writes no date for kinds that it does not know. The neighbour is the nearest dated
    message before it, or, at the beginning, the first dated one.
    """
    date = next(filter(None, told), 0)
    return [date := moment or date for moment in told]
