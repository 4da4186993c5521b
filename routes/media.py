"""`/media`: the bytes of files, whole or on their way, in full or in ranges."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from errors import BadSignature
from media_cache.cache import Complete, MediaCache, Progress, entity_tag
from media_cache.signing import MediaSigner
from model.media import FileRef
from routes.byte_response import ByteResponse
from routes.disposition import INLINE_TYPES, content_disposition
from routes.preconditions import Verdict, evaluate, http_date, range_holds, tag_listed
from routes.ranges import parse_range

T = TypeVar("T")

FindPostFile = Callable[[int, int, str], Awaitable[FileRef]]
"""Looks up a file by (channel id, post id, unique id)."""

YEAR = 31536000

# Seconds that a look-up may take before the connection is watched as well.
_PATIENCE = 0.05
_NUMBER = re.compile(r"-?[0-9]{1,19}", re.ASCII)
_CONDITIONS = frozenset(
    {b"if-match", b"if-none-match", b"if-modified-since", b"if-unmodified-since", b"if-range", b"range"}
)
_NOT_KEPT = {"Cache-Control": "no-store"}
# Nothing of a file runs, whatever it is.
_LOCKED = "sandbox; default-src 'none'"
# The player that a browser makes for a video opened by itself has to load that video, and styles itself; without the
# same origin it may not. Still no scripts.
_SHOWN = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"


def media_router(
    cache: MediaCache,
    signer: MediaSigner,
    find_file: FindPostFile,
    refresh_file: FindPostFile | None = None,
    *,
    public: bool = False,
) -> APIRouter:
    """The route `/media/{channel}/{post_id}/{file_unique_id}/{digest}`.

    `find_file` looks a file up in the post, `refresh_file` does the same by asking Telegram again (the default is
    `find_file`, which then has to do that). `public` lets shared caches keep the files. Faults are raised as
    BridgeError.
    """
    renew_file = refresh_file or find_file
    scope = "public" if public else "private"

    async def media(request: Request) -> Response:
        """Serve one file."""
        address = request.path_params
        channel_id = _number(address["channel"])
        post_id = _number(address["post_id"])
        unique_id: str = address["file_unique_id"]
        expiry = request.query_params.get("exp") if request.scope["query_string"] else None
        lifetime = signer.verify(channel_id, post_id, unique_id, address["digest"], expiry)
        etag = entity_tag(unique_id)
        if lifetime is None:
            cache_control = f"{scope}, max-age={YEAR}, immutable"
        else:
            cache_control = f"{scope}, max-age={min(int(lifetime), YEAR)}"
        headers = {"ETag": etag, "Cache-Control": cache_control}

        conditions = _conditions(request)
        if _has_it_already(conditions, etag):
            return Response(status_code=304, headers=headers)
        found: Complete | Progress | None = cache.at_hand(unique_id)
        if found is None:
            find = partial(find_file, channel_id, post_id, unique_id)
            renew = partial(renew_file, channel_id, post_id, unique_id)
            found = await _while_connected(request, cache.open(channel_id, post_id, unique_id, find, renew))
        return await _answer(request, conditions, found, headers, stem=f"telegram-{post_id}")

    router = APIRouter()
    # Without the framework's parameter handling: it costs more than sending a small file.
    router.add_route(
        "/media/{channel}/{post_id}/{file_unique_id}/{digest}", media, methods=["GET", "HEAD"], name="media"
    )
    return router


def _number(text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise BadSignature("This media address is not one that the bridge has made")
    return int(text)


def _conditions(request: Request) -> dict[str, str]:
    """The request's conditional and Range headers; the values of one that comes twice are joined (RFC 9110 5.3)."""
    found: dict[str, str] = {}
    for name, value in request.scope["headers"]:
        if name in _CONDITIONS:
            key, text = name.decode("latin-1"), value.decode("latin-1")
            found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _has_it_already(conditions: Mapping[str, str], etag: str) -> bool:
    """Whether the client names the file's tag: no need to have the file then.

    The tag of an address never changes. A `*` asks whether the file exists, other conditions come first (RFC 9110
    13.2.2), so those are judged later.
    """
    if "if-match" in conditions or "if-unmodified-since" in conditions:
        return False
    tags = conditions.get("if-none-match", "*")
    return tags.strip() != "*" and tag_listed(tags, etag, weak=True)


async def _answer(
    request: Request,
    conditions: Mapping[str, str],
    found: Complete | Progress,
    headers: dict[str, str],
    *,
    stem: str,
) -> Response:
    modified = found.modified if isinstance(found, Complete) else found.download.modified
    headers["Last-Modified"] = http_date(modified)
    etag = headers["ETag"]
    verdict = evaluate(conditions, etag, modified)
    if verdict is Verdict.NOT_MODIFIED:
        return Response(status_code=304, headers=headers)
    if verdict is Verdict.FAILED:
        return JSONResponse({"detail": "The file is not the one that the condition names"}, 412, _NOT_KEPT)

    source = found if isinstance(found, Complete) else found.download
    size = found.size if isinstance(found, Complete) else await _while_connected(request, found.download.size())
    ranges = None
    # Only GET knows ranges (RFC 9110 14.2).
    if request.method == "GET" and range_holds(conditions.get("if-range"), etag, modified):
        ranges = parse_range(conditions.get("range"), size)
    if ranges == ():
        return JSONResponse(
            {"detail": f"The file has {size} bytes, none of them in the range"},
            416,
            {"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes", **_NOT_KEPT},
        )
    if isinstance(found, Complete):
        mime_type = found.mime_type
    else:
        if request.method == "GET":
            # A failure before this point has a status of its own; after it, only a broken connection.
            await _while_connected(request, found.download.wait_for(ranges[0].start if ranges else 0))
        mime_type = await _while_connected(request, found.download.mime_type())
    headers |= {
        "Accept-Ranges": "bytes",
        "Content-Disposition": content_disposition(mime_type, source.file_name, stem),
        "Content-Security-Policy": _SHOWN if mime_type in INLINE_TYPES else _LOCKED,
        "X-Content-Type-Options": "nosniff",
    }
    return ByteResponse(source.read, size, mime_type, headers, ranges)


async def _while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Do the work, but stop it when the client leaves. Raises ClientDisconnect then."""
    task = asyncio.ensure_future(work)
    leaving: asyncio.Future[None] | None = None
    try:
        # Most files are there: their look-up ends before there is any point in watching the connection.
        await asyncio.wait({task}, timeout=_PATIENCE)
        if not task.done():
            leaving = asyncio.ensure_future(_disconnect(request))
            await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        if leaving is not None:
            leaving.cancel()


async def _disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
