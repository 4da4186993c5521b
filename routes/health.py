"""`/health` for the owner: everything the bridge counts, told from memory alone."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from config import VERSION
from media_cache.warmer import WarmerStats
from routes.auth import Authenticator
from routes.channels import DocumentStats
from routes.headers import COMMON_HEADERS, METHODS
from storage.media_store import Usage
from supervisor import TaskStats
from telegram.watchdog import WatchdogStats
from telegram_client import Library, Status
from tg_cache import HistoryStats
from tg_throttle import GateStats


class ConnectionHealth(msgspec.Struct, frozen=True, kw_only=True):
    """The connection. `account` is a name, never a phone number; `last_answer_age_s` is None before an answer."""

    state: str
    connected: bool
    reason: str
    account: str | None
    last_answer_age_s: float | None


class MediaHealth(msgspec.Struct, frozen=True, kw_only=True):
    """Files on their way, files that wait for their turn, files that failed lately, and those on the disk.

    The latter are None until they were counted at the start.
    """

    running: int
    waiting: int
    failing: int
    files: int | None
    bytes: int | None


class DatabaseHealth(msgspec.Struct, frozen=True, kw_only=True):
    """The database file: its bytes when it was last used, and whether the disk refuses to give or take data."""

    bytes: int
    failing: bool


class Versions(msgspec.Struct, frozen=True, kw_only=True):
    """What runs. Kurigram and its layer are None before it is loaded, which happens at the first connection."""

    bridge: str
    kurigram: str | None
    layer: int | None
    python: str


class HealthReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `/health` says."""

    uptime_s: float
    connection: ConnectionHealth
    watchdog: WatchdogStats
    gate: GateStats
    history: HistoryStats
    media: MediaHealth
    documents: DocumentStats
    database: DatabaseHealth
    warmer: WarmerStats
    failed_renders: int
    tasks: dict[str, TaskStats]
    versions: Versions


class _Telegram(Protocol):
    @property
    def status(self) -> Status: ...
    @property
    def watchdog(self) -> WatchdogStats: ...
    @property
    def library(self) -> Library | None: ...


class _Media(Protocol):
    @property
    def running(self) -> int: ...
    @property
    def waiting(self) -> int: ...
    @property
    def failing(self) -> int: ...
    @property
    def stored(self) -> Usage | None: ...


class _Database(Protocol):
    @property
    def size(self) -> int: ...
    @property
    def failing(self) -> bool: ...


class HealthSources(msgspec.Struct, frozen=True, kw_only=True):
    """Where the report comes from; none of these waits for anything."""

    telegram: _Telegram
    gate: Callable[[], GateStats]
    history: Callable[[], HistoryStats]
    media: _Media
    documents: Callable[[], DocumentStats]
    database: _Database
    warmer: Callable[[], WarmerStats]
    failed_renders: Callable[[], int]
    tasks: Callable[[], Mapping[str, TaskStats]]


def report(sources: HealthSources, now: float, started_at: float) -> HealthReport:
    """The report at `now`. Both times are seconds of the monotonic clock."""
    status, library, media = sources.telegram.status, sources.telegram.library, sources.media
    stored = media.stored
    return HealthReport(
        uptime_s=round(now - started_at, 1),
        connection=ConnectionHealth(
            state=status.state,
            connected=status.connected,
            reason=status.reason,
            account=status.account,
            last_answer_age_s=None if status.probed_at is None else round(now - status.probed_at, 1),
        ),
        watchdog=sources.telegram.watchdog,
        gate=sources.gate(),
        history=sources.history(),
        media=MediaHealth(
            running=media.running,
            waiting=media.waiting,
            failing=media.failing,
            files=None if stored is None else stored.files,
            bytes=None if stored is None else stored.size,
        ),
        documents=sources.documents(),
        database=DatabaseHealth(bytes=sources.database.size, failing=sources.database.failing),
        warmer=sources.warmer(),
        failed_renders=sources.failed_renders(),
        tasks=dict(sources.tasks()),
        versions=Versions(
            bridge=VERSION,
            kurigram=None if library is None else library.version,
            layer=None if library is None else library.layer,
            python=platform.python_version(),
        ),
    )


def health_router(
    sources: HealthSources, auth: Authenticator, *, clock: Callable[[], float] = time.monotonic
) -> APIRouter:
    """The route. The process counts as started when this is called."""
    router = APIRouter()
    started_at = clock()
    encoder = msgspec.json.Encoder()

    def answer() -> Response:
        body = encoder.encode(report(sources, clock(), started_at))
        return Response(body, headers={"Cache-Control": "no-store"} | COMMON_HEADERS, media_type="application/json")

    @router.api_route("/health", methods=METHODS)
    async def health(request: Request) -> Response:
        """How the bridge is, in numbers; 200 whatever they are."""
        auth.check(request)
        return answer()

    @router.api_route("/health/{token}", methods=METHODS)
    async def health_with_token(request: Request, token: str) -> Response:
        """The same, with the token in the path."""
        auth.check(request, token)
        return answer()

    return router
