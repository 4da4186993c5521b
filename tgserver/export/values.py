"""Tolerant reading of JSON values: whatever stands there, the answer has the asked-for type and range.

Exports come from many versions of Telegram Desktop and other writers, so a field may be absent, null,
a number written as a string, or nonsense. Nothing here raises; TL can carry whatever comes out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime

Json = Mapping[str, object]

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1


def as_text(value: object, default: str = "") -> str:
    """A string that UTF-8 can encode; numbers become their digits, anything else `default`.

    JSON can hold lone surrogates (`"\\ud83d"`), UTF-8 can't: each becomes U+FFFD, which keeps the
    length in UTF-16 units.
    """
    if isinstance(value, str):
        if value.isascii():
            return value
        try:
            value.encode()
        except UnicodeEncodeError:
            units = value.encode("utf-16-le", "surrogatepass")
            return units.decode("utf-16-le", "replace")
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return default


def as_int(value: object, default: int = 0, limit: int = INT64_MAX) -> int:
    """A whole number within [-limit - 1, limit], from a number or a decimal string, else `default`."""
    if value is None or isinstance(value, bool):
        return default
    number = default
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        number = int(value)
    elif isinstance(value, str) and len(value) <= 40:
        digits = value.strip()
        if digits.removeprefix("-").isdecimal():
            number = int(digits)
    return number if -limit <= number <= limit else limit if number > 0 else -limit - 1


def as_id(value: object) -> int:
    """`as_int` of what can be an id: a fraction is none, so 0."""
    return 0 if isinstance(value, float) and not value.is_integer() else as_int(value)


def int32(value: object, default: int = 0) -> int:
    """`as_int` within TL's `int`."""
    return as_int(value, default, INT32_MAX)


def count(value: object) -> int:
    """A number of things or seconds: an `int32` that is not negative."""
    return max(0, int32(value))


def as_float(value: object) -> float:
    """A finite number, from a number or a string, else 0."""
    try:
        number = float(value) if isinstance(value, str | int | float) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


def as_list(value: object) -> list[object]:
    """The list, else an empty one."""
    return value if isinstance(value, list) else []


def as_dict(value: object) -> Json:
    """The object, else an empty one."""
    return value if isinstance(value, dict) else {}


def timestamp(data: Json, key: str = "date") -> int:
    """Seconds since 1970, from `<key>_unixtime`, else from the ISO time in `key`, read as UTC; else 0.

    A time that TL can't carry (before 1970, after January 2038) counts as not told.
    """
    return _moment(as_int(data.get(f"{key}_unixtime"))) or _moment(_seconds(data.get(key)))


def _seconds(written: object) -> int:
    if not isinstance(written, str):
        return as_int(written)
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return as_int(written)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int((moment - _EPOCH).total_seconds())


def _moment(seconds: int) -> int:
    return seconds if 0 < seconds <= INT32_MAX else 0


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
