"""messages.*: histories, single messages, dialogs, basic groups, invitations, sticker sets."""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Sequence

from pyrogram import raw

from tgserver.errors import RpcFailure
from tgserver.rpc.context import Call
from tgserver.rpc.peers import Entities, dialog, is_member, is_private, key_named
from tgserver.tl import TL, check_writable, elements
from tgserver.world import Chat, ChatKey, TLMessage

log = logging.getLogger(__name__)

PAGE = 100


def get_history(call: Call, query: raw.functions.messages.GetHistory) -> TL:
    """A page of a chat, newest first.

    `offset_id` (messages older than it) goes before `offset_date` (UNIX s); `add_offset` moves the
    page down, or up if negative; `max_id` and `min_id` cut both ends off, themselves excluded.
    """
    chat = dialog(call, query.peer)
    return page_within(call, chat, chat.ids, query)


def page_within(
    call: Call,
    chat: Chat,
    ids: Sequence[int],
    query: raw.functions.messages.GetHistory | raw.functions.messages.GetReplies,
) -> TL:
    """The page that a query wants of a chat's messages with these ids, which rise; `get_history` has the rules."""
    if query.offset_id:
        older = bisect_left(ids, query.offset_id)
    elif query.offset_date:
        # Dates rise with ids, save for a few imported messages.
        older = bisect_left(ids, query.offset_date, key=lambda key: chat.messages[key].date)
    else:
        older = len(ids)
    first = len(ids) - older + query.add_offset
    last = first + min(query.limit, PAGE)
    page = [
        key
        for key in reversed(ids[max(len(ids) - last, 0) : len(ids) - max(first, 0)])
        if (not query.max_id or key < query.max_id) and key > query.min_id
    ]
    return page_of(call, chat, [chat.messages[key] for key in page], offset=max(first, 0), count=len(ids))


def page_of(
    call: Call,
    chat: Chat,
    messages: Sequence[raw.base.Message],
    offset: int | None = None,
    count: int | None = None,
) -> TL:
    """Messages of one chat as an answer, with whom they refer to; `count` is how many there are (None: all of it)."""
    count = len(chat.ids) if count is None else count
    for message in messages:
        check(chat, message)
    entities = Entities(call.world, call.account).add_references(messages)
    entities.add_peer(chat)
    if isinstance(chat.peer, raw.types.Channel):
        return raw.types.messages.ChannelMessages(
            pts=chat.pts,
            count=count,
            offset_id_offset=offset,
            messages=list(messages),
            topics=[],
            chats=entities.chats,
            users=entities.users,
        )
    if offset is None or len(messages) == count:
        return raw.types.messages.Messages(
            messages=list(messages), topics=[], chats=entities.chats, users=entities.users
        )
    return raw.types.messages.MessagesSlice(
        count=count,
        offset_id_offset=offset,
        messages=list(messages),
        topics=[],
        chats=entities.chats,
        users=entities.users,
    )


def check(chat: Chat, message: raw.base.Message) -> None:
    """Keep back a message that no client could read: it would wait for the answer in vain.

    Raises RpcFailure MSG_ID_INVALID, and says in the log what is wrong with the message.
    """
    if chat.checked.get(message.id) == id(message) or isinstance(message, raw.types.MessageEmpty):
        return
    try:
        check_writable(message)
    except ValueError as error:
        log.error("message %s of chat %s can't be sent: %s", message.id, chat.id, error)
        raise RpcFailure("MSG_ID_INVALID", 400) from error
    chat.checked[message.id] = id(message)


def get_messages(call: Call, query: raw.functions.messages.GetMessages) -> TL:
    """Messages of private chats and basic groups, which share their ids."""
    found: list[raw.base.Message] = []
    for wanted in elements(query.id):
        message_id = getattr(wanted, "id", 0)
        chats = (
            chat
            for chat in call.world.chats.values()
            if not isinstance(chat.peer, raw.types.Channel) and message_id in chat.messages
        )
        chat = next(chats, None)
        message = pick(chat, wanted) if chat else raw.types.MessageEmpty(id=message_id)
        if chat:
            check(chat, message)
        found.append(message)
    entities = Entities(call.world, call.account).add_references(found)
    return raw.types.messages.Messages(messages=found, topics=[], chats=entities.chats, users=entities.users)


def pick(chat: Chat, wanted: TL) -> raw.base.Message:
    """The message of a chat that an InputMessage names, MessageEmpty if there is none."""
    message_id = getattr(wanted, "id", 0)
    if isinstance(wanted, raw.types.InputMessagePinned):
        message_id = chat.pinned_id() or 0
    elif isinstance(wanted, raw.types.InputMessageReplyTo):
        header = getattr(chat.messages.get(message_id), "reply_to", None)
        message_id = getattr(header, "reply_to_msg_id", None) or 0
    found: TLMessage | None = chat.messages.get(message_id)
    return found or raw.types.MessageEmpty(id=message_id, peer_id=chat.tl_peer)


def get_dialogs(call: Call, query: raw.functions.messages.GetDialogs) -> TL:
    """The chats that the account is in, by the date of their newest message; those without one come last.

    The page begins behind the dialog that `offset_peer` names, else behind `offset_date` and `offset_id`.
    """
    chats = [chat for chat in call.world.chats.values() if is_member(chat)] if not query.folder_id else []
    chats.sort(key=_rank, reverse=True)
    first = _behind(chats, query, key_named(call, query.offset_peer))
    page = chats[first : first + min(max(query.limit, 0), PAGE)]
    messages: list[raw.base.Message] = [top for chat in page if (top := chat.top_message()) is not None]
    entities = Entities(call.world, call.account).add_references(messages)
    for chat in page:
        entities.add_peer(chat)
    dialogs: list[raw.base.Dialog] = [dialog_of(chat) for chat in page]
    if len(page) == len(chats):
        return raw.types.messages.Dialogs(
            dialogs=dialogs, messages=messages, chats=entities.chats, users=entities.users
        )
    return raw.types.messages.DialogsSlice(
        count=len(chats), dialogs=dialogs, messages=messages, chats=entities.chats, users=entities.users
    )


