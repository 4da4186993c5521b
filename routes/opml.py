"""`/opml`: every feed that there is to subscribe to, for readers to import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from errors import BadParameter
from feeds import opml
from feeds.feed import FeedFormat
from feeds.subjects import channel_link, feed_title
from history.subscriptions import JOINED_TTL_S, SubscriptionList, Subscriptions
from model.channel import Channel
from model.folder import Folder
from posts.plain import one_line
from routes.addresses import Addresses
from routes.answers import staleness
from routes.auth import Authenticator
from routes.feed_keys import FeedKeys
from routes.folders import folder_addresses, folder_name
from routes.headers import COMMON_HEADERS, METHODS
from routes.origin import Origin
from routes.query import parse_flag

FORMATS = (FeedFormat.RSS, FeedFormat.ATOM, FeedFormat.JSON)
_TITLE = "Telegram channels"


def opml_router(
    subscriptions: SubscriptionList,
    auth: Authenticator,
    origin: Origin,
    keys: FeedKeys | None,
    *,
    link_host: str,
    language: str = "",
) -> APIRouter:
    """The route. `keys`, where given, stand in the feeds' addresses. `link_host` is Telegram's web front."""
    router = APIRouter()

    @router.api_route("/opml", methods=METHODS)
    @router.api_route("/opml/{token}", methods=METHODS)
    async def opml_list(request: Request, token: str | None = None) -> Response:
        """All channels that the account has joined or that are polled, by the account's folders, or the folders."""
        auth.check(request, token)
        format = _format(request.query_params)
        base_url = origin.base_url(request)
        now = await subscriptions.current()

        def entry(channel: Channel) -> opml.Subscription:
            addresses = Addresses.of_channel(channel, base_url, feed_key="" if keys is None else keys.of(channel.id))
            return opml.Subscription(
                title=feed_title(channel),
                feed_url=addresses.own(format),
                html_url=channel_link(channel, f"https://{link_host}") or addresses.own(FeedFormat.HTML),
                description=channel.about,
            )

        def folder_entry(folder: Folder) -> opml.Subscription:
            addresses = folder_addresses(folder.title, base_url, keys)
            return opml.Subscription(
                title=one_line(folder.title),
                feed_url=addresses.own(format),
                html_url=addresses.own(FeedFormat.HTML),
            )

        entries = {channel.id: entry(channel) for channel in now.channels}
        if parse_flag(request.query_params, "folders"):
            sections: list[opml.Section] = []
            loose = _together(now, entries, folder_entry)
        else:
            sections, loose = _sorted(now, entries)
        headers = {
            "Cache-Control": "no-store",
            # The address may end with the token, which would become the file's name.
            "Content-Disposition": 'attachment; filename="telegram.opml"',
        }
        headers |= COMMON_HEADERS | staleness(now.stale, now.fetched_at, JOINED_TTL_S)
        body = opml.render(_TITLE, datetime.now(UTC), sections, loose, language=language)
        return Response(body, headers=headers, media_type=opml.CONTENT_TYPE)

    return router


def _format(parameters: Mapping[str, str]) -> FeedFormat:
    """Which feeds the list leads to. Raises BadParameter."""
    text = parameters.get("format", FeedFormat.RSS.value)
    for candidate in FORMATS:
        if text == candidate.value:
            return candidate
    raise BadParameter("format", f"must be one of {', '.join(FORMATS)}, got {text[:40]!r}")


def _together(
    subscriptions: Subscriptions,
    entries: Mapping[int, opml.Subscription],
    folder_entry: Callable[[Folder], opml.Subscription],
) -> list[opml.Subscription]:
    """One entry for each folder that has an address, and those of the channels that are in none of these."""
    together: dict[str, opml.Subscription] = {}
    inside: set[int] = set()
    for folder in subscriptions.folders:
        name = folder_name(folder.title)
        # Of two with one name the first has the address.
        if name and name not in together:
            together[name] = folder_entry(folder)
            inside.update(folder.chat_ids)
    return [*together.values(), *(entry for chat_id, entry in entries.items() if chat_id not in inside)]


def _sorted(
    subscriptions: Subscriptions, entries: Mapping[int, opml.Subscription]
) -> tuple[list[opml.Section], list[opml.Subscription]]:
    """The entries in their folders, and those that are in none; all in the order of `entries`."""
    sections = []
    in_folders: set[int] = set()
    for folder in subscriptions.folders:
        ids = set(folder.chat_ids)
        in_folders |= ids
        inside = tuple(entry for chat_id, entry in entries.items() if chat_id in ids)
        sections.append(opml.Section(title=one_line(folder.title) or "Folder", subscriptions=inside))
    return sections, [entry for chat_id, entry in entries.items() if chat_id not in in_folders]
