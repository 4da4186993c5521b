"""What the log says of calls that failed."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from telegram_world import client_for, logged_in, small_world, until_state

from errors import FloodWait, TelegramTimeout, TelegramUnavailable
from telegram.fault_log import QUIET_FOR, FaultLog
from telegram_client import State
from tgserver import Action, Server
from tgserver.crypto.rsa import RsaKey


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    return RsaKey.generate()


def test_a_fault_is_told_once_a_minute_for_each_call_and_reason(caplog: pytest.LogCaptureFixture) -> None:
    now = 100.0
    log = FaultLog(lambda: now)
    for _ in range(3):
        log.note("messages.getHistory", TelegramTimeout())
    log.note("messages.getHistory", FloodWait(5))
    log.note("channels.getMessages", TelegramTimeout())
    assert [record.getMessage() for record in caplog.records] == [
        "The call messages.getHistory failed: Telegram did not answer in time",
        "The call messages.getHistory failed: Telegram asks for a pause of 5 s",
        "The call channels.getMessages failed: Telegram did not answer in time",
    ]
    now += QUIET_FOR
    log.note("messages.getHistory", TelegramTimeout())
    assert len(caplog.records) == 4


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        ({"action": Action.ERROR, "error": "FLOOD_WAIT_7"}, "Telegram asks for a pause of 7 s"),
        ({"action": Action.ERROR, "error": "RPC_CALL_FAIL", "code": 500}, "RPC_CALL_FAIL"),
        ({"action": Action.ERROR, "error": "SOMETHING_NEW", "code": 400}, "SOMETHING_NEW"),
        ({"action": Action.HANG}, "Telegram did not answer messages.getHistory"),
        ({"action": Action.DROP}, "The connection to Telegram was lost"),
    ],
    ids=["flood", "internal", "unknown", "hang", "drop"],
)
async def test_every_fault_that_passes_leaves_one_line_that_names_call_and_reason(
    fault: dict[str, Any], line: str, rsa_key: RsaKey, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Server(small_world(), rsa_key=rsa_key) as server:
        client = client_for(server, await logged_in(server, tmp_path / "session"))
        with server.trust():
            await client.start()
            try:
                await until_state(client, State.READY)
                channel = await client.resolve("news")
                server.fault(method="messages.getHistory", **fault)
                for _ in range(3):
                    with pytest.raises((FloodWait, TelegramTimeout, TelegramUnavailable)):
                        await client.history(channel)
            finally:
                await client.stop()
    lines = [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING and "messages.getHistory" in record.getMessage()
    ]
    assert len(lines) == 1
    assert lines[0].startswith("The call messages.getHistory failed: ")
    assert line in lines[0]
