"""A Telegram in memory that answers what `TelegramReader` asks, counts the calls, and fails when told to."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import msgspec

from errors import BridgeError, ChannelNotFound, ThreadNotFound
from history.source import PAGE
from model.channel import Channel, ChannelKind
from model.entity import Text
from model.message import Message, Service
from model.thread import Thread, ThreadKind
from tg_throttle import Priority

NEWS = Channel(id=-1000000000001, kind=ChannelKind.CHANNEL, title="News", access_hash=11, username="News")


class FakeTelegram:
    """Channels with their messages. `faults`: the error that each call of a method meets."""

    def __init__(self) -> None:
        self.channels: dict[int, Channel] = {}
        self.posts: dict[int, dict[int, Message]] = {}
        self.invitations: dict[str, int] = {}
        self.calls: Counter[str] = Counter()
        self.priorities: set[Priority] = set()
        self.faults: dict[str, BridgeError] = {}
        self.hold: asyncio.Event | None = None
        self.add(NEWS)

    def add(self, channel: Channel, count: int = 0) -> Channel:
        self.channels[channel.id] = channel
        self.posts.setdefault(channel.id, {})
        self.write(count, channel)
        return channel

    def write(
        self, count: int = 1, channel: Channel = NEWS, *, album: int | None = None, service: Service | None = None
    ) -> list[int]:
        posts = self.posts[channel.id]
        first = max(posts, default=1) + 1
        for post_id in range(first, first + count):
            posts[post_id] = Message(
                id=post_id,
                date=1000 + post_id,
                text=Text("" if service else f"post {post_id}"),
                media_group_id=album,
                service=service,
                views=1,
            )
        return list(range(first, first + count))

    def edit(self, post_id: int, channel: Channel = NEWS, **fields: object) -> None:
        posts = self.posts[channel.id]
        posts[post_id] = msgspec.structs.replace(posts[post_id], **fields)

    async def _called(self, method: str, priority: Priority) -> None:
        self.calls[method] += 1
        self.priorities.add(priority)
        await asyncio.sleep(0)
        if self.hold is not None:
            await self.hold.wait()
        if method in self.faults:
            raise self.faults[method]

    def _known(self, channel: Channel) -> Channel:
        found = self.channels.get(channel.id)
        if found is None or found.access_hash != channel.access_hash:
            raise ChannelNotFound(f"No channel {channel.id}")
        return found

    async def resolve(self, key: str | int, *, priority: Priority) -> Channel:
        await self._called("resolve", priority)
        for channel in self.channels.values():
            if channel.id in (key, self.invitations.get(str(key))) or (
                channel.username and key == channel.username.lower()
            ):
                return channel
        raise ChannelNotFound(f"No channel {key}")

    async def full_channel(self, channel: Channel, *, priority: Priority) -> Channel:
        await self._called("full", priority)
        known = self._known(channel)
        return msgspec.structs.replace(known, about=known.about or "All about it")

    async def history(
        self, channel: Channel, *, offset_id: int = 0, limit: int = PAGE, priority: Priority
    ) -> Sequence[Message]:
        await self._called("history", priority)
        posts = self.posts[self._known(channel).id]
        ids = sorted((post_id for post_id in posts if not offset_id or post_id < offset_id), reverse=True)
        return [posts[post_id] for post_id in ids[: min(limit, PAGE)]]

    async def messages(self, channel: Channel, ids: Sequence[int], *, priority: Priority) -> Sequence[Message]:
        await self._called("messages", priority)
        posts = self.posts[self._known(channel).id]
        return [posts[post_id] for post_id in ids if post_id in posts]

    async def thread(self, chat: Channel, kind: ThreadKind, root_id: int, *, priority: Priority) -> Thread:
        await self._called("thread", priority)
        raise ThreadNotFound(f"{chat.title} has no threads")

    async def replies(
        self, thread: Thread, *, offset_id: int = 0, limit: int = PAGE, priority: Priority
    ) -> Sequence[Message]:
        await self._called("replies", priority)
        raise ThreadNotFound(f"{thread.chat.title} has no threads")
