from __future__ import annotations

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from errors import PostNotFound
from routes.errors import ErrorAnswers
from routes.plain_route import PlainRoute


def small_app() -> FastAPI:
    router = APIRouter(route_class=PlainRoute)

    @router.api_route("/echo/{path:path}", methods=["GET", "HEAD"])
    async def echo(request: Request, path: str) -> Response:
        """Says what it was asked."""
        if path == "nothing":
            raise PostNotFound("There is nothing")
        return PlainTextResponse(f"{path} {request.query_params.get('q')}")

    app = FastAPI()
    ErrorAnswers(lambda status, reason, home: b"", {}).install(app)
    app.router.routes.extend(router.routes)
    return app


def asking(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bridge.test")


async def test_a_function_gets_the_request_and_the_paths_parameters() -> None:
    async with asking(small_app()) as client:
        assert (await client.get("/echo/t.me/na%20me?q=1")).text == "t.me/na me 1"
        assert (await client.head("/echo/x")).status_code == 200


async def test_faults_and_other_methods_are_answered_as_on_any_route() -> None:
    async with asking(small_app()) as client:
        missing = await client.get("/echo/nothing")
        assert (missing.status_code, missing.json()) == (404, {"detail": "There is nothing"})
        assert (await client.post("/echo/x")).status_code == 405


@pytest.mark.filterwarnings("ignore:Duplicate Operation ID")
async def test_the_frameworks_documentation_lists_the_route() -> None:
    async with asking(small_app()) as client:
        paths = (await client.get("/openapi.json")).json()["paths"]
    assert paths["/echo/{path}"]["get"]["description"] == "Says what it was asked."