def _rank(chat: Chat) -> tuple[int, int, ChatKey]:
    """What dialogs are ordered by. No two chats have the same, so a page always has one beginning."""
    top = chat.top_message()
    return (top.date, top.id, chat.key) if top is not None else (0, 0, chat.key)


def _behind(chats: Sequence[Chat], query: raw.functions.messages.GetDialogs, last: ChatKey | None) -> int:
    """The index of the first dialog behind the last one of the page before."""
    for index, chat in enumerate(chats):
        # A chat that has a new message since then is at another place; one without any is always at its own.
        if chat.key == last and chat.ids[-1:] in ([], [query.offset_id]):
            return index + 1
    if not query.offset_date:
        return 0
    place = (query.offset_date, query.offset_id, last or ())
    return next((index for index, chat in enumerate(chats) if _rank(chat) < place), len(chats))


def dialog_of(chat: Chat) -> raw.types.Dialog:
    """A chat as an entry of the dialogs; all of it counts as read."""
    top = chat.ids[-1] if chat.ids else 0
    return raw.types.Dialog(
        peer=chat.tl_peer,
        top_message=top,
        read_inbox_max_id=top,
        read_outbox_max_id=0,
        unread_count=0,
        unread_mentions_count=0,
        unread_reactions_count=0,
        unread_poll_votes_count=0,
        notify_settings=raw.types.PeerNotifySettings(),
        pts=chat.pts if isinstance(chat.peer, raw.types.Channel) else None,
    )


def get_dialog_filters(call: Call, _: raw.functions.messages.GetDialogFilters) -> TL:
    """The folders in their order; all chats together come first, as for accounts that have not moved them."""
    everything: list[raw.base.DialogFilter] = [raw.types.DialogFilterDefault()]
    return raw.types.messages.DialogFilters(filters=[*everything, *call.world.folders] if call.world.folders else [])


def get_chats(call: Call, query: raw.functions.messages.GetChats) -> TL:
    """Basic groups by id. Raises RpcFailure CHAT_ID_INVALID."""
    entities = Entities(call.world, call.account)
    for chat_id in query.id:
        entities.add_peer(_basic_group(call, chat_id))
    return raw.types.messages.Chats(chats=entities.chats)


def get_full_chat(call: Call, query: raw.functions.messages.GetFullChat) -> TL:
    """All about a basic group. Raises RpcFailure CHAT_ID_INVALID."""
    chat = _basic_group(call, query.chat_id)
    senders = {
        message.from_id.user_id for message in chat.messages.values() if isinstance(message.from_id, raw.types.PeerUser)
    }
    entities = Entities(call.world, call.account)
    entities.add_peer(chat)
    for sender in sorted(senders):
        entities.add_user(sender)
    date = chat.peer.date if isinstance(chat.peer, raw.types.Chat) else 0
    return raw.types.messages.ChatFull(
        full_chat=raw.types.ChatFull(
            id=chat.id,
            about=chat.about,
            participants=raw.types.ChatParticipants(
                chat_id=chat.id,
                participants=[
                    raw.types.ChatParticipant(user_id=user.id, inviter_id=user.id, date=date) for user in entities.users
                ],
                version=1,
            ),
            notify_settings=raw.types.PeerNotifySettings(),
            chat_photo=chat.full_photo,
            pinned_msg_id=chat.pinned_id(),
        ),
        chats=entities.chats,
        users=entities.users,
    )


def _basic_group(call: Call, chat_id: int) -> Chat:
    chat = call.world.group(chat_id)
    if chat is None or chat.private:
        raise RpcFailure("CHAT_ID_INVALID", 400)
    return chat


def check_chat_invite(call: Call, query: raw.functions.messages.CheckChatInvite) -> TL:
    """What an invitation leads to. Raises RpcFailure INVITE_HASH_EMPTY or INVITE_HASH_EXPIRED."""
    if not query.hash:
        raise RpcFailure("INVITE_HASH_EMPTY", 400)
    chat = next((chat for chat in call.world.chats.values() if chat.invite_hash == query.hash), None)
    if chat is None or isinstance(chat.peer, raw.types.User):
        raise RpcFailure("INVITE_HASH_EXPIRED", 400)
    if is_member(chat):
        return raw.types.ChatInviteAlready(chat=chat.peer)
    peer = chat.peer
    broadcast = isinstance(peer, raw.types.Channel) and bool(peer.broadcast)
    return raw.types.ChatInvite(
        title=peer.title,
        about=chat.about or None,
        photo=chat.full_photo or raw.types.PhotoEmpty(id=0),
        participants_count=peer.participants_count or 0,
        color=0,
        channel=isinstance(peer, raw.types.Channel),
        broadcast=broadcast,
        megagroup=isinstance(peer, raw.types.Channel) and not broadcast,
        public=not is_private(chat),
    )


def get_sticker_set(call: Call, query: raw.functions.messages.GetStickerSet) -> TL:
    """A sticker set by its short name or id. Raises RpcFailure STICKERSET_INVALID."""
    for known in call.world.sticker_sets.values():
        if isinstance(query.stickerset, raw.types.InputStickerSetShortName):
            if known.set.short_name == query.stickerset.short_name:
                return known
        elif isinstance(query.stickerset, raw.types.InputStickerSetID) and known.set.id == query.stickerset.id:
            return known
    raise RpcFailure("STICKERSET_INVALID", 400)
