"""Every way to log in and out, by the real client."""

from __future__ import annotations

import asyncio

import pytest
from pyrogram import Client, raw
from pyrogram.crypto import rsa
from pyrogram.errors import (
    AuthBytesInvalid,
    AuthKeyUnregistered,
    AuthTokenInvalid,
    DcIdInvalid,
    PasswordHashInvalid,
    PhoneCodeEmpty,
    PhoneCodeExpired,
    PhoneCodeInvalid,
    PhoneMigrate,
    PhoneNumberInvalid,
    SessionPasswordNeeded,
    SrpIdInvalid,
)
from pyrogram.qrlogin import QRLogin
from pyrogram.session import Auth

from tgserver import Account, Server
from tgserver.tests.conftest import MakeClient, ask

PHONE = "9996612345"


@pytest.fixture
def account(server: Server) -> Account:
    return server.add_account(raw.types.User(id=55, access_hash=5, first_name="Eve"), phone=PHONE, code="24680")


@pytest.fixture
async def stranger(make_client: MakeClient) -> Client:
    """A client that is connected, by a key exchange of its own, but not logged in."""
    client = await make_client(session_string=None, start=False)
    assert await client.connect() is False
    return client


async def test_the_code_logs_in(server: Server, account: Account, stranger: Client) -> None:
    sent = await stranger.send_code(f"+{PHONE}")
    user = await stranger.sign_in(PHONE, sent.phone_code_hash, "24680")
    assert (user.id, user.is_self) == (55, True)  # type: ignore[union-attr]
    assert (await stranger.get_me()).first_name == "Eve"
    assert [server.calls[name] for name in ("req_pq_multi", "req_DH_params", "set_client_DH_params")] == [1, 1, 1]


async def test_wrong_codes_and_numbers_are_told_apart(account: Account, stranger: Client) -> None:
    for number in ("123", "99966000000", ""):
        with pytest.raises(PhoneNumberInvalid):
            await stranger.send_code(number)
    sent = await stranger.send_code(PHONE)
    with pytest.raises(PhoneCodeInvalid):
        await stranger.sign_in(PHONE, sent.phone_code_hash, "11111")
    with pytest.raises(PhoneCodeEmpty):
        await stranger.sign_in(PHONE, sent.phone_code_hash, "")
    with pytest.raises(PhoneCodeExpired):
        await stranger.sign_in(PHONE, "another hash", "24680")
    account.code = "11111"
    await stranger.sign_in(PHONE, sent.phone_code_hash, "11111")


async def test_nothing_but_logging_in_is_allowed_before_a_login(stranger: Client) -> None:
    for query in (raw.functions.updates.GetState(), raw.functions.account.GetPassword()):
        with pytest.raises(AuthKeyUnregistered):
            await ask(stranger, query)


async def test_the_password_is_asked_for_and_checked(account: Account, stranger: Client) -> None:
    account.password, account.hint = "corréct horse", "horse"
    sent = await stranger.send_code(PHONE)
    with pytest.raises(SessionPasswordNeeded):
        await stranger.sign_in(PHONE, sent.phone_code_hash, "24680")
    assert await stranger.get_password_hint() == "horse"
    with pytest.raises(AuthKeyUnregistered):
        await ask(stranger, raw.functions.updates.GetState())
    for wrong in ("", "correct horse", "corréct horse "):
        with pytest.raises(PasswordHashInvalid):
            await stranger.check_password(wrong)
    assert (await stranger.check_password("corréct horse")).id == 55
    assert (await stranger.get_me()).id == 55


async def test_a_password_proof_is_good_once(account: Account, stranger: Client) -> None:
    account.password = "secret"
    sent = await stranger.send_code(PHONE)
    with pytest.raises(SessionPasswordNeeded):
        await stranger.sign_in(PHONE, sent.phone_code_hash, "24680")
    proof = raw.types.InputCheckPasswordSRP(srp_id=1, A=b"\x01" * 256, M1=bytes(32))
    with pytest.raises(SrpIdInvalid):
        await ask(stranger, raw.functions.auth.CheckPassword(password=proof))
    for public in (bytes(256), b"\xff" * 256):
        challenge = await ask(stranger, raw.functions.account.GetPassword())
        proof = raw.types.InputCheckPasswordSRP(srp_id=challenge.srp_id, A=public, M1=bytes(32))
        with pytest.raises(PasswordHashInvalid):
            await ask(stranger, raw.functions.auth.CheckPassword(password=proof))


