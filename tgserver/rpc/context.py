"""What a handler knows about the call that it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pyrogram.crypto import aes

from tgserver.accounts import Account, Logins
from tgserver.errors import RpcFailure
from tgserver.world import ServedFile, World

if TYPE_CHECKING:
    from tgserver.cdn import DeliveryNetwork
    from tgserver.datacenter import DataCenter
    from tgserver.session import Session


class Backend(Protocol):
    """What the handlers need of the server behind them."""

    world: World
    logins: Logins
    dcs: dict[int, DataCenter]
    cdn: DeliveryNetwork | None

    def account_by_phone(self, phone: str) -> Account | None:
        """The account with that number (digits only)."""
        ...


@dataclass(slots=True)
class Call:
    """One call: by which session, at which data center, with the faults that its handler acts out."""

    backend: Backend
    dc: DataCenter
    session: Session
    too_long: bool = False

    @property
    def world(self) -> World:
        """What is served."""
        return self.backend.world

    @property
    def account(self) -> Account:
        """Who calls. Raises RpcFailure (401) for a session that is not logged in."""
        if self.session.key.account is None:
            raise RpcFailure("AUTH_KEY_UNREGISTERED")
        return self.session.key.account


@dataclass(slots=True, frozen=True)
class FilePart:
    """An answer of upload.getFile or getCdnFile, not read yet: that happens outside the event loop.

    `wanted` bytes from `offset` are answered; a fault has made it differ from what was asked
    for if `exact` is not set, and then the answer is filled up with zeros. With a `key` it is
    encrypted, as the delivery network keeps it.
    """

    file: ServedFile
    offset: int
    wanted: int
    exact: bool = True
    key: bytes = b""
    iv: bytes = b""
    tampered: bool = False

    def read(self) -> bytes:
        """The bytes of the part. Raises OSError if the file behind it can't be read."""
        data = self.file.read(self.offset, self.wanted)
        data = data if self.exact else data.ljust(self.wanted, b"\0")
        if not self.key or not data:
            return data
        counter = bytearray(self.iv[:-4] + (self.offset // 16).to_bytes(4, "big"))
        encrypted = aes.ctr256_encrypt(data, self.key, counter)
        return bytes([encrypted[0] ^ 1]) + encrypted[1:] if self.tampered else encrypted
