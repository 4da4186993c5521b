"""The server: its data centers and accounts, and the levers that tests pull."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pyrogram import raw
from pyrogram.connection import Connection as ClientConnection

from tgserver import accounts, clients, files, folders, journal, names, session_files
from tgserver.accounts import Account, AuthKey, Logins
from tgserver.cdn import DeliveryNetwork
from tgserver.connection import Connection
from tgserver.crypto.rsa import RsaKey
from tgserver.datacenter import DataCenter
from tgserver.dispatch import CallRecord, Dispatcher
from tgserver.faults import Action, Fault, FaultBook
from tgserver.pushes import Pushes
from tgserver.session import Session
from tgserver.tl import TL, Unparsable, check_writable
from tgserver.transport import HOST
from tgserver.world import Chat, TLMessage, World

DEFAULT_DCS = (2, 4)
DEFAULT_CODE = "12345"


class Server:
    """A local Telegram server. Use it as `async with Server(world) as server:`.

    `dc_ids` are its data centers; accounts live at the first unless told otherwise. `port` is
    where the first one listens, 0 for any free port. `host` can be nothing but 127.0.0.1:
    other values raise ValueError. `cdn_dc_id` adds a data center of the delivery network (203 is one of
    Telegram's), with an RSA key of its own. `rsa_key` saves making one, which takes 0.1 s at the first
    key exchange.
    """

    def __init__(
        self,
        world: World | None = None,
        *,
        dc_ids: Sequence[int] = DEFAULT_DCS,
        host: str = HOST,
        port: int = 0,
        rsa_key: RsaKey | None = None,
        cdn_dc_id: int | None = None,
    ) -> None:
        if host != HOST:
            raise ValueError(f"host {host!r}: this server listens on {HOST} only")
        if not dc_ids or len(set(dc_ids)) != len(dc_ids):
            raise ValueError(f"dc_ids {list(dc_ids)!r}: one data center or more, each once")
        self.world = world if world is not None else World()
        self.logins = Logins()
        self.accounts: list[Account] = []
        self.clock_offset = 0.0
        self.dcs = {dc_id: DataCenter(dc_id, self._connect, port if dc_id == dc_ids[0] else 0) for dc_id in dc_ids}
        self.main_dc = self.dcs[dc_ids[0]]
        self.cdn: DeliveryNetwork | None = None
        if cdn_dc_id is not None:
            if cdn_dc_id in self.dcs:
                raise ValueError(f"cdn_dc_id {cdn_dc_id}: that is another data center's")
            self.cdn = DeliveryNetwork(cdn_dc_id)
            self.dcs[cdn_dc_id] = DataCenter(cdn_dc_id, self._connect, cdn=True)
        self._given_rsa_key = rsa_key
        self._dispatcher = Dispatcher(self)
        self._pushes = Pushes(self)

    # Life.

    async def start(self) -> None:
        """Listen. Raises OSError if the port is taken."""
        try:
            await self.accept()
        except OSError:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Close listeners and connections. A stopped server is not started again."""
        self.refuse()
        self.drop_connections(abort=True)
        self._dispatcher.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    # For clients.

    def port(self, dc_id: int | None = None, media: bool = False) -> int:
        """The port of a data center's main or media connections."""
        dc = self.main_dc if dc_id is None else self.dcs[dc_id]
        return dc.port(media)

    @cached_property
    def rsa_key(self) -> RsaKey:
        """The key that clients make auth keys with."""
        return self._given_rsa_key or RsaKey.generate()

    def rsa_key_of(self, dc: DataCenter) -> RsaKey:
        """The key by which a data center proves itself in key exchanges."""
        return self.cdn.rsa_key if dc.cdn and self.cdn is not None else self.rsa_key

    def trust(self) -> AbstractContextManager[None]:
        """Let the clients of this process accept the server's key while the context lasts.

        Needed for logins and for the second data center; not for a ready session at its own.
        """
        return self.rsa_key.public.trusted()

    @cached_property
    def connection_factory(self) -> type[ClientConnection]:
        """For `Client(connection_factory=...)`: all its connections come here."""
        return clients.connection_factory(lambda dc_id, media: self.dcs[dc_id].port(media))

    def add_account(
        self,
        user: raw.types.User | None = None,
        auth_key: bytes | None = None,
        *,
        phone: str | None = None,
        code: str = DEFAULT_CODE,
        password: str | None = None,
        hint: str = "",
        dc_id: int | None = None,
    ) -> Account:
        """Make someone who can be logged in, with one auth key that is logged in already.

        `auth_key` is that key (256 bytes) if it is to be a certain one; `phone` is digits only, by
        default made from the user's id; `dc_id` is the account's home. Raises ValueError.
        """
        user = user or accounts.unused_user(self.world, len(self.accounts))
        home = self.main_dc if dc_id is None else self.dcs[dc_id]
        phone = phone or user.phone or accounts.phone_of(user)
        if any(account.phone == phone or account.user.id == user.id for account in self.accounts):
            raise ValueError(f"an account with the phone {phone} or the user id {user.id} is there already")
        user.is_self, user.phone, user.access_hash = True, phone, user.access_hash or user.id
        account = Account(user, phone=phone, code=code, password=password, hint=hint, dc_id=home.id)
        if auth_key is not None:
            account.auth_key = AuthKey(auth_key, account=account)
        home.add_key(account.auth_key)
        self.accounts.append(account)
        return account

    @property
    def account(self) -> Account:
        """The first account, made if there is none."""
        return self.accounts[0] if self.accounts else self.add_account()

    def account_by_phone(self, phone: str) -> Account | None:
        """The account with that number (digits only)."""
        return next((account for account in self.accounts if account.phone == phone), None)

    def session_string(self, account: Account | None = None) -> str:
        """A ready session for `Client(session_string=..., connection_factory=...)`."""
        account = account or self.account
        return clients.session_string(account.dc_id, account.auth_key.key, account.user.id)

    async def write_session_file(self, path: Path | str, account: Account | None = None) -> Path:
        """A ready session as a file, for a plain `Client(name, workdir=...)`. Returns its path.

        Raises FileExistsError rather than replace the session of a real account.
        """
        account = account or self.account
        return await session_files.write_session_file(
            Path(path),
            dc_id=account.dc_id,
            port=self.port(account.dc_id),
            auth_key=account.auth_key.key,
            user_id=account.user.id,
        )

    def access(self, control_port: int | None = None) -> clients.Access:
        """What a client in another process needs to know."""
        return clients.Access(
            ports={dc.id: (dc.port(), dc.port(True)) for dc in self.dcs.values()},
            public_key=f"{self.rsa_key.public.n:x}",
            session_string=self.session_string(),
            control_port=control_port,
        )

    def scan_qr(self, token: bytes | str, account: Account | None = None) -> None:
        """Accept a QR login with an account's phone; the client is told at once.

        `token` is the token itself or its `tg://login?token=` link. Raises KeyError if no client
        shows it.
        """
        shown = self.logins.tokens[clients.login_token(token)]
        shown.account = account or self.account
        self._pushes.login_token_scanned(shown)

    # Calls.

    @property
    def calls(self) -> Counter[str]:
        """Calls so far by method name, such as `messages.getHistory`."""
        return self._dispatcher.log.calls

    @property
    def log(self) -> deque[CallRecord]:
        """The calls so far, one by one."""
        return self._dispatcher.log.records

    def forget_calls(self) -> None:
        """Begin to count from zero."""
        self._dispatcher.log.clear()

    def count(self, method: str, connection: Connection) -> None:
        """Count a call that comes before any session (key exchange)."""
        self._dispatcher.log.add(method, connection.dc.id, connection.media)

    def receive(self, connection: Connection, session: Session, message_id: int, query: TL | Unparsable) -> None:
        """Answer a call that a connection brings in."""
        self._dispatcher.receive(connection, session, message_id, query)

    # The chats.

    def chat(self, which: Chat | int | str) -> Chat:
        """A chat by username, marked id or bare id. Raises KeyError."""
        if isinstance(which, Chat):
            return which
        return self.world.chat(which)

    def add_chat(self, chat: Chat) -> Chat:
        """Serve one more chat."""
        return self.world.add_chat(chat)

    def add_folder(self, title: str, *chats: Chat | int | str) -> raw.types.DialogFilter:
        """Sort chats into a new folder of the account, whose other rules may be set on it.

        Raises KeyError for an unknown chat, ValueError for a title that no folder can have.
        """
        return folders.add(self.world, title, [self.chat(which) for which in chats])

    def rename(self, which: Chat | int | str, *, title: str | None = None, username: str | None = None) -> Chat:
        """Change a chat's title or username ("" takes the username away).

        Raises KeyError for an unknown chat, ValueError for a title or username that it can't have.
        """
        chat = self.chat(which)
        return self.world.add_chat(names.renamed(self.world, chat, title=title, username=username))

    def post(
        self,
        which: Chat | int | str,
        message: TLMessage | str,
        *,
        entities: Sequence[Any] | None = None,
        copies: int = 1,
    ) -> TLMessage:
        """Add a message, a whole one or a text, and push it `copies` times (0: the push is lost).

        Raises KeyError for an unknown chat, ValueError for a message that TL can't express.
        """
        chat = self.chat(which)
        if isinstance(message, str):
            message = journal.text_message(chat, self.next_message_id(chat), message, entities)
        check_writable(message)
        self._pushes.update(chat, journal.post(self.world, chat, message), copies)
        return message

    def edit(
        self,
        which: Chat | int | str,
        message: TLMessage | int,
        text: str | None = None,
        *,
        entities: Sequence[Any] | None = None,
        copies: int = 1,
    ) -> TLMessage:
        """Replace a message by another with its id, or the text of the message with that id.

        Raises KeyError if the chat has no such message, ValueError for one that TL can't express.
        """
        chat = self.chat(which)
        if isinstance(message, int):
            message = journal.edited(chat, message, text, entities)
        check_writable(message)
        self._pushes.update(chat, journal.edit(self.world, chat, message), copies)
        return message

    def delete(self, which: Chat | int | str, *message_ids: int, copies: int = 1) -> None:
        """Delete messages. Raises KeyError if the chat has not got all of them."""
        chat = self.chat(which)
        self._pushes.update(chat, journal.delete(self.world, chat, message_ids), copies)

    def next_message_id(self, which: Chat | int | str) -> int:
        """The id that the next message of a chat gets. Raises ValueError if the last possible one is taken."""
        return journal.next_message_id(self.chat(which))

    def push(self, update: Any, *, to: Iterable[Account] | None = None) -> None:
        """Push any update to the main sessions of accounts (None: of all)."""
        self._pushes.raw(update, to)

    def push_too_long(self, which: Chat | int | str) -> None:
        """Tell clients only that a channel has changed (updateChannelTooLong)."""
        chat = self.chat(which)
        self.push(raw.types.UpdateChannelTooLong(channel_id=chat.id, pts=chat.pts))

    # Faults.

    @property
    def faults(self) -> FaultBook:
        """The faults in force."""
        return self._dispatcher.faults

    def fail(self, method: str, error: str, times: int | None = None, **narrower: Any) -> Fault:
        """Answer the next `times` calls of a method (None: all) with an error such as FLOOD_WAIT_5."""
        return self.faults.add(Fault(Action.ERROR, method, times, error=error, **narrower))

    def fault(self, action: Action | str, method: str, times: int | None = None, **narrower: Any) -> Fault:
        """Let the next `times` calls of a method (None: all) meet a fault; see `Fault`."""
        return self.faults.add(Fault(Action(action), method, times, **narrower))

    @property
    def latency(self) -> float:
        """Seconds that are added to each answer."""
        return self._dispatcher.latency

    @latency.setter
    def latency(self, seconds: float) -> None:
        self._dispatcher.latency = seconds

    @property
    def bandwidth(self) -> float | None:
        """Bytes per second that all files share, None for no limit."""
        return self._dispatcher.bandwidth

    @bandwidth.setter
    def bandwidth(self, rate: float | None) -> None:
        self._dispatcher.bandwidth = rate

    def connections(self, dc_id: int | None = None) -> list[Connection]:
        """The open connections, of one data center or of all."""
        return [connection for dc in self._dcs(dc_id) for connection in dc.connections]

    def drop_connections(self, dc_id: int | None = None, *, abort: bool = False) -> None:
        """Close the open connections, by FIN, or at once with `abort`."""
        for connection in self.connections(dc_id):
            (connection.abort if abort else connection.close)()

    def silence(self, dc_id: int | None = None) -> None:
        """Make the open connections half-open: they stay, and nothing is ever written to them."""
        for connection in self.connections(dc_id):
            connection.silent = True

    def refuse(self, dc_id: int | None = None) -> None:
        """Accept no new connections, until `accept`."""
        for dc in self._dcs(dc_id):
            dc.refuse()

    async def accept(self, dc_id: int | None = None) -> None:
        """Accept new connections (again), on the same ports. Raises OSError."""
        for dc in self._dcs(dc_id):
            await dc.listen()

    def revoke(self, account: Account | None = None, *, forget_key: bool = False) -> None:
        """End all logins of an account, as from its list of devices: methods give 401.

        With `forget_key` the auth keys themselves are gone: transport error -404.
        """
        account = account or self.account
        for dc in self.dcs.values():
            dc.log_out(account, forget_key=forget_key)

    def move_files(self, dc_id: int, file_ids: Iterable[int] | None = None) -> None:
        """Let files (None: all) live at another data center, without telling: FILE_MIGRATE_x."""
        files.move(self.world, dc_id, file_ids)

    def deliver_by_cdn(self, file_ids: Iterable[int] | None = None) -> DeliveryNetwork:
        """Let files (None: all) be delivered by the network, to clients that support it; gives its further levers.

        Raises ValueError for a server without `cdn_dc_id`.
        """
        if self.cdn is None:
            raise ValueError("this server has no delivery network: Server(cdn_dc_id=203)")
        self.cdn.deliver({file.id for file in self.world.files.values()} if file_ids is None else file_ids)
        return self.cdn

    def expire_file_references(self, file_ids: Iterable[int] | None = None) -> None:
        """Give files (None: all) new references; messages that are asked for now have the new ones."""
        files.renew_references(self.world, file_ids)

    def _dcs(self, dc_id: int | None) -> list[DataCenter]:
        return [dc for dc in self.dcs.values() if dc_id in (None, dc.id)]

    def _connect(self, dc: DataCenter, media: bool) -> Connection:
        return Connection(self, dc, media)
