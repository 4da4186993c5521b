"""Replies learn what they answer, where that is at hand: Telegram itself sends only the id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from model.entity import Text
from model.message import Message, Reply
from posts.kinds import media_title
from posts.plain import cut


def answered_ids(messages: Iterable[Message]) -> Iterator[int]:
    """The ids of what plain replies among the messages answer in their own chat."""
    for message in messages:
        reply = message.reply
        if reply is not None and reply.message_id is not None and reply.chat is None and reply.story_id is None:
            yield reply.message_id


def answered_by(messages: Iterable[Message], at_hand: Mapping[int, Message]) -> tuple[Message, ...]:
    """What the messages answer, of the messages at hand by id."""
    return tuple(at_hand[message_id] for message_id in answered_ids(messages) if message_id in at_hand)


def with_answered(messages: Sequence[Message], answered: Iterable[Message], quote_chars: int) -> tuple[Message, ...]:
    """The messages, with author and text of the answered message in each plain reply to one of `answered`.

    A longer text is cut to `quote_chars` visible characters at a word's end. A quote that came with the reply stays,
    and a message without text is told by its media. The messages themselves are not changed.
    """
    at_hand = {message.id: message for message in answered}
    return tuple(_completed(message, at_hand, quote_chars) for message in messages)


def _completed(message: Message, at_hand: Mapping[int, Message], quote_chars: int) -> Message:
    answered = next(iter(answered_by([message], at_hand)), None)
    if answered is None or message.reply is None:
        return message
    quote = message.reply.quote if message.reply.quote.text else _told(answered, quote_chars)
    author = message.reply.author or answered.sender
    complete: Reply = msgspec.structs.replace(message.reply, author=author, quote=quote)
    return msgspec.structs.replace(message, reply=complete)


def _told(message: Message, quote_chars: int) -> Text:
    if not message.text.text.strip():
        return Text(media_title([message]))
    text = cut(message.text.text, quote_chars, quote_chars // 2)
    # What reaches past the cut is left out when the text is rendered.
    return Text(text, message.text.entities)
