"""Channels with files for the tests that run for long: what is served, and so what is right."""

from __future__ import annotations

import random
import time
from collections import deque
from typing import Any

from pyrogram import raw
from telegram_world import channel

from tgserver import Chat, ServedFile, Server, World

T = raw.types

FIRST_CHANNEL = 5001
HOME_DC, FAR_DC = 2, 4


class Channels:
    """The world: `count` channels of `posts` posts, of which every other one has a file, at one of two data centers.

    A file's bytes are drawn from its id. Of each newest post the time is kept, to tell what a feed can't but have.
    """

    def __init__(self, count: int, posts: int, *, largest: int) -> None:
        """`largest` is the size in bytes of a file; there are all sizes up to it, most of them small."""
        self.world = World()
        self.names = [f"soak_{number}" for number in range(count)]
        self._largest = largest
        self._tops: dict[str, deque[tuple[float, int]]] = {name: deque(maxlen=200) for name in self.names}
        for number, name in enumerate(self.names):
            chat = self.world.add_chat(channel(FIRST_CHANNEL + number, f"Soak {number}", name))
            for post_id in range(1, posts + 1):
                chat.messages[post_id] = self._message(chat, post_id)
            self._tops[name].append((0.0, posts))

    def chat(self, name: str) -> Chat:
        """The channel of that name."""
        found = self.world.channel(FIRST_CHANNEL + self.names.index(name))
        assert found is not None
        return found

    def ids(self, name: str) -> set[int]:
        """All posts that the channel has."""
        return set(self.chat(name).ids)

    def top(self, name: str, before: float = float("inf")) -> int:
        """The newest post, as of a moment of `time.monotonic()`."""
        return next(top for moment, top in reversed(self._tops[name]) if moment <= before)

    def post(self, server: Server, name: str) -> int:
        """Publish one more post; its id."""
        chat = self.chat(name)
        post_id = server.next_message_id(chat)
        server.post(chat, self._message(chat, post_id))
        self._tops[name].append((time.monotonic(), post_id))
        return post_id

    def file_id(self, name: str, post_id: int) -> int:
        """The id of a post's file, whether it has one or not."""
        return _file_id(self.chat(name).id, post_id)

    def content(self, channel_id: int, post_id: int) -> bytes:
        """The bytes of a post's file, by the bridge's id of the channel."""
        file_id = _file_id(-(10**12) - channel_id, post_id)
        return next(file.read(0, file.size) for (known, _), file in self.world.files.items() if known == file_id)

    def _message(self, chat: Chat, post_id: int) -> raw.types.Message:
        return T.Message(
            id=post_id,
            peer_id=T.PeerChannel(channel_id=chat.id),
            date=1_700_000_000 + post_id,
            message=f"Post {post_id} of {chat.peer.title}" if isinstance(chat.peer, raw.types.Channel) else "",
            post=True,
            views=post_id,
            forwards=0,
            media=self._media(chat.id, post_id) if post_id % 2 == 0 else None,
        )

    def _media(self, channel_id: int, post_id: int) -> raw.base.MessageMedia:
        file_id = _file_id(channel_id, post_id)
        draw = random.Random(file_id)
        size = int(self._largest ** draw.uniform(0.5, 1))
        photo = post_id % 4 == 0
        file = self.world.add_file(
            ServedFile(
                id=file_id,
                access_hash=file_id + 1,
                file_reference=b"first",
                size=size,
                content=draw.randbytes(size),
                thumb_size="y" if photo else "",
                dc_id=FAR_DC if post_id % 3 == 0 else HOME_DC,
            )
        )
        if photo:
            sizes: list[Any] = [T.PhotoSize(type="y", w=800, h=600, size=size)]
            return T.MessageMediaPhoto(photo=T.Photo(sizes=sizes, **common_fields(file)))
        name = T.DocumentAttributeFilename(file_name=f"{post_id}.zip")
        document = T.Document(mime_type="application/zip", size=size, attributes=[name], **common_fields(file))
        return T.MessageMediaDocument(document=document)


def common_fields(file: ServedFile) -> dict[str, Any]:
    """What photos and documents have in common."""
    return {
        "id": file.id,
        "access_hash": file.access_hash,
        "file_reference": file.file_reference,
        "date": 1_700_000_000,
        "dc_id": file.dc_id,
    }


def _file_id(channel_id: int, post_id: int) -> int:
    return channel_id * 10_000 + post_id
