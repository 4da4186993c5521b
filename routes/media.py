"""`/media`: the bytes of files, whole or on their way, in full or in ranges."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import lru_cache, partial
from typing import Any, TypeVar

from fastapi import APIRouter
from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from errors import BadSignature
from media_cache.cache import Complete, MediaCache, Progress, entity_tag
from media_cache.mime import believed_unseen
from media_cache.signing import MediaSigner
from model.media import FileRef
from routes.byte_response import ByteResponse, Header, disconnect
from routes.disposition import INLINE_TYPES, content_disposition
from routes.preconditions import Verdict, conditions_of, evaluate, http_date, range_holds, tag_listed
from routes.ranges import parse_range

T = TypeVar("T")

FindPostFile = Callable[[int, int, str], Awaitable[FileRef]]
"""Looks up a file by (channel id, post id, unique id)."""

YEAR = 31536000

# Seconds that a look-up may take before the connection is watched as well.
_PATIENCE = 0.05
_NUMBER = re.compile(r"-?[0-9]{1,19}", re.ASCII)
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
    router = APIRouter()
    endpoint = _MediaEndpoint(cache, signer, find_file, refresh_file or find_file, "public" if public else "private")
    path = "/media/{channel}/{post_id}/{file_unique_id}/{digest}"
    router.routes.append(Route(path, endpoint, methods=["GET"], name="media"))
    return router


class _MediaEndpoint:
    """Serves one file a request.

    An application of its own, without the framework's request and response objects: making those takes longer than
    sending a small file.
    """

    def __init__(
        self, cache: MediaCache, signer: MediaSigner, find_file: FindPostFile, renew_file: FindPostFile, scope: str
    ) -> None:
        """`scope` is what Cache-Control begins with."""
        self._cache = cache
        self._signer = signer
        self._find_file = find_file
        self._renew_file = renew_file
        self._scope = scope
        self._for_ever = f"{scope}, max-age={YEAR}, immutable"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one file."""
        answer = await self._answer(scope, receive)
        await answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> ASGIApp:
        address = scope["path_params"]
        channel_id = _number(address["channel"])
        post_id = _number(address["post_id"])
        unique_id: str = address["file_unique_id"]
        query = scope["query_string"]
        expiry = QueryParams(query).get("exp") if query else None
        lifetime = self._signer.verify(channel_id, post_id, unique_id, address["digest"], expiry)
        etag = entity_tag(unique_id)
        cache_control = self._cache_control(lifetime)
        conditions = conditions_of(scope["headers"])
        if _has_it_already(conditions, etag):
            return Response(status_code=304, headers={"ETag": etag, "Cache-Control": cache_control})

        found: Complete | Progress | None = self._cache.at_hand(unique_id)
        find = partial(self._find_file, channel_id, post_id, unique_id)
        if found is None and scope["method"] == "HEAD":
            seen = await _while_connected(receive, self._cache.look_at(channel_id, post_id, unique_id, find))
            if not isinstance(seen, FileRef):
                found = seen
            elif seen.size and seen.date:
                refusal = _refused(conditions, etag, seen.date, cache_control)
                return refusal or _described(seen, etag, f"telegram-{post_id}")
        if found is None:
            renew = partial(self._renew_file, channel_id, post_id, unique_id)
            found = await _while_connected(receive, self._cache.open(channel_id, post_id, unique_id, find, renew))
        source = found if isinstance(found, Complete) else found.download
        if conditions and (refusal := _refused(conditions, etag, source.modified, cache_control)):
            return refusal
        size = found.size if isinstance(found, Complete) else await _while_connected(receive, found.download.size())
        ranges = None
        # Only GET knows ranges (RFC 9110 14.2).
        if conditions and scope["method"] == "GET" and range_holds(conditions.get("if-range"), etag, source.modified):
            ranges = parse_range(conditions.get("range"), size)
        if ranges == ():
            return JSONResponse(
                {"detail": f"The file has {size} bytes, none of them in the range"},
                416,
                {"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes", **_NOT_KEPT},
            )
        if isinstance(found, Complete):
            mime_type, read_at_once = found.mime_type, found.file.read_from_memory
        else:
            if scope["method"] == "GET":
                # A failure before this point has a status of its own; after it, only a broken connection.
                await _while_connected(receive, found.download.wait_for(ranges[0].start if ranges else 0))
            mime_type, read_at_once = await _while_connected(receive, found.download.mime_type()), None
        headers = _file_headers(etag, source.modified, mime_type, source.file_name, f"telegram-{post_id}")
        headers = (*headers, (b"cache-control", cache_control.encode()))
        return ByteResponse(found.read, size, mime_type, headers, ranges, read_at_once)

    def _cache_control(self, lifetime: float | None) -> str:
        if lifetime is None:
            return self._for_ever
        return f"{self._scope}, max-age={min(int(lifetime), YEAR)}"


