"""The account's folders as what feeds are made of."""

from __future__ import annotations

from unicodedata import normalize
from urllib.parse import quote

import msgspec

from errors import ChannelNotFound
from history.subscriptions import SubscriptionList
from history.window import StaleReason
from model.channel_key import MOST_TOGETHER
from posts.plain import one_line
from routes.addresses import Addresses
from routes.feed_keys import FeedKeys
from routes.target import FOLDER


class Collection(msgspec.Struct, frozen=True, kw_only=True):
    """Chats that make one feed, by keys of `parse_channel_key`, each once.

    Chats that somebody wrote down have no `subject`; that of a folder is its name for keys and ids. `title` is what
    people call it, `path` what follows a route in its addresses. `fetched_at` is when Telegram told the chats of a
    folder (unix seconds), `stale` why that is longer ago than it should be.
    """

    chats: tuple[str | int, ...]
    subject: str = ""
    title: str = ""
    path: str = ""
    fetched_at: float = 0
    stale: StaleReason | None = None


class Folders:
    """Finds folders by their names."""

    def __init__(self, subscriptions: SubscriptionList) -> None:
        self._subscriptions = subscriptions

    async def find(self, name: str, *, telling: bool) -> Collection:
        """The folder's chats, `MOST_TOGETHER` at most: those in which something was said last.

        Of several folders with that name the first counts. Raises ChannelNotFound, which names the folders there are
        only if it may be `telling`, and a PassingFault if they are not known.
        """
        joined = await self._subscriptions.joined()
        wanted = folder_name(name)
        folder = next((each for each in joined.chats.folders if wanted and folder_name(each.title) == wanted), None)
        if folder is None:
            raise ChannelNotFound(_no_folder(name, [one_line(each.title) for each in joined.chats.folders], telling))
        inside = frozenset(folder.chat_ids)
        latest = tuple(channel.id for channel in joined.chats.channels if channel.id in inside)
        return Collection(
            chats=latest[:MOST_TOGETHER],
            subject=folder_subject(folder.title),
            title=one_line(folder.title),
            path=folder_path(folder.title),
            fetched_at=joined.fetched_at,
            stale=joined.stale,
        )


def folder_name(title: str) -> str:
    """The title as folders are told apart by it: whatever its case, white space and empty parts between slashes."""
    return "/".join(_parts(normalize("NFC", title).casefold()))


def folder_subject(title: str) -> str:
    """What a folder is for keys and ids, by its title."""
    return f"{FOLDER}/{folder_name(title)}"


def folder_path(title: str) -> str:
    """What follows a route in the folder's addresses."""
    return f"{FOLDER}/{quote('/'.join(_parts(title)), safe='/', errors='replace')}"


def folder_addresses(title: str, base_url: str, keys: FeedKeys | None) -> Addresses:
    """The addresses of a folder's feeds; `keys`, where given, stand in them."""
    path = folder_path(title)
    feed_key = "" if keys is None else keys.of(folder_subject(title))
    return Addresses(base_url=base_url, name=path, lasting_name=path, feed_key=feed_key)


def _parts(title: str) -> list[str]:
    return [stripped for part in one_line(title).split("/") if (stripped := part.strip())]


def _no_folder(name: str, titles: list[str], telling: bool) -> str:
    there_is_none = f"There is no folder {one_line(name)[:60]!r} with a channel in it"
    if not telling:
        return there_is_none
    return f"{there_is_none}; the folders are: {', '.join(filter(None, titles)) or 'none'}"
