"""Many channels polled in the same second: all are served, in the pace of the gate, and nobody waits without end."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest
from pyrogram import raw
from service import serving
from telegram_world import channel

from history.waiting import Patience
from tgserver import Action, Server, World
from tgserver.crypto.rsa import RsaKey

CHANNELS = 50
INTERVAL_S = 0.02


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    return RsaKey.generate()


def many_channels() -> World:
    world = World()
    for number in range(CHANNELS):
        chat = world.add_chat(channel(5000 + number, f"Channel {number}", f"many_{number}"))
        for post in range(1, 6):
            chat.messages[post] = raw.types.Message(
                id=post,
                peer_id=raw.types.PeerChannel(channel_id=5000 + number),
                date=1_700_000_000 + post,
                message=f"post {post} of {number}",
                post=True,
            )
    return world


async def poll_all(client: httpx.AsyncClient) -> list[httpx.Response]:
    return await asyncio.gather(*(client.get(f"/rss/many_{number}") for number in range(CHANNELS)))


def asked(server: Server) -> Counter[str]:
    """Calls about channels since the last `forget_calls`."""
    return Counter({name: count for name, count in (+server.calls).items() if name.startswith(("ch", "con", "mess"))})


async def test_fifty_channels_polled_at_once_are_all_served_cold_and_expired_in_the_pace_of_the_gate(
    rsa_key: RsaKey, tmp_path: Path
) -> None:
    async with (
        Server(many_channels(), rsa_key=rsa_key) as server,
        serving(server, tmp_path, tg_rpc_min_interval_ms=int(INTERVAL_S * 1000), history_cache_ttl_minutes=0) as client,
    ):
        server.forget_calls()
        began = time.monotonic()
        cold = await poll_all(client)
        assert {answer.status_code for answer in cold} == {200}
        assert all(f"post 5 of {number}" in answer.text for number, answer in enumerate(cold))
        assert asked(server).total() == 3 * CHANNELS
        assert time.monotonic() - began >= (3 * CHANNELS - 1) * INTERVAL_S
        server.forget_calls()
        began = time.monotonic()
        # No time to live: each of them is expired.
        again = await poll_all(client)
        assert {answer.status_code for answer in again} == {200}
        assert not any("age" in answer.headers for answer in again)
        assert asked(server) == {"messages.getHistory": CHANNELS}
        assert time.monotonic() - began >= (CHANNELS - 1) * INTERVAL_S


async def test_who_waits_too_long_gets_what_is_stored_or_503_and_the_next_poll_is_served(
    rsa_key: RsaKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api_server.PATIENCE", Patience(with_stored=0.3, without=0.8))
    async with (
        Server(many_channels(), rsa_key=rsa_key) as server,
        serving(server, tmp_path, tg_rpc_min_interval_ms=int(INTERVAL_S * 1000), history_cache_ttl_minutes=0) as client,
    ):
        server.forget_calls()
        cold = await poll_all(client)
        turned_away = [answer for answer in cold if answer.status_code == 503]
        assert {answer.status_code for answer in cold} <= {200, 503}
        assert turned_away
        # Each channel takes three calls. They are done one after the other, and not all of them at the very end.
        assert len(turned_away) <= CHANNELS - 5
        for answer in turned_away:
            assert "goes on fetching" in answer.json()["detail"]
            assert 1 <= int(answer.headers["retry-after"]) <= 3 * CHANNELS * INTERVAL_S * 1.2 + 1
        # An honest Retry-After: whoever heeds it is served, at no further cost than a refresh.
        await asyncio.sleep(max(int(answer.headers["retry-after"]) for answer in turned_away))
        again = await poll_all(client)
        assert {answer.status_code for answer in again} == {200}
        calls = asked(server)
        assert calls["contacts.resolveUsername"] == calls["channels.getFullChannel"] == CHANNELS
        late = [answer for answer in again if "age" in answer.headers]
        assert late
        assert all(answer.headers["cache-status"].endswith("detail=busy") for answer in late)
        async with asyncio.timeout(10):
            while (await client.get("/health")).json()["history"]["waiting"]["fetches"]:
                await asyncio.sleep(0.05)
        waiting = (await client.get("/health")).json()["history"]["waiting"]
        assert (waiting["sent_away"], waiting["readers_waiting"]) == (len(turned_away), 0)
        assert waiting["served_older"] == len(late)
        assert asked(server)["messages.getHistory"] == 2 * CHANNELS


async def test_a_refresh_lands_though_its_reader_has_gone(rsa_key: RsaKey, tmp_path: Path) -> None:
    async with (
        Server(many_channels(), rsa_key=rsa_key) as server,
        serving(server, tmp_path, tg_rpc_timeout=5) as client,
    ):
        server.fault(Action.DELAY, "contacts.resolveUsername", seconds=0.5)
        with pytest.raises(httpx.ReadTimeout):
            await client.get("/rss/many_1", timeout=0.2)
        server.faults.clear()
        async with asyncio.timeout(10):
            while (await client.get("/health")).json()["history"]["messages_in_memory"] < 5:
                await asyncio.sleep(0.02)
        server.forget_calls()
        assert (await client.get("/rss/many_1")).status_code == 200
        assert not asked(server)
