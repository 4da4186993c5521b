"""Kurigram's errors, as the bridge's own."""

from __future__ import annotations

from typing import Any

from pyrogram import errors as tl
from pyrogram.session.session import AuthKeyNotFound, TransportError

from errors import (
    BridgeError,
    ChannelNotFound,
    ChannelPrivate,
    FileReferenceExpired,
    FloodWait,
    MediaGone,
    PostNotFound,
    TelegramRefused,
    TelegramTimeout,
    TelegramUnavailable,
    ThreadNotFound,
)
from telegram.refusals import AccountBanned, KeyUnknown, SessionRevoked, WrongApplication

# Pauses are remembered over restarts. Telegram's last for a day or two; one without end would need the owner's hand,
# and to ask once a month harms nothing.
LONGEST_FLOOD = 30 * 86400
_LONGEST_NAME = 100
LOG_IN_AGAIN = "log in again with `./run.sh login`"


class ConnectionLost(ConnectionError):
    """The connection went away while a call was waiting for its answer."""


class NeverSent(ConnectionLost):
    """The connection was away and did not come back in time for the call to be sent."""


class AnswerNotUnderstood(Exception):
    """An answer came that is none to its question, or can't be read at all; the text says what it was."""


class SaltsRefused(TransportError):
    """Telegram refuses one salt after the other."""


_NO_CHANNEL = (
    tl.UsernameNotOccupied,
    tl.UsernameInvalid,
    tl.PeerIdInvalid,
    tl.ChannelInvalid,
    tl.ChatIdInvalid,
    tl.UserIdInvalid,
    tl.InviteHashExpired,
    tl.InviteHashInvalid,
    tl.InviteHashEmpty,
)
_PRIVATE = (
    tl.ChannelPrivate,
    tl.ChatForbidden,
    tl.ChatRestricted,
    tl.ChannelBanned,
    tl.ChannelPublicGroupNa,
    tl.UserBannedInChannel,
    tl.ChatAdminRequired,
)
_NO_POST = (tl.MsgIdInvalid, tl.MessageIdInvalid, tl.MessageIdsEmpty)
# Methods that ask for a topic or for comments.
_OF_THREADS = ("messages.getReplies", "messages.getDiscussionMessage", "messages.getForumTopicsByID")
_NO_THREAD = (*_NO_POST, tl.TopicIdInvalid, tl.TopicDeleted, tl.TopicDeleted406)
_OLD_REFERENCE = (
    tl.FileReferenceExpired,
    tl.FileReferenceInvalid,
    tl.FileReferenceEmpty,
    tl.FilerefUpgradeNeeded,
)
_NO_FILE = (tl.FileIdInvalid, tl.LocationInvalid, tl.PhotoInvalid, tl.PhotoIdInvalid)
_BANNED = (tl.UserDeactivatedBan, tl.UserDeactivated)
BAD_APPLICATION = (tl.ApiIdInvalid, tl.ApiIdPublishedFlood)
_REVOKED = (tl.Unauthorized, tl.AuthKeyDuplicated)
_NOT_ACCEPTED = "Telegram does not accept the session any more: " + LOG_IN_AGAIN

# What `translate` understands.
KURIGRAM_ERRORS = (
    tl.RPCError,
    TransportError,
    OSError,
    TimeoutError,
    tl.SecurityCheckMismatch,
    AnswerNotUnderstood,
)


def translate(error: Exception, method: str) -> BridgeError:
    """The bridge's error for one of `KURIGRAM_ERRORS` out of a call of `method`."""
    translated: BridgeError
    match error:
        case tl.FrozenMethodInvalid():
            translated = TelegramRefused("Telegram has frozen the account: see its notice in the app", 300)
        case tl.Flood():
            translated = FloodWait(pause_of(error))
        case _ if isinstance(error, _NO_CHANNEL):
            translated = ChannelNotFound("Telegram knows no such channel")
        case _ if isinstance(error, _PRIVATE):
            translated = ChannelPrivate("This account may not read the channel: join it, or have the ban lifted")
        # Other methods get this only for a question that was wrong, which is no word on any post.
        case _ if isinstance(error, _NO_POST) and method.endswith(".getMessages"):
            translated = PostNotFound("There is no such post")
        case tl.ChannelForumMissing():
            translated = ThreadNotFound("The chat is no group with topics")
        case _ if isinstance(error, _NO_THREAD) and method in _OF_THREADS:
            translated = ThreadNotFound("There is no such topic, or no comments any more")
        case _ if isinstance(error, _OLD_REFERENCE):
            translated = FileReferenceExpired("The file's reference has expired")
        case _ if isinstance(error, _NO_FILE):
            translated = MediaGone("Telegram does not have the file any more")
        case _ if isinstance(error, _BANNED):
            translated = AccountBanned("Telegram has banned or deleted the account: " + LOG_IN_AGAIN + " as another")
        case _ if isinstance(error, BAD_APPLICATION):
            translated = WrongApplication("Telegram refuses TG_API_ID with TG_API_HASH: check them at my.telegram.org")
        case AuthKeyNotFound():
            translated = KeyUnknown(_NOT_ACCEPTED)
        case _ if isinstance(error, _REVOKED):
            translated = SessionRevoked(_NOT_ACCEPTED)
        case tl.InternalServerError() | tl.ServiceUnavailable() | tl.SeeOther():
            translated = TelegramRefused(f"Telegram could not answer {method} ({name_of(error)})")
        case tl.RPCError():
            # Nobody knows for how long; what is stored can be served meanwhile.
            translated = TelegramRefused(f"Telegram refused {method} ({name_of(error)})", 60)
        case AnswerNotUnderstood():
            translated = TelegramRefused(f"Telegram's answer to {method} can't be understood ({error})", 60)
        case TimeoutError():
            translated = TelegramTimeout(f"Telegram did not answer {method} in time")
        case SaltsRefused():
            translated = TelegramUnavailable(f"Telegram could not answer {method} (it refuses every salt)")
        case ConnectionLost():
            translated = TelegramUnavailable("The connection to Telegram was lost and is being restored", 5)
        case _:
            translated = TelegramUnavailable(f"No connection to Telegram ({type(error).__name__})")
    return translated


def pause_of(flood: tl.Flood) -> int:
    """The seconds of the pause that Telegram asks for, at most `LONGEST_FLOOD`."""
    return min(flood.value, LONGEST_FLOOD) if isinstance(flood.value, int) else 60


def name_of(error: tl.RPCError) -> str:
    """The error's name as Telegram gives it, such as `CHANNEL_PRIVATE`; a long one is cut."""
    return " ".join((error.ID or str(error.value or error.NAME)).split())[:_LONGEST_NAME]


_kurigrams_init = tl.RPCError.__init__


def _init(
    self: tl.RPCError, value: Any = None, rpc_name: str | None = None, is_unknown: bool = False, is_signed: bool = False
) -> None:
    _kurigrams_init(self, value, rpc_name, False, is_signed)


# An error whose name Kurigram does not know would be appended to a file in the working directory.
tl.RPCError.__init__ = _init  # type: ignore[method-assign]
