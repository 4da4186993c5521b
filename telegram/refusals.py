"""Why Telegram does not let the account in: kinds of `NotLoggedIn`."""

from __future__ import annotations

from errors import NotLoggedIn


class SessionRevoked(NotLoggedIn):
    """Telegram does not accept the session any more."""


class AccountBanned(NotLoggedIn):
    """Telegram has banned or deleted the account."""


class WrongApplication(NotLoggedIn):
    """Telegram does not know the application, TG_API_ID with TG_API_HASH."""
