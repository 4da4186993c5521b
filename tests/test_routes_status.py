"""`/ping` and the front page: what they say in each state, from memory alone."""

from __future__ import annotations

import httpx
import pytest
from fastapi import FastAPI

from routes.origin import Origin
from routes.status import PUBLIC_REASONS, health_of, status_router
from telegram_client import State, Status

THRESHOLD = 250.0


@pytest.mark.parametrize(
    ("state", "probed_at", "now", "healthy"),
    [
        (State.READY, 1000.0, 1010.0, True),
        (State.READY, 1000.0, 1250.0, True),
        (State.READY, 1000.0, 1251.0, False),
        (State.CONNECTING, None, 901.0, True),
        (State.CONNECTING, None, 1151.0, False),
        # Not a boot: it was connected before.
        (State.CONNECTING, 1000.0, 1001.0, False),
        (State.NOT_LOGGED_IN, None, 901.0, False),
        (State.UNAVAILABLE, 1000.0, 1001.0, False),
        (State.REVOKED, 1000.0, 1001.0, False),
        (State.CLOSED, 1000.0, 1001.0, False),
    ],
)
def test_healthy_is_connected_and_answered_lately_or_freshly_booted(
    state: State, probed_at: float | None, now: float, healthy: bool
) -> None:
    health = health_of(Status(state=state, probed_at=probed_at), now, 900.0, THRESHOLD)
    assert health.healthy is healthy
    assert health.body["status"] == ("ok" if healthy else "degraded")
    assert health.body["connected"] is (state is State.READY)
    assert ("reason" in health.body) is not healthy


@pytest.mark.parametrize(("state", "healthy"), [(State.READY, True), (State.CONNECTING, False)])
def test_an_old_answer_says_nothing_when_nobody_probes(state: State, healthy: bool) -> None:
    status = Status(state=state, probed_at=1000.0)
    assert health_of(status, 9000.0, 900.0, THRESHOLD, watched=False).healthy is healthy


async def get(status: Status, path: str, **params: str) -> httpx.Response:
    """What the routes answer while the connection is in that state."""
    app = FastAPI()
    app.include_router(status_router(lambda: status, Origin("", ()), threshold_s=THRESHOLD))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bridge.example") as client:
        return await client.get(path, params=params)


@pytest.mark.parametrize("state", list(State))
async def test_every_state_has_words_for_everybody(state: State) -> None:
    assert PUBLIC_REASONS[state] in (await get(Status(state=state), "/")).text


async def test_neither_tells_whose_account_it_is_nor_where_its_files_lie() -> None:
    status = Status(state=State.UNAVAILABLE, reason="/secret/place is in use (pid 77)", account="Ada Lovelace")
    for path in ("/ping", "/"):
        text = (await get(status, path)).text
        assert "secret" not in text
        assert "Ada" not in text


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("@Group/topic/3", "group/topic/3"),
        ("t.me/c/123/45/comments/", "-1000000000123/45/comments"),
        ("https://t.me/name/topic/1", "name/topic/1"),
    ],
)
async def test_the_front_page_makes_addresses_of_topics_and_comments(typed: str, name: str) -> None:
    assert f"/rss/{name}?limit=5" in (await get(Status(state=State.READY), "/", channel=typed, limit="5")).text


@pytest.mark.parametrize("typed", ["group/topic/0", "name/99999999999/comments"])
async def test_the_front_page_says_what_is_wrong_with_a_thread(typed: str) -> None:
    assert "must be a number from 1" in (await get(Status(state=State.READY), "/", channel=typed)).text


async def test_what_is_typed_into_the_front_page_comes_back_as_text() -> None:
    answer = await get(Status(state=State.READY), "/", channel='"><script>alert(1)</script>')
    assert answer.status_code == 200
    assert "alert(1)" in answer.text and "<script>alert" not in answer.text
    assert "must be a username" in answer.text
