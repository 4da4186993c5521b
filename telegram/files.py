"""Parts of files, each from the data center that keeps the file."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict

from pyrogram import errors as tl
from pyrogram import raw
from pyrogram.session import Auth
from pyrogram.session.session import AuthKeyNotFound

from errors import BridgeError, FloodWait, TelegramTimeout, TelegramUnavailable
from model.media import FileLocation, FileRef
from telegram.connection import Connection, pick_address
from telegram.errors import KURIGRAM_ERRORS, ConnectionLost, translate
from telegram.flood_rules import DOWNLOADS
from telegram.peers import input_peer_of
from telegram.session import OneTrySession
from tg_throttle import RpcGate

logger = logging.getLogger(__name__)

# How many files found at another data center than they should be at are remembered.
MOVED_FILES = 1000
# What a data center says of a key that it does not know, or of which it does not know whose it is.
_KEY_REFUSED = (tl.Unauthorized, tl.AuthKeyDuplicated, AuthKeyNotFound)


class Files:
    """Reads files by parts over one media session per data center, made when it is first needed."""

    def __init__(
        self, connection: Connection, gate: RpcGate, *, part_timeout: float = 60, open_timeout: float = 30
    ) -> None:
        self._connection = connection
        self._gate = gate
        self._home: int = connection.session.dc_id
        self._part_timeout = part_timeout
        self._open_timeout = open_timeout
        self._sessions: dict[int, OneTrySession] = {}
        self._opening: dict[int, asyncio.Task[OneTrySession]] = {}
        # Keys of other data centers that are logged in there.
        self._keys: dict[int, bytes] = {}
        self._config = connection.session.config
        self._moved: OrderedDict[str, int] = OrderedDict()

    async def part(self, file: FileRef, offset: int, limit: int) -> bytes:
        """Bytes [offset, offset + limit) of a file, fewer or none at its end.

        `offset` and `limit` are multiples of 4096, `limit` divides 1 MiB and the part lies in one MiB, as
        upload.getFile wants it. Raises `FloodWait` (which is remembered: a plain one holds all calls, one that a
        subscription would have spared only files), `FileReferenceExpired`, `MediaGone`, `TelegramTimeout`,
        `TelegramUnavailable`.
        """
        self._gate.check(DOWNLOADS)
        query = raw.functions.upload.GetFile(location=_location(file), offset=offset, limit=limit)
        dc_id = self._moved.get(file.unique_id, file.dc_id)
        try:
            try:
                answer = await self._ask(dc_id, query)
            except tl.FileMigrate as moved:
                if not isinstance(moved.value, int):
                    raise
                self._remember_move(file, moved.value)
                answer = await self._ask(moved.value, query)
        except KURIGRAM_ERRORS as error:
            fault = translate(error, "upload.getFile")
            if isinstance(fault, FloodWait):
                name = DOWNLOADS if isinstance(error, tl.FloodPremiumWait) else "upload.getFile"
                fault = FloodWait(fault.retry_after, self._gate.flood(fault.retry_after, name))
            raise fault from error
        if not isinstance(answer, raw.types.upload.File):
            raise TelegramUnavailable("Telegram sends the file through a delivery network, unasked")
        return answer.bytes

    async def close(self) -> None:
        """Stop all media sessions."""
        for opening in self._opening.values():
            opening.cancel()
        if self._opening:
            await asyncio.wait(self._opening.values(), timeout=1)
        await asyncio.gather(*(session.shut() for session in self._sessions.values()))
        self._sessions.clear()

    async def _ask(self, dc_id: int, query: raw.functions.upload.GetFile) -> raw.base.upload.File:
        refusal: Exception | None = None
        for _ in range(2):
            session = await self._session(dc_id)
            try:
                return await session.call(query, self._part_timeout)
            except _KEY_REFUSED as error:
                if dc_id == self._home and not isinstance(error, AuthKeyNotFound):
                    raise
                # Says nothing of the main connection, which finds out for itself whether its login holds.
                refusal = error
                await self._forget(dc_id, session)
            except ConnectionLost:
                # Ended under this call, by one that met a refusal.
                if session.usable:
                    raise
        raise _not_accepted(dc_id) from refusal

    async def _forget(self, dc_id: int, session: OneTrySession) -> None:
        """Give up a session whose key was refused, with the key; other calls may have done so already."""
        if self._sessions.get(dc_id) is session:
            del self._sessions[dc_id]
            self._keys.pop(dc_id, None)
        await session.shut()

    async def _session(self, dc_id: int) -> OneTrySession:
        session = self._sessions.get(dc_id)
        if session is not None and session.usable:
            return session
        opening = self._opening.get(dc_id)
        if opening is None:
            opening = asyncio.get_running_loop().create_task(self._open(dc_id), name=f"media session {dc_id}")
            self._opening[dc_id] = opening
            opening.add_done_callback(lambda task: self._opened(dc_id, task))
        # Shared by all who wait: one of them leaving must not end it for the others.
        return await asyncio.shield(opening)

    def _opened(self, dc_id: int, opening: asyncio.Task[OneTrySession]) -> None:
        self._opening.pop(dc_id, None)
        if not opening.cancelled() and opening.exception() is None:
            self._sessions[dc_id] = opening.result()

    async def _open(self, dc_id: int) -> OneTrySession:
        try:
            async with asyncio.timeout(self._open_timeout):
                return await self._connect(dc_id)
        except TimeoutError as error:
            self._config = None
            raise TelegramTimeout(f"No connection to Telegram's data center {dc_id} for files") from error
        except BridgeError:
            raise
        except AuthKeyNotFound as error:
            raise _not_accepted(dc_id) from error
        except KURIGRAM_ERRORS as error:
            self._config = None
            raise translate(error, f"the file connection to data center {dc_id}") from error

    async def _connect(self, dc_id: int) -> OneTrySession:
        client = self._connection.client
        if (old := self._sessions.pop(dc_id, None)) is not None:
            await old.shut()
        address = await self._address(dc_id, media=True)
        if dc_id == self._home:
            # Salts belong to the key: with none, the first message is refused and costs another round trip.
            return await self._begin(dc_id, address, self._connection.session.auth_key, self._connection.session.salt)
        if (known := self._keys.get(dc_id)) is not None:
            try:
                return await self._begin(dc_id, address, known)
            except _KEY_REFUSED:
                self._keys.pop(dc_id, None)
        main = await self._address(dc_id, media=False)
        test_mode = await client.storage.test_mode()
        key = await Auth(client, dc_id, main.ip_address, main.port, test_mode).create()
        session = await self._begin(dc_id, address, key)
        try:
            ticket = await self._connection.call(raw.functions.auth.ExportAuthorization(dc_id=dc_id))
            redeem = raw.functions.auth.ImportAuthorization(id=ticket.id, bytes=ticket.bytes)
            await session.call(redeem, self._part_timeout)
        except BaseException:
            await session.shut()
            raise
        self._keys[dc_id] = key
        return session

    async def _begin(self, dc_id: int, address: raw.types.DcOption, key: bytes, salt: int = 0) -> OneTrySession:
        client = self._connection.client
        test_mode = await client.storage.test_mode()
        session = OneTrySession(client, dc_id, address.ip_address, address.port, key, test_mode, is_media=True)
        session.salt = salt
        session.on_flood = self._note_flood
        await session.open(self._open_timeout)
        return session

    def _note_flood(self, seconds: float) -> None:
        self._gate.flood(seconds, DOWNLOADS)

    async def _address(self, dc_id: int, *, media: bool) -> raw.types.DcOption:
        if self._config is None:
            self._config = await self._connection.call(raw.functions.help.GetConfig())
        return pick_address(self._config, dc_id, media=media)

    def _remember_move(self, file: FileRef, dc_id: int) -> None:
        self._moved[file.unique_id] = dc_id
        if len(self._moved) > MOVED_FILES:
            self._moved.popitem(last=False)


def _not_accepted(dc_id: int) -> TelegramUnavailable:
    return TelegramUnavailable(f"Telegram's data center {dc_id} does not accept the login for files", 5)


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
