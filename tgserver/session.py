"""MTProto sessions: what outlives the TCP connections that carry it.

A session is named by its auth key and by the id that the client chose, and keeps its message
ids and sequence numbers when the client reconnects.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tgserver.accounts import AuthKey

if TYPE_CHECKING:
    from tgserver.connection import Connection

# The low bits of a server's message id: an answer to the client, or something it did not ask for.
ANSWER, PUSH = 1, 3
SALT = 0x5A17


class Session:
    """One session: its key, the connection that last carried it, its counters."""

    def __init__(self, key: AuthKey, session_id: bytes, *, media: bool) -> None:
        self.key = key
        self.id = session_id
        self.media = media
        self.connection: Connection | None = None
        self.salt = SALT
        # Set by the first call that is not wrapped in invokeWithoutUpdates.
        self.wants_updates = False
        self._last_id = 0
        self._content_messages = 0

    def next_id(self, kind: int, clock_offset: float) -> int:
        """A new message id (the server's time, with `clock_offset` seconds added), always rising."""
        wanted = int((time.time() + clock_offset) * 2**32) & ~3 | kind
        if wanted <= self._last_id:
            wanted = (self._last_id & ~3) + 4 | kind
        self._last_id = wanted
        return wanted

    def next_seq(self, *, content: bool) -> int:
        """A new sequence number: odd for messages that the client must acknowledge."""
        number = self._content_messages * 2
        if content:
            self._content_messages += 1
            number += 1
        return number
