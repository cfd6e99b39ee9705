"""Calendar days, within the century that the book is kept for."""

import re
from datetime import date, timedelta

FIRST = date(2000, 1, 1)
LAST = date(2099, 12, 31)


def parse(text: str) -> date | None:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return None
    try:
        day = date(int(text[:4]), int(text[5:7]), int(text[8:]))
    except ValueError:
        return None
    return day if FIRST <= day <= LAST else None


def parse_quarter(text: str) -> tuple[date, date] | None:
    """First and last day of a quarter that is written 2024Q1."""
    found = re.fullmatch(r"(20[0-9]{2})Q([1-4])", text)
    if not found:
        return None
    year, quarter = int(found[1]), int(found[2])
    first = date(year, 3 * quarter - 2, 1)
    next_year, next_month = (year + 1, 1) if quarter == 4 else (year, 3 * quarter + 1)
    return first, date(next_year, next_month, 1) - timedelta(days=1)


def after(day: date, count: int) -> date:
    return day + timedelta(days=count)
