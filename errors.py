"""What can go wrong, as types: raised where it is known, turned into HTTP in `routes/errors.py` alone."""

from __future__ import annotations

from typing import TypeVar


class BridgeError(Exception):
    """Base of every fault that the bridge knows. `str()` is one line that a user may read."""


Fault = TypeVar("Fault", bound=BridgeError)


def afresh(fault: Fault) -> Fault:
    """The same fault as one that was never raised: without a traceback, which would hold on to all that took part.

    For faults that are kept, and for those that many are told of.
    """
    twin = type(fault).__new__(type(fault), *fault.args)
    twin.__dict__.update(fault.__dict__)
    return twin


class BadParameter(BridgeError):
    """A request's parameter is wrong: `name` says which, `why` what is wrong and what is allowed."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name = name
        self.why = why


class Forbidden(BridgeError):
    """The request carries no token or a wrong one."""

    def __init__(self) -> None:
        super().__init__("A valid token is needed here")


class BadSignature(BridgeError):
    """A media address whose digest is wrong or whose time is over."""


class PreconditionFailed(BridgeError):
    """The request is for another state of the document than there is (RFC 9110 13.1)."""

    def __init__(self) -> None:
        super().__init__("This is not the document that the request's conditions name")


class ChannelNotFound(BridgeError):
    """No such channel or username."""


class ChannelPrivate(BridgeError):
    """The channel exists, but this account may not read it."""


class PostNotFound(BridgeError):
    """The post does not exist or was deleted."""


class ThreadNotFound(BridgeError):
    """The group has no such topic, or the post no comments."""


class MediaGone(BridgeError):
    """The file is not there any more, or the post never had it."""


class FileReferenceExpired(BridgeError):
    """Telegram wants the message to be fetched again before it gives the file. Healed inside the bridge."""


class PassingFault(BridgeError):
    """A fault that goes away by itself. `retry_after`: seconds until it is worth asking again."""

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


# The scope of a pause in which nothing may be asked.
WHOLE_ACCOUNT = "account"


class FloodWait(PassingFault):
    """Telegram asked for a pause of `retry_after` seconds. `scope` is what must not be asked meanwhile."""

    def __init__(self, retry_after: float, scope: str = WHOLE_ACCOUNT) -> None:
        what = "" if scope == WHOLE_ACCOUNT else f", from {scope}"
        super().__init__(f"Telegram asks for a pause of {max(1, round(retry_after))} s{what}", retry_after)
        self.scope = scope

    @property
    def partial(self) -> bool:
        """Whether other things may be asked meanwhile."""
        return self.scope != WHOLE_ACCOUNT


class TelegramTimeout(PassingFault):
    """Telegram did not answer in time."""

    def __init__(self, message: str = "Telegram did not answer in time", retry_after: float = 30) -> None:
        super().__init__(message, retry_after)


class TelegramUnavailable(PassingFault):
    """No connection to Telegram, a restart under way, or a fault on Telegram's side."""

    def __init__(self, reason: str, retry_after: float = 30) -> None:
        super().__init__(reason, retry_after)


class TelegramRefused(TelegramUnavailable):
    """Telegram has answered with an error that is no word on what was asked for: it may answer better later."""


class NotLoggedIn(TelegramUnavailable):
    """There is no usable session; the owner has to log in."""

    def __init__(
        self, reason: str = "Not logged in to Telegram: run `./run.sh login`", retry_after: float = 300
    ) -> None:
        super().__init__(reason, retry_after)


class ShuttingDown(TelegramUnavailable):
    """The bridge is about to end: whoever waits for Telegram waits in vain."""

    def __init__(self) -> None:
        super().__init__("The bridge is shutting down", 30)


class Overloaded(PassingFault):
    """The bridge itself has no room for this request now."""


class StorageError(BridgeError):
    """A file or folder of the bridge can't be used at all; the text names it and what the owner can do."""


class StorageUnavailable(PassingFault):
    """The disk does not take or give data now (full, failing, locked). Nothing that was stored is lost."""

    def __init__(self, reason: str, retry_after: float = 60) -> None:
        super().__init__(reason, retry_after)


class TooManyGuesses(PassingFault):
    """One address has tried too many wrong tokens."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("Too many wrong tokens from this address", retry_after)
