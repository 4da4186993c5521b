"""Logging in, by phone number and code, or by a QR code that the phone scans.

The session is written at the very end, in one step: a login that is broken off leaves everything as it was.
"""

from __future__ import annotations

import asyncio
import base64
import io as streams
import re
import sqlite3
from enum import StrEnum
from typing import Any, Protocol, TypeVar

import segno
from pyrogram import Client, raw
from pyrogram import errors as tl
from pyrogram.connection import Connection as TCPConnection
from pyrogram.raw.core import TLObject
from pyrogram.session import Auth
from pyrogram.storage import SQLiteStorage
from pyrogram.utils import compute_password_check

from errors import BridgeError, NotLoggedIn
from file_io import atomic_write
from telegram.connection import account_name, make_client, open_connection, pick_address
from telegram.errors import KURIGRAM_ERRORS, translate
from telegram.options import TelegramOptions
from telegram.session import OneTrySession
from telegram.session_file import SessionFile, SessionInUse, SessionUnusable
from tg_throttle import RpcGate

T = TypeVar("T")

# How many QR codes are shown, each for about half a minute, before nobody seems to be there.
QR_CODES = 10

_WHERE_THE_CODE_IS = {
    raw.types.auth.SentCodeTypeApp: "Telegram has sent a code to your Telegram app.",
    raw.types.auth.SentCodeTypeSms: "Telegram has sent you a code by SMS.",
    raw.types.auth.SentCodeTypeSmsWord: "Telegram has sent you a word by SMS.",
    raw.types.auth.SentCodeTypeSmsPhrase: "Telegram has sent you a phrase by SMS.",
    raw.types.auth.SentCodeTypeCall: "Telegram will call you and tell you a code.",
    raw.types.auth.SentCodeTypeMissedCall: "Telegram will call you: the code is the last digits of its number.",
    raw.types.auth.SentCodeTypeEmailCode: "Telegram has sent you a code by e-mail.",
    raw.types.auth.SentCodeTypeFragmentSms: "Telegram has sent a code to your number at fragment.com.",
}


class LoginIO(Protocol):
    """Whoever answers the questions."""

    async def ask(self, question: str) -> str:
        """The answer to a question."""
        ...

    async def ask_secret(self, question: str) -> str:
        """The answer to a question, which nobody must see being typed."""
        ...

    def show(self, text: str) -> None:
        """Tell something; may be many lines."""
        ...


class Method(StrEnum):
    """How to prove who one is."""

    PHONE = "phone"
    QR = "qr"


class LoginFailed(BridgeError):
    """Nobody was logged in; the text says why and what to do."""


async def login(
    options: TelegramOptions,
    io: LoginIO,
    *,
    method: Method | None = None,
    connection_factory: type[TCPConnection] | None = None,
) -> str:
    """Log in, keep the session in `options.session_path`, and give the account's name.

    Asks before it replaces a session that works. `method` None: asks. Raises `LoginFailed`, `SessionInUse`,
    `SessionUnusable`, `ProxyError`.
    """
    file = SessionFile(options.session_path)
    file.prepare()
    with file.lock():
        current = await _current_name(options, file, io, connection_factory)
        if current is not None:
            io.show(f"Logged in as {current} already.")
            if not await _agrees(io, "Log in again and replace that session? [y/N] "):
                return current
        client = make_client(options, connection_factory, kind=_LoginClient, in_memory=True)
        assert isinstance(client, _LoginClient)
        attempt = _Login(client, options, io)
        try:
            user = await attempt.run(method or await _ask_method(io))
            await _save(client, user, file)
        except sqlite3.Error as error:
            raise SessionUnusable(f"{file.path} can't be written: {error}") from error
        except OSError as error:
            raise LoginFailed(f"{file.path} can't be written: {error.strerror}") from error
        finally:
            await attempt.close()
    return account_name(user)


async def _current_name(
    options: TelegramOptions, file: SessionFile, io: LoginIO, connection_factory: type[TCPConnection] | None
) -> str | None:
    """Who is logged in by the session that is there, None if there is none that works."""
    try:
        if not file.is_logged_in():
            return None
        connection = await open_connection(options, RpcGate(), connection_factory)
    except SessionInUse:
        raise
    except (NotLoggedIn, SessionUnusable) as fault:
        io.show(f"The session that is there is of no use any more: {fault}")
        return None
    except BridgeError as fault:
        raise LoginFailed(f"The session that is there can't be checked: {fault}") from fault
    name = connection.name
    await connection.close()
    return name


async def _ask_method(io: LoginIO) -> Method:
    while True:
        answer = (await io.ask("Log in by QR code (q) or by phone number (p)? ")).strip().lower()
        if answer in {"q", "qr"}:
            return Method.QR
        if answer in {"p", "phone"}:
            return Method.PHONE


async def _agrees(io: LoginIO, question: str) -> bool:
    return (await io.ask(question)).strip().lower() in {"y", "yes"}


