"""Filters applied to the posts at hand, off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from post_parser import traits_of
from posts.filters import PostFilter, Traits
from posts.flags import RENDER_FAILED
from posts.grouping import Group
from posts.post import RenderOptions
from posts.selection import Wanted
from routes.query import FeedQuery
from routes.rendering import Renderer
from tg_cache import Window

T = TypeVar("T")

WantedIn = Callable[[Window], Wanted | None]
"""Gives what tells the wanted posts of a window; None where all are wanted."""


class Filtering:
    """Runs what chooses posts in a thread, with the filters of a query made ready."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        # Filters are applied by one thread at a time: they take the interpreter as much as rendering does.
        self._lock = asyncio.Lock()

    async def run(self, choose: Callable[[WantedIn], T], query: FeedQuery, base_url: str) -> T:
        """What `choose` gives, which is told the posts that the query wants."""
        if not query.filters:
            return await self._renderer.run(choose, lambda window: None)
        post_filter = PostFilter(query.filters)
        if post_filter.on_failure:
            options = self._renderer.options(base_url, query.merge_seconds)
            return await self._renderer.run(choose, lambda window: self._rendered(window, options, post_filter))

        def wanted_in(window: Window) -> Wanted:
            return lambda group: post_filter.keeps(traits_of(group, window.channel))

        async with self._lock:
            return await asyncio.to_thread(choose, wanted_in)

    def _rendered(self, window: Window, options: RenderOptions, post_filter: PostFilter) -> Wanted:
        """With posts rendered where it matters whether they can be; for the renderer's thread."""

        def is_wanted(group: Group) -> bool:
            traits = traits_of(group, window.channel)
            failed = Traits((*traits.flags, RENDER_FAILED), traits.text)
            wanted, wanted_if_failed = post_filter.keeps(traits), post_filter.keeps(failed)
            if wanted is wanted_if_failed:
                return wanted
            (post,) = self._renderer.posts([group], window, options)
            return wanted_if_failed if post.failed else wanted

        return is_wanted
