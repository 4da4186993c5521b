"""Routes of feeds and pages: `/rss`, `/atom`, `/feed.json` and `/html`."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from feeds.feed import FeedFormat
from feeds.page import content_security_policy
from model.channel_key import parse_channel_key
from routes.addresses import PATHS
from routes.admission import Admission, Admitted, admitted
from routes.answers import feed_response, moved_response, offer_brotli, page_response
from routes.channels import ChannelDocuments
from routes.combined import CombinedDocuments
from routes.folders import Collection, Folders
from routes.headers import METHODS
from routes.navigation import VARY, opened_in_browser
from routes.origin import Origin
from routes.plain_route import PlainRoute
from routes.query import parse_feed_query, parse_flag, parse_format, with_whole_lists
from routes.single_posts import PostDocuments
from routes.target import Target


def feed_router(
    documents: ChannelDocuments,
    combined: CombinedDocuments,
    folders: Folders,
    posts: PostDocuments,
    admission: Admission,
    origin: Origin,
    *,
    merge: bool,
) -> APIRouter:
    """The routes. `merge` is whether messages near in time are joined. Faults are raised as BridgeError."""
    router = APIRouter(route_class=PlainRoute)

    async def feed(request: Request, asked: Admitted, format: FeedFormat) -> Response:
        query = parse_feed_query(with_whole_lists(request.query_params), merge=merge, several=asked.place is None)
        is_feed = format is not FeedFormat.HTML
        raw = is_feed and parse_flag(request.query_params, "raw")
        opened = is_feed and not raw and opened_in_browser(request.headers)
        base_url = origin.base_url(request)
        if asked.place is not None:
            served = await documents.feed(asked.place, query, format, base_url, as_page=opened)
        else:
            collection = Collection(chats=asked.chats)
            if asked.folder:
                collection = await folders.find(asked.folder, telling=not asked.by_key)
            served = await combined.feed(collection, query, format, base_url, as_page=opened)
        if opened or format is FeedFormat.HTML:
            vary = VARY if opened else ""
            response = page_response(request, served.encoded, content_security_policy(), vary=vary)
        else:
            response = feed_response(request, served, private=admission.required)
        return await offer_brotli(request, response, served.encoded)

    async def page(request: Request, path: str, target: Target) -> Response:
        asked = admitted(target)
        address = f"{origin.base_url(request)}{PATHS[FeedFormat.HTML]}/{quote(path.strip('/'))}"
        if lasting := admission.lasting_address(request, target, address):
            return moved_response(lasting)
        return await feed(request, asked, FeedFormat.HTML)

    async def post_page(request: Request, key: str | int, post_id: int) -> Response:
        debug = parse_flag(request.query_params, "debug")
        encoded = await posts.page(key, post_id, origin.base_url(request), debug=debug)
        return page_response(request, encoded, content_security_policy())

    @router.api_route("/rss/{path:path}", methods=METHODS)
    async def rss(request: Request, path: str) -> Response:
        """The channel as an RSS feed, or in the format that `output_type` names."""
        if request.query_params.get("output_type") == FeedFormat.HTML:
            # A page is more than a feed, so a feed's key does not open it.
            return await page(request, path, admission.target(request, path, with_feeds=True))
        asked = await admission.feed(request, path)
        return await feed(request, asked, parse_format(request.query_params, tuple(FeedFormat)))

    @router.api_route("/atom/{path:path}", methods=METHODS)
    async def atom(request: Request, path: str) -> Response:
        """The channel as an Atom feed."""
        return await feed(request, await admission.feed(request, path), FeedFormat.ATOM)

    @router.api_route("/feed.json/{path:path}", methods=METHODS)
    async def json_feed(request: Request, path: str) -> Response:
        """The channel as a JSON Feed."""
        return await feed(request, await admission.feed(request, path), FeedFormat.JSON)

    @router.api_route("/html/{path:path}", methods=METHODS)
    async def html(request: Request, path: str) -> Response:
        """The channel, or one post of it, as a page."""
        target = admission.target(request, path, with_post=True, with_feeds=True)
        if target.post_id is None:
            return await page(request, path, target)
        return await post_page(request, parse_channel_key(target.channel), target.post_id)

    @router.api_route("/post/html/{path:path}", methods=METHODS)
    async def post_html(request: Request, path: str) -> Response:
        """One post as a page."""
        return await post_page(request, *admission.post(request, path, "/post/html"))

    return router
