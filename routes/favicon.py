"""`/favicon.ico`: the sign of the bridge, which browsers ask for by themselves."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from feeds.page import favicon
from routes.answers import lasting_response
from routes.content_coding import encode
from routes.headers import METHODS


def favicon_router() -> APIRouter:
    """The route. The picture is read once, here."""
    router = APIRouter()
    picture = encode(favicon())

    @router.api_route("/favicon.ico", methods=METHODS)
    async def sign(request: Request) -> Response:
        """The picture. It is an SVG: browsers go by the type, not by the name."""
        return lasting_response(request, picture)

    return router
