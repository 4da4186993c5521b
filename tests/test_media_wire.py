"""The media cache on a real wire: Kurigram, encryption, a Telegram server with faults."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from media_source import media_cache, on_disk, read_all
from pyrogram import raw
from telegram_world import (
    FAR_FILE,
    FILE,
    NEWS,
    NEWS_ID,
    client_for,
    document,
    logged_in,
    small_world,
    until,
    until_state,
)

from errors import BridgeError, FloodWait, MediaGone, TelegramTimeout, TelegramUnavailable
from media_cache.cache import Complete, MediaCache, Progress
from media_cache.pace import Patience
from model.files import files_of
from model.media import FileRef
from telegram_client import State, TelegramClient
from tgserver import Action, Server
from tgserver.crypto.rsa import RsaKey

# FILE has 1 MiB and a few bytes: two halves and the rest.
PARTS = 3


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    return RsaKey.generate()


@pytest.fixture
async def server(rsa_key: RsaKey) -> AsyncIterator[Server]:
    async with Server(small_world(), rsa_key=rsa_key) as running:
        with running.trust():
            yield running


@pytest.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[TelegramClient]:
    client = client_for(server, await logged_in(server, tmp_path / "session"), call_timeout=1)
    await client.start()
    await until_state(client, State.READY)
    yield client
    await client.stop()


@pytest.fixture
async def cache(client: TelegramClient, tmp_path: Path) -> AsyncIterator[MediaCache]:
    patience = Patience(at_start=0.5, in_mid_file=5, first_pause=0.02, longest_pause=0.2)
    async with media_cache(tmp_path, client, patience=patience) as running:
        yield running


def post(client: TelegramClient, post_id: int) -> Callable[[], Awaitable[FileRef]]:
    """Looks the post's file up at Telegram."""

    async def find() -> FileRef:
        (message,) = await client.messages(await client.resolve("news"), [post_id])
        return next(files_of(message))

    return find


def film(server: Server, file_id: int) -> raw.types.Message:
    """A post with a file of `PARTS` parts at data center 4."""
    media = document(server.world, file_id, FILE, dc_id=4)
    number = server.next_message_id(server.chat("news"))
    return raw.types.Message(id=number, peer_id=raw.types.PeerChannel(channel_id=NEWS), date=0, message="", media=media)


async def view(cache: MediaCache, client: TelegramClient, post_id: int = 140) -> bytes:
    file = await post(client, post_id)()
    return await read_all(await cache.open(NEWS_ID, post_id, file.unique_id, post(client, post_id)))


async def test_many_viewers_of_a_cold_file_ask_telegram_for_each_part_once(
    cache: MediaCache, client: TelegramClient, server: Server
) -> None:
    file = await post(client, 140)()
    server.forget_calls()

    async def one() -> bytes:
        return await read_all(await cache.open(NEWS_ID, 140, file.unique_id, post(client, 140)))

    assert set(await asyncio.gather(*[one() for _ in range(30)])) == {FILE}
    assert server.calls["upload.getFile"] == PARTS
    assert server.calls["channels.getMessages"] == 1


async def test_a_stored_file_is_served_without_telegram(
    cache: MediaCache, client: TelegramClient, server: Server
) -> None:
    file = await post(client, 140)()
    assert await view(cache, client) == FILE
    await until(lambda: not cache.running)
    server.forget_calls()
    found = await cache.open(NEWS_ID, 140, file.unique_id, post(client, 140))
    assert isinstance(found, Complete)
    assert await read_all(found) == FILE
    assert not server.calls["upload.getFile"]
    assert not server.calls["channels.getMessages"]


async def test_a_file_at_another_data_center_comes_too(cache: MediaCache, client: TelegramClient) -> None:
    assert await view(cache, client, 141) == FAR_FILE


async def test_a_reference_that_expired_since_the_look_up_is_renewed(
    cache: MediaCache, client: TelegramClient, server: Server
) -> None:
    stale = await post(client, 140)()
    server.expire_file_references()
    server.forget_calls()

    async def find() -> FileRef:
        return stale

    found = await cache.open(NEWS_ID, 140, stale.unique_id, find, post(client, 140))
    assert await read_all(found) == FILE
    assert server.calls["channels.getMessages"] == 1


async def test_a_reference_that_expires_in_mid_file_is_renewed(
    cache: MediaCache, client: TelegramClient, server: Server
) -> None:
    server.fault(Action.ERROR, "upload.getFile", 1, after=1, error="FILE_REFERENCE_EXPIRED", code=400)
    assert await view(cache, client) == FILE


async def test_a_file_that_moves_to_another_data_center_in_mid_file_is_followed(
    client: TelegramClient, server: Server, tmp_path: Path
) -> None:
    patience = Patience(at_start=0.5, in_mid_file=20, first_pause=0.02, longest_pause=0.2)
    async with media_cache(tmp_path, client, patience=patience, parts_in_flight=1) as cache:
        file = await post(client, 140)()
        server.fault(Action.DELAY, "upload.getFile", after=1, seconds=0.3)
        found = await cache.open(NEWS_ID, 140, file.unique_id, post(client, 140))
        assert await read_all(found, 0, 1000) == FILE[:1000]
        server.move_files(4)
        assert await read_all(found) == FILE
    # Its old place is asked once more, and never again.
    assert server.calls["upload.getFile"] == PARTS + 1
    assert server.connections(4)


