"""auth.* and account.getPassword: logging in by code, password or QR code, and out again."""

from __future__ import annotations

import re
import secrets
import time
from hashlib import sha256

from pyrogram import raw

from tgserver.accounts import Account, AuthKey, LoginToken
from tgserver.crypto.srp import Algorithm
from tgserver.errors import RpcFailure
from tgserver.rpc.context import Call
from tgserver.tl import TL

_TOKEN_LIFETIME = 30


def send_code(call: Call, query: raw.functions.auth.SendCode) -> TL:
    """Begin a login by phone. Raises RpcFailure PHONE_NUMBER_INVALID (also for a number that no
    account has) or PHONE_MIGRATE_x."""
    account = _by_phone(call, query.phone_number)
    code_hash = secrets.token_hex(9)
    call.backend.logins.codes[code_hash] = account.phone
    return raw.types.auth.SentCode(
        type=raw.types.auth.SentCodeTypeApp(length=len(account.code)), phone_code_hash=code_hash
    )


def sign_in(call: Call, query: raw.functions.auth.SignIn) -> TL:
    """Finish a login by code.

    Raises RpcFailure: PHONE_NUMBER_INVALID, PHONE_CODE_EMPTY, PHONE_CODE_EXPIRED,
    PHONE_CODE_INVALID, SESSION_PASSWORD_NEEDED.
    """
    account = _by_phone(call, query.phone_number)
    if not query.phone_code:
        raise RpcFailure("PHONE_CODE_EMPTY", 400)
    codes = call.backend.logins.codes
    if codes.get(query.phone_code_hash) != account.phone:
        raise RpcFailure("PHONE_CODE_EXPIRED", 400)
    if query.phone_code != account.code:
        raise RpcFailure("PHONE_CODE_INVALID", 400)
    del codes[query.phone_code_hash]
    return _accept(call, account)


def get_password(call: Call, _: raw.functions.account.GetPassword) -> TL:
    """The password challenge of who is logged in, or about to be."""
    key = call.session.key
    account = key.account or key.waiting
    if account is None:
        raise RpcFailure("AUTH_KEY_UNREGISTERED")
    challenge = account.challenge()
    answer = raw.types.account.Password(
        new_algo=Algorithm(salt1=b"", salt2=b"", g=3, p=b""),
        new_secure_algo=raw.types.SecurePasswordKdfAlgoUnknown(),
        secure_random=secrets.token_bytes(256),
    )
    if challenge is not None:
        verifier, attempt = challenge
        call.backend.logins.challenges[attempt.srp_id] = attempt
        answer.has_password = True
        answer.current_algo = verifier.algorithm
        answer.srp_B = attempt.srp_b
        answer.srp_id = attempt.srp_id
        answer.hint = account.hint or None
    return answer


def check_password(call: Call, query: raw.functions.auth.CheckPassword) -> TL:
    """Finish a login by password. Raises RpcFailure SRP_ID_INVALID or PASSWORD_HASH_INVALID."""
    account = call.session.key.waiting
    if account is None:
        raise RpcFailure("AUTH_KEY_UNREGISTERED")
    proof = query.password
    if not isinstance(proof, raw.types.InputCheckPasswordSRP):
        raise RpcFailure("PASSWORD_HASH_INVALID", 400)
    attempt = call.backend.logins.challenges.pop(proof.srp_id, None)
    if attempt is None:
        raise RpcFailure("SRP_ID_INVALID", 400)
    if not attempt.accepts(proof.A, proof.M1):
        raise RpcFailure("PASSWORD_HASH_INVALID", 400)
    return _authorized(call.session.key, account)


def export_login_token(call: Call, _: raw.functions.auth.ExportLoginToken) -> TL:
    """A QR code to show, or, once it has been scanned, its success.

    Raises RpcFailure SESSION_PASSWORD_NEEDED.
    """
    key, tokens = call.session.key, call.backend.logins.tokens
    scanned = next((t for t in tokens.values() if t.key is key and t.account), None)
    if scanned is None or scanned.account is None:
        shown = LoginToken(secrets.token_bytes(32), key, call.session, expires=int(time.time()) + _TOKEN_LIFETIME)
        tokens[shown.token] = shown
        return raw.types.auth.LoginToken(expires=shown.expires, token=shown.token)
    if scanned.account.dc_id != call.dc.id:
        return raw.types.auth.LoginTokenMigrateTo(dc_id=scanned.account.dc_id, token=scanned.token)
    del tokens[scanned.token]
    return raw.types.auth.LoginTokenSuccess(authorization=_accept(call, scanned.account))


def import_login_token(call: Call, query: raw.functions.auth.ImportLoginToken) -> TL:
    """Finish a QR login at the account's data center.

    Raises RpcFailure: AUTH_TOKEN_INVALID, AUTH_TOKEN_EXPIRED, SESSION_PASSWORD_NEEDED.
    """
    token = call.backend.logins.tokens.get(query.token)
    if token is None or token.account is None:
        raise RpcFailure("AUTH_TOKEN_INVALID", 400)
    if token.expires < time.time():
        raise RpcFailure("AUTH_TOKEN_EXPIRED", 400)
    del call.backend.logins.tokens[query.token]
    return raw.types.auth.LoginTokenSuccess(authorization=_accept(call, token.account))


def export_authorization(call: Call, query: raw.functions.auth.ExportAuthorization) -> TL:
    """A ticket to be logged in at another data center too. Raises RpcFailure DC_ID_INVALID."""
    dc = call.backend.dcs.get(query.dc_id)
    if dc is None or dc is call.dc or dc.cdn:
        raise RpcFailure("DC_ID_INVALID", 400)
    ticket = secrets.token_bytes(96)
    call.backend.logins.exported[query.dc_id, sha256(ticket).digest()] = call.account
    return raw.types.auth.ExportedAuthorization(id=call.account.user.id, bytes=ticket)


def import_authorization(call: Call, query: raw.functions.auth.ImportAuthorization) -> TL:
    """Redeem such a ticket, once. Raises RpcFailure AUTH_BYTES_INVALID."""
    account = call.backend.logins.exported.pop((call.dc.id, sha256(query.bytes).digest()), None)
    if account is None or account.user.id != query.id:
        raise RpcFailure("AUTH_BYTES_INVALID", 400)
    key = call.session.key
    key.imported = True
    return _authorized(key, account)


def log_out(call: Call, _: raw.functions.auth.LogOut) -> TL:
    """End the login of the auth key that asks."""
    call.session.key.account = None
    return raw.types.auth.LoggedOut()


def _by_phone(call: Call, number: str) -> Account:
    account = call.backend.account_by_phone(re.sub(r"\D", "", number))
    if account is None:
        raise RpcFailure("PHONE_NUMBER_INVALID", 400)
    if account.dc_id != call.dc.id:
        raise RpcFailure(f"PHONE_MIGRATE_{account.dc_id}", 303)
    return account


def _accept(call: Call, account: Account) -> raw.types.auth.Authorization:
    """The first factor is given; log in, or ask for the second."""
    if account.password is not None:
        call.session.key.waiting = account
        raise RpcFailure("SESSION_PASSWORD_NEEDED")
    return _authorized(call.session.key, account)


def _authorized(key: AuthKey, account: Account) -> raw.types.auth.Authorization:
    key.account, key.waiting = account, None
    return raw.types.auth.Authorization(user=account.user)
