"""One TCP connection: packets in, packets out, and which session they belong to."""

from __future__ import annotations

import asyncio
import logging
import secrets
import struct
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from pyrogram import raw
from pyrogram.raw.core import MsgContainer

from tgserver import transport
from tgserver.accounts import AuthKey
from tgserver.crypto.envelope import EnvelopeError, seal, unseal
from tgserver.crypto.handshake import METHODS, Handshake, HandshakeError, read_plain, write_plain
from tgserver.crypto.rsa import RsaKey
from tgserver.session import ANSWER, PUSH, Session
from tgserver.tl import TL, Unparsable, parse

if TYPE_CHECKING:
    from tgserver.datacenter import DataCenter

log = logging.getLogger(__name__)

AUTH_KEY_NOT_FOUND = -404
_RPC_RESULT = struct.Struct("<Iq")
_RPC_RESULT_ID = 0xF35C6D01
# Messages of MTProto itself that a client sends and that want no answer.
_NOTICES = (raw.types.MsgsAck, raw.types.MsgsStateReq, raw.types.MsgResendReq, raw.types.HttpWait)


class Receiver(Protocol):
    """Who answers what a connection brings in."""

    clock_offset: float

    def rsa_key_of(self, dc: DataCenter) -> RsaKey:
        """The key of a data center's key exchanges."""
        ...

    def count(self, method: str, connection: Connection) -> None:
        """Take note of a call."""
        ...

    def receive(self, connection: Connection, session: Session, message_id: int, query: TL | Unparsable) -> None:
        """Answer a call, now or later, by the connection's `answer` and its other methods."""
        ...


class Connection(asyncio.Protocol):
    """The server's end of a connection. All methods are for the event loop's thread."""

    def __init__(self, receiver: Receiver, dc: DataCenter, media: bool) -> None:
        self.dc = dc
        self.media = media
        self.silent = False
        self._receiver = receiver
        self._reader = transport.PacketReader()
        self._handshake: Handshake | None = None
        self._transport: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.dc.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self.dc.connections.discard(self)
        if self._deadline:
            self._deadline.cancel()

    def pause_writing(self) -> None:
        # A client that reads slowly is not asked for more work until it has caught up.
        if self._transport:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        if self._transport:
            self._transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        try:
            for packet in self._reader.feed(data):
                self._take(packet)
        except (transport.TransportMismatch, HandshakeError) as error:
            log.info("DC%s: connection closed: %s", self.dc.id, error)
            self.close()

    # What goes out.

    def answer(self, session: Session, message_id: int, parts: Sequence[bytes]) -> None:
        """Send the result of a call: its TL body, in one or more parts."""
        if self._transport is not None and not self.silent:
            self.write(self.answer_sealer(session, message_id)(parts))

    def answer_sealer(self, session: Session, message_id: int) -> Callable[[Sequence[bytes]], bytes]:
        """What makes the packet that `answer` sends, in any thread, for `write`."""
        seal_parts = self._sealer(session, ANSWER, content=True)
        head = _RPC_RESULT.pack(_RPC_RESULT_ID, message_id)
        return lambda parts: seal_parts([head, *parts])

    def send(self, session: Session, parts: Sequence[bytes], kind: int = PUSH, *, content: bool = True) -> None:
        """Encrypt and send a message to the session."""
        if self._transport is not None and not self.silent:
            self.write(self._sealer(session, kind, content=content)(parts))

    def _sealer(self, session: Session, kind: int, *, content: bool) -> Callable[[Sequence[bytes]], bytes]:
        # The numbers are drawn here, in the loop's thread, so that no two messages share one.
        return partial(
            seal,
            auth_key=session.key.key,
            key_id=session.key.id,
            salt=session.salt,
            session_id=session.id,
            message_id=session.next_id(kind, self._receiver.clock_offset),
            seq_no=session.next_seq(content=content),
        )

    def write(self, packet: bytes) -> None:
        """Send a packet as it is."""
        if self._transport is not None and not self.silent:
            self._transport.write(transport.header(len(packet)))
            self._transport.write(packet)

    def transport_error(self, code: int) -> None:
        """Send a transport error and close, as Telegram does."""
        self.write(transport.error_packet(code))
        self.close()

    def close(self) -> None:
        """Close in an orderly way, after what is still to be written (FIN)."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once, whatever is still to be written."""
        if self._transport is not None:
            self._transport.abort()

    def close_after(self, seconds: float) -> None:
        """Close unless this is called again within that time (ping_delay_disconnect)."""
        if self._deadline:
            self._deadline.cancel()
        self._deadline = asyncio.get_running_loop().call_later(seconds, self.close)

    # What comes in.

    def _take(self, packet: bytes) -> None:
        if self.silent or self._transport is None:
            return
        key_id = packet[:8]
        if key_id == bytes(8):
            self._exchange_keys(packet)
            return
        key = self.dc.keys.get(key_id)
        if key is None:
            self.transport_error(AUTH_KEY_NOT_FOUND)
            return
        self._open(packet, key)

    def _exchange_keys(self, packet: bytes) -> None:
        request = read_plain(packet)
        self._receiver.count(METHODS.get(type(request), request.QUALNAME), self)
        if self._handshake is None:
            self._handshake = Handshake(self._receiver.rsa_key_of(self.dc))
        self.write(write_plain(self._handshake.answer(request)))
        if self._handshake.auth_key is not None:
            self.dc.add_key(AuthKey(self._handshake.auth_key))
            self._handshake = None

    def _open(self, packet: bytes, key: AuthKey) -> None:
        try:
            message = unseal(packet, key.key)
        except EnvelopeError as error:
            log.info("DC%s: %s", self.dc.id, error)
            self.transport_error(AUTH_KEY_NOT_FOUND)
            return
        session, new = self.dc.session(key, message.session_id, media=self.media)
        session.connection = self
        body: TL | Unparsable
        try:
            body = parse(message.body)
        except Unparsable as unparsable:
            body = unparsable
        if isinstance(body, MsgContainer):
            for inner in body.messages:
                self._hand_over(session, inner.msg_id, inner.body)
        else:
            self._hand_over(session, message.message_id, body)
        if new:
            # After the first answer: by that one, with sequence number 0, clients set their clock.
            created = raw.types.NewSessionCreated(
                first_msg_id=message.message_id,
                unique_id=secrets.randbits(63),
                server_salt=session.salt,
            )
            self.send(session, [created.write()])

    def _hand_over(self, session: Session, message_id: int, body: TL | Unparsable) -> None:
        if not isinstance(body, _NOTICES):
            self._receiver.receive(self, session, message_id, body)
