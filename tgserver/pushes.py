"""What the server sends without being asked."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyrogram import raw

from tgserver.accounts import Account, LoginToken
from tgserver.faults import PUSH, Action
from tgserver.journal import Update
from tgserver.rpc.peers import Entities, is_member
from tgserver.session import Session
from tgserver.world import Chat

if TYPE_CHECKING:
    from tgserver.server import Server


class Pushes:
    """Pushes updates to the main sessions of those who are logged in."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def update(self, chat: Chat, update: Update, copies: int = 1) -> None:
        """Tell the chat's members of a change to it, unless a fault says otherwise."""
        if not is_member(chat):
            return
        for fault in self._server.faults.meet([PUSH], self._server.main_dc.id, False):
            copies *= {Action.LOSE: 0, Action.DOUBLE: 2}.get(fault.action, 1)
        for _ in range(copies):
            self.raw(update, None, chat)

    def raw(self, update: Any, to: Iterable[Account] | None, chat: Chat | None = None) -> None:
        """Push an update to accounts (None: all), with the users and chats that it refers to."""
        accounts = self._server.accounts if to is None else list(to)
        for account in accounts:
            body: bytes | None = None
            for session in self._sessions(account):
                if body is None:
                    body = self._body(update, account, chat)
                if session.connection is not None:
                    session.connection.send(session, [body])

    def login_token_scanned(self, token: LoginToken) -> None:
        """Tell the session that shows a QR code that it has been scanned."""
        session = token.session
        assert isinstance(session, Session)
        if session.connection is not None:
            update = raw.types.UpdateShort(update=raw.types.UpdateLoginToken(), date=int(time.time()))
            session.connection.send(session, [update.write()])

    def _body(self, update: Any, account: Account, chat: Chat | None) -> bytes:
        entities = Entities(self._server.world, account).add_references([update])
        if chat is not None:
            entities.add_peer(chat)
        return raw.types.Updates(
            updates=[update], users=entities.users, chats=entities.chats, date=int(time.time()), seq=0
        ).write()

    def _sessions(self, account: Account) -> Iterator[Session]:
        """The account's main sessions at its own data center that have asked for updates."""
        for session in self._server.dcs[account.dc_id].sessions.values():
            key = session.key
            if key.account is account and not key.imported and session.wants_updates and not session.media:
                yield session
