"""`/health`: what it says in each state, from memory alone, and that the documentation names all of it."""

from __future__ import annotations

import asyncio
import platform
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import httpx
import msgspec
import pyrogram
import pytest
from fastapi import FastAPI
from pyrogram.raw.all import layer
from service import serving, until_degraded
from telegram_world import small_world
from test_docs import rows

from config import VERSION
from feeds.feed import SafeHtml
from feeds.sanitizer import sanitize
from history.waiting import WaitingStats
from media_cache.warmer import SWITCHED_OFF
from posts.grouping import Group
from posts.titles import title_of
from routes.auth import Authenticator
from routes.channels import DocumentStats
from routes.health import HealthReport, HealthSources, health_router, report
from routes.origin import Origin
from storage.media_store import Usage
from supervisor import TaskStats
from telegram.watchdog import Watchdog, WatchdogOptions, WatchdogStats
from telegram_client import Library, State, Status
from tg_cache import HistoryStats
from tg_throttle import RpcGate
from tgserver import Action, Server
from tgserver.crypto.rsa import RsaKey


@pytest.fixture(scope="module")
def rsa_key() -> RsaKey:
    return RsaKey.generate()


async def nothing() -> None:
    return None


class Telegram:
    """The connection in some state."""

    library: Library | None = None

    def __init__(self, status: Status) -> None:
        self.status = status

    @property
    def watchdog(self) -> WatchdogStats:
        return Watchdog(WatchdogOptions(), lambda: None, nothing, lambda: None).stats()


class Media:
    running, waiting, failing = 1, 2, 3
    stored = Usage(4, 5000)


class Disk:
    size, failing = 4096, False


def sources(status: Status) -> HealthSources:
    history = HistoryStats(
        windows_in_memory=1,
        messages_in_memory=2,
        hits=3,
        refreshes=4,
        extensions=5,
        stale_served=6,
        refused_channels=7,
        failing_channels=21,
        missing_posts=8,
        waiting=WaitingStats(fetches=9, readers_waiting=10, longest_waiting_s=11.0, served_older=12, sent_away=13),
    )
    return HealthSources(
        telegram=Telegram(status),
        gate=RpcGate().stats,
        history=lambda: history,
        media=Media(),
        documents=lambda: DocumentStats(documents=1, bytes=2, posts=3),
        database=Disk(),
        warmer=lambda: SWITCHED_OFF,
        failed_renders=lambda: 4,
        tasks=lambda: {"a task": TaskStats(running=False, deaths=2, last_error="ValueError")},
    )


def fields(of: Any, prefix: str = "") -> Iterator[str]:
    """The dotted names of everything in a report."""
    for name, kind in get_type_hints(of).items():
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            yield from fields(kind, f"{prefix}{name}.")
        elif get_origin(kind) is dict and issubclass(get_args(kind)[1], msgspec.Struct):
            yield from fields(get_args(kind)[1], f"{prefix}{name}.<name>.")
        else:
            yield prefix + name


def test_the_documentation_names_every_field_and_no_other() -> None:
    text = (Path(__file__).parent.parent / "docs/operations.md").read_text("utf-8")
    section = text.partition("### Numbers for the owner")[2].partition("\n### ")[0]
    documented = [line.split("|")[1].strip(" `") for line in section.splitlines() if line.startswith("| `")]
    assert documented == list(fields(HealthReport))
    (states,) = [meaning for name, meaning, *_ in rows("docs/operations.md") if name == "`connection.state`"]
    assert all(f"`{state}`" in states for state in State)


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["version"] == VERSION


@pytest.mark.parametrize("state", list(State))
async def test_each_state_is_told_with_its_reason_and_status_200(state: State) -> None:
    app = FastAPI()
    status = Status(state=state, reason="as it is", account="Ada", probed_at=None)
    app.include_router(health_router(sources(status), Authenticator("", Origin("", ()))))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bridge.example") as client:
        answer = await client.get("/health")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["connection"] == {
        "state": state.value,
        "connected": state is State.READY,
        "reason": "as it is",
        "account": "Ada",
        "last_answer_age_s": None,
    }
    assert answer.json()["media"] == {"running": 1, "waiting": 2, "failing": 3, "files": 4, "bytes": 5000}
    assert answer.json()["documents"] == {"documents": 1, "bytes": 2, "posts": 3}
    assert answer.json()["database"] == {"bytes": 4096, "failing": False}
    assert answer.json()["failed_renders"] == 4
    assert answer.json()["tasks"] == {"a task": {"running": False, "deaths": 2, "last_error": "ValueError"}}
    assert answer.json()["versions"] == {
        "bridge": VERSION,
        "kurigram": None,
        "layer": None,
        "python": platform.python_version(),
    }


def test_ages_are_those_of_the_moment() -> None:
    said = report(sources(Status(state=State.READY, probed_at=940.0)), 1000.0, 900.0)
    assert (said.uptime_s, said.connection.last_answer_age_s) == (100.0, 60.0)


