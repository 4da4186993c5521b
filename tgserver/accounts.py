"""Accounts, and which auth key speaks for which of them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from hashlib import sha1

from pyrogram import raw

from tgserver.crypto.srp import PasswordChallenge, PasswordVerifier
from tgserver.world import World

# The id of the first account that no TL user was given for.
FIRST_USER_ID = 7_000_000


def unused_user(world: World, number: int) -> raw.types.User:
    """A user for the account with that number (from 0), whose id nobody in the world has."""
    user_id = FIRST_USER_ID + number
    while user_id in world.users or world.private_chat(user_id) is not None:
        user_id += 1
    return raw.types.User(id=user_id, access_hash=user_id + 1, first_name="Local", last_name="Tester")


def phone_of(user: raw.types.User) -> str:
    """A phone number for a user who has none, made from the id."""
    return f"99966{user.id % 10**7:07}"


@dataclass(slots=True)
class AuthKey:
    """One auth key at one data center, and what it has been allowed.

    `account` is whom it is logged in as. `waiting` is who has given the code or scanned the
    QR code, but not yet the password. `imported` keys were brought over from another data
    center, and get no updates.
    """

    key: bytes
    account: Account | None = None
    waiting: Account | None = None
    imported: bool = False
    id: bytes = b""

    def __post_init__(self) -> None:
        self.id = sha1(self.key).digest()[-8:]


class Account:
    """Someone who can be logged in: the TL user, and the secrets that logging in asks for.

    `phone` is digits only; `code` is what the next sign-in must give; `password` is the
    cloud password, None for no second factor. All can be changed at any time.
    """

    def __init__(
        self, user: raw.types.User, *, phone: str, code: str, password: str | None, hint: str, dc_id: int
    ) -> None:
        self.user = user
        self.phone = phone
        self.code = code
        self.hint = hint
        self.dc_id = dc_id
        self.password = password
        self.auth_key = AuthKey(secrets.token_bytes(256), account=self)

    @property
    def password(self) -> str | None:
        """The cloud password, None for no second factor."""
        return self._password

    @password.setter
    def password(self, password: str | None) -> None:
        self._password = password
        self._verifier: PasswordVerifier | None = None

    def challenge(self) -> tuple[PasswordVerifier, PasswordChallenge] | None:
        """A new password challenge, None if the account has no password."""
        if self._password is None:
            return None
        if self._verifier is None:
            self._verifier = PasswordVerifier(self._password)
        return self._verifier, self._verifier.challenge()

    def __repr__(self) -> str:
        return f"Account({self.user.id}, dc_id={self.dc_id})"


@dataclass(slots=True)
class LoginToken:
    """A QR code on show: who shows it, until when (UNIX s), and who has scanned it."""

    token: bytes
    key: AuthKey
    session: object
    expires: int
    account: Account | None = None


@dataclass(slots=True)
class Logins:
    """Logins under way, by the secret that the client has to give back."""

    codes: dict[str, str] = field(default_factory=dict)
    challenges: dict[int, PasswordChallenge] = field(default_factory=dict)
    tokens: dict[bytes, LoginToken] = field(default_factory=dict)
    exported: dict[tuple[int, bytes], Account] = field(default_factory=dict)
