"""A bounded mapping keeps what is in use."""

from __future__ import annotations

import pytest

from routes.recently_used import RecentlyUsed


def test_the_entry_that_was_used_least_recently_goes() -> None:
    entries: RecentlyUsed[str, int] = RecentlyUsed(3)
    entries.update(a=1, b=2, c=3)
    assert entries.get("a") == 1
    entries["b"] = 20
    entries["d"] = 4
    assert dict(entries.items()) == {"a": 1, "b": 20, "d": 4}
    with pytest.raises(KeyError):
        entries["c"]


def test_entries_can_be_removed() -> None:
    entries: RecentlyUsed[str, int] = RecentlyUsed(2)
    entries.update(a=1, b=2)
    del entries["a"]
    assert (len(entries), entries.get("a"), entries["b"]) == (1, None, 2)
