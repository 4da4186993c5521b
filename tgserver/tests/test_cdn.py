"""The delivery network, as the real client meets it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any

import pytest
from pyrogram import Client, raw
from pyrogram.crypto import aes
from pyrogram.errors import BadRequest, FileTokenInvalid, InternalServerError
from pyrogram.session import Auth, Session

from tgserver import Server, World
from tgserver.crypto.rsa import RsaKey
from tgserver.tests.conftest import BIG_FILE, MIB

CDN_DC = 203


@pytest.fixture
async def server(world: World, rsa_key: RsaKey) -> AsyncIterator[Server]:
    """A server with a delivery network that delivers the big file."""
    async with Server(world, rsa_key=rsa_key, cdn_dc_id=CDN_DC) as running:
        running.deliver_by_cdn([500])
        with running.trust():
            yield running


@pytest.fixture
async def network(server: Server, client: Client) -> AsyncIterator[Session]:
    """A session with the network, for which it has to be trusted first."""
    assert server.cdn is not None
    with server.cdn.rsa_key.public.trusted():
        key = await Auth(client, CDN_DC, "127.0.0.1", server.port(CDN_DC), False).create()
    session = Session(client, CDN_DC, "127.0.0.1", server.port(CDN_DC), key, False, is_cdn=True)
    await session.start()
    yield session
    await session.stop()


async def ask(session: Any, query: Any) -> Any:
    return await session.send(query, timeout=5)


def get_file(server: Server, **fields: Any) -> raw.functions.upload.GetFile:
    reference = server.world.files[500, ""].file_reference
    location = raw.types.InputDocumentFileLocation(id=500, access_hash=501, file_reference=reference, thumb_size="")
    return raw.functions.upload.GetFile(location=location, offset=0, limit=MIB, **fields)


async def test_only_clients_that_support_it_are_redirected(server: Server, client: Client) -> None:
    plain = await ask(client.session, get_file(server))
    assert plain.bytes == BIG_FILE[:MIB]
    answer = await ask(client.session, get_file(server, cdn_supported=True))
    assert (type(answer).__name__, answer.dc_id) == ("FileCdnRedirect", CDN_DC)
    first = answer.file_hashes[0]
    assert first.hash == sha256(BIG_FILE[: first.limit]).digest()


async def test_the_network_has_to_be_given_a_file_and_keeps_it_encrypted(
    server: Server, client: Client, network: Session
) -> None:
    redirect = await ask(client.session, get_file(server, cdn_supported=True))
    part = raw.functions.upload.GetCdnFile(file_token=redirect.file_token, offset=MIB, limit=MIB)
    needed = await ask(network, part)
    reupload = raw.functions.upload.ReuploadCdnFile(file_token=redirect.file_token, request_token=needed.request_token)
    hashes = await ask(client.session, reupload)
    assert hashes[1].hash == sha256(BIG_FILE[hashes[1].offset : hashes[2].offset]).digest()
    answer = await ask(network, part)
    assert answer.bytes != BIG_FILE[MIB : 2 * MIB]
    counter = bytearray(redirect.encryption_iv[:-4] + (MIB // 16).to_bytes(4, "big"))
    assert aes.ctr256_decrypt(answer.bytes, redirect.encryption_key, counter) == BIG_FILE[MIB : 2 * MIB]
    assert server.cdn is not None
    server.cdn.evict()
    assert type(await ask(network, part)).__name__ == "CdnFileReuploadNeeded"
    server.cdn.expire_tokens()
    with pytest.raises(FileTokenInvalid):
        await ask(network, part)


async def test_hashes_come_some_ranges_at_a_time_up_to_the_end(server: Server, client: Client) -> None:
    redirect = await ask(client.session, get_file(server, cdn_supported=True))
    covered = 0
    while covered < len(BIG_FILE):
        query = raw.functions.upload.GetCdnFileHashes(file_token=redirect.file_token, offset=covered)
        for entry in await ask(client.session, query):
            assert entry.offset == covered
            assert entry.hash == sha256(BIG_FILE[covered : covered + entry.limit]).digest()
            covered += entry.limit
    query = raw.functions.upload.GetCdnFileHashes(file_token=redirect.file_token, offset=covered)
    assert await ask(client.session, query) == []


async def test_each_side_answers_only_what_is_its_own(client: Client, network: Session) -> None:
    with pytest.raises(BadRequest, match="CDN_METHOD_INVALID"):
        await ask(network, raw.functions.help.GetConfig())
    with pytest.raises(InternalServerError):
        await ask(client.session, raw.functions.upload.GetCdnFile(file_token=b"x", offset=0, limit=MIB))


async def test_the_configuration_names_the_network_and_its_key(server: Server, client: Client) -> None:
    config = await ask(client.session, raw.functions.help.GetConfig())
    (option,) = [option for option in config.dc_options if option.cdn]
    assert (option.id, option.port) == (CDN_DC, server.port(CDN_DC))
    (key,) = (await ask(client.session, raw.functions.help.GetCdnConfig())).public_keys
    assert key.dc_id == CDN_DC
    assert key.public_key.startswith("-----BEGIN RSA PUBLIC KEY-----\n")


def test_a_network_needs_an_id_of_its_own() -> None:
    with pytest.raises(ValueError, match="another data center"):
        Server(cdn_dc_id=2)
    with pytest.raises(ValueError, match="no delivery network"):
        Server().deliver_by_cdn()
