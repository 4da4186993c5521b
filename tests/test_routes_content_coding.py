from __future__ import annotations

import asyncio
import gzip
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import brotli
import pytest

from feeds.feed import Document
from routes.content_coding import Brotli, accepts_gzip, encode, prefers_brotli


@pytest.mark.parametrize(
    ("headers", "accepted"),
    [
        ([], False),
        ([""], False),
        (["gzip"], True),
        (["GZIP"], True),
        (["x-gzip"], True),
        (["deflate, gzip;q=0.5, br"], True),
        (["br", "gzip"], True),
        (["br"], False),
        (["*"], True),
        (["*;q=0"], False),
        (["gzip;q=0"], False),
        (["gzip; q=0.000, *"], False),
        (["gzip;q=1, *;q=0"], True),
        (["identity, gzip;q=0.5"], False),
        (["identity;q=0.5, gzip;q=1.0"], True),
        (["identity;q=0"], False),
        (["gzip;q=much"], False),
        (["gzip;q=nan"], False),
        (["gzip;x=1;q=0"], False),
        ([";;,,=;q"], False),
    ],
)
def test_gzip_is_sent_to_who_accepts_it(headers: list[str], accepted: bool) -> None:
    assert accepts_gzip(headers) is accepted


def test_an_encoded_document_reads_back_and_is_the_same_each_time() -> None:
    document = Document(body=b"<p>words</p>" * 100, content_type="text/html", etag='W/"1"', last_modified=0)
    encoded = encode(document)
    assert gzip.decompress(encoded.gzipped) == encoded.document.body == document.body
    assert encoded.size == len(document.body) + len(encoded.gzipped) < 1.2 * len(document.body)
    assert encode(document) == encoded


@pytest.mark.parametrize(
    ("headers", "preferred"),
    [
        ([], False),
        (["gzip"], False),
        (["br"], True),
        (["BR"], True),
        (["gzip, deflate, br"], True),
        (["gzip", "br"], True),
        (["br;q=0.5, gzip;q=0.4"], True),
        (["br;q=0.5, gzip"], False),
        (["br;q=0"], False),
        (["br;q=0, *"], False),
        (["br;q=0.5, identity"], False),
        # Somebody may say that who has never heard of brotli.
        (["*"], False),
        (["gzip, *"], False),
        (["brotli"], False),
        (["br;q=much"], False),
        (["br;q=nan"], False),
    ],
)
def test_brotli_is_sent_to_who_names_it_and_likes_nothing_more(headers: list[str], preferred: bool) -> None:
    assert prefers_brotli(headers) is preferred


def document(body: bytes) -> Document:
    return Document(body=body, content_type="text/html", etag='W/"1"', last_modified=0)


class CountingThread(ThreadPoolExecutor):
    """One thread that counts what it is given to do."""

    def __init__(self) -> None:
        super().__init__(1)
        self.jobs = 0

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        self.jobs += 1
        return super().submit(work, *arguments, **named)


async def test_brotli_is_made_once_and_only_when_somebody_wants_it() -> None:
    with CountingThread() as thread:
        body = b"<p>words and more words</p>" * 1000
        later = encode(document(body), thread).brotli
        assert later is not None
        assert thread.jobs == 0
        # The first who asks leaves at once.
        impatient = asyncio.create_task(later.get())
        await asyncio.sleep(0)
        impatient.cancel()
        made = await asyncio.gather(*(later.get() for _ in range(5)))
        assert thread.jobs == 1
        assert {brotli.decompress(each or b"") for each in made} == {body}
        assert await later.get() is made[0]


async def test_a_document_takes_no_more_memory_than_it_says() -> None:
    with CountingThread() as thread:
        for body in (b"", b"short", b"<p>words</p>" * 1000, random.Random(1).randbytes(20_000)):
            encoded = encode(document(body), thread)
            assert encoded.brotli is not None
            made = await encoded.brotli.get()
            assert encoded.size == len(body) + 2 * len(encoded.gzipped)
            assert made is None or len(made) <= len(encoded.gzipped)
        assert await Brotli(b"short", 3, thread).get() is None


def test_without_a_thread_there_is_no_brotli() -> None:
    assert encode(document(b"words")).brotli is None
