from __future__ import annotations

import pytest

from posts.wording import price, span


@pytest.mark.parametrize(
    ("amount", "currency", "expected"),
    [
        (1250, "EUR", "12.50 EUR"),
        (5, "USD", "0.05 USD"),
        (0, "USD", "0.00 USD"),
        (123_456_789, "RUB", "1,234,567.89 RUB"),
        (1200, "JPY", "1,200 JPY"),
        (1, "KWD", "0.001 KWD"),
        (12_345, "CLF", "1.2345 CLF"),
        (-150, "EUR", "-1.50 EUR"),
        (1, "XTR", "1 star"),
        (50, "XTR", "50 stars"),
        (100, "", "1.00"),
    ],
)
def test_a_price_has_as_many_decimals_as_its_currency(amount: int, currency: str, expected: str) -> None:
    assert price(amount, currency) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (1, "1 second"),
        (45, "45 seconds"),
        (60, "1 minute"),
        (900, "15 minutes"),
        (3600, "1 hour"),
        (28_800, "8 hours"),
        (5400, "90 minutes"),
        (3661, "61 minutes"),
        (2**31 - 1, "35791394 minutes"),
    ],
)
def test_a_stretch_of_time_is_told_in_its_largest_whole_unit(seconds: int, expected: str) -> None:
    assert span(seconds) == expected
