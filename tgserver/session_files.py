"""Ready session files, which a plain Kurigram client opens without any login."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from pyrogram.storage.sqlite_storage import SQLiteStorage

from tgserver.transport import HOST


async def write_session_file(
    path: Path, *, dc_id: int, port: int, auth_key: bytes, user_id: int, api_id: int = 1
) -> Path:
    """Write a session that leads to this server, and return its path (ending in `.session`).

    A file that is there already is replaced if it leads to loopback as well. Raises
    FileExistsError if it does not: it may be the login of a real account; OSError if the file can't
    be written.
    """
    path = path if path.suffix == SQLiteStorage.FILE_EXTENSION else path.with_name(path.name + ".session")
    if path.exists():
        if not _leads_to_loopback(path):
            raise FileExistsError(f"{path} is not a session of a local server; it is left as it is")
        path.unlink()
    storage = SQLiteStorage(path.stem, path.parent)
    try:
        await storage.open()
        try:
            await storage.dc_id(dc_id)
            await storage.server_address(HOST)
            await storage.port(port)
            await storage.api_id(api_id)
            await storage.test_mode(False)
            await storage.auth_key(auth_key)
            await storage.user_id(user_id)
            await storage.is_bot(False)
            await storage.date(int(time.time()))
            await storage.save()
        finally:
            await storage.close()
    except sqlite3.Error as error:
        raise OSError(f"session file {path}: {error}") from error
    return path


def _leads_to_loopback(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT server_address FROM sessions").fetchall()
    except sqlite3.Error:
        return False
    return bool(rows) and all(address == HOST for (address,) in rows)
