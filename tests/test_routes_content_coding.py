from __future__ import annotations

import gzip

import pytest

from feeds.feed import Document
from routes.content_coding import accepts_gzip, encode


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
