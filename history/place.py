"""What a window shows: a chat, or a thread of one."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from errors import PassingFault
from model.channel import Channel
from model.message import Message
from model.thread import Thread, ThreadKey, ThreadKind, thread_name

Key = str | int | ThreadKey
"""What is asked for: a key of `parse_channel_key`, or a thread of the chat under one."""

# Below all ids of chats. The rest of 63 bits is the thread's own.
_FIRST_ID = -(2**62)


class Place(NamedTuple):
    """Where messages are shown from. They are those of `channel`, a thread's, too."""

    channel: Channel
    thread: Thread | None = None

    @property
    def id(self) -> int:
        """Under which id it is known: the chat's, or a number that is no chat's."""
        return self.channel.id if self.thread is None else thread_id(self.thread.name)

    @property
    def key(self) -> Key:
        """What leads here under every name that the chat will ever have."""
        thread = self.thread
        return self.channel.id if thread is None else ThreadKey(thread.chat.id, thread.kind, thread.root_id)

    @property
    def asked(self) -> Channel:
        """The chat that Telegram is asked for: comments are asked for by their post."""
        return self.channel if self.thread is None else self.thread.chat

    def asking(self, channel: Channel) -> Place:
        """The same with other data of the chat that is asked for."""
        return Place(channel) if self.thread is None else place_of(self.thread, channel)


class FoundPlace(NamedTuple):
    """A place, and the fault that kept its data from being renewed, if it is older than it should be."""

    place: Place
    fault: PassingFault | None = None


def place_of(thread: Thread, chat: Channel) -> Place:
    """The thread as a place, with what is known now of the chat that is asked for. A topic is in that very chat."""
    home = chat if thread.kind is ThreadKind.TOPIC else thread.home
    return Place(home, msgspec.structs.replace(thread, chat=chat, home=home))


def thread_id(name: str) -> int:
    """The number of the thread with that `Thread.name`."""
    return _FIRST_ID - (int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) >> 2)


def thread_id_of(chat_id: int, key: ThreadKey) -> int:
    """The number of the thread that a key means, of the chat that it leads to."""
    return thread_id(thread_name(str(chat_id), key.kind, key.root_id))


def without_answers_to_root(messages: Sequence[Message], thread: Thread) -> Sequence[Message]:
    """The messages, of which those that merely answer the post itself are no replies.

    All comments do, and who reads them knows the post. What was quoted by hand stays.
    """
    roots = {root.id for root in thread.roots}
    if not roots:
        return messages

    def answers_root(message: Message) -> bool:
        reply = message.reply
        return reply is not None and reply.chat is None and reply.message_id in roots and not reply.manual

    return [msgspec.structs.replace(one, reply=None) if answers_root(one) else one for one in messages]
