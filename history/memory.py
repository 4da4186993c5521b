"""Decoded windows that were asked for last, bounded by how many messages they hold together."""

from __future__ import annotations

from collections import OrderedDict

from history.window import Held


class WindowMemory:
    """A least-recently-used cache of windows by channel id. The newest one stays even if it is over the bound alone."""

    def __init__(self, max_messages: int) -> None:
        self._max_messages = max_messages
        self._windows: OrderedDict[int, Held] = OrderedDict()
        self.messages = 0

    def __len__(self) -> int:
        return len(self._windows)

    def get(self, channel_id: int) -> Held | None:
        """The channel's window, which thereby becomes the most recently used."""
        held = self._windows.get(channel_id)
        if held is not None:
            self._windows.move_to_end(channel_id)
        return held

    def put(self, channel_id: int, held: Held) -> None:
        """Keep the window in place of an older one; others may have to go."""
        self.drop(channel_id)
        self._windows[channel_id] = held
        self.messages += len(held.messages)
        while self.messages > self._max_messages and len(self._windows) > 1:
            _, evicted = self._windows.popitem(last=False)
            self.messages -= len(evicted.messages)

    def drop(self, channel_id: int) -> None:
        """Forget the channel's window."""
        held = self._windows.pop(channel_id, None)
        if held is not None:
            self.messages -= len(held.messages)
