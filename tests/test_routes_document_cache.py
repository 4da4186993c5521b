"""Finished documents in memory: rendered once, bounded in bytes."""

from __future__ import annotations

import asyncio

from feeds.feed import Document
from routes.content_coding import Encoded
from routes.document_cache import DocumentCache, Rendered
from tg_cache import StaleReason


class Renderer:
    """Counts what it renders: documents of 100 bytes, 20 when compressed."""

    def __init__(self, lacking: StaleReason | None = None) -> None:
        self.count = 0
        self.lacking = lacking

    async def __call__(self) -> Rendered:
        self.count += 1
        await asyncio.sleep(0)
        document = Document(body=b"x" * 100, content_type="text/plain", etag=f'W/"{self.count}"', last_modified=0)
        return Rendered(encoded=Encoded(document=document, gzipped=b"z" * 20), lacking=self.lacking)


async def test_a_document_is_rendered_once_for_all_who_ask_now_and_later() -> None:
    cache, render = DocumentCache[str](1000), Renderer()
    first = await asyncio.gather(*(cache.get("key", render) for _ in range(5)))
    later = await cache.get("key", render)
    assert {rendered.encoded.document.etag for rendered in [*first, later]} == {'W/"1"'}


async def test_beyond_the_bound_the_least_recently_used_goes() -> None:
    cache, render = DocumentCache[str](2 * 120), Renderer()
    for key in ("a", "b", "a", "c", "a"):
        await cache.get(key, render)
    assert render.count == 3
    await cache.get("b", render)
    assert render.count == 4


async def test_a_document_larger_than_the_bound_is_served_and_not_kept() -> None:
    cache, render = DocumentCache[str](110), Renderer()
    await cache.get("key", render)
    await cache.get("key", render)
    assert render.count == 2


async def test_a_document_that_lacks_posts_is_rendered_again_for_the_next_reader() -> None:
    cache, render = DocumentCache[str](1000), Renderer(StaleReason.FLOOD)
    await cache.get("key", render)
    render.lacking = None
    assert (await cache.get("key", render)).lacking is None
    await cache.get("key", render)
    assert render.count == 2
