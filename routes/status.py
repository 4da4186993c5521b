"""`/ping` for machines and `/` for people: what state the bridge is in, told from memory alone."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from errors import BadParameter
from feeds.page import Choice, FrontPage, content_security_policy, render_front_page
from model.channel_key import parse_channel_key, parse_channel_keys, spelling
from model.thread import thread_name
from posts.filters import Filters
from routes.addresses import PATHS, query_of
from routes.answers import page_response
from routes.content_coding import encode
from routes.folders import folder_path
from routes.headers import COMMON_HEADERS, METHODS
from routes.origin import Origin
from routes.query import LIMIT_MAX, LIMIT_MIN, FeedQuery, parse_feed_query, with_whole_lists
from routes.target import FOLDER
from routes.thread_paths import take_thread
from telegram_client import State, Status

# What anybody may know. The client's own reason names files and processes: it is in the log.
PUBLIC_REASONS: dict[State, str] = {
    State.READY: "Connected to Telegram.",
    State.CONNECTING: "Connecting to Telegram.",
    State.NOT_LOGGED_IN: "Not logged in to Telegram: run `./run.sh login`.",
    State.REVOKED: "Telegram does not accept the login any more: run `./run.sh login`.",
    State.BANNED: "Telegram has banned or deleted the account: run `./run.sh login` with another one.",
    State.BAD_API: "Telegram refuses TG_API_ID with TG_API_HASH: check them at my.telegram.org.",
    State.UNAVAILABLE: "No connection to Telegram now; the log says why.",
    State.CLOSED: "The bridge is shutting down.",
}


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """What `/ping` says. `last_probe_age_s` is None before Telegram's first answer."""

    healthy: bool
    body: dict[str, object]


def health_of(status: Status, now: float, started_at: float, threshold_s: float, *, watched: bool = True) -> Health:
    """Healthy: connected, and Telegram answered within the threshold. A fresh boot is given that time, too.

    When nothing is `watched`, only calls show whether Telegram answers, and a connection without any is healthy. All
    times are seconds of the monotonic clock.
    """
    age = now - (started_at if status.probed_at is None else status.probed_at)
    lately = age <= threshold_s or (status.connected and not watched)
    booting = status.state is State.CONNECTING and status.probed_at is None
    healthy = (status.connected or booting) and lately
    body: dict[str, object] = {
        "status": "ok" if healthy else "degraded",
        "connected": status.connected,
        "last_probe_age_s": None if status.probed_at is None else round(age, 1),
        "threshold_s": threshold_s,
    }
    if not healthy:
        reason = f"Telegram's latest answer is {age:.0f} s old" if status.connected else PUBLIC_REASONS[status.state]
        body["reason"] = reason
    return Health(healthy=healthy, body=body)


def status_router(
    status: Callable[[], Status],
    origin: Origin,
    *,
    threshold_s: float,
    watched: bool = True,
    guarded: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> APIRouter:
    """The routes. `status` tells the connection's state without waiting; see `health_of` for the numbers.

    `guarded` is whether feeds need the token.
    """
    router = APIRouter()
    started_at = clock()

    @router.api_route("/ping", methods=METHODS)
    async def ping() -> Response:
        """Whether the bridge is connected to Telegram, and was so lately: 200 or 503."""
        health = health_of(status(), clock(), started_at, threshold_s, watched=watched)
        return JSONResponse(health.body, 200 if health.healthy else 503, {"Cache-Control": "no-store"} | COMMON_HEADERS)

    @router.api_route("/", methods=METHODS)
    async def front(request: Request) -> Response:
        """What this is, whether it is logged in, and the addresses of the channel in the parameter `channel`.

        The other parameters are those of feeds; they become part of the addresses.
        """
        now = status()
        params, query, problem = request.query_params, FeedQuery(), ""
        try:
            query = parse_feed_query(with_whole_lists(params), merge=False)
        except BadParameter as fault:
            problem = str(fault)
            # To be mended there, rather than to be typed again.
            typed = Filters(
                include_text=params.get("include_text", ""),
                exclude_text=params.get("exclude_text", ""),
                q=params.get("q", ""),
            )
            query = FeedQuery(filters=typed)
        base_url = origin.base_url(request)
        page = FrontPage(
            base_url=base_url,
            status=PUBLIC_REASONS[now.state],
            ready=now.connected,
            guarded=guarded,
            list_url="" if guarded else f"{base_url}/opml",
            choice=Choice(filters=query.filters, limit=query.limit, limits=(LIMIT_MIN, LIMIT_MAX)),
            choice_problem=problem,
        )
        if text := params.get("channel", "").strip():
            page = _with_channel(page, text, query)
        return page_response(request, encode(render_front_page(page)), content_security_policy())

    return router


def _name_of(text: str) -> str:
    """What follows a route in the addresses of what somebody has typed. Raises BadParameter."""
    if text.startswith(f"{FOLDER}/"):
        return folder_path(text.removeprefix(f"{FOLDER}/"))
    *chat, first, second = ["", "", *text.strip("/").split("/")]
    if thread := take_thread([first, second], is_token=lambda segment: False, with_post=False):
        key = parse_channel_key("/".join(chat).strip("/"))
        return thread_name(spelling(key), thread.kind, thread.root_id)
    return "+".join(map(spelling, parse_channel_keys(text)))


def _with_channel(page: FrontPage, text: str, query: FeedQuery) -> FrontPage:
    try:
        name = _name_of(text)
    except BadParameter as fault:
        return msgspec.structs.replace(page, channel=text, problem=str(fault))
    if page.choice_problem:
        return msgspec.structs.replace(page, channel=text)
    parameters = query_of(query.parameters())
    addresses = {format: f"{page.base_url}{path}/{name}{parameters}" for format, path in PATHS.items()}
    return msgspec.structs.replace(page, channel=text, addresses=addresses)
