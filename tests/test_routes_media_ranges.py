"""Whatever a client asks of a file, it gets what RFC 9110 says: over HTTP, for files at hand and on their way.

The reference here is written from the RFC's text alone and shares no code with the service.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import given, settings
from hypothesis import strategies as st
from media_source import MemorySource, file_bytes
from test_routes_media import Bridge, serving

from media_cache.parts import PART_SIZE

# Larger than two parts, so that a request may meet several of them on their way.
CONTENT = b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41" + file_bytes(2 * PART_SIZE + 77)
SIZE = len(CONTENT)
BEFORE, DATE, AFTER = (f"Tue, 14 Nov 2023 22:13:{second} GMT" for second in (19, 20, 21))
# RFC 9110 5.6.7: the obsolete forms are to be understood, too.
OBSOLETE = ["Tuesday, 14-Nov-23 22:13:20 GMT", "Tue Nov 14 22:13:20 2023"]
# A server may ignore a request for more ranges than anybody needs (RFC 9110 14.2).
REASONABLE = 32

Interval = tuple[int, int]
"""First and last position, as Content-Range has them."""


@dataclass
class Asker:
    """Asks the service; each file is whole or on its way when it is asked for."""

    portal: BlockingPortal
    bridge: Bridge
    connection: HTTPConnection
    numbers: Iterator[int]
    on_its_way: bool

    def ask(self, method: str, headers: dict[str, str]) -> tuple[HTTPResponse, bytes, str]:
        """The answer, its body and the file's tag."""
        unique_id = "stored"
        if self.on_its_way:
            unique_id = f"cold{next(self.numbers)}"
            self.bridge.source.delay = 0.002
        url = self.portal.call(self._put, unique_id)
        tag = f'"{unique_id}"'
        self.connection.request(method, url, headers={k: v.replace("TAG", tag) for k, v in headers.items()})
        response = self.connection.getresponse()
        body = response.read()
        if self.on_its_way:
            self.portal.call(self.bridge.settled)
            # So that no more than one of these is kept.
            self.bridge.source.files.pop(unique_id)
        return response, body, tag

    async def _put(self, unique_id: str) -> str:
        if self.on_its_way or unique_id not in self.bridge.source.files:
            url = self.bridge.put(CONTENT, unique_id, mime_type="video/mp4")
            if not self.on_its_way:
                await self.bridge.client.get(url)
                await self.bridge.settled()
            return url
        file = self.bridge.files[unique_id]
        assert not isinstance(file, Exception)
        return self.bridge.signer.url(-1001234567890, 42, file)


@pytest.fixture(scope="module", params=[False, True], ids=["whole", "on its way"])
def asker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    folder: Path = tmp_path_factory.mktemp("media")
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(serving(folder, MemorySource(), parts_in_flight=2)) as bridge,
    ):
        connection = HTTPConnection("127.0.0.1", bridge.client.base_url.port, timeout=20)
        try:
            yield Asker(portal, bridge, connection, itertools.count(), request.param)
        finally:
            connection.close()


# The reference.


def conditions_say(headers: dict[str, str], tag: str) -> int:
    """The status that the preconditions alone lead to, 200 if they let the request through (RFC 9110 13.2.2)."""
    if (value := headers.get("If-Match")) is not None:
        if value != "*" and tag not in value.split(", "):
            return 412
    elif date_of(headers.get("If-Unmodified-Since")) == BEFORE:
        return 412
    if (value := headers.get("If-None-Match")) is not None:
        # The weak comparison (RFC 9110 8.8.3.2).
        if value == "*" or tag in [item.removeprefix("W/") for item in value.split(", ")]:
            return 304
    elif date_of(headers.get("If-Modified-Since")) in (DATE, AFTER):
        return 304
    return 200


def date_of(value: str | None) -> str | None:
    """A date in the preferred form; None for what is no date, which is ignored (RFC 9110 13.1.3, 13.1.4)."""
    if value in OBSOLETE:
        return DATE
    return value if value in (BEFORE, DATE, AFTER) else None


def range_counts(if_range: str | None, tag: str) -> bool:
    """RFC 9110 13.1.5: the strong comparison of tags, or exactly the date."""
    return if_range is None or if_range == tag or date_of(if_range) == DATE


def asked_for(value: str | None) -> list[Interval] | None:
    """The satisfiable ranges of a Range header in their order, None if it is to be ignored (RFC 9110 14.1, 14.2)."""
    if value is None:
        return None
    unit, equals, ranges = value.partition("=")
    if not equals or unit.lower() != "bytes":
        return None
    # RFC 9110 5.6.1.2: empty elements of a list are ignored; optional whitespace is of blanks and tabs.
    specs = [element.strip(" \t") for element in ranges.split(",") if element.strip(" \t")]
    found: list[Interval] = []
    for spec in specs:
        if re.fullmatch("[0-9]+-[0-9]+", spec):
            first, last = (int(number) for number in spec.split("-"))
            if last < first:
                return None
            if first < SIZE:
                found.append((first, min(last, SIZE - 1)))
        elif re.fullmatch("[0-9]+-", spec):
            if int(spec[:-1]) < SIZE:
                found.append((int(spec[:-1]), SIZE - 1))
        elif re.fullmatch("-[0-9]+", spec):
            if int(spec[1:]) > 0:
                found.append((max(0, SIZE - int(spec[1:])), SIZE - 1))
        else:
            return None
    return found if specs else None


def united(intervals: Sequence[Interval]) -> list[Interval]:
    """The same positions in as few intervals as can be, in their order in the file."""
    result: list[Interval] = []
    for first, last in sorted(intervals):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(result[-1][1], last))
        else:
            result.append((first, last))
    return result


