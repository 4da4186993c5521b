"""The pages beside one: which of them there are, and their addresses."""

from __future__ import annotations

from typing import NamedTuple

from feeds.feed import FeedFormat
from posts.combined import Place
from routes.addresses import Addresses
from routes.rendering import Beside


class Neighbours(NamedTuple):
    """What is known of the pages before and behind.

    `older` is the message or place that the next page begins below, None if this page is empty, and `following` how
    many of its posts are stored. `newer` is the same of the page before, None if that is the newest. `goes_on`: there
    are or may be older posts that can be fetched; `is_all`: whatever the query finds is stored.
    """

    older: int | Place | None
    following: int
    has_newer: bool
    newer: int | Place | None
    goes_on: bool
    is_all: bool


def beside_of(format: FeedFormat, addresses: Addresses, pages: Neighbours, *, for_people: bool) -> Beside:
    """The addresses of the pages before and behind.

    Programs follow a feed's next page at once, and page by page, so it is named only where it is stored whole: then
    Telegram is not asked for it. People follow a page's link when they want to read on, so there is one as long as
    there is or may be more.
    """
    if for_people:
        has_older = pages.following > 0 or (pages.goes_on and not pages.is_all)
    else:
        has_older = pages.following >= (1 if pages.is_all else addresses.query.limit)
    older = newer = ""
    if has_older and pages.older is not None:
        older = addresses.page(format, pages.older)
    if pages.has_newer:
        newer = addresses.newest(format) if pages.newer is None else addresses.page(format, pages.newer)
    return Beside(older=older, newer=newer)
