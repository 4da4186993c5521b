"""The chats that the account has joined, sorted into its folders as Telegram's own applications sort them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec
from pyrogram import raw

from model.channel import Channel
from model.folder import Folder, JoinedChats
from telegram.adapter import to_channel
from telegram.adapter_peers import marked_channel_id
from telegram.connection import Connection
from telegram.dialogs import Dialogs, Listing, TLPeer
from tg_throttle import Priority

_JoinedPeer = raw.types.Channel | raw.types.Chat


async def joined_chats(connection: Connection, dialogs: Dialogs, priority: Priority) -> JoinedChats:
    """All channels and groups of the account, with its folders; one call more than reading the dialogs takes.

    Raises what calls raise.
    """
    listing = await dialogs.read(priority)
    answer = await connection.call(raw.functions.messages.GetDialogFilters(), priority=priority)
    return sort_chats(listing, answer.filters)


def sort_chats(listing: Listing, filters: Iterable[raw.base.DialogFilter]) -> JoinedChats:
    """The joined chats of the listing, in its order, and the folders that the filters make of them.

    Folders without a chat are left out. That a folder hides what is muted or has been read does not count here: it says
    nothing about reading elsewhere.
    """
    joined = {
        chat_id: peer for chat_id in listing.archived if (peer := _joined(listing.peers.get(chat_id))) is not None
    }
    folders = []
    for entry in filters:
        if isinstance(entry, raw.types.DialogFilter | raw.types.DialogFilterChatlist):
            chat_ids = _chat_ids(entry, joined, listing.archived)
            if chat_ids:
                folders.append(Folder(title=entry.title.text.strip() or f"Folder {entry.id}", chat_ids=chat_ids))
    return JoinedChats(channels=tuple(_channel(peer) for peer in joined.values()), folders=tuple(folders))


def _joined(peer: TLPeer | None) -> _JoinedPeer | None:
    """The peer if it is a channel or group that the account is in; one that has become a supergroup is no more."""
    if isinstance(peer, raw.types.Channel) and not peer.left:
        return peer
    if isinstance(peer, raw.types.Chat) and not (peer.left or peer.deactivated or peer.migrated_to):
        return peer
    return None


def _channel(peer: _JoinedPeer) -> Channel:
    """The chat without its photo, which nobody looks up here."""
    return msgspec.structs.replace(to_channel(peer), photo=None)


def _chat_ids(
    entry: raw.types.DialogFilter | raw.types.DialogFilterChatlist,
    joined: Mapping[int, _JoinedPeer],
    archived: Mapping[int, bool],
) -> tuple[int, ...]:
    """The chats of a folder: those that it names, then those that its rules take in."""
    named = [chat_id for peer in (*entry.pinned_peers, *entry.include_peers) if (chat_id := _id_of(peer)) in joined]
    ruled: list[int] = []
    if isinstance(entry, raw.types.DialogFilter):
        excluded = {_id_of(peer) for peer in entry.exclude_peers}
        takes = _rule(entry)
        ruled = [
            chat_id
            for chat_id, peer in joined.items()
            if takes(peer) and chat_id not in excluded and not (entry.exclude_archived and archived[chat_id])
        ]
    return tuple(dict.fromkeys([*named, *ruled]))


def _rule(entry: raw.types.DialogFilter) -> Callable[[_JoinedPeer], bool]:
    """Which kinds of chats the folder takes in."""

    def takes(peer: _JoinedPeer) -> bool:
        broadcast = isinstance(peer, raw.types.Channel) and bool(peer.broadcast)
        return bool(entry.broadcasts if broadcast else entry.groups)

    return takes


def _id_of(peer: raw.base.InputPeer) -> int:
    """The marked id of a chat that a filter names; 0, which is no chat's, for people and for the account itself."""
    if isinstance(peer, raw.types.InputPeerChannel | raw.types.InputPeerChannelFromMessage):
        return marked_channel_id(peer.channel_id)
    if isinstance(peer, raw.types.InputPeerChat):
        return -peer.chat_id
    return 0
