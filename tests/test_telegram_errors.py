"""Kurigram's errors and their translations."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pyrogram import errors as tl
from pyrogram import raw
from pyrogram.session.session import AuthKeyNotFound, TransportFlood

import errors
from telegram.errors import KURIGRAM_ERRORS, ConnectionLost, name_of, translate
from telegram.refusals import AccountBanned, KeyUnknown, SessionRevoked, WrongApplication


def rpc_error(code: int, message: str) -> tl.RPCError:
    """The exception that Kurigram raises for an answer."""
    try:
        tl.RPCError.raise_it(
            raw.types.RpcError(error_code=code, error_message=message), raw.functions.messages.GetHistory
        )
    except tl.RPCError as error:
        return error
    raise AssertionError("nothing was raised")


TABLE: list[tuple[Exception, type[errors.BridgeError]]] = [
    (rpc_error(400, "USERNAME_NOT_OCCUPIED"), errors.ChannelNotFound),
    (rpc_error(400, "USERNAME_INVALID"), errors.ChannelNotFound),
    (rpc_error(400, "PEER_ID_INVALID"), errors.ChannelNotFound),
    (rpc_error(400, "CHANNEL_INVALID"), errors.ChannelNotFound),
    (rpc_error(400, "CHANNEL_PRIVATE"), errors.ChannelPrivate),
    (rpc_error(406, "CHANNEL_PRIVATE"), errors.ChannelPrivate),
    (rpc_error(403, "CHAT_FORBIDDEN"), errors.ChannelPrivate),
    (rpc_error(400, "USER_BANNED_IN_CHANNEL"), errors.ChannelPrivate),
    (rpc_error(400, "MSG_ID_INVALID"), errors.TelegramRefused),
    (rpc_error(400, "INVITE_HASH_EXPIRED"), errors.ChannelNotFound),
    (rpc_error(420, "FROZEN_METHOD_INVALID"), errors.TelegramRefused),
    (rpc_error(400, "FILE_REFERENCE_EXPIRED"), errors.FileReferenceExpired),
    (rpc_error(400, "FILE_REFERENCE_0_EXPIRED"), errors.FileReferenceExpired),
    (rpc_error(400, "FILE_REFERENCE_INVALID"), errors.FileReferenceExpired),
    (rpc_error(400, "FILE_REFERENCE_EMPTY"), errors.FileReferenceExpired),
    (rpc_error(400, "FILE_ID_INVALID"), errors.MediaGone),
    (rpc_error(400, "LOCATION_INVALID"), errors.MediaGone),
    (rpc_error(420, "FLOOD_WAIT_42"), errors.FloodWait),
    (rpc_error(420, "FLOOD_PREMIUM_WAIT_42"), errors.FloodWait),
    (rpc_error(420, "SLOWMODE_WAIT_42"), errors.FloodWait),
    (rpc_error(420, "SOMETHING_NEW"), errors.FloodWait),
    (rpc_error(401, "AUTH_KEY_UNREGISTERED"), SessionRevoked),
    (rpc_error(401, "SESSION_REVOKED"), SessionRevoked),
    (rpc_error(406, "AUTH_KEY_DUPLICATED"), SessionRevoked),
    (AuthKeyNotFound(), KeyUnknown),
    (rpc_error(401, "USER_DEACTIVATED_BAN"), AccountBanned),
    (rpc_error(401, "USER_DEACTIVATED"), AccountBanned),
    (rpc_error(400, "API_ID_INVALID"), WrongApplication),
    (rpc_error(500, "INTERNAL"), errors.TelegramRefused),
    (rpc_error(-503, "Timedout"), errors.TelegramRefused),
    (rpc_error(303, "FILE_MIGRATE_4"), errors.TelegramRefused),
    (rpc_error(400, "LIMIT_INVALID"), errors.TelegramRefused),
    (rpc_error(400, "SOMETHING_NEW"), errors.TelegramRefused),
    (rpc_error(499, "SOMETHING_NEW"), errors.TelegramRefused),
    (TimeoutError(), errors.TelegramTimeout),
    (ConnectionLost(), errors.TelegramUnavailable),
    (ConnectionResetError(), errors.TelegramUnavailable),
    (OSError(), errors.TelegramUnavailable),
    (TransportFlood(), errors.TelegramUnavailable),
]


@pytest.mark.parametrize("method", ["channels.getMessages", "messages.getMessages"])
def test_only_a_call_for_messages_can_learn_that_a_post_does_not_exist(method: str) -> None:
    assert type(translate(rpc_error(400, "MSG_ID_INVALID"), method)) is errors.PostNotFound


@pytest.mark.parametrize(("error", "expected"), TABLE, ids=lambda value: re.sub(r"\W+", " ", repr(value))[:60])
def test_every_error_has_one_translation_of_one_line(error: Exception, expected: type[errors.BridgeError]) -> None:
    assert isinstance(error, KURIGRAM_ERRORS)
    translated = translate(error, "messages.getHistory")
    assert type(translated) is expected
    assert str(translated)
    assert "\n" not in str(translated)


@pytest.mark.parametrize(("message", "seconds"), [("FLOOD_WAIT_42", 42), ("SOMETHING_NEW", 60)])
def test_a_flood_waits_as_long_as_telegram_says(message: str, seconds: int) -> None:
    translated: Any = translate(rpc_error(420, message), "m")
    assert translated.retry_after == seconds


def test_what_has_no_session_says_how_to_log_in() -> None:
    for error in (rpc_error(401, "SESSION_REVOKED"), rpc_error(401, "USER_DEACTIVATED_BAN")):
        assert "./run.sh login" in str(translate(error, "m"))


def test_names_are_telegrams_own() -> None:
    assert name_of(rpc_error(400, "CHANNEL_PRIVATE")) == "CHANNEL_PRIVATE"
    assert "SOMETHING_NEW" in name_of(rpc_error(400, "SOMETHING_NEW"))


def test_an_unknown_error_leaves_no_file_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rpc_error(400, "SOMETHING_NEW")
    rpc_error(499, "SOMETHING_NEW")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("FLOOD_WAIT_86400", 86400),
        ("FLOOD_WAIT_0", 0),
        ("FLOOD_WAIT_-5", 60),
        ("FLOOD_WAIT_99999999999", 30 * 86400),
        ("FLOOD_WAIT_" + "9" * 400, 30 * 86400),
    ],
    ids=lambda value: str(value)[:30],
)
def test_no_number_makes_a_pause_without_end(name: str, seconds: int) -> None:
    fault = translate(rpc_error(420, name), "messages.getHistory")
    assert isinstance(fault, errors.FloodWait)
    assert fault.retry_after == seconds


def test_an_error_with_a_long_name_of_several_lines_is_told_in_one_short_line() -> None:
    line = str(translate(rpc_error(400, "SOMETHING\nNEW" + "!" * 5000), "messages.getHistory"))
    assert line.isprintable()
    assert len(line) < 200
