"""From a request to its answer: counting, faults, pace, and the keep-alive of MTProto itself."""

from __future__ import annotations

import asyncio
import logging
import secrets
import struct
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyrogram import raw
from pyrogram.raw.core import BoolTrue, FutureSalt, FutureSalts, GzipPacked

from tgserver import rpc, tl
from tgserver.connection import Connection
from tgserver.errors import RpcFailure
from tgserver.faults import Action, Fault, FaultBook
from tgserver.rpc.context import Call, FilePart
from tgserver.session import ANSWER, Session
from tgserver.tl import TL, Unparsable

if TYPE_CHECKING:
    from tgserver.server import Server

log = logging.getLogger(__name__)

UNPARSABLE = "unparsable"
_BAD_SALT_CODE = 48
_OLD_MESSAGE_CODE = 16
_EXTRA_BYTES = 1024
# Calls around a call: they carry it and say something about it.
_WRAPPERS = (
    raw.functions.InvokeWithLayer,
    raw.functions.InitConnection,
    raw.functions.InvokeWithoutUpdates,
    raw.functions.InvokeAfterMsg,
    raw.functions.InvokeAfterMsgs,
    raw.functions.InvokeWithTakeout,
    raw.functions.InvokeWithMessagesRange,
)
# What comes in place of an answer. The second is no constructor's number, the third no gzip.
_NO_ANSWERS = {
    Action.WRONG_TYPE: struct.pack("<I", BoolTrue.ID),
    Action.UNKNOWN_TYPE: struct.pack("<I", 0xDEADBEEF) + bytes(12),
    Action.DAMAGED: struct.pack("<I", GzipPacked.ID) + tl.bytes_prefix(4) + b"bad." + tl.bytes_padding(4),
}
_FILE_TYPES: dict[str, TL] = {
    "image/jpeg": raw.types.storage.FileJpeg(),
    "image/png": raw.types.storage.FilePng(),
    "image/gif": raw.types.storage.FileGif(),
    "image/webp": raw.types.storage.FileWebp(),
    "video/mp4": raw.types.storage.FileMp4(),
    "application/pdf": raw.types.storage.FilePdf(),
    "audio/mpeg": raw.types.storage.FileMp3(),
}
_FILE_HEADER = struct.Struct("<I4si")
_CDN_FILE_HEADER = struct.pack("<I", raw.types.upload.CdnFile.ID)


@dataclass(slots=True, frozen=True)
class CallRecord:
    """One call: when (`time.monotonic`, s), which method, at which data center, on which kind of connection."""

    time: float
    method: str
    dc_id: int
    is_media: bool


class CallLog:
    """Counts calls. Wrappers count too, so `calls["initConnection"]` is the number of session starts."""

    def __init__(self, size: int = 100_000) -> None:
        self.calls: Counter[str] = Counter()
        self.records: deque[CallRecord] = deque(maxlen=size)

    def add(self, method: str, dc_id: int, is_media: bool) -> None:
        """Count one call."""
        self.calls[method] += 1
        self.records.append(CallRecord(time.monotonic(), method, dc_id, is_media))

    def clear(self) -> None:
        """Begin to count from zero."""
        self.calls.clear()
        self.records.clear()


def unwrap(query: TL) -> tuple[list[str], TL]:
    """The names of the wrappers and of the method itself, and the method."""
    names = [tl.method_name(query)]
    while isinstance(query, _WRAPPERS):
        query = query.query
        names.append(tl.method_name(query))
    return names, query


