"""Parts of files, each from the data center that keeps the file, or from the delivery network that it names."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import TypeVar

from pyrogram import errors as tl
from pyrogram import raw
from pyrogram.raw.core import TLObject

from errors import FloodWait, PassingFault, TelegramUnavailable
from model.media import FileLocation, FileRef
from telegram.cdn import BadDelivery, Redirect
from telegram.connection import Connection
from telegram.errors import KURIGRAM_ERRORS, translate
from telegram.flood_rules import DOWNLOADS
from telegram.input_peers import input_peer_of
from telegram.media_sessions import MediaSessions
from telegram.options import TelegramOptions
from telegram.session import method_name
from tg_throttle import RpcGate

logger = logging.getLogger(__name__)

K = TypeVar("K")
T = TypeVar("T")
V = TypeVar("V")

# How many files are remembered that are elsewhere than they should be.
REMEMBERED_FILES = 1000
# Seconds that a part may take, and a connection with its key exchange and its login. Eight parts of 1 MiB in half a
# minute are the least speed that a download is given time for.
PART_TIMEOUT = 30.0
OPEN_TIMEOUT = 15.0
LONGEST_PAUSE = 30.0
# How often one part is asked for anew when a delivery is refused; then the file comes from Telegram itself.
_DELIVERY_TRIES = 3


class Files:
    """Reads files by parts over one media session per data center.

    A file that Telegram delivers by its network is asked for there, decrypted and proven; if that does not work, it
    comes from Telegram itself.
    """

    def __init__(self, connection: Connection, gate: RpcGate, options: TelegramOptions) -> None:
        self._gate = gate
        self._part_timeout = min(options.call_timeout, PART_TIMEOUT)
        self._sessions = MediaSessions(
            connection,
            gate,
            open_timeout=min(options.connect_timeout, OPEN_TIMEOUT),
            first_pause=options.first_pause,
            longest_pause=min(options.longest_pause, LONGEST_PAUSE),
        )
        # By the files' unique ids.
        self._moved: OrderedDict[str, int] = OrderedDict()
        self._redirects: OrderedDict[str, Redirect] = OrderedDict()
        self._undelivered: OrderedDict[str, None] = OrderedDict()

    async def part(self, file: FileRef, offset: int, limit: int) -> bytes:
        """Bytes [offset, offset + limit) of a file, fewer or none at its end.

        `offset` and `limit` are multiples of 4096, `limit` divides 1 MiB and the part lies in one MiB, as
        upload.getFile wants it. Raises `FloodWait` (which is remembered: a plain one holds all calls, one that a
        subscription would have spared only files), `FileReferenceExpired`, `MediaGone`, `TelegramTimeout`,
        `TelegramUnavailable`.
        """
        self._gate.check(DOWNLOADS)
        for _ in range(_DELIVERY_TRIES):
            redirect = self._redirects.get(file.unique_id)
            if redirect is None:
                answer = await self._get_file(file, offset, limit)
                if isinstance(answer, bytes):
                    return answer
                redirect = self._redirects.setdefault(file.unique_id, answer)
                _remember(self._redirects, file.unique_id, redirect)
            data = await self._delivered(file, redirect, offset, limit)
            if data is not None:
                return data
        self._give_up_delivery(file, "it refuses its own tokens")
        answer = await self._get_file(file, offset, limit)
        if isinstance(answer, Redirect):
            raise TelegramUnavailable("Telegram sends a file through its delivery network only, which does not work")
        return answer

    def upkeep(self) -> None:
        """Keep the connection to the account's own data center open, and close idle ones. Does not wait."""
        self._sessions.upkeep()

    async def close(self) -> None:
        """Stop all media sessions."""
        await self._sessions.close()

    # From Telegram.

    async def _get_file(self, file: FileRef, offset: int, limit: int) -> bytes | Redirect:
        query = raw.functions.upload.GetFile(
            location=_location(file),
            offset=offset,
            limit=limit,
            cdn_supported=file.unique_id not in self._undelivered,
        )
        dc_id = self._moved.get(file.unique_id, file.dc_id)
        try:
            answer = await self._ask(dc_id, query)
        except tl.FileMigrate as moved:
            if not isinstance(moved.value, int):
                raise translate(moved, "upload.getFile") from moved
            dc_id = moved.value
            _remember(self._moved, file.unique_id, dc_id)
            try:
                answer = await self._ask(dc_id, query)
            except tl.FileMigrate as again:
                # The next try follows it from its first place on.
                self._moved.pop(file.unique_id, None)
                raise translate(again, "upload.getFile") from again
        if isinstance(answer, raw.types.upload.FileCdnRedirect):
            return Redirect.of(answer, dc_id)
        return answer.bytes

    async def _ask(self, dc_id: int, query: TLObject[T], *, cdn: bool = False) -> T:
        """One call to a data center. Raises FileMigrate and FileTokenInvalid as they are, else the bridge's errors."""
        try:
            return await self._sessions.call(dc_id, query, self._part_timeout, cdn=cdn)
        except (tl.FileMigrate, tl.FileTokenInvalid):
            raise
        except KURIGRAM_ERRORS as error:
            fault = translate(error, method_name(query))
            if isinstance(fault, FloodWait):
                scope = DOWNLOADS if isinstance(error, tl.FloodPremiumWait) else method_name(query)
                fault = FloodWait(fault.retry_after, self._gate.flood(fault.retry_after, scope))
            raise fault from error

    # From the delivery network.

    async def _delivered(self, file: FileRef, redirect: Redirect, offset: int, limit: int) -> bytes | None:
        """The part from the network; None if Telegram has to be asked (again) where the file is."""
        try:
            data = await self._get_cdn_file(redirect, offset, limit)
            while (unproven := redirect.unproven(offset, len(data))) is not None:
                await self._learn_hashes(redirect, unproven)
            return await asyncio.to_thread(redirect.open, data, offset, limit)
        except tl.FileTokenInvalid:
            if self._redirects.get(file.unique_id) is redirect:
                del self._redirects[file.unique_id]
        except FloodWait:
            raise
        except PassingFault as fault:
            # Not the network's, if no call can be made at all.
            self._gate.check(DOWNLOADS)
            # Telegram itself may do better; if not, its fault is the one that counts.
            self._give_up_delivery(file, str(fault))
        return None

    async def _get_cdn_file(self, redirect: Redirect, offset: int, limit: int) -> bytes:
        query = raw.functions.upload.GetCdnFile(file_token=redirect.token, offset=offset, limit=limit)
        for _ in range(_DELIVERY_TRIES):
            answer = await self._ask(redirect.dc_id, query, cdn=True)
            if isinstance(answer, raw.types.upload.CdnFile):
                return answer.bytes
            # The network has not got the file, or not any more: Telegram is to send it there.
            reupload = raw.functions.upload.ReuploadCdnFile(
                file_token=redirect.token, request_token=answer.request_token
            )
            hashes: list[raw.base.FileHash] = await self._ask(redirect.home, reupload)
            redirect.learn(hashes)
        raise BadDelivery("The delivery network does not keep a file that Telegram sends there")

    async def _learn_hashes(self, redirect: Redirect, offset: int) -> None:
        query = raw.functions.upload.GetCdnFileHashes(file_token=redirect.token, offset=offset)
        hashes: list[raw.base.FileHash] = await self._ask(redirect.home, query)
        redirect.learn(hashes)
        if offset not in redirect.hashes:
            raise BadDelivery("Telegram gives no hashes of a file in its delivery network")

    def _give_up_delivery(self, file: FileRef, why: str) -> None:
        if file.unique_id not in self._undelivered:
            logger.warning("A file is fetched without Telegram's delivery network: %s", why)
        _remember(self._undelivered, file.unique_id, None)
        self._redirects.pop(file.unique_id, None)


def _remember(memory: OrderedDict[K, V], key: K, value: V) -> None:
    memory[key] = value
    memory.move_to_end(key)
    if len(memory) > REMEMBERED_FILES:
        memory.popitem(last=False)


def _location(file: FileRef) -> raw.base.InputFileLocation:
    if file.location is FileLocation.PEER_PHOTO:
        peer = input_peer_of(file.peer_id, file.peer_access_hash)
        return raw.types.InputPeerPhotoFileLocation(peer=peer, photo_id=file.id, big=True)
    if file.location is FileLocation.PHOTO:
        kind: type[raw.types.InputPhotoFileLocation | raw.types.InputDocumentFileLocation]
        kind = raw.types.InputPhotoFileLocation
    else:
        kind = raw.types.InputDocumentFileLocation
    return kind(
        id=file.id, access_hash=file.access_hash, file_reference=file.file_reference, thumb_size=file.thumb_type
    )
