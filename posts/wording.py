"""Numbers and moments as people read them."""

from __future__ import annotations

from datetime import datetime, timedelta

_EPOCH = datetime(1970, 1, 1)


def utc_minute(unix: int | None) -> str:
    """`2026-12-01 12:00 UTC`; "" for no time."""
    return f"{at.isoformat(' ', 'minutes')} UTC" if (at := _utc(unix)) else ""


def utc_stamp(unix: int | None) -> str:
    """RFC 3339: `2026-12-01T12:00:00Z`; "" for no time."""
    return f"{at.isoformat()}Z" if (at := _utc(unix)) else ""


def file_size(size: int) -> str:
    """`812 B`, `1.4 MB` (of 1024 KB); "" for an unknown size."""
    if size <= 0:
        return ""
    if size < 1024:
        return f"{size} B"
    amount = float(size)
    for unit in ("KB", "MB", "GB"):
        amount /= 1024
        if amount < 999.5 or unit == "GB":
            break
    return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"


def duration(seconds: float) -> str:
    """`0:07`, `1:02:03`; "" for none."""
    total = round(seconds)
    if total <= 0:
        return ""
    minutes, rest = divmod(total, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def counted(count: int, one: str, many: str) -> str:
    """`1 photo`, `3 photos`."""
    return f"{count} {one if count == 1 else many}"


def _utc(unix: int | None) -> datetime | None:
    """The time in UTC, without a zone; None for none and for one that no calendar has."""
    if unix is None:
        return None
    try:
        return _EPOCH + timedelta(seconds=unix)
    except OverflowError:
        return None
