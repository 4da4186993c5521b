"""Routes without the framework's machinery, for what is asked for most."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import request_response


class PlainRoute(APIRoute):
    """Calls its function with the request and the path's parameters, and sends the response that it gives.

    The framework's own way looks for dependencies, a body and models, and keeps stacks of what to close afterwards.
    Where there is none of that, it takes as long as finding a feed in memory does.
    """

    def __init__(self, path: str, endpoint: Callable[..., Awaitable[Response]], **options: Any) -> None:
        """`options` are the framework's."""
        super().__init__(path, endpoint, **options)

        async def answer(request: Request) -> Response:
            return await endpoint(request, **request.path_params)

        self.app = request_response(answer)
