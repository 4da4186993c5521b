"""A connection to Telegram is opened and closed without harm, whoever breaks that off."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from pyrogram.storage import SQLiteStorage

from telegram.connection import open_connection
from telegram.options import TelegramOptions
from telegram.session_file import SessionFile
from tg_throttle import RpcGate
from tgserver import Server, World
from tgserver.crypto.rsa import RsaKey


@pytest.mark.parametrize("step", ["open", "save"])
async def test_the_session_file_is_not_closed_under_a_thread_that_works_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    work: Callable[[SQLiteStorage], Coroutine[Any, Any, None]] = getattr(SQLiteStorage, step)
    close: Callable[[SQLiteStorage], Coroutine[Any, Any, None]] = SQLiteStorage.close
    begun, working = threading.Event(), threading.Event()
    closed_at_work: list[bool] = []

    async def slow(storage: SQLiteStorage) -> None:
        working.set()
        begun.set()
        time.sleep(0.3)
        await work(storage)
        working.clear()

    async def noted(storage: SQLiteStorage) -> None:
        closed_at_work.append(working.is_set())
        if not working.is_set():
            await close(storage)

    async with Server(World(), rsa_key=RsaKey.generate()) as server:
        await server.write_session_file(SessionFile(tmp_path).path)
        options = TelegramOptions(api_id=1, api_hash="0" * 32, session_path=tmp_path)

        async def live() -> None:
            connection = await open_connection(options, RpcGate(min_interval=0), server.connection_factory)
            await connection.close()

        monkeypatch.setattr(SQLiteStorage, step, slow)
        monkeypatch.setattr(SQLiteStorage, "close", noted)
        living = asyncio.create_task(live())
        assert await asyncio.to_thread(begun.wait, 20)
        living.cancel()
        with pytest.raises(asyncio.CancelledError):
            await living
        assert closed_at_work == [False]
