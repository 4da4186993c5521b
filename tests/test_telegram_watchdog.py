"""The watchdog on a real wire: connections that look alive and are not, and lines that come and go."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from service import serving, until_connected
from service_process import service_process
from telegram_world import FAR_FILE, FILE, client_for, logged_in, small_world, until, until_state

from errors import FloodWait, TelegramTimeout, TelegramUnavailable
from model.files import files_of
from telegram.watchdog import Watchdog, WatchdogOptions
from telegram_client import State, TelegramClient
from tgserver import Action, Server
from tgserver.crypto.rsa import RsaKey


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    return RsaKey.generate()


@pytest.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    async with Server(small_world(), rsa_key=rsa_key) as running:
        with running.trust():
            yield running


@asynccontextmanager
async def watched(
    server: Server, folder: Path, *, call_timeout: float = 2, connect_timeout: float = 2, **options: Any
) -> AsyncIterator[TelegramClient]:
    """A connected client whose watchdog has those options, and little patience in the others."""
    watchdog = WatchdogOptions(**{"interval": 0.1, "timeout": 0.1} | options)
    folder = await logged_in(server, folder)
    client = client_for(server, folder, watchdog=watchdog, call_timeout=call_timeout, connect_timeout=connect_timeout)
    await client.start()
    await until_state(client, State.READY)
    yield client
    await client.stop()


# Probes.


async def test_a_probe_asks_telegram_at_each_interval(server: Server, tmp_path: Path) -> None:
    async with watched(server, tmp_path, interval=0.2) as client:
        first = client.status.probed_at
        await until(lambda: server.calls["users.getUsers"] == 3, within=2)
        await until(lambda: client.watchdog.probes == 2 and client.status.probed_at != first)
        assert client.watchdog.failed_probes == client.watchdog.restarts == 0


async def test_without_the_watchdog_nothing_is_probed_or_restarted(server: Server, tmp_path: Path) -> None:
    async with watched(server, tmp_path, enabled=False, interval=0.05, flap_limit=1) as client:
        server.drop_connections()
        await until(lambda: client.watchdog.disconnects)
        await asyncio.sleep(0.3)
        assert server.calls["users.getUsers"] == 1
        assert (client.watchdog.probes, client.watchdog.restarts) == (0, 0)


async def test_a_probe_during_a_flood_shows_that_the_line_stands(server: Server, tmp_path: Path) -> None:
    async with watched(server, tmp_path) as client:
        channel = await client.resolve("news")
        server.fail("messages.getHistory", "FLOOD_WAIT_60", 1)
        with pytest.raises(FloodWait):
            await client.history(channel)
        asked, pings = client.status.probed_at, server.calls["ping"]
        await until(lambda: server.calls["ping"] > pings, within=2)
        await until(lambda: client.status.probed_at != asked)
        assert client.watchdog.failed_probes == 0


async def test_a_probe_that_gets_no_answer_is_counted_and_leaves_the_age_growing(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with watched(server, tmp_path, failures=1000) as client:
        server.fault(Action.HANG, "users.getUsers")
        await until(lambda: client.watchdog.failed_in_a_row == 1)
        before = client.status.probed_at
        await until(lambda: client.watchdog.failed_in_a_row == 2)
        assert client.status.probed_at == before
        assert "did not answer a probe (2 in a row)" in caplog.text
        server.faults.clear()
        await until(lambda: client.watchdog.failed_in_a_row == 0)
        assert client.watchdog.failed_probes >= 2
        assert client.watchdog.restarts == 0


async def test_answers_to_other_calls_are_as_good_as_a_probe(server: Server, tmp_path: Path) -> None:
    async with watched(server, tmp_path, timeout=0.3, failures=1) as client:
        channel = await client.resolve("news")
        server.fault(Action.HANG, "users.getUsers")
        for _ in range(20):
            await client.history(channel, limit=1)
            await asyncio.sleep(0.05)
        assert client.watchdog.probes >= 2
        assert client.watchdog.failed_probes == client.watchdog.restarts == 0


async def test_an_error_is_an_answer(server: Server, tmp_path: Path) -> None:
    """No new connection would mend Telegram's own trouble."""
    async with watched(server, tmp_path, failures=2) as client:
        server.fail("users.getUsers", "RPC_CALL_FAIL", times=None, code=500)
        await until(lambda: client.watchdog.probes == 5)
        assert (client.watchdog.failed_probes, client.watchdog.restarts) == (0, 0)


