"""Windows and channels as rows of the database. All functions run in the database's thread."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from contextlib import suppress
from functools import cache

import msgspec

from history.window import Held
from model.channel import Channel
from model.message import Message
from model.thread import Thread
from storage import history_store as store
from storage import thread_store
from storage.thread_store import ThreadRow

log = logging.getLogger(__name__)

# To be raised when the same Telegram message comes out of the adapter otherwise than before.
_ADAPTER = 1

_message_decoder = msgspec.msgpack.Decoder(Message)
_channel_decoder = msgspec.msgpack.Decoder(Channel)
_thread_decoder = msgspec.msgpack.Decoder(Thread)
_encoder = msgspec.msgpack.Encoder()


@cache
def _model() -> str:
    """Names the shape of what is stored: rows that an older or newer bridge wrote are not read.

    Made when it is first needed, since describing the model takes a twentieth of the service's start.
    """
    return _named(Message, Channel)


@cache
def _thread_model() -> str:
    """As `_model`, of threads."""
    return _named(Thread)


def _named(*types: type) -> str:
    shape = [_ADAPTER, *map(msgspec.json.schema, types)]
    return hashlib.sha256(msgspec.json.encode(shape)).hexdigest()[:16]


def load(connection: sqlite3.Connection, channel_id: int, known: Held | None = None) -> Held | None:
    """What is stored of the channel's messages: `known`, which was stored or loaded last, if it still is."""
    row = store.load_window(connection, channel_id, _model())
    if row is None:
        return None
    # Whatever changes what a message says changes the row.
    if known is not None and row == _row_of(known):
        return known
    try:
        messages = tuple(_message_decoder.decode(payload) for payload in store.load_messages(connection, channel_id))
    except msgspec.MsgspecError as fault:
        log.warning("Stored history of channel %s can't be read (%s): it will be fetched again", channel_id, fault)
        return None
    return Held(messages=messages, **row._asdict())


def save(connection: sqlite3.Connection, channel_id: int, old: Held | None, new: Held) -> None:
    """Store `new` where `old` is stored: only rows that differ are written."""
    if old is None:
        # Rows of another shape, if there are any.
        store.delete_window(connection, channel_id)
    store.save_window(connection, channel_id, _model(), _row_of(new))
    before = {} if old is None else {message.id: message for message in old.messages}
    changed = [message for message in new.messages if before.pop(message.id, None) != message]
    store.put_messages(connection, channel_id, ((message.id, _encoder.encode(message)) for message in changed))
    store.delete_messages(connection, channel_id, before)


def _row_of(held: Held) -> store.WindowRow:
    return store.WindowRow(**{name: getattr(held, name) for name in store.WindowRow._fields})


def delete(connection: sqlite3.Connection, channel_id: int) -> None:
    """Forget what is stored of the channel's messages."""
    store.delete_window(connection, channel_id)


def load_channel(connection: sqlite3.Connection, channel_id: int) -> tuple[Channel, float] | None:
    """What is stored of the channel, and until when it is fresh (unix seconds)."""
    row = store.load_channel(connection, channel_id, _model())
    if row is None:
        return None
    try:
        return _channel_decoder.decode(row.payload), row.expires_at
    except msgspec.MsgspecError as fault:
        log.warning("Stored channel %s can't be read (%s): it will be fetched again", channel_id, fault)
        return None


def load_polled(connection: sqlite3.Connection, since: float) -> list[Channel]:
    """The channels whose windows were brought up to date at `since` (unix seconds) or later."""
    channels = []
    for payload in store.load_polled(connection, _model(), since):
        # One that can't be read is fetched again at its next poll, which tells of it, too.
        with suppress(msgspec.MsgspecError):
            channels.append(_channel_decoder.decode(payload))
    return channels


def save_channel(connection: sqlite3.Connection, channel: Channel, expires_at: float) -> None:
    """Store the channel and its usernames."""
    row = store.ChannelRow(_encoder.encode(channel), expires_at)
    store.save_channel(connection, channel.id, _model(), row, usernames(channel))


def load_thread(connection: sqlite3.Connection, thread_id: int) -> tuple[Thread, float] | None:
    """What is stored of the thread, and until when it is fresh (unix seconds)."""
    row = thread_store.load_thread(connection, thread_id, _thread_model())
    if row is None:
        return None
    try:
        return _thread_decoder.decode(row.payload), row.expires_at
    except msgspec.MsgspecError as fault:
        log.warning("Stored thread %s can't be read (%s): it will be fetched again", thread_id, fault)
        return None


def save_thread(connection: sqlite3.Connection, thread_id: int, thread: Thread, expires_at: float) -> None:
    """Store the thread."""
    thread_store.save_thread(connection, thread_id, _thread_model(), ThreadRow(_encoder.encode(thread), expires_at))


def usernames(channel: Channel) -> set[str]:
    """All names that lead to the channel, in lower case."""
    return {name.lower() for name in (channel.username, *channel.usernames) if name}