async def test_it_needs_the_token_in_one_of_the_three_places(rsa_key: RsaKey, tmp_path: Path) -> None:
    async with (
        Server(small_world(), rsa_key=rsa_key) as server,
        serving(server, tmp_path, logged_in=False, token="open-sesame") as client,
    ):
        for path in ("/health", "/health/wrong", "/health?token=wrong"):
            answer = await client.get(path)
            assert answer.status_code == 403
            assert "tasks" not in answer.text
        for path in ("/health/open-sesame", "/health?token=open-sesame"):
            assert (await client.get(path)).status_code == 200
        assert (await client.get("/health", headers={"Authorization": "Bearer open-sesame"})).status_code == 200
        assert (await client.head("/health?token=open-sesame")).content == b""


async def test_what_a_running_service_says(rsa_key: RsaKey, tmp_path: Path) -> None:
    async with (
        Server(small_world(), rsa_key=rsa_key) as server,
        serving(server, tmp_path, tg_watchdog_interval=4) as client,
    ):
        await client.get("/rss/news")
        await client.get("/rss/news?limit=5")
        server.forget_calls()
        said = (await client.get("/health")).json()
        assert not +server.calls
        assert said["connection"]["state"] == "ready"
        assert said["connection"]["account"] == "Local Tester"
        assert server.account.phone not in (await client.get("/health")).text
        assert said["gate"]["started"] == 5
        assert said["gate"]["calls"] == dict.fromkeys(
            (
                "updates.getState",
                "users.getUsers",
                "contacts.resolveUsername",
                "channels.getFullChannel",
                "messages.getHistory",
            ),
            1,
        )
        assert (said["history"]["refreshes"], said["history"]["hits"]) == (1, 1)
        assert said["failed_renders"] == 0
        assert (said["media"]["files"], said["media"]["bytes"]) == (0, 0)
        assert (said["documents"]["documents"], said["documents"]["posts"]) == (2, 50)
        assert said["documents"]["bytes"] > 10_000
        assert said["database"]["bytes"] > 10_000
        assert said["gate"]["usual_call_s"] > 0
        assert said["versions"]["kurigram"] == pyrogram.__version__
        assert said["versions"]["layer"] == layer
        running = {name for name, task in said["tasks"].items() if task["running"]}
        assert running >= {"telegram connection", "telegram probe", "telegram restart", "flood memory"}
        assert {task["deaths"] for task in said["tasks"].values()} == {0}

        server.fault(Action.HANG, "users.getUsers")
        async with asyncio.timeout(20):
            while not (await client.get("/health")).json()["watchdog"]["failed_probes"]:
                await asyncio.sleep(0.05)
        watchdog = (await client.get("/health")).json()["watchdog"]
        assert (watchdog["failed_in_a_row"], watchdog["restarts"]) == (1, 0)
        assert watchdog["last_failure_age_s"] < watchdog["last_probe_age_s"]

        server.faults.clear()
        server.revoke()
        await client.get("/rss/other_channel")
        await until_degraded(client)
        async with asyncio.timeout(20):
            # Telegram is asked once more before the login counts as lost.
            while (connection := (await client.get("/health")).json()["connection"])["state"] != "revoked":
                await asyncio.sleep(0.05)
        assert "./run.sh login" in connection["reason"]
        assert connection["account"] == "Local Tester"


async def test_posts_that_can_not_be_shown_are_counted(
    rsa_key: RsaKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:

    def odd_title(group: Group) -> str:
        if group.first.id == 149:
            raise ValueError("odd")
        return title_of(group)

    def odd_html(html: str) -> SafeHtml:
        if "post 20" in html:
            raise ValueError("odd")
        return sanitize(html)

    monkeypatch.setattr("post_parser.title_of", odd_title)
    async with Server(small_world(), rsa_key=rsa_key) as server, serving(server, tmp_path) as client:

        async def count() -> object:
            return (await client.get("/health")).json()["failed_renders"]

        assert (await client.get("/rss/news")).status_code == 200
        assert await count() == 1
        assert (await client.get("/html/news/149")).status_code == 200
        assert await count() == 2
        assert caplog.text.count("Post 149 of channel -1000000001001 can't be rendered") == 2
        monkeypatch.undo()
        monkeypatch.setattr("rss_generator.sanitize", odd_html)
        assert (await client.get("/html/news/20")).status_code == 200
        assert await count() == 3
        assert "Post 20 of channel -1000000001001 can't be made safe" in caplog.text


async def test_without_a_login_it_says_how_to_log_in(rsa_key: RsaKey, tmp_path: Path) -> None:
    async with (
        Server(small_world(), rsa_key=rsa_key) as server,
        serving(server, tmp_path, logged_in=False) as client,
    ):
        async with asyncio.timeout(5):
            while (await client.get("/health")).json()["connection"]["state"] != "not_logged_in":
                await asyncio.sleep(0.02)
        said = (await client.get("/health")).json()
        assert "./run.sh login" in said["connection"]["reason"]
        assert said["connection"]["account"] is None
        assert said["gate"]["open"] is False
