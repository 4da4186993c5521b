"""Routes of feeds and pages: `/rss`, `/atom`, `/feed.json` and `/html`."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from errors import BadParameter
from feeds.feed import FeedFormat
from feeds.page import content_security_policy
from model.channel_key import parse_channel_key
from model.message import LARGEST_ID
from routes.answers import feed_response, page_response
from routes.auth import Authenticator
from routes.channels import ChannelDocuments
from routes.origin import Origin
from routes.query import parse_feed_query, parse_format
from routes.target import Target, parse_target

METHODS = ["GET", "HEAD"]


def feed_router(documents: ChannelDocuments, auth: Authenticator, origin: Origin, *, merge: bool) -> APIRouter:
    """The routes. `merge` is whether messages near in time are joined. Faults are raised as BridgeError."""
    router = APIRouter()

    def admit(request: Request, path: str, *, with_post: bool) -> Target:
        try:
            target = parse_target(path, is_token=auth.matches, with_post=with_post)
        except BadParameter:
            # Whoever guesses tokens must not learn anything from how a path is wrong.
            auth.check(request, path.rpartition("/")[2])
            raise
        auth.check(request, target.token)
        if with_post and target.token is not None and target.post_id is None and not auth.required:
            raise BadParameter("post_id", f"must be a number from 1 to {LARGEST_ID}, got {target.token[:40]!r}")
        return target

    async def channel(request: Request, target: Target, format: FeedFormat) -> Response:
        query = parse_feed_query(request.query_params, merge=merge)
        key = parse_channel_key(target.channel)
        served = await documents.feed(key, query, format, origin.base_url(request))
        if format is FeedFormat.HTML:
            return page_response(request, served.encoded, content_security_policy())
        return feed_response(request, served, private=auth.required)

    @router.api_route("/rss/{path:path}", methods=METHODS)
    async def rss(request: Request, path: str) -> Response:
        """The channel as an RSS feed, or in the format that `output_type` names."""
        target = admit(request, path, with_post=False)
        return await channel(request, target, parse_format(request.query_params, tuple(FeedFormat)))

    @router.api_route("/atom/{path:path}", methods=METHODS)
    async def atom(request: Request, path: str) -> Response:
        """The channel as an Atom feed."""
        return await channel(request, admit(request, path, with_post=False), FeedFormat.ATOM)

    @router.api_route("/feed.json/{path:path}", methods=METHODS)
    async def json_feed(request: Request, path: str) -> Response:
        """The channel as a JSON Feed."""
        return await channel(request, admit(request, path, with_post=False), FeedFormat.JSON)

    @router.api_route("/html/{path:path}", methods=METHODS)
    @router.api_route("/post/html/{path:path}", methods=METHODS)
    async def html(request: Request, path: str) -> Response:
        """The channel, or one post of it, as a page."""
        target = admit(request, path, with_post=True)
        if target.post_id is None:
            if request.url.path.startswith("/post/"):
                raise BadParameter("post_id", "is missing: the address is /post/html/{channel}/{post_id}")
            return await channel(request, target, FeedFormat.HTML)
        key = parse_channel_key(target.channel)
        page = await documents.post_page(key, target.post_id, origin.base_url(request))
        return page_response(request, page, content_security_policy())

    return router