async def test_a_heartbeat_is_logged_after_so_many_probes(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        async with watched(server, tmp_path, interval=0.05, heartbeat_every=3) as client:
            await until(lambda: client.watchdog.probes == 7)
    beats = [record.getMessage() for record in caplog.records if record.getMessage().startswith("Watchdog: ")]
    assert [beat.partition(",")[0] for beat in beats] == ["Watchdog: 3 probes", "Watchdog: 6 probes"]


# Restarts.


async def test_probes_that_hang_lead_to_a_restart_that_heals(server: Server, tmp_path: Path) -> None:
    async with watched(server, tmp_path, failures=3) as client:
        channel = await client.resolve("news")
        old = server.connections()
        server.fault(Action.HANG, "users.getUsers", 3)
        await until(lambda: client.watchdog.restarts, within=3)
        await until_state(client, State.READY)
        await until(lambda: not client.watchdog.restarting)
        stats = client.watchdog
        assert (stats.restarts, stats.failed_probes, stats.failed_in_a_row) == (1, 3, 0)
        assert stats.restarts_by_reason == {"unanswered_probes": 1, "disconnects": 0, "download_timeouts": 0}
        assert stats.disconnects == 0
        await until(lambda: not set(old) & set(server.connections()))
        assert await client.history(channel, limit=1)
        probes = client.watchdog.probes
        await until(lambda: client.watchdog.probes > probes)
        assert client.watchdog.failed_in_a_row == 0


async def test_who_waits_during_a_restart_is_told_at_once(server: Server, tmp_path: Path) -> None:
    async with watched(server, tmp_path, failures=1, call_timeout=30) as client:
        channel = await client.resolve("news")
        (message,) = await client.messages(channel, [140])
        file = next(files_of(message))
        for method in ("users.getUsers", "messages.getHistory", "upload.getFile"):
            server.fault(Action.HANG, method)
        waiting = [
            asyncio.create_task(client.history(channel)),
            asyncio.create_task(client.file_part(file, 0, 4096)),
        ]
        began = time.monotonic()
        done, late = await asyncio.wait(waiting, timeout=2)
        assert not late
        assert time.monotonic() - began < 1.5
        assert {type(task.exception()) for task in done} == {TelegramUnavailable}
        # Whoever comes while the new connection is being verified is told, too.
        with pytest.raises(TelegramUnavailable):
            await client.history(channel)
        assert client.watchdog.restarting
        server.faults.clear()


async def test_a_restart_that_fails_gives_up_once(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given_up: list[float] = []
    async with watched(server, tmp_path, failures=1, restart_timeout=0.5, connect_timeout=0.2) as client:
        client.on_give_up = lambda: given_up.append(time.monotonic())
        server.fault(Action.HANG, "users.getUsers")
        await until(lambda: given_up, within=3)
        assert "could not be restarted within 0.5 s" in caplog.text
        server.faults.clear()
        await until_state(client, State.READY)
        server.fault(Action.HANG, "users.getUsers")
        await asyncio.sleep(1)
        assert len(given_up) == 1


async def test_a_flood_on_connecting_anew_is_an_answer_and_no_reason_to_give_up(server: Server, tmp_path: Path) -> None:
    given_up: list[bool] = []
    async with watched(server, tmp_path, failures=1, restart_timeout=0.6) as client:
        client.on_give_up = lambda: given_up.append(True)
        server.fail("initConnection", "FLOOD_WAIT_2", 1)
        server.fault(Action.HANG, "users.getUsers", 1)
        await until_state(client, State.UNAVAILABLE)
        await until_state(client, State.READY)
        assert client.watchdog.restarts == 1
        assert not given_up


async def test_a_login_that_is_gone_is_a_state_and_not_restarted(server: Server, tmp_path: Path) -> None:
    given_up: list[bool] = []
    async with watched(server, tmp_path, interval=0.05, failures=1, restart_timeout=0.3) as client:
        client.on_give_up = lambda: given_up.append(True)
        # The server answers with transport error -404, which leaves the session's reader dead.
        server.revoke(forget_key=True)
        server.drop_connections()
        await until_state(client, State.REVOKED)
        calls = sum(server.calls.values())
        await asyncio.sleep(0.6)
        assert client.status.state is State.REVOKED
        assert sum(server.calls.values()) == calls
        assert not given_up


async def test_a_login_that_is_lost_at_the_restart_is_told_as_such(server: Server, tmp_path: Path) -> None:
    given_up: list[bool] = []
    async with watched(server, tmp_path, failures=1, restart_timeout=5) as client:
        client.on_give_up = lambda: given_up.append(True)
        server.fault(Action.HANG, "users.getUsers", 1)
        await until(lambda: client.watchdog.probes)
        server.revoke(forget_key=True)
        await until_state(client, State.REVOKED, 10)
        await asyncio.sleep(0.2)
        assert client.watchdog.restarts == 1
        assert not given_up


async def test_a_shutdown_during_a_restart_is_no_failure(server: Server, tmp_path: Path) -> None:
    given_up: list[bool] = []
    async with watched(server, tmp_path, failures=1, restart_timeout=0.4) as client:
        client.on_give_up = lambda: given_up.append(True)
        server.fault(Action.HANG, "users.getUsers")
        await until(lambda: client.watchdog.restarting)
        client.turn_away()
        await asyncio.sleep(0.6)
        assert not given_up
        began = time.monotonic()
    assert time.monotonic() - began < 4


# Lost connections.


def main_connections(server: Server) -> list[Any]:
    return [connection for connection in server.connections() if not connection.media]


async def lose_main_connection(server: Server, client: TelegramClient) -> None:
    """Cut the main connection once it stands, and wait until the client has noticed."""
    # A call waits for the connection.
    await client.resolve("news")
    before = client.watchdog.disconnects
    for connection in main_connections(server):
        connection.abort()
    await until(lambda: client.watchdog.disconnects == before + 1)


async def test_a_main_connection_that_flaps_is_restarted_once(server: Server, tmp_path: Path) -> None:
    async with watched(server, tmp_path, interval=60, flap_limit=2, flap_window=30) as client:
        await lose_main_connection(server, client)
        assert client.watchdog.restarts == 0
        await lose_main_connection(server, client)
        await until(lambda: client.watchdog.restarts)
        await until(lambda: not client.watchdog.restarting)
        await until_state(client, State.READY)
        assert client.watchdog.restarts_by_reason == {"unanswered_probes": 0, "disconnects": 1, "download_timeouts": 0}
        assert client.watchdog.disconnects == 2
        # It starts to count anew.
        await lose_main_connection(server, client)
        await asyncio.sleep(0.3)
        assert client.watchdog.restarts == 1


async def test_losses_further_apart_than_the_window_are_borne(server: Server, tmp_path: Path) -> None:
    async with watched(server, tmp_path, interval=60, flap_limit=2, flap_window=0.3) as client:
        await lose_main_connection(server, client)
        await asyncio.sleep(0.4)
        await lose_main_connection(server, client)
        await asyncio.sleep(0.2)
        assert (client.watchdog.disconnects, client.watchdog.restarts) == (2, 0)


async def test_attempts_to_come_back_that_fail_are_no_disconnects(server: Server, tmp_path: Path) -> None:
    async with watched(server, tmp_path, interval=60, flap_limit=2) as client:
        server.fail("initConnection", "RPC_CALL_FAIL", 2, code=500)
        server.drop_connections()
        await until(lambda: server.calls["initConnection"] >= 3, within=8)
        assert (client.watchdog.disconnects, client.watchdog.restarts) == (1, 0)


async def test_media_connections_may_flap(server: Server, tmp_path: Path) -> None:
    async with watched(server, tmp_path, interval=60, flap_limit=1) as client:
        (message,) = await client.messages(await client.resolve("news"), [140])
        file = next(files_of(message))
        for _ in range(3):
            # A part waits for the connection.
            assert await client.file_part(file, 0, 4096)
            media = [connection for connection in server.connections() if connection.media]
            assert media
            for connection in media:
                connection.abort()
            await until(lambda: not any(connection in server.connections() for connection in media))  # noqa: B023
        assert (client.watchdog.disconnects, client.watchdog.restarts) == (0, 0)


async def test_closing_is_no_disconnect(server: Server, tmp_path: Path) -> None:
    async with watched(server, tmp_path, interval=60, flap_limit=1) as client:
        await client.stop()
        assert (client.watchdog.disconnects, client.watchdog.restarts) == (0, 0)


# Downloads.


async def test_downloads_that_run_out_of_time_one_after_the_other_lead_to_one_restart(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with watched(server, tmp_path, interval=60, download_timeouts=3) as client:
        old = server.connections()
        timeout, flood = TelegramTimeout(), FloodWait(5)
        for fault in (timeout, timeout, None, timeout, flood, timeout):
            client.note_download(fault)
        await asyncio.sleep(0.1)
        assert (client.watchdog.restarts, client.watchdog.download_timeouts_in_a_row) == (0, 2)
        for _ in range(3):
            client.note_download(timeout)
        await until(lambda: client.watchdog.restarts)
        # Those that the restart itself keeps from their end.
        client.note_download(timeout)
        await until(lambda: not client.watchdog.restarting)
        await until_state(client, State.READY)
        assert not set(old) & set(server.connections())
        assert client.watchdog.restarts_by_reason["download_timeouts"] == 1
        assert "one download after the other runs out of time" in caplog.text
        for _ in range(2):
            client.note_download(timeout)
        await asyncio.sleep(0.1)
        assert (client.watchdog.restarts, client.watchdog.download_timeouts_in_a_row) == (1, 2)


async def test_a_service_whose_downloads_hang_restarts_its_connection_and_goes_on(
    server: Server, tmp_path: Path
) -> None:
    limits: dict[str, Any] = {"media_download_timeout_min": 3, "media_download_timeout_max": 3}
    async with serving(server, tmp_path / "bridge", media_timeout_restart_threshold=2, **limits) as http:
        addresses = []
        for post_id in (140, 141):
            page = (await http.get(f"/html/news/{post_id}")).text
            addresses.append(re.findall(r'"[^"]*(/media/[^"]+)"', page)[0])
        server.fault(Action.HANG, "upload.getFile")
        answers = await asyncio.gather(*(http.get(address) for address in addresses))
        assert [answer.status_code for answer in answers] == [504, 504]
        async with asyncio.timeout(5):
            while not (said := (await http.get("/health")).json())["watchdog"]["restarts"]:
                await asyncio.sleep(0.02)
        assert said["watchdog"]["last_restart_reason"] == "download_timeouts"
        server.faults.clear()
        async with asyncio.timeout(10):
            while (await http.get("/health")).json()["watchdog"]["restarting"]:
                await asyncio.sleep(0.02)
        await until_connected(http)
        # What failed for want of a connection is tried again at once.
        for address, content in zip(addresses, (FILE, FAR_FILE), strict=True):
            assert (await http.get(address)).content == content
        assert (await http.get("/health")).json()["watchdog"]["download_timeouts_in_a_row"] == 0


async def test_restarts_are_made_one_at_a_time() -> None:
    running: list[int] = []
    most = 0
    release = asyncio.Event()

    async def restart() -> None:
        nonlocal most
        running.append(1)
        most = max(most, len(running))
        await release.wait()
        running.pop()

    watchdog = Watchdog(WatchdogOptions(flap_limit=1), lambda: None, restart, lambda: None)
    worker = asyncio.create_task(watchdog.restart_forever())
    watchdog.note_disconnect()
    await until(lambda: running)
    for _ in range(5):
        watchdog.note_disconnect()
    release.set()
    await until(lambda: not running)
    await asyncio.sleep(0.05)
    worker.cancel()
    assert most == 1
    assert watchdog.stats().restarts == 1
    assert watchdog.stats().disconnects == 6


# The process.


async def test_a_process_whose_connection_can_not_be_restarted_ends_with_a_code_of_its_own(
    server: Server, tmp_path: Path
) -> None:
    watchdog = {
        "TG_WATCHDOG_INTERVAL": "1",
        "TG_WATCHDOG_TIMEOUT": "1",
        "TG_WATCHDOG_FAILURES": "1",
        "TG_WATCHDOG_RESTART_TIMEOUT": "1",
    }
    # The first is the one that shows who is logged in.
    server.fault(Action.HANG, "users.getUsers", after=1)
    async with service_process(server, tmp_path, **watchdog) as service:
        code, text = await service.ended()
    assert code == 70, text
    assert "could not be restarted within 1 s" in text
    assert "Traceback" not in text