# Reading answers.


def parts_of(response: HTTPResponse, body: bytes) -> list[tuple[Interval, bytes]]:
    """What a 206 holds: one range, or the parts of multipart/byteranges (RFC 9110 14.6, RFC 2046 5.1.1)."""
    content_type = response.getheader("Content-Type", "")
    if not content_type.startswith("multipart/"):
        assert content_type == "video/mp4"
        return [(interval_of(response.getheader("Content-Range", "")), body)]
    assert response.getheader("Content-Range") is None
    match = re.fullmatch(r"multipart/byteranges; boundary=(\w{1,70})", content_type)
    assert match
    delimiter = b"\r\n--" + match[1].encode()
    before, *sections, after = (b"\r\n" + body).split(delimiter)
    assert (before, after) == (b"", b"--\r\n")
    parts = []
    for section in sections:
        head, _, content = section.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        fields = dict(line.split(": ") for line in head.decode().split("\r\n"))
        assert fields.keys() == {"Content-Type", "Content-Range"}
        assert fields["Content-Type"] == "video/mp4"
        parts.append((interval_of(fields["Content-Range"]), content))
    assert len(parts) > 1
    return parts


def interval_of(content_range: str) -> Interval:
    match = re.fullmatch(rf"bytes (\d+)-(\d+)/{SIZE}", content_range)
    assert match, content_range
    return int(match[1]), int(match[2])


# What clients may send.

POSITIONS = st.one_of(
    st.integers(0, SIZE + 3),
    st.sampled_from([0, 1, 2, 65535, PART_SIZE - 1, PART_SIZE, PART_SIZE + 1, SIZE - 2, SIZE - 1, SIZE, 10**25]),
)
SPANS = st.tuples(POSITIONS, POSITIONS).map(lambda pair: f"{min(pair)}-{max(pair)}")
SPECS = st.one_of(
    SPANS,
    SPANS,
    POSITIONS.map(lambda position: f"{position}-"),
    POSITIONS.map(lambda length: f"-{length}"),
    POSITIONS.map(lambda position: f"000{position}-"),
)
ODD_SPECS = st.sampled_from(["", " ", "-", "9-5", "x", "1-2-3", "1 - 2", "+1-2", "--1", "0x1-0x2", "1_0-2_0", "1.5-2"])
RANGES = st.builds(
    lambda unit, specs, comma: f"{unit}={comma.join(specs)}",
    st.sampled_from(["bytes"] * 8 + ["Bytes", "BYTES", "lines", "byte", ""]),
    st.one_of(
        st.lists(SPECS, min_size=1, max_size=2),
        st.lists(SPECS, min_size=1, max_size=40),
        st.lists(st.one_of(SPECS, ODD_SPECS), max_size=4),
    ),
    st.sampled_from([",", ", ", ",\t", " ,", ",,"]),
)
TAGS = st.sampled_from(["TAG", "W/TAG", '"other"', 'W/"other"'])
TAG_LISTS = st.one_of(st.just("*"), st.lists(TAGS, min_size=1, max_size=3).map(", ".join))
DATES = st.sampled_from([BEFORE, DATE, AFTER, "soon", *OBSOLETE])
CONDITIONS = st.fixed_dictionaries(
    {},
    optional={
        "If-Match": TAG_LISTS,
        "If-None-Match": TAG_LISTS,
        "If-Modified-Since": DATES,
        "If-Unmodified-Since": DATES,
    },
)
HEADERS = st.builds(
    lambda conditions, asked: {**conditions, **asked},
    st.one_of(st.just({}), CONDITIONS),
    st.one_of(
        st.fixed_dictionaries({"Range": RANGES}),
        st.fixed_dictionaries({"Range": RANGES}, optional={"If-Range": st.one_of(TAGS, DATES)}),
        st.just({}),
    ),
)


@given(st.sampled_from(["GET", "GET", "GET", "HEAD"]), HEADERS)
@settings(max_examples=120, deadline=None)
def test_every_request_is_answered_as_the_rfc_says(asker: Asker, method: str, headers: dict[str, str]) -> None:
    response, body, tag = asker.ask(method, headers)
    sent = {name: value.replace("TAG", tag) for name, value in headers.items()}

    status = conditions_say(sent, tag)
    intervals = None
    # Only GET knows ranges (RFC 9110 14.2).
    if status == 200 and method == "GET" and range_counts(sent.get("If-Range"), tag):
        intervals = asked_for(sent.get("Range"))
        if intervals is not None:
            status = 206 if intervals else 416
    many = len(sent.get("Range", "").split(",")) > REASONABLE
    assert response.status == status or (many and response.status == 200)

    if response.status == 412:
        assert response.getheader("Cache-Control") == "no-store"
        return
    if response.status == 416:
        assert response.getheader("Content-Range") == f"bytes */{SIZE}"
        return
    assert response.getheader("ETag") == tag
    if response.status == 304:
        assert body == b""
        return
    assert response.getheader("Last-Modified") == DATE
    assert response.getheader("Accept-Ranges") == "bytes"
    if method == "HEAD":
        assert response.getheader("Content-Length") == str(SIZE)
        assert body == b""
        return
    assert response.getheader("Content-Length") == str(len(body))
    if response.status == 200:
        assert body == CONTENT
        return
    assert intervals is not None
    parts = parts_of(response, body)
    assert all(content == CONTENT[first : last + 1] for (first, last), content in parts)
    # Each byte that was asked for once (RFC 9110 15.3.7.2 lets overlapping ranges be joined), and no other.
    assert sorted(interval for interval, _ in parts) == united(intervals)
