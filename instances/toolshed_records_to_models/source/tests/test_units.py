from datetime import date

import pytest

from toolshed import dates, money
from toolshed.errors import InputError


@pytest.mark.parametrize(
    ("text", "cents"), [("12", 1200), ("12.50", 1250), (" 0.05 ", 5), ("1000000", 100000000)]
)
def test_amounts(text, cents):
    assert money.parse(text) == cents


@pytest.mark.parametrize("text", ["", "-1", "1.5", "1,50", "12.505", "abc", "10000000.00.0"])
def test_amounts_that_are_none(text):
    with pytest.raises(InputError):
        money.parse(text)


def test_amounts_as_text():
    assert money.plain(1250) == "12.50"
    assert money.plain(-5) == "-0.05"


def test_a_leap_day_and_years():
    assert dates.add_years(date(2024, 2, 29), 1) == date(2025, 2, 28)
    assert dates.add_years(date(2024, 2, 29), 4) == date(2028, 2, 29)


@pytest.mark.parametrize("text", ["2025-02-30", "20250201", "2025-W05-1", "today", ""])
def test_days_that_are_none(text):
    with pytest.raises(InputError):
        dates.parse(text)


def test_months():
    assert dates.month_of("2024-02") == (date(2024, 2, 1), date(2024, 2, 29))
    assert dates.month_of("2025-12") == (date(2025, 12, 1), date(2025, 12, 31))


def test_days_for_people():
    assert dates.long(date(2025, 3, 4)) == "Tue 4 March 2025"