@pytest.mark.parametrize("action", [Action.SHORT_PART, Action.EMPTY_PART, Action.LONG_PART])
async def test_a_part_of_the_wrong_size_is_asked_for_again(
    cache: MediaCache, client: TelegramClient, server: Server, action: Action
) -> None:
    server.fault(action, "upload.getFile", 1)
    assert await view(cache, client) == FILE


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda server: server.fault(Action.SHORT_PART, "upload.getFile"), TelegramUnavailable),
        (lambda server: server.fault(Action.EMPTY_PART, "upload.getFile"), (MediaGone, TelegramUnavailable)),
        (lambda server: server.fail("upload.getFile", "FLOOD_WAIT_20"), FloodWait),
        (lambda server: server.fail("upload.getFile", "FILE_REFERENCE_EXPIRED", code=400), MediaGone),
        (lambda server: server.fail("upload.getFile", "FILE_ID_INVALID", code=400), MediaGone),
        (lambda server: server.fail("upload.getFile", "INTERNAL", code=500), TelegramUnavailable),
        (lambda server: server.fault(Action.HANG, "upload.getFile"), TelegramTimeout),
        (lambda server: server.fault(Action.DROP, "upload.getFile"), (TelegramUnavailable, TelegramTimeout)),
    ],
    ids=["short", "empty", "flood", "expired", "gone", "internal", "hang", "drop"],
)
async def test_a_fault_of_telegram_is_typed_remembered_and_leaves_nothing_behind(
    cache: MediaCache,
    client: TelegramClient,
    server: Server,
    tmp_path: Path,
    spoil: Callable[[Server], object],
    fault: type[BridgeError] | tuple[type[BridgeError], ...],
) -> None:
    file = await post(client, 140)()
    spoil(server)
    with pytest.raises(fault):
        await read_all(await cache.open(NEWS_ID, 140, file.unique_id, post(client, 140)))
    await until(lambda: not cache.running)
    assert on_disk(tmp_path) == []
    calls = server.calls["upload.getFile"]
    with pytest.raises(fault):
        await cache.open(NEWS_ID, 140, file.unique_id, post(client, 140))
    assert server.calls["upload.getFile"] == calls


async def test_a_connection_lost_in_mid_file_costs_the_viewer_nothing(
    cache: MediaCache, client: TelegramClient, server: Server
) -> None:
    server.fault(Action.DROP, "upload.getFile", 1, after=1)
    assert await view(cache, client) == FILE
    assert server.calls["upload.getFile"] > PARTS


async def test_the_first_half_is_there_before_the_rest_has_come(
    cache: MediaCache, client: TelegramClient, server: Server
) -> None:
    server.fault(Action.DELAY, "upload.getFile", after=1, seconds=0.3)
    file = await post(client, 140)()
    found = await cache.open(NEWS_ID, 140, file.unique_id, post(client, 140))
    assert isinstance(found, Progress)
    assert await read_all(found, 0, 1000) == FILE[:1000]
    assert cache.running == 1
    assert await read_all(found) == FILE


async def test_a_restart_of_the_client_in_mid_file_costs_the_viewer_nothing_but_time(
    client: TelegramClient, server: Server, tmp_path: Path
) -> None:
    patience = Patience(at_start=20, in_mid_file=20, first_pause=0.02, longest_pause=0.2)
    async with media_cache(tmp_path, client, patience=patience, parts_in_flight=1) as cache:
        file = await post(client, 140)()
        server.fault(Action.DELAY, "upload.getFile", after=1, seconds=0.3)
        found = await cache.open(NEWS_ID, 140, file.unique_id, post(client, 140))
        assert await read_all(found, 0, 1000) == FILE[:1000]
        viewer = asyncio.create_task(read_all(found))
        old = server.connections()
        await client._reconnect()
        await until(lambda: not set(old) & set(server.connections()))
        assert await viewer == FILE
    # What had come was not asked for again; at most the part that was on its way was.
    assert PARTS <= server.calls["upload.getFile"] <= PARTS + 1


async def test_files_of_a_silent_data_center_keep_nobody_from_those_of_others_and_come_when_it_is_back(
    server: Server, tmp_path: Path
) -> None:
    films = [server.post("news", film(server, 700 + number)).id for number in range(3)]
    client = client_for(server, await logged_in(server, tmp_path / "session"), call_timeout=2.5)
    await client.start()
    await until_state(client, State.READY)
    patience = Patience(first_pause=0.02, longest_pause=0.2)
    async with media_cache(tmp_path, client, patience=patience, stall=0.3, turn_timeout=2) as cache:
        assert await view(cache, client, 141) == FAR_FILE
        server.fault(Action.HANG, "upload.getFile", after=2, dc_id=4)
        viewers = [asyncio.create_task(view(cache, client, post_id)) for post_id in films]
        await until(lambda: cache.running == len(films))
        assert await view(cache, client, 140) == FILE
        assert not any(viewer.done() for viewer in viewers)
        server.faults.clear()
        assert await asyncio.gather(*viewers) == [FILE] * len(films)
    await client.stop()
