"""What the history needs of Telegram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from model.channel import Channel
from model.message import Message
from model.thread import Thread, ThreadKind
from tg_throttle import Priority

PAGE = 100
"""The most messages that one call gives."""


class TelegramReader(Protocol):
    """Reads chats; one Telegram call a method, through the gate.

    All raise a PassingFault (flood wait, timeout, no connection), ChannelNotFound or ChannelPrivate.
    """

    async def resolve(self, key: str | int, *, priority: Priority) -> Channel:
        """The chat with that username (lower case, no `@`), marked id, or invitation (`+hash`)."""
        ...

    async def full_channel(self, channel: Channel, *, priority: Priority) -> Channel:
        """The chat with all that its full info tells."""
        ...

    async def history(
        self, channel: Channel, *, offset_id: int = 0, limit: int = PAGE, priority: Priority
    ) -> Sequence[Message]:
        """The newest `limit` messages with an id below `offset_id` (0: the newest of all), newest first."""
        ...

    async def thread(self, chat: Channel, kind: ThreadKind, root_id: int, *, priority: Priority) -> Thread:
        """The topic, or the comments on the post, with that id. Raises ThreadNotFound, too."""
        ...

    async def replies(
        self, thread: Thread, *, offset_id: int = 0, limit: int = PAGE, priority: Priority
    ) -> Sequence[Message]:
        """As `history`, of a thread. Raises ThreadNotFound, too."""
        ...

    async def messages(self, channel: Channel, ids: Sequence[int], *, priority: Priority) -> Sequence[Message]:
        """The messages with those ids, at most `PAGE`; those that do not exist are left out."""
        ...
