"""Documents are made of what is remembered, and read as if they were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path

import msgspec
import pytest
from fake_telegram import NEWS, FakeTelegram

from feeds.feed import FeedFormat
from model.channel import Channel
from model.entity import Entity, EntityType, Text
from model.media import FileLocation, FileRef, Photo
from model.message import Message, Reaction
from posts.post import MediaLinks
from routes.channels import ChannelDocuments
from routes.document_cache import DocumentCache
from routes.query import FeedQuery
from routes.rendering import Renderer, RenderSettings
from storage.database import Database
from storage.schema import MIGRATIONS
from tg_cache import History

BASE_URL = "https://bridge.example.org"
SETTINGS = RenderSettings(
    link_host="t.me", zone=UTC, show_flags=True, show_bridge_link=True, reply_quote_chars=200, reply_quote_distance=2
)


@dataclass(frozen=True)
class CountedLinks:
    """Media addresses, and how often each post has asked for one: once a rendering."""

    base_url: str
    asked: Counter[int] = field(compare=False)

    def url(self, channel_id: int, post_id: int, file: FileRef) -> str:
        self.asked[post_id] += 1
        return f"{self.base_url}/media/{channel_id}/{post_id}/{file.unique_id}"


class Desk:
    """Documents of one history; `fresh` has nothing in memory."""

    def __init__(self, telegram: FakeTelegram, history: History, thread: ThreadPoolExecutor) -> None:
        self.telegram, self.history = telegram, history
        self._thread = thread
        self._asked: Counter[int] = Counter()
        self.documents = self.fresh()

    def fresh(self) -> ChannelDocuments:
        def links_for(base_url: str) -> MediaLinks:
            return CountedLinks(base_url, self._asked)

        return ChannelDocuments(self.history, DocumentCache(10**6), Renderer(links_for, SETTINGS, self._thread))

    def rendered(self) -> dict[int, int]:
        """How often each post was rendered since this was last asked."""
        counted = dict(self._asked)
        self._asked.clear()
        return counted

    def write(self, count: int = 1) -> list[int]:
        """Posts with all that is rendered in one way or another."""
        ids = self.telegram.write(count)
        for post_id in ids:
            bold = Entity(type=EntityType.BOLD, offset=0, length=4)
            text = Text(f"Post <{post_id}> 🌊", (bold,))
            self.telegram.edit(post_id, text=text, media=Photo(file=photo(post_id)))
        return ids

    async def push(self, *post_ids: int) -> None:
        await self.history.apply(NEWS.id, [self.telegram.posts[NEWS.id][post_id] for post_id in post_ids])

    async def feed(self, documents: ChannelDocuments | None = None, format: FeedFormat = FeedFormat.RSS) -> bytes:
        served = await (documents or self.documents).feed("news", FeedQuery(limit=100), format, BASE_URL)
        return served.encoded.document.body


def photo(number: int) -> FileRef:
    return FileRef(
        location=FileLocation.PHOTO,
        id=number,
        access_hash=1,
        file_reference=b"r",
        dc_id=2,
        unique_id=f"photo{number}",
        mime_type="image/jpeg",
        width=640,
        height=480,
    )


@pytest.fixture
def thread() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture
async def desk(tmp_path: Path, thread: ThreadPoolExecutor) -> AsyncIterator[Desk]:
    database = await Database.open(tmp_path / "bridge.db", MIGRATIONS)
    telegram = FakeTelegram()
    yield Desk(telegram, History(database, telegram, history_ttl=3600, channel_ttl=3600), thread)
    await database.close()


async def test_one_new_message_costs_one_rendering(desk: Desk) -> None:
    first = desk.write(90)
    await desk.feed()
    assert desk.rendered() == dict.fromkeys(first, 1)
    new = desk.write()
    await desk.push(*new)
    assert f"&lt;{new[0]}&gt;".encode() in await desk.feed()
    assert desk.rendered() == dict.fromkeys(new, 1)


@pytest.mark.parametrize("format", FeedFormat)
async def test_a_remembered_document_is_byte_for_byte_a_new_one(desk: Desk, format: FeedFormat) -> None:
    first = desk.write(30)
    await desk.feed(format=format)
    desk.telegram.edit(first[3], text=Text("edited"), edit_date=2000)
    desk.telegram.edit(first[4], views=1234, reactions=(Reaction(count=3, emoji="👍"),))
    await desk.push(first[3], first[4], *desk.write(2))
    remembered = await desk.feed(format=format)
    assert b"edited" in remembered and b"1234" in remembered.replace(b",", b"").replace(b"\xe2\x80\xaf", b"")
    assert remembered == await desk.feed(desk.fresh(), format)


async def test_feed_and_page_share_their_posts(desk: Desk) -> None:
    desk.write(10)
    await desk.feed(format=FeedFormat.RSS)
    desk.rendered()
    await desk.feed(format=FeedFormat.HTML)
    assert desk.rendered() == {}


async def test_other_addresses_make_other_posts(desk: Desk) -> None:
    desk.write(3)
    await desk.feed()
    served = await desk.documents.feed("news", FeedQuery(), FeedFormat.RSS, "http://192.168.1.9:8000")
    assert b"http://192.168.1.9:8000/media/" in served.encoded.document.body
    assert f"{BASE_URL}/media/".encode() not in served.encoded.document.body


@pytest.mark.parametrize("kind", [Message, Channel])
def test_all_that_posts_are_made_from_can_be_looked_up(kind: type[msgspec.Struct]) -> None:
    """A list or an unfrozen struct in the model would make every feed fail that has one in it."""
    structs, others = parts_of(kind)
    assert len(structs) > 1
    assert not [struct.__name__ for struct in structs if not struct.__struct_config__.frozen]
    assert not others & {"ListType", "DictType", "SetType", "ByteArrayType", "AnyType", "RawType", "CustomType"}


def parts_of(kind: type[msgspec.Struct]) -> tuple[set[type[msgspec.Struct]], set[str]]:
    """All structs in a struct, at any depth, and the names of all other types in it."""
    structs: set[type[msgspec.Struct]] = set()
    others: set[str] = set()
    waiting: list[object] = [msgspec.inspect.type_info(kind)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, msgspec.inspect.StructType):
            if part.cls not in structs:
                structs.add(part.cls)
                waiting += [field.type for field in part.fields]
        elif isinstance(part, msgspec.inspect.UnionType):
            waiting += part.types
        elif isinstance(part, msgspec.inspect.VarTupleType):
            waiting.append(part.item_type)
        else:
            others.add(type(part).__name__)
    return structs, others
