"""What the history counts."""

from __future__ import annotations

import msgspec

from history.waiting import WaitingStats


class HistoryStats(msgspec.Struct, frozen=True, kw_only=True):
    """The history at one moment; counters count since the start of the process."""

    windows_in_memory: int
    messages_in_memory: int
    hits: int
    refreshes: int
    extensions: int
    stale_served: int
    refused_channels: int
    failing_channels: int
    missing_posts: int
    waiting: WaitingStats
