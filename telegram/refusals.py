"""Why Telegram does not let the account in: kinds of `NotLoggedIn`."""

from __future__ import annotations

from errors import NotLoggedIn


class SessionRevoked(NotLoggedIn):
    """Telegram does not accept the session any more."""


class KeyUnknown(SessionRevoked):
    """Telegram does not know the session's key (transport error -404). A trouble of its own can look the same."""


class AccountBanned(NotLoggedIn):
    """Telegram has banned or deleted the account."""


class WrongApplication(NotLoggedIn):
    """Telegram does not know the application, TG_API_ID with TG_API_HASH."""
