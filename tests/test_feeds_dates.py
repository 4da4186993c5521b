from __future__ import annotations

import locale
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import format_datetime
from zoneinfo import ZoneInfo

import pytest

from feeds import dates


@pytest.fixture
def _elsewhere() -> Iterator[None]:
    """Another time zone for the process, and its own locale where the system has one."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Asia/Kathmandu"
    time.tzset()
    old_locale = locale.setlocale(locale.LC_ALL)
    for name in ("de_DE.UTF-8", "ru_RU.UTF-8", "C.UTF-8"):
        try:
            locale.setlocale(locale.LC_ALL, name)
            break
        except locale.Error:
            continue
    yield
    locale.setlocale(locale.LC_ALL, old_locale)
    del os.environ["TZ"]
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.usefixtures("_elsewhere")
def test_dates_are_english_and_utc_wherever_the_bridge_runs() -> None:
    noon = dates.moment(1_796_040_000)
    assert noon == datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert dates.rfc822(noon) == "Mon, 30 Nov 2026 12:00:00 +0000"
    assert dates.rfc3339(noon) == "2026-11-30T12:00:00+00:00"
    assert dates.spoken(noon) == "30 November 2026, 12:00"


def test_a_page_shows_the_clock_of_its_zone_and_says_the_offset() -> None:
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    there = dates.local(noon, ZoneInfo("Asia/Kathmandu"))
    assert dates.spoken(there) == "30 November 2026, 17:45"
    assert dates.rfc3339(there) == "2026-11-30T17:45:00+05:45"


@pytest.mark.parametrize("seconds", [None, 10**12, -(10**12), 10**30, -(10**30)])
def test_what_no_calendar_reaches_is_no_date(seconds: int | None) -> None:
    assert dates.moment(seconds) is None


def test_the_ends_of_the_calendar_stay_in_it() -> None:
    last = datetime(9999, 12, 31, 23, tzinfo=UTC)
    assert dates.local(last, ZoneInfo("Asia/Kathmandu")) == last


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=5, minutes=45)), timezone(-timedelta(hours=4))])
@pytest.mark.parametrize("seconds", [-62_100_000_000, -1, 0, 951_782_400, 1_796_040_009, 253_402_000_000])
def test_rfc_822_dates_are_those_of_the_standard_library(seconds: int, zone: tzinfo) -> None:
    when = datetime.fromtimestamp(seconds, zone)
    assert dates.rfc822(when) == format_datetime(when)
