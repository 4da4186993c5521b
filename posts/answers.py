"""Replies learn what they answer, where that is at hand: Telegram itself sends only the id."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from model.entity import Text
from model.message import Message, Reply
from posts.kinds import media_title
from posts.plain import cut


def with_answered(messages: Sequence[Message], quote_chars: int) -> list[Message]:
    """The messages, with author and text of the answered message in each plain reply to one of them.

    A longer text is cut to `quote_chars` visible characters at a word's end. A quote that came with the reply stays,
    and a message without text is told by its media. The messages themselves are not changed.
    """
    by_id = {message.id: message for message in messages}
    return [_completed(message, by_id, quote_chars) for message in messages]


def _completed(message: Message, by_id: dict[int, Message], quote_chars: int) -> Message:
    reply = message.reply
    if reply is None or reply.message_id is None or reply.chat is not None or reply.story_id is not None:
        return message
    answered = by_id.get(reply.message_id)
    if answered is None or (reply.author is not None and reply.quote.text):
        return message
    quote = reply.quote if reply.quote.text else _told(answered, quote_chars)
    complete: Reply = msgspec.structs.replace(reply, author=reply.author or answered.sender, quote=quote)
    return msgspec.structs.replace(message, reply=complete)


def _told(message: Message, quote_chars: int) -> Text:
    if not message.text.text.strip():
        return Text(media_title([message]))
    text = cut(message.text.text, quote_chars, quote_chars // 2)
    # What reaches past the cut is left out when the text is rendered.
    return Text(text, message.text.entities)
