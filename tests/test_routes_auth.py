"""The token: where it may stand, and what guessing leads to."""

from __future__ import annotations

import logging

import pytest
from starlette.requests import Request

from errors import Forbidden, TooManyGuesses
from routes.auth import GUESSES_PER_WINDOW, Authenticator
from routes.origin import Origin

TOKEN = "correct horse ключ"


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def request(query: str = "", authorization: str = "", peer: str = "203.0.113.9") -> Request:
    return Request(
        {
            "type": "http",
            "path": "/rss/name",
            "query_string": query.encode(),
            "client": (peer, 40000),
            "headers": [(b"authorization", authorization.encode())] if authorization else [],
        }
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def auth(clock: Clock) -> Authenticator:
    return Authenticator(TOKEN, Origin("", ()), clock)


def test_without_a_configured_token_everybody_may_read() -> None:
    open_to_all = Authenticator("", Origin("", ()))
    open_to_all.check(request())
    assert not open_to_all.matches("")


def test_the_token_opens_from_path_and_query(auth: Authenticator) -> None:
    auth.check(request(), TOKEN)
    auth.check(request("token=correct+horse+%D0%BA%D0%BB%D1%8E%D1%87"))


def test_a_bearer_token_opens_whatever_the_case_of_the_scheme() -> None:
    auth = Authenticator("secret", Origin("", ()))
    auth.check(request(authorization="Bearer secret"))
    auth.check(request(authorization="bearer secret"))
    with pytest.raises(Forbidden):
        auth.check(request(authorization="Basic secret"))


def test_a_bearer_token_in_utf_8_opens() -> None:
    auth = Authenticator("ключ", Origin("", ()))
    scope = {"type": "http", "path": "/", "query_string": b"", "client": ("203.0.113.9", 1)}
    auth.check(Request(scope | {"headers": [(b"authorization", "Bearer ключ".encode())]}))
    with pytest.raises(Forbidden):
        auth.check(Request(scope | {"headers": [(b"authorization", b"Bearer \xff\xfe")]}))


@pytest.mark.parametrize("wrong", [None, "", "correct", TOKEN + "x", "\udcff"])
def test_a_wrong_or_missing_token_is_forbidden(auth: Authenticator, wrong: str | None) -> None:
    with pytest.raises(Forbidden):
        auth.check(request(), wrong)


def test_failures_are_logged_once_a_minute_and_never_with_the_token(
    auth: Authenticator, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        for _ in range(3):
            with pytest.raises(Forbidden):
                auth.check(request("token=hush"))
        clock.now += 61
        with pytest.raises(Forbidden):
            auth.check(request("token=hush"))
    assert [record.getMessage() for record in caplog.records] == ["wrong or missing token from 203.0.113.9"] * 2


def test_guessing_is_throttled_for_that_address_alone_until_the_minute_is_over(
    auth: Authenticator, clock: Clock
) -> None:
    for _ in range(GUESSES_PER_WINDOW):
        with pytest.raises(Forbidden):
            auth.check(request("token=guess"))
    clock.now += 20
    with pytest.raises(TooManyGuesses) as caught:
        auth.check(request(), TOKEN)
    assert caught.value.retry_after == 40
    auth.check(request(peer="203.0.113.10"), TOKEN)
    clock.now += 40
    auth.check(request(), TOKEN)
