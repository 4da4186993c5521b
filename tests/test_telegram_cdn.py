"""Files that come through the delivery network: decrypted, proven, and from Telegram itself if that does not work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from hashlib import sha256
from pathlib import Path

import pytest
from media_source import media_cache, read_all
from pyrogram import raw
from pyrogram.crypto import aes, rsa
from telegram_world import FAR_FILE, FILE, NEWS_ID, client_for, logged_in, small_world, until, until_state

from errors import FloodWait, TelegramUnavailable
from media_cache.cache import MediaCache, Progress
from media_cache.pace import Patience
from model.files import files_of
from model.media import FileRef
from telegram.cdn import BadDelivery, Redirect, fingerprint, read_public_key, trusted_keys
from telegram_client import State, TelegramClient
from tgserver import Action, Server
from tgserver.cdn import DeliveryNetwork, pem
from tgserver.crypto.rsa import RsaKey

CDN_DC = 203
KEY, IV = bytes(range(32)), bytes(range(100, 116))
PLAIN = bytes(range(256)) * 64


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    return RsaKey.generate()


@pytest.fixture(scope="module")
def cdn_key() -> RsaKey:
    return RsaKey.generate()


@pytest.fixture
async def server(rsa_key: RsaKey, cdn_key: RsaKey) -> AsyncIterator[Server]:
    async with Server(small_world(), rsa_key=rsa_key, cdn_dc_id=CDN_DC) as running:
        assert running.cdn is not None
        running.cdn.rsa_key = cdn_key
        with running.trust():
            yield running


@pytest.fixture
def cdn(server: Server) -> DeliveryNetwork:
    return server.deliver_by_cdn()


@pytest.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[TelegramClient]:
    client = client_for(server, await logged_in(server, tmp_path / "session"), call_timeout=2, connect_timeout=5)
    await client.start()
    await until_state(client, State.READY)
    yield client
    await client.stop()
    await until(lambda: not server.connections())


@pytest.fixture
async def cache(client: TelegramClient, tmp_path: Path) -> AsyncIterator[MediaCache]:
    patience = Patience(at_start=20, in_mid_file=20, first_pause=0.02, longest_pause=0.2)
    async with media_cache(tmp_path, client, patience=patience, parts_in_flight=1) as running:
        yield running


def post(client: TelegramClient, post_id: int) -> Callable[[], Awaitable[FileRef]]:
    async def find() -> FileRef:
        (message,) = await client.messages(await client.resolve("news"), [post_id])
        return next(files_of(message))

    return find


async def opened(cache: MediaCache, client: TelegramClient, post_id: int = 140) -> Progress:
    file = await post(client, post_id)()
    found = await cache.open(NEWS_ID, post_id, file.unique_id, post(client, post_id))
    assert isinstance(found, Progress)
    return found


async def test_a_file_comes_through_the_network(
    cache: MediaCache, client: TelegramClient, server: Server, cdn: DeliveryNetwork
) -> None:
    assert await read_all(await opened(cache, client)) == FILE
    # Told once where to go, sent there once, and then each of the three parts.
    assert server.calls["upload.getFile"] == 1
    assert server.calls["upload.reuploadCdnFile"] == 1
    assert server.calls["upload.getCdnFile"] == 4
    assert server.calls["help.getCdnConfig"] == 1
    assert {call.dc_id for call in server.log if call.method == "upload.getCdnFile"} == {CDN_DC}
    # The network learns nothing of the account.
    assert {call.method for call in server.log if call.dc_id == CDN_DC} <= {
        "req_pq_multi",
        "req_DH_params",
        "set_client_DH_params",
        "ping",
        "ping_delay_disconnect",
        "upload.getCdnFile",
    }


async def test_files_of_another_data_center_come_through_the_network_too(
    cache: MediaCache, client: TelegramClient, server: Server, cdn: DeliveryNetwork
) -> None:
    assert await read_all(await opened(cache, client, 141)) == FAR_FILE
    assert {call.dc_id for call in server.log if call.method == "upload.reuploadCdnFile"} == {4}


async def test_the_networks_keys_are_trusted_for_its_own_key_exchange_only(
    cache: MediaCache, client: TelegramClient, cdn: DeliveryNetwork
) -> None:
    before = dict(rsa.server_public_keys)
    await read_all(await opened(cache, client))
    assert rsa.server_public_keys == before
    assert cdn.rsa_key.public.fingerprint not in before


def redirected(server: Server) -> None:
    server.deliver_by_cdn()


def tokens_expired(server: Server) -> None:
    assert server.cdn is not None
    server.cdn.expire_tokens()


def evicted(server: Server) -> None:
    assert server.cdn is not None
    server.cdn.evict()


def tampered(server: Server) -> None:
    assert server.cdn is not None
    server.cdn.tampering = True


def unreachable(server: Server) -> None:
    server.refuse(CDN_DC)
    server.drop_connections(CDN_DC)


def forgetting_the_key(server: Server) -> None:
    server.dcs[CDN_DC].keys.clear()


def short(server: Server) -> None:
    server.fault(Action.SHORT_PART, "upload.getCdnFile", 1)


def empty(server: Server) -> None:
    server.fault(Action.EMPTY_PART, "upload.getCdnFile", 1)


def dropping(server: Server) -> None:
    server.fault(Action.DROP, "upload.getCdnFile", 1)


def without_hashes(server: Server) -> None:
    server.fail("upload.getCdnFileHashes", "INTERNAL")


def refusing_to_reupload(server: Server) -> None:
    evicted(server)
    server.fail("upload.reuploadCdnFile", "REQUEST_TOKEN_INVALID", code=400)


@pytest.mark.parametrize(
    "fault",
    [
        redirected,
        tokens_expired,
        evicted,
        tampered,
        unreachable,
        forgetting_the_key,
        short,
        empty,
        dropping,
        without_hashes,
        refusing_to_reupload,
    ],
)
async def test_what_goes_wrong_in_mid_file_is_nothing_that_a_viewer_sees(
    cache: MediaCache, client: TelegramClient, server: Server, fault: Callable[[Server], None]
) -> None:
    if fault is not redirected:
        server.deliver_by_cdn()
    for method in ("upload.getFile", "upload.getCdnFile"):
        # The rest is still to come when the fault begins.
        server.fault(Action.DELAY, method, after=2 if method == "upload.getCdnFile" else 1, seconds=0.15)
    progress = await opened(cache, client)
    assert await read_all(progress, 0, 1000) == FILE[:1000]
    fault(server)
    assert await read_all(progress) == FILE
    await until(lambda: not cache.running)
    assert not cache.failing
    # Those that were made for one call have met it.
    assert all(left.times is None for left in server.faults)


async def test_a_network_that_was_never_there_costs_a_file_nothing_but_time(
    cache: MediaCache, client: TelegramClient, server: Server, cdn: DeliveryNetwork
) -> None:
    server.refuse(CDN_DC)
    assert await read_all(await opened(cache, client)) == FILE
    assert not server.calls["upload.getCdnFile"]


async def test_a_network_that_nobody_vouches_for_gets_no_key(
    cache: MediaCache, client: TelegramClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = DeliveryNetwork(CDN_DC + 1)
    cdn = server.deliver_by_cdn()
    monkeypatch.setattr(cdn, "config", other.config)
    assert await read_all(await opened(cache, client)) == FILE
    assert not server.calls["req_DH_params"]
    assert not server.calls["upload.getCdnFile"]


async def test_a_flood_wait_of_the_network_is_one_like_any_other(
    client: TelegramClient, server: Server, cdn: DeliveryNetwork
) -> None:
    file = await post(client, 140)()
    server.fail("upload.getCdnFile", "FLOOD_WAIT_9")
    with pytest.raises(FloodWait):
        await client.file_part(file, 0, 4096)
    with pytest.raises(FloodWait):
        await client.file_part(file, 0, 4096)
    assert server.calls["upload.getCdnFile"] == 1


# Keys.


def test_a_public_key_is_read_and_has_the_name_that_its_server_gives_it(rsa_key: RsaKey) -> None:
    public = rsa_key.public
    assert read_public_key(pem(public)) == (public.n, public.e)
    assert fingerprint(public.n, public.e) == public.fingerprint


@pytest.mark.parametrize("spoil", [lambda text: "", lambda text: text[:-80], lambda text: text.replace("M", "!", 1)])
def test_a_key_that_can_not_be_read_is_refused(rsa_key: RsaKey, spoil: Callable[[str], str]) -> None:
    with pytest.raises(TelegramUnavailable):
        read_public_key(spoil(pem(rsa_key.public)))


def test_a_network_without_keys_is_refused() -> None:
    with pytest.raises(TelegramUnavailable), trusted_keys(DeliveryNetwork(203).config(), 204):
        pass


# Parts.


def redirect(*limits: int) -> Redirect:
    hashes: list[raw.base.FileHash] = []
    offset = 0
    for limit in limits:
        proof = sha256(PLAIN[offset : offset + limit]).digest()
        hashes.append(raw.types.FileHash(offset=offset, limit=limit, hash=proof))
        offset += limit
    answer = raw.types.upload.FileCdnRedirect(
        dc_id=203, file_token=b"token", encryption_key=KEY, encryption_iv=IV, file_hashes=hashes
    )
    return Redirect.of(answer, 2)


def encrypted() -> bytes:
    first = bytearray(IV[:-4] + bytes(4))
    return bytes(aes.ctr256_encrypt(PLAIN, KEY, first))


@pytest.mark.parametrize(("offset", "limit"), [(0, 4096), (4096, 8192), (8192, 8192), (0, 16384)])
def test_each_part_is_decrypted_by_itself_and_proven(offset: int, limit: int) -> None:
    parts = redirect(4096, 4096, 4096, 4096)
    data = encrypted()[offset : offset + limit]
    assert parts.unproven(offset, len(data)) is None
    assert parts.open(data, offset, limit) == PLAIN[offset : offset + limit]


@pytest.mark.parametrize("position", [0, 5000, 8191])
def test_one_changed_byte_is_noticed(position: int) -> None:
    data = bytearray(encrypted()[:8192])
    data[position] ^= 1
    with pytest.raises(BadDelivery):
        redirect(4096, 4096).open(bytes(data), 0, 8192)


def test_missing_hashes_are_named() -> None:
    assert redirect(4096).unproven(0, 8192) == 4096
    assert redirect(4096).unproven(4096, 4096) == 4096
    assert redirect(4096).unproven(0, 4096) is None


def test_a_hash_of_more_than_the_part_proves_only_the_end_of_a_file() -> None:
    data = encrypted()[:4096]
    with pytest.raises(BadDelivery):
        redirect(8192).open(data, 0, 4096)
    with pytest.raises(BadDelivery):
        redirect(8192).open(data, 0, 8192)
    end = redirect(4096, 16384).open(encrypted()[4096:], 4096, 16384)
    assert end == PLAIN[4096:]


def test_a_hash_of_nothing_does_not_keep_anybody_busy() -> None:
    with pytest.raises(BadDelivery):
        redirect(0).unproven(0, 4096)
