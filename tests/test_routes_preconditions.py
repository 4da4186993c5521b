"""Conditional requests follow RFC 9110 section 13."""

from __future__ import annotations

import pytest

from routes.preconditions import Verdict, conditions_of, evaluate, http_date, range_holds, tag_listed

ETAG = '"AgADabc"'
MODIFIED = 1_700_000_000
DATE = "Tue, 14 Nov 2023 22:13:20 GMT"
EARLIER = "Tue, 14 Nov 2023 22:13:19 GMT"
LATER = "Tue, 14 Nov 2023 22:13:21 GMT"


def test_dates_are_those_of_http() -> None:
    assert http_date(MODIFIED + 0.9) == DATE


@pytest.mark.parametrize(
    ("headers", "verdict"),
    [
        ({}, Verdict.PROCEED),
        ({"if-none-match": ETAG}, Verdict.NOT_MODIFIED),
        ({"if-none-match": f"W/{ETAG}"}, Verdict.NOT_MODIFIED),
        ({"if-none-match": f'"x", {ETAG} , W/"y,z"'}, Verdict.NOT_MODIFIED),
        ({"if-none-match": "*"}, Verdict.NOT_MODIFIED),
        ({"if-none-match": '"other"'}, Verdict.PROCEED),
        ({"if-none-match": '"AgADabc'}, Verdict.PROCEED),
        ({"if-none-match": "AgADabc"}, Verdict.PROCEED),
        ({"if-none-match": ""}, Verdict.PROCEED),
        ({"if-modified-since": DATE}, Verdict.NOT_MODIFIED),
        ({"if-modified-since": LATER}, Verdict.NOT_MODIFIED),
        ({"if-modified-since": EARLIER}, Verdict.PROCEED),
        ({"if-modified-since": "yesterday"}, Verdict.PROCEED),
        ({"if-modified-since": "Tuesday, 14-Nov-23 22:13:20 GMT"}, Verdict.NOT_MODIFIED),
        ({"if-modified-since": "Tue Nov 14 22:13:20 2023"}, Verdict.NOT_MODIFIED),
        ({"if-modified-since": "Tue, 99 Nov 99999 22:13:20 GMT"}, Verdict.PROCEED),
        # The tag is asked, so the date is not (13.1.3).
        ({"if-none-match": '"other"', "if-modified-since": LATER}, Verdict.PROCEED),
        ({"if-match": ETAG}, Verdict.PROCEED),
        ({"if-match": "*"}, Verdict.PROCEED),
        ({"if-match": '"other"'}, Verdict.FAILED),
        # The strong comparison (13.1.1).
        ({"if-match": f"W/{ETAG}"}, Verdict.FAILED),
        ({"if-unmodified-since": EARLIER}, Verdict.FAILED),
        ({"if-unmodified-since": DATE}, Verdict.PROCEED),
        ({"if-unmodified-since": "yesterday"}, Verdict.PROCEED),
        ({"if-match": ETAG, "if-unmodified-since": EARLIER}, Verdict.PROCEED),
        ({"if-match": '"other"', "if-none-match": ETAG}, Verdict.FAILED),
        ({"if-match": ETAG, "if-none-match": ETAG}, Verdict.NOT_MODIFIED),
    ],
)
def test_conditions(headers: dict[str, str], verdict: Verdict) -> None:
    assert evaluate(headers, ETAG, MODIFIED + 0.5) is verdict


@pytest.mark.parametrize(
    ("headers", "verdict"),
    [
        # A weak tag is never equal to any in the strong comparison (8.8.3.2).
        ({"if-match": f"W/{ETAG}"}, Verdict.FAILED),
        ({"if-match": ETAG}, Verdict.FAILED),
        ({"if-match": "*"}, Verdict.PROCEED),
        ({"if-match": f"W/{ETAG}", "if-none-match": f"W/{ETAG}"}, Verdict.FAILED),
        ({"if-none-match": f"W/{ETAG}"}, Verdict.NOT_MODIFIED),
        ({"if-none-match": ETAG}, Verdict.NOT_MODIFIED),
        ({"if-none-match": 'W/"other"'}, Verdict.PROCEED),
    ],
)
def test_conditions_on_a_weak_tag(headers: dict[str, str], verdict: Verdict) -> None:
    assert evaluate(headers, f"W/{ETAG}", MODIFIED) is verdict


@pytest.mark.parametrize("name", ["if-modified-since", "if-unmodified-since"])
@pytest.mark.parametrize("date", [EARLIER, LATER])
def test_conditions_by_date_pass_by_what_has_no_time_of_change(name: str, date: str) -> None:
    assert evaluate({name: date}, ETAG, None) is Verdict.PROCEED


@pytest.mark.parametrize(
    ("if_range", "holds"),
    [
        (None, True),
        (ETAG, True),
        (f" {ETAG} ", True),
        (f"W/{ETAG}", False),
        ('"other"', False),
        (DATE, True),
        (EARLIER, False),
        (LATER, False),
        ("yesterday", False),
        ("", False),
    ],
)
def test_a_range_counts_only_for_the_very_same_file(if_range: str | None, holds: bool) -> None:
    assert range_holds(if_range, ETAG, MODIFIED + 0.5) is holds


def test_a_tag_with_a_comma_is_one_tag() -> None:
    assert tag_listed('"a,b"', '"a,b"', weak=True)
    assert not tag_listed('"a,b"', '"a"', weak=True)


def test_conditions_are_found_among_all_headers_and_those_that_come_twice_are_joined() -> None:
    headers = [
        (b"host", b"a.b"),
        (b"if-none-match", b'"one"'),
        (b"accept", b"*/*"),
        (b"if-none-match", b'"two"'),
        (b"range", b"bytes=0-"),
    ]
    assert conditions_of(headers) == {"if-none-match": '"one", "two"', "range": "bytes=0-"}