class Dispatcher:
    """Answers the calls of all connections of a server.

    `latency` (s) is added to each answer; `bandwidth` (bytes/s) is what all answers of
    upload.getFile share.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self.log = CallLog()
        self.faults = FaultBook()
        self.latency = 0.0
        self.bandwidth: float | None = None
        self._files_free_at = 0.0
        # Reading and encrypting a part takes 10 ms per MiB, without the interpreter's lock.
        self._workers = ThreadPoolExecutor(2, thread_name_prefix="tgserver-part")
        self._timers: set[asyncio.TimerHandle] = set()

    def close(self) -> None:
        """Forget what is still to be answered."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self._workers.shutdown(wait=True, cancel_futures=True)

    def receive(self, connection: Connection, session: Session, message_id: int, query: TL | Unparsable) -> None:
        """Answer a call, at once or after its delay."""
        if isinstance(query, Unparsable):
            self.log.add(UNPARSABLE, connection.dc.id, connection.media)
            failure = tl.error(400, "INPUT_METHOD_INVALID")
            self._later(0.0, lambda: connection.answer(session, message_id, [failure.write()]))
            return
        names, query = unwrap(query)
        for name in names:
            self.log.add(name, connection.dc.id, connection.media)
        met = self.faults.meet(names, connection.dc.id, connection.media)
        delay = self.latency + sum(fault.seconds for fault in met)
        fault = next((fault for fault in met if fault.action is not Action.DELAY), None)
        if fault is not None and self._interrupt(fault, connection, session, message_id, delay):
            return
        if session.key.account is not None and names[0] != "invokeWithoutUpdates":
            session.wants_updates = session.wants_updates or not isinstance(query, _SILENT)
        if self._service(connection, session, message_id, query, delay):
            return
        self._answer(connection, session, message_id, query, delay, fault)

    def _interrupt(self, fault: Fault, connection: Connection, session: Session, message_id: int, delay: float) -> bool:
        """Act out a fault that comes in place of the call. False if the call is to be made."""
        if fault.action is Action.HANG:
            return True
        if fault.action is Action.SILENCE:
            connection.silent = True
            return True
        if fault.action is Action.DROP:
            self._later(delay, connection.close)
            return True
        if fault.action is Action.TRANSPORT_ERROR:
            code = fault.code or 0
            self._later(delay, lambda: connection.transport_error(code))
            return True
        if fault.action is Action.BAD_SALT:
            session.salt = secrets.randbits(63)
            notice = raw.types.BadServerSalt(
                bad_msg_id=message_id, bad_msg_seqno=0, error_code=_BAD_SALT_CODE, new_server_salt=session.salt
            ).write()
            self._later(delay, lambda: connection.send(session, [notice], content=False))
            return True
        if fault.action is Action.BAD_MESSAGE:
            notice = raw.types.BadMsgNotification(
                bad_msg_id=message_id, bad_msg_seqno=0, error_code=_OLD_MESSAGE_CODE
            ).write()
            self._later(delay, lambda: connection.send(session, [notice], content=False))
            return True
        if fault.action in _NO_ANSWERS:
            wrong = _NO_ANSWERS[fault.action]
            self._later(delay, lambda: connection.answer(session, message_id, [wrong]))
            return True
        if fault.action is Action.ERROR:
            failure = fault.failure()
            body = tl.error(failure.code, failure.name).write()
            self._later(delay, lambda: connection.answer(session, message_id, [body]))
            return True
        return False

    def _service(self, connection: Connection, session: Session, message_id: int, query: TL, delay: float) -> bool:
        """Answer what belongs to MTProto itself. False if it is an RPC."""
        if isinstance(query, raw.functions.Ping | raw.functions.PingDelayDisconnect):
            if isinstance(query, raw.functions.PingDelayDisconnect):
                connection.close_after(query.disconnect_delay)
            pong = raw.types.Pong(msg_id=message_id, ping_id=query.ping_id).write()
            self._later(delay, lambda: connection.send(session, [pong], ANSWER, content=False))
        elif isinstance(query, raw.functions.GetFutureSalts):
            now = int(time.time())
            salts = FutureSalts(message_id, now, [FutureSalt(now, now + 3600, session.salt)]).write()
            self._later(delay, lambda: connection.send(session, [salts], ANSWER, content=False))
        elif isinstance(query, raw.functions.RpcDropAnswer):
            body = raw.types.RpcAnswerUnknown().write()
            self._later(delay, lambda: connection.answer(session, message_id, [body]))
        elif isinstance(query, raw.functions.DestroySession):
            gone = raw.types.DestroySessionNone(session_id=query.session_id).write()
            self._later(delay, lambda: connection.send(session, [gone], ANSWER))
        else:
            return False
        return True

    def _answer(
        self,
        connection: Connection,
        session: Session,
        message_id: int,
        query: TL,
        delay: float,
        fault: Fault | None,
    ) -> None:
        call = Call(
            self._server, connection.dc, session, too_long=fault is not None and fault.action is Action.TOO_LONG
        )
        result = self._result(call, query)
        if isinstance(result, FilePart):
            part = _spoiled(result, fault)
            delay += self._transfer_time(part.wanted)
            self._later(delay, lambda: self._send_part(connection, session, message_id, part))
            return
        body = result
        self._later(delay, lambda: connection.answer(session, message_id, [body]))

    def _result(self, call: Call, query: TL) -> bytes | FilePart:
        """The answer, ready to be sent; whatever goes wrong is an RPC error."""
        try:
            result = rpc.answer(call, query)
            return result if isinstance(result, bytes | FilePart) else result.write()
        except RpcFailure as failure:
            return tl.error(failure.code, failure.name).write()
        except Unparsable:
            return tl.error(400, "INPUT_FETCH_ERROR").write()
        except Exception:
            # One client's odd call must not end the connection of others, nor its own.
            log.exception("%s failed", tl.method_name(query))
            return tl.error(500, "RPC_CALL_FAIL").write()

    def _send_part(self, connection: Connection, session: Session, message_id: int, part: FilePart) -> None:
        seal = connection.answer_sealer(session, message_id)
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._workers, lambda: seal(_file_body(part)))

        def done(future: asyncio.Future[bytes]) -> None:
            if future.cancelled():
                return
            error = future.exception()
            if error is None:
                connection.write(future.result())
            else:
                # It was deleted or replaced since it was loaded: for clients it is gone, for good.
                log.error("file %s can't be served: %s", part.file.id, error)
                connection.answer(session, message_id, [tl.error(400, "FILE_ID_INVALID").write()])

        work.add_done_callback(done)

    def _transfer_time(self, size: int) -> float:
        """Seconds until the line has carried that many bytes, after all that it has to carry already."""
        if not self.bandwidth:
            return 0.0
        now = time.monotonic()
        self._files_free_at = max(self._files_free_at, now) + size / self.bandwidth
        return self._files_free_at - now

    def _later(self, delay: float, action: Callable[[], None]) -> None:
        if delay <= 0:
            action()
            return

        def due() -> None:
            self._timers.discard(timer)
            action()

        timer = asyncio.get_running_loop().call_later(delay, due)
        self._timers.add(timer)


# Calls that say nothing about whether a session wants updates.
_SILENT = (raw.functions.help.GetConfig, raw.functions.Ping, raw.functions.PingDelayDisconnect)


def _spoiled(part: FilePart, fault: Fault | None) -> FilePart:
    """The part as a fault would have it."""
    if fault is None:
        return part
    if fault.action is Action.EMPTY_PART:
        return replace(part, wanted=0)
    if fault.action is Action.SHORT_PART:
        return replace(part, wanted=part.wanted // 2)
    if fault.action is Action.LONG_PART:
        return replace(part, wanted=part.wanted + _EXTRA_BYTES, exact=False)
    return part


def _file_body(part: FilePart) -> list[bytes]:
    """An `upload.file` or `upload.cdnFile`, in pieces so that the bytes are not copied for it."""
    data = part.read()
    if part.key:
        return [_CDN_FILE_HEADER + tl.bytes_prefix(len(data)), data, tl.bytes_padding(len(data))]
    kind = _FILE_TYPES.get(part.file.mime_type) or raw.types.storage.FileUnknown()
    return [
        _FILE_HEADER.pack(raw.types.upload.File.ID, kind.write(), 0) + tl.bytes_prefix(len(data)),
        data,
        tl.bytes_padding(len(data)),
    ]
