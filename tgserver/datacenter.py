"""A data center: two listeners on loopback, with the auth keys and sessions known there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tgserver.accounts import Account, AuthKey
from tgserver.connection import Connection
from tgserver.session import Session
from tgserver.transport import HOST


class DataCenter:
    """One data center. Media connections have a port of their own, as on Telegram.

    `cdn`: it belongs to the delivery network, which knows no accounts. `connect` makes the
    protocol of an accepted connection, told whether it came by the media port.
    """

    def __init__(
        self, dc_id: int, connect: Callable[[DataCenter, bool], Connection], port: int = 0, *, cdn: bool = False
    ) -> None:
        self.id = dc_id
        self.cdn = cdn
        self.keys: dict[bytes, AuthKey] = {}
        self.sessions: dict[tuple[bytes, bytes], Session] = {}
        self.connections: set[Connection] = set()
        self._connect = connect
        self._ports = {False: port, True: 0}
        self._listeners: dict[bool, asyncio.Server] = {}

    def port(self, media: bool = False) -> int:
        """The TCP port of main or media connections; 0 before the first `listen`."""
        return self._ports[media]

    async def listen(self) -> None:
        """Accept connections, on the same ports as before. Raises OSError if one is taken."""
        loop = asyncio.get_running_loop()
        for media, port in self._ports.items():
            if media in self._listeners:
                continue
            listener = await loop.create_server(
                lambda media=media: self._connect(self, media),  # type: ignore[misc]
                HOST,
                port,
                reuse_address=True,
            )
            self._ports[media] = listener.sockets[0].getsockname()[1]
            self._listeners[media] = listener

    def refuse(self) -> None:
        """Accept no more connections; those that are open live on."""
        for listener in self._listeners.values():
            listener.close()
        self._listeners.clear()

    def add_key(self, key: AuthKey) -> None:
        """Make an auth key known here."""
        self.keys[key.id] = key

    def log_out(self, account: Account, *, forget_key: bool) -> None:
        """Let no key here speak for the account any more; with `forget_key` the keys themselves are gone."""
        for key in [key for key in self.keys.values() if key.account is account]:
            key.account = None
            if forget_key:
                del self.keys[key.id]

    def session(self, key: AuthKey, session_id: bytes, *, media: bool) -> tuple[Session, bool]:
        """The session of that name, and whether it is new."""
        known = self.sessions.get((key.id, session_id))
        if known is not None:
            return known, False
        created = self.sessions[key.id, session_id] = Session(key, session_id, media=media)
        return created, True