def _number(text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise BadSignature("This media address is not one that the bridge has made")
    return int(text)


def _has_it_already(conditions: Mapping[str, str], etag: str) -> bool:
    """Whether the client names the file's tag: no need to have the file then.

    The tag of an address never changes. A `*` asks whether the file exists, other conditions come first (RFC 9110
    13.2.2), so those are judged later.
    """
    if "if-match" in conditions or "if-unmodified-since" in conditions:
        return False
    tags = conditions.get("if-none-match", "*")
    return tags.strip() != "*" and tag_listed(tags, etag, weak=True)


def _refused(conditions: Mapping[str, str], etag: str, modified: int, cache_control: str) -> Response | None:
    """The answer without the file that the conditions lead to, None if they let the request through."""
    verdict = evaluate(conditions, etag, modified)
    if verdict is Verdict.NOT_MODIFIED:
        headers = {"ETag": etag, "Cache-Control": cache_control, "Last-Modified": http_date(modified)}
        return Response(status_code=304, headers=headers)
    if verdict is Verdict.FAILED:
        return JSONResponse({"detail": "The file is not the one that the condition names"}, 412, _NOT_KEPT)
    return None


def _described(file: FileRef, etag: str, stem: str) -> Response:
    """The answer to HEAD by what is known of a file without a byte of it.

    Caches must not take it for an update of what GET has told them (RFC 9111 4.3.5): the type is only Telegram's word.
    One that can't be told by that is left out, as RFC 9110 9.3.2 allows.
    """
    mime_type = believed_unseen(file.mime_type)
    answer = Response(headers={"Content-Length": str(file.size), **_NOT_KEPT})
    if mime_type:
        answer.headers["Content-Type"] = mime_type
    answer.raw_headers += _file_headers(etag, file.date, mime_type, file.file_name, stem)
    return answer


@lru_cache(maxsize=1024)
def _file_headers(etag: str, modified: int, mime_type: str, file_name: str, stem: str) -> tuple[Header, ...]:
    """What every answer with bytes of a file says of it, whatever the address's end and the range."""
    headers = {
        "etag": etag,
        "last-modified": http_date(modified),
        "accept-ranges": "bytes",
        "content-disposition": content_disposition(mime_type, file_name, stem),
        "content-security-policy": _SHOWN if mime_type in INLINE_TYPES else _LOCKED,
        "x-content-type-options": "nosniff",
    }
    return tuple((name.encode(), value.encode("latin-1")) for name, value in headers.items())


async def _while_connected(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """Do the work, but stop it when the client leaves. Raises ClientDisconnect then."""
    task = asyncio.ensure_future(work)
    leaving: asyncio.Future[None] | None = None
    try:
        # Most files are there: their look-up ends before there is any point in watching the connection.
        await asyncio.wait({task}, timeout=_PATIENCE)
        if not task.done():
            leaving = asyncio.ensure_future(disconnect(receive))
            await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        if leaving is not None:
            leaving.cancel()
