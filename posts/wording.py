"""Numbers and moments as people read them."""

from __future__ import annotations

from datetime import datetime, timedelta

_EPOCH = datetime(1970, 1, 1)

# Telegram's own money.
_STARS = "XTR"
# ISO 4217: currencies whose smallest unit is not a hundredth.
# fmt: off
_CURRENCY_DIGITS = {
    **dict.fromkeys((
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF",
        "XOF", "XPF",
    ), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
    **dict.fromkeys(("CLF", "UYW"), 4),
}
# fmt: on


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


def span(seconds: int) -> str:
    """A stretch of time in its largest whole unit: `45 seconds`, `15 minutes`, `8 hours`."""
    for size, one, many in ((3600, "hour", "hours"), (60, "minute", "minutes")):
        if seconds >= size and seconds % size == 0:
            return counted(seconds // size, one, many)
    return counted(seconds // 60, "minute", "minutes") if seconds >= 60 else counted(seconds, "second", "seconds")


def price(amount: int, currency: str) -> str:
    """`12.50 EUR`, `1,200 JPY`, `50 stars`; `amount` is in the currency's smallest units."""
    if currency == _STARS:
        return counted(amount, "star", "stars")
    digits = _CURRENCY_DIGITS.get(currency, 2)
    whole, part = divmod(abs(amount), 10**digits)
    sign = "-" if amount < 0 else ""
    number = f"{sign}{whole:,}.{part:0{digits}}" if digits else f"{sign}{whole:,}"
    return f"{number} {currency}".rstrip()


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
