"""What of a message is its content, and what changes without anybody having written anything."""

from __future__ import annotations

from typing import Any

import msgspec

from model.message import Message

# Counters, and what Telegram renews by itself so that files can be fetched.
_VOLATILE = frozenset(
    {
        "views",
        "forwards",
        "reactions",
        "voters",
        "total_voters",
        "file_reference",
        "access_hash",
        "dc_id",
        "peer_access_hash",
    }
)


def content_of(message: Message) -> object:
    """The message's content as a plain value, equal for two messages that read the same."""
    plain = msgspec.to_builtins(message)
    if "comments" in plain:
        # Whether there is a discussion is content, how long it is a counter.
        plain["comments"] = 0
    return _lasting(plain)


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lasting(part) for key, part in value.items() if key not in _VOLATILE}
    if isinstance(value, list | tuple):
        return [_lasting(part) for part in value]
    return value
