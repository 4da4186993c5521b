"""What only the owner can mend: each is told apart, said once, asked about no further, and over with a new login."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from service import serving, until_connected
from telegram_world import small_world

from telegram.session_file import SessionFile
from tgserver import Server
from tgserver.crypto.rsa import RsaKey


class Fatal(NamedTuple):
    """How Telegram ends a login, and what the owner reads. `reason` is in /ping, the log and answers alike."""

    provoke: Callable[[Server, Path], object]
    state: str
    reason: str


def revoke(server: Server, folder: Path) -> None:
    server.revoke()


def forget_key(server: Server, folder: Path) -> None:
    server.revoke(forget_key=True)


def remove_session(server: Server, folder: Path) -> None:
    SessionFile(folder).path.unlink()


def fail(method: str, error: str, code: int) -> Callable[[Server, Path], object]:
    return lambda server, folder: server.fail(method, error, code=code)


FATAL = {
    "not logged in": Fatal(remove_session, "not_logged_in", "./run.sh login"),
    "revoked": Fatal(revoke, "revoked", "./run.sh login"),
    "key forgotten": Fatal(forget_key, "revoked", "./run.sh login"),
    "refused while connecting": Fatal(fail("initConnection", "SESSION_REVOKED", 401), "revoked", "./run.sh login"),
    "key used elsewhere": Fatal(fail("initConnection", "AUTH_KEY_DUPLICATED", 406), "revoked", "./run.sh login"),
    "banned": Fatal(fail("users.getUsers", "USER_DEACTIVATED_BAN", 401), "banned", "banned or deleted"),
    "wrong application": Fatal(fail("initConnection", "API_ID_INVALID", 400), "bad_api", "my.telegram.org"),
}
# A session file that is removed under a connection that stands says nothing of the login.
WHILE_IN_USE = [name for name in FATAL if name != "not logged in"]


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    return RsaKey.generate()


async def until_state(client: httpx.AsyncClient, state: str) -> None:
    async with asyncio.timeout(10):
        while (await client.get("/health")).json()["connection"]["state"] != state:
            await asyncio.sleep(0.02)


def complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


async def check_told_and_left_alone(
    fatal: Fatal, server: Server, client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    """Every place says what it is, nothing is asked any more, and what is stored is served."""
    await until_state(client, fatal.state)
    await asyncio.sleep(0.1)
    server.forget_calls()
    ping = await client.get("/ping")
    assert (ping.status_code, ping.json()["status"], ping.json()["connected"]) == (503, "degraded", False)
    assert fatal.reason in ping.json()["reason"]
    assert fatal.reason in (await client.get("/health")).json()["connection"]["reason"]
    for _ in range(10):
        stale, unknown, page = await asyncio.gather(
            *(client.get(path) for path in ("/rss/news", "/rss/ada_friend", "/html/ada_friend"))
        )
        assert stale.status_code == 200
        assert "age" in stale.headers
        assert [answer.status_code for answer in (unknown, page)] == [503, 503]
        assert int(unknown.headers["retry-after"]) > 0
        assert fatal.reason in unknown.json()["detail"]
        assert fatal.reason in page.text
        await asyncio.sleep(0.2)
    assert not server.calls
    assert not server.connections()
    (line,) = complaints(caplog)
    assert fatal.reason in line


async def log_in_anew(server: Server, folder: Path, client: httpx.AsyncClient) -> None:
    """As `./run.sh login` does while the service runs."""
    server.faults.clear()
    path = SessionFile(folder).path
    with SessionFile(folder).lock():
        path.unlink(missing_ok=True)
        await server.write_session_file(path, server.add_account())
    await until_connected(client)
    assert (await client.get("/rss/ada_friend")).status_code == 200


@pytest.mark.parametrize("name", FATAL)
async def test_a_login_that_is_no_good_at_the_start(
    rsa_key: RsaKey, tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    fatal = FATAL[name]
    async with Server(small_world(), rsa_key=rsa_key) as server:
        async with serving(server, tmp_path, history_cache_ttl_minutes=0) as client:
            assert (await client.get("/rss/news")).status_code == 200
        fatal.provoke(server, tmp_path)
        caplog.clear()
        async with serving(server, tmp_path, logged_in=False, history_cache_ttl_minutes=0) as client:
            await check_told_and_left_alone(fatal, server, client, caplog)
            await log_in_anew(server, tmp_path, client)


@pytest.mark.parametrize("name", WHILE_IN_USE)
async def test_a_login_that_ends_while_it_is_in_use(
    rsa_key: RsaKey, tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    fatal = FATAL[name]
    async with (
        Server(small_world(), rsa_key=rsa_key) as server,
        serving(server, tmp_path, history_cache_ttl_minutes=0, tg_watchdog_interval=1) as client,
    ):
        assert (await client.get("/rss/news")).status_code == 200
        caplog.clear()
        fatal.provoke(server, tmp_path)
        server.drop_connections()
        await check_told_and_left_alone(fatal, server, client, caplog)
        await log_in_anew(server, tmp_path, client)
