"""All chats of the account, read page by page."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from pyrogram import raw

from telegram.adapter import marked_id
from telegram.connection import Connection
from telegram.input_peers import input_peer_of
from tg_throttle import Priority

# Dialogs are read in pages of this size, and no more of them than this.
DIALOGS_PAGE = 100
DIALOGS_LIMIT = 2000
# Seconds until they are read again.
DIALOGS_TTL = 300.0
_ARCHIVE = 1

TLPeer = raw.types.Channel | raw.types.Chat | raw.types.User


class Listing(NamedTuple):
    """What the pages told: everybody that they name, and which of them are dialogs, in Telegram's order.

    Both are by marked id; of a dialog the listing tells whether it is in the archive.
    """

    peers: Mapping[int, TLPeer]
    archived: Mapping[int, bool]


class Dialogs:
    """The dialogs of one connection, asked for again after `DIALOGS_TTL`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._listing = Listing({}, {})
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()

    async def read(self, priority: Priority) -> Listing:
        """All dialogs, as of a moment ago at the longest. Raises what calls raise."""
        async with self._reading:
            if time.monotonic() - self._read_at >= DIALOGS_TTL:
                self._listing = await self._read_pages(priority)
                self._read_at = time.monotonic()
            return self._listing

    async def _read_pages(self, priority: Priority) -> Listing:
        peers: dict[int, TLPeer] = {}
        archived: dict[int, bool] = {}
        offset: tuple[int, int, raw.base.InputPeer] = (0, 0, raw.types.InputPeerEmpty())
        for _ in range(0, DIALOGS_LIMIT, DIALOGS_PAGE):
            page = await self._connection.call(
                raw.functions.messages.GetDialogs(
                    offset_date=offset[0], offset_id=offset[1], offset_peer=offset[2], limit=DIALOGS_PAGE, hash=0
                ),
                priority=priority,
            )
            if isinstance(page, raw.types.messages.DialogsNotModified):
                break
            await self._connection.remember(*page.users, *page.chats)
            before = len(archived)
            peers.update((marked_id(peer), peer) for peer in (*page.users, *page.chats) if isinstance(peer, TLPeer))
            for dialog in page.dialogs:
                # The archive itself is an entry, too.
                if isinstance(dialog, raw.types.Dialog):
                    archived[marked_id(dialog.peer)] = dialog.folder_id == _ARCHIVE
            # A page that brings nothing new is the last one, whatever else it claims.
            if len(page.dialogs) < DIALOGS_PAGE or len(archived) == before:
                break
            offset = _after(page, peers)
        return Listing(peers, archived)


def _after(page: Any, dialogs: Mapping[int, TLPeer]) -> tuple[int, int, raw.base.InputPeer]:
    """Where the page of dialogs behind this one begins: date, message id and peer of its last dialog."""
    last = page.dialogs[-1]
    last_id = marked_id(last.peer)
    peer = dialogs.get(last_id)
    date = next(
        (
            message.date
            for message in page.messages
            if message.id == last.top_message and message.peer_id is not None and marked_id(message.peer_id) == last_id
        ),
        0,
    )
    return date, last.top_message, input_peer_of(last_id, getattr(peer, "access_hash", 0) or 0)
