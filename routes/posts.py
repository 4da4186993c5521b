"""Routes for programs: one post as JSON, Telegram's own message, and the list of flags."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from feeds.assembly import entity_tag
from feeds.feed import Document
from routes.admission import Admission
from routes.answers import json_response
from routes.auth import Authenticator
from routes.content_coding import Encoded, encode
from routes.headers import METHODS
from routes.origin import Origin
from routes.query import FLAG_NAMES
from routes.single_posts import PostDocuments


def post_router(posts: PostDocuments, admission: Admission, auth: Authenticator, origin: Origin) -> APIRouter:
    """The routes. Faults are raised as BridgeError."""
    router = APIRouter()
    flags_document = _flags_document()

    async def post_json(request: Request, path: str, shape: str) -> Response:
        key, post_id = admission.post(request, path, shape)
        return json_response(request, await posts.json(key, post_id, origin.base_url(request)))

    @router.api_route("/json/{path:path}", methods=METHODS)
    async def json(request: Request, path: str) -> Response:
        """One post as JSON."""
        return await post_json(request, path, "/json")

    @router.api_route("/post/json/{path:path}", methods=METHODS)
    async def long_json(request: Request, path: str) -> Response:
        """One post as JSON."""
        return await post_json(request, path, "/post/json")

    @router.api_route("/raw_json/{path:path}", methods=METHODS)
    async def raw_json(request: Request, path: str) -> Response:
        """One message as Telegram sends it."""
        key, post_id = admission.post(request, path, "/raw_json")
        return json_response(request, await posts.raw(key, post_id))

    @router.api_route("/flags", methods=METHODS)
    @router.api_route("/flags/{token}", methods=METHODS)
    async def flags(request: Request, token: str | None = None) -> Response:
        """The names of all flags, sorted."""
        auth.check(request, token)
        return json_response(request, flags_document)

    return router


def _flags_document() -> Encoded:
    body = msgspec.json.encode(FLAG_NAMES)
    return encode(Document(body=body, content_type="application/json", etag=entity_tag([body]), last_modified=0))