async def test_start_logs_in_by_itself_and_at_the_accounts_data_center(server: Server, make_client: MakeClient) -> None:
    server.add_account(
        raw.types.User(id=56, access_hash=5, first_name="Far"), phone=PHONE, code="777", password="pw", dc_id=4
    )
    client = await make_client(session_string=None, phone_number=PHONE, phone_code="777", password="pw")
    assert client.me is not None and client.me.id == 56
    assert await client.storage.dc_id() == 4
    other = await make_client(session_string=None, start=False)
    await other.connect()
    with pytest.raises(PhoneMigrate, match="DC4"):
        await other.session.send(  # type: ignore[union-attr]
            raw.functions.auth.SendCode(phone_number=PHONE, api_id=1, api_hash="", settings=raw.types.CodeSettings())
        )


async def scan_once_shown(server: Server, login: QRLogin, account: Account) -> None:
    await asyncio.sleep(0.05)
    server.scan_qr(login.url, account)


async def test_a_scanned_qr_code_logs_in(server: Server, account: Account, stranger: Client) -> None:
    login = QRLogin(stranger)
    await login.recreate()
    with pytest.raises(TimeoutError):
        await login.wait(timeout=0.05)
    await login.recreate()
    scan = asyncio.create_task(scan_once_shown(server, login, account))
    user = await login.wait(timeout=5)
    await scan
    assert user is not None and user.id == 55
    assert (await stranger.get_me()).id == 55


async def test_a_scanned_qr_code_still_needs_the_password(server: Server, account: Account, stranger: Client) -> None:
    account.password = "secret"
    login = QRLogin(stranger)
    await login.recreate()
    scan = asyncio.create_task(scan_once_shown(server, login, account))
    with pytest.raises(SessionPasswordNeeded):
        await login.wait(timeout=5)
    await scan
    assert (await stranger.check_password("secret")).id == 55


@pytest.mark.parametrize("password", [None, "secret"])
async def test_a_qr_login_moves_to_the_accounts_data_center(
    server: Server, stranger: Client, password: str | None
) -> None:
    account = server.add_account(raw.types.User(id=57, access_hash=1, first_name="Far"), password=password, dc_id=4)
    login = QRLogin(stranger)
    await login.recreate()
    scan = asyncio.create_task(scan_once_shown(server, login, account))
    if password:
        with pytest.raises(SessionPasswordNeeded):
            await login.wait(timeout=5)
        assert (await stranger.check_password(password)).id == 57
    else:
        user = await login.wait(timeout=5)
        assert user is not None and user.id == 57
    await scan
    assert await stranger.storage.dc_id() == 4


async def test_a_made_up_token_is_refused(server: Server, stranger: Client) -> None:
    with pytest.raises(AuthTokenInvalid):
        await ask(stranger, raw.functions.auth.ImportLoginToken(token=b"made up"))
    with pytest.raises(KeyError):
        server.scan_qr(b"made up")


async def test_authorizations_are_exported_to_other_data_centers_only(client: Client) -> None:
    for dc_id in (2, 9):
        with pytest.raises(DcIdInvalid):
            await client.invoke(raw.functions.auth.ExportAuthorization(dc_id=dc_id))
    with pytest.raises(AuthBytesInvalid):
        await client.invoke(raw.functions.auth.ImportAuthorization(id=1, bytes=b"made up"))


async def test_logging_out_ends_that_login_only(server: Server, account: Account, stranger: Client) -> None:
    sent = await stranger.send_code(PHONE)
    await stranger.sign_in(PHONE, sent.phone_code_hash, "24680")
    await ask(stranger, raw.functions.auth.LogOut())
    with pytest.raises(AuthKeyUnregistered):
        await ask(stranger, raw.functions.updates.GetState())
    assert account.auth_key.account is account


async def test_a_client_that_does_not_trust_the_server_makes_no_key_with_it(server: Server, client: Client) -> None:
    # The fixture's trust is taken away for a moment.
    key = rsa.server_public_keys.pop(server.rsa_key.public.fingerprint)
    auth = Auth(client, 2, "127.0.0.1", 0, False)
    auth.MAX_RETRIES = 0
    try:
        with pytest.raises(Exception, match="Public key not found"):
            await auth.create()
    finally:
        rsa.server_public_keys[server.rsa_key.public.fingerprint] = key
