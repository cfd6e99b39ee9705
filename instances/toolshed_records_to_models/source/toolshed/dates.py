"""Days: today, parsing, and how they are written for people."""

import os
from datetime import date, datetime, timedelta

from toolshed.errors import InputError

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def today():
    """The day by the clock, or by TOOLSHED_NOW."""
    stamp = os.environ.get("TOOLSHED_NOW")
    if stamp:
        return datetime.fromisoformat(stamp).date()
    return datetime.now().date()


def parse(text):
    """The day that was typed, as year-month-day.

    Raises InputError for anything else.
    """
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise InputError(f"not a date: {text!r} (write 2025-03-31)")
    return day


def is_date(text):
    """Whether it is a day written as year-month-day."""
    try:
        parse(text)
    except InputError:
        return False
    return True


def long(day):
    """`Tue 4 March 2025`."""
    return f"{WEEKDAYS[day.weekday()].capitalize()} {day.day} {MONTHS[day.month - 1]} {day.year}"


def add_years(day, years):
    """The same day some years later; 28 February for a leap day."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return day.replace(year=day.year + years, day=28)


def month_of(text):
    """First and last day of a month like `2025-03`."""
    first = parse(f"{text}-01")
    following = (first + timedelta(days=31)).replace(day=1)
    return first, following - timedelta(days=1)