async def _save(client: Client, user: raw.types.User, file: SessionFile) -> None:
    """Put the session that the client has in memory in the place of the one on disk."""
    storage = client.storage
    assert isinstance(storage, SQLiteStorage)
    await storage.user_id(user.id)
    await storage.is_bot(False)
    await storage.save()
    # A journal left over from the old file would be played back into the new one.
    for suffix in ("-journal", "-wal", "-shm"):
        file.path.with_name(file.path.name + suffix).unlink(missing_ok=True)
    atomic_write(file.path, storage.conn.serialize(), 0o600)


class _LoginClient(Client):
    """Hears that a QR code was scanned, and nothing else."""

    scanned: asyncio.Event

    async def handle_updates(self, updates: Any) -> None:
        found = getattr(updates, "updates", None) or [getattr(updates, "update", None)]
        if any(isinstance(update, raw.types.UpdateLoginToken) for update in found):
            self.scanned.set()


class _Login:
    """One login under way."""

    def __init__(self, client: _LoginClient, options: TelegramOptions, io: LoginIO) -> None:
        self._client = client
        self._options = options
        self._io = io
        self._session: OneTrySession | None = None
        self._client.scanned = asyncio.Event()

    async def run(self, method: Method) -> raw.types.User:
        """The user who has logged in. Raises `LoginFailed`."""
        try:
            try:
                async with asyncio.timeout(self._options.connect_timeout):
                    # Makes an auth key, as there is none.
                    await Client.load_session(self._client)
                await self._connect()
            except TimeoutError as error:
                raise LoginFailed("No connection to Telegram: network or proxy are down, or it is blocked") from error
            user = await (self._by_phone() if method is Method.PHONE else self._by_qr())
        except tl.Flood as flood:
            raise LoginFailed(
                f"Telegram asks for a pause of {_duration(flood.value)} before the next attempt to log in"
            ) from flood
        except tl.ApiIdInvalid as error:
            raise LoginFailed(
                "Telegram refuses TG_API_ID with TG_API_HASH: take both from https://my.telegram.org (API development "
                "tools), without blanks"
            ) from error
        except KURIGRAM_ERRORS as error:
            raise LoginFailed(str(translate(error, "the login"))) from error
        if not isinstance(user, raw.types.User):
            raise LoginFailed("Telegram did not say who has logged in: try again")
        return user

    async def close(self) -> None:
        """Hang up."""
        if self._session is not None:
            await self._session.shut()
        self._client.executor.shutdown(wait=False)
        if getattr(self._client.storage, "_conn", None) is not None:
            await self._client.storage.close()

    # By phone.

    async def _by_phone(self) -> raw.base.User:
        number, sent = await self._send_code()
        while True:
            if isinstance(sent, raw.types.auth.SentCodeSuccess):
                return _user_of(sent.authorization)
            code_hash = getattr(sent, "phone_code_hash", "")
            code = re.sub(r"\s", "", await self._io.ask("Code: "))
            try:
                return _user_of(
                    await self._ask(
                        raw.functions.auth.SignIn(phone_number=number, phone_code_hash=code_hash, phone_code=code)
                    )
                )
            except (tl.PhoneCodeInvalid, tl.PhoneCodeEmpty):
                self._io.show("That is not the code. Try again.")
            except tl.PhoneCodeExpired:
                self._io.show("That code has expired; Telegram sends a new one.")
                sent = await self._send_code_to(number)
            except tl.UserMigrate as move:
                await self._move(_dc_of(move))
                sent = await self._send_code_to(number)
            except tl.SessionPasswordNeeded:
                return await self._by_password()

    async def _send_code(self) -> tuple[str, raw.base.auth.SentCode]:
        while True:
            number = re.sub(r"\D", "", await self._io.ask("Phone number, with the country's code: "))
            if not number:
                continue
            try:
                return number, await self._send_code_to(number)
            except tl.PhoneNumberInvalid:
                self._io.show("Telegram does not know that number. Try again, as in +49 151 23456789.")

    async def _send_code_to(self, number: str) -> raw.base.auth.SentCode:
        query = raw.functions.auth.SendCode(
            phone_number=number,
            api_id=self._options.api_id,
            api_hash=self._options.api_hash,
            settings=raw.types.CodeSettings(),
        )
        try:
            try:
                sent = await self._ask(query)
            except (tl.PhoneMigrate, tl.NetworkMigrate, tl.UserMigrate) as move:
                await self._move(_dc_of(move))
                sent = await self._ask(query)
        except tl.PhoneNumberBanned as error:
            raise LoginFailed("Telegram has banned that number") from error
        except (tl.PhoneNumberFlood, tl.PhonePasswordFlood) as error:
            raise LoginFailed("Too many attempts to log in: try again tomorrow") from error
        if isinstance(sent, raw.types.auth.SentCode):
            where = _WHERE_THE_CODE_IS.get(type(sent.type))
            if where is None:
                raise LoginFailed(
                    "Telegram wants this number confirmed in a way that only its own apps can: log in there, then here"
                )
            self._io.show(where)
        elif not isinstance(sent, raw.types.auth.SentCodeSuccess):
            raise LoginFailed("Telegram wants to be paid for the code: log in by QR code instead")
        return sent

    # By QR code.

    async def _by_qr(self) -> raw.base.User:
        self._io.show("In Telegram on your phone: Settings > Devices > Link Desktop Device, and scan this.")
        for _ in range(QR_CODES):
            self._client.scanned.clear()
            try:
                token = await self._ask(
                    raw.functions.auth.ExportLoginToken(
                        api_id=self._options.api_id, api_hash=self._options.api_hash, except_ids=[]
                    )
                )
                if isinstance(token, raw.types.auth.LoginTokenMigrateTo):
                    await self._move(token.dc_id)
                    token = await self._ask(raw.functions.auth.ImportLoginToken(token=token.token))
            except tl.SessionPasswordNeeded:
                return await self._by_password()
            except tl.AuthTokenExpired:
                continue
            if isinstance(token, raw.types.auth.LoginTokenSuccess):
                return _user_of(token.authorization)
            if not isinstance(token, raw.types.auth.LoginToken):
                break
            self._io.show(_drawing(token.token))
            lifetime = token.expires - self._client.server_time
            try:
                async with asyncio.timeout(min(max(lifetime, 1), 60)):
                    await self._client.scanned.wait()
            except TimeoutError:
                self._io.show("That QR code has expired; here is a new one.")
        raise LoginFailed("Nobody has scanned the QR code: start again when your phone is at hand")

    # By password, which comes second.

    async def _by_password(self) -> raw.base.User:
        while True:
            challenge = await self._ask(raw.functions.account.GetPassword())
            hint = f" (hint: {challenge.hint})" if challenge.hint else ""
            password = await self._io.ask_secret(f"Password of the two-step verification{hint}: ")
            if not password:
                continue
            try:
                # A quarter of a second of arithmetic, during which the connection has to be kept alive.
                proof = await asyncio.to_thread(compute_password_check, challenge, password)
                return _user_of(await self._ask(raw.functions.auth.CheckPassword(password=proof)))
            except tl.PasswordHashInvalid:
                self._io.show("That is not the password. Try again.")
            except tl.SrpIdInvalid:
                self._io.show("Telegram has forgotten its question meanwhile. Try again.")
            except tl.PhonePasswordFlood as error:
                raise LoginFailed("Too many wrong passwords: try again tomorrow") from error

    # The line.

    async def _ask(self, query: TLObject[T]) -> T:
        assert self._session is not None
        return await self._session.call(query, self._options.call_timeout)

    async def _connect(self) -> None:
        storage = self._client.storage
        self._session = OneTrySession(
            self._client,
            await storage.dc_id(),
            await storage.server_address(),
            await storage.port(),
            await storage.auth_key(),
            await storage.test_mode(),
        )
        self._client.session = self._session
        self._client.is_connected = True
        await self._session.open(self._options.connect_timeout)

    async def _move(self, dc_id: int) -> None:
        """Go on at the data center where the account is at home."""
        config = await self._ask(raw.functions.help.GetConfig())
        address = pick_address(config, dc_id, media=False)
        storage = self._client.storage
        async with asyncio.timeout(self._options.connect_timeout):
            test_mode = await storage.test_mode()
            key = await Auth(self._client, dc_id, address.ip_address, address.port, test_mode).create()
        if self._session is not None:
            await self._session.shut()
        await storage.dc_id(dc_id)
        await storage.server_address(address.ip_address)
        await storage.port(address.port)
        await storage.auth_key(key)
        await self._connect()


def _user_of(authorization: raw.base.auth.Authorization) -> raw.base.User:
    if isinstance(authorization, raw.types.auth.Authorization):
        return authorization.user
    raise LoginFailed("That number has no Telegram account: make one in a Telegram app first")


def _dc_of(move: tl.SeeOther) -> int:
    if isinstance(move.value, int):
        return move.value
    raise LoginFailed("Telegram moves the account between its data centers: try again in a minute")


def _drawing(token: bytes) -> str:
    """The QR code of a login token, for a terminal."""
    url = "tg://login?token=" + base64.urlsafe_b64encode(token).decode()
    drawing = streams.StringIO()
    segno.make(url, micro=False).terminal(drawing, border=2, compact=True)
    return drawing.getvalue()


def _duration(seconds: object) -> str:
    if not isinstance(seconds, int):
        return "some time"
    if seconds < 120:
        return f"{seconds} seconds"
    minutes = -(-seconds // 60)
    return f"{minutes} minutes" if minutes < 120 else f"{-(-minutes // 60)} hours"
