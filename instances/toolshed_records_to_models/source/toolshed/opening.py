"""On which days the shed is open, and the month's calendar."""

from collections import Counter
from datetime import date, timedelta

from toolshed import dates, settings, storage


def is_open(rules, day):
    """Whether the shed is open on that day."""
    return day.weekday() in rules["open_days"] and day not in rules["closed_on"]


def next_open(rules, day):
    """That day, or the first open one after it; after a year of closed days, that day itself."""
    for ahead in range(366):
        candidate = day + timedelta(days=ahead)
        if is_open(rules, candidate):
            return candidate
    return day


def open_days_after(rules, start, end):
    """How many open days there are after `start`, up to and with `end`."""
    length = (end - start).days
    return sum(is_open(rules, start + timedelta(days=n)) for n in range(1, length + 1))


def print_month(root, month):
    """Print a month: open days in brackets, loans that are due behind a colon."""
    rules = settings.read(root)
    first, last = dates.month_of(month) if month else dates.month_of(dates.today().isoformat()[:7])
    due = Counter(loan["due"] for loan in storage.load(root, "loans") if loan["back"] is None)
    print(f"{dates.MONTHS[first.month - 1]} {first.year}")
    print("".join(f"{day.capitalize():>7}" for day in dates.WEEKDAYS).rstrip())
    cells = [" " * 7] * first.weekday()
    for number in range(1, last.day + 1):
        day = date(first.year, first.month, number)
        text = f"[{number}]" if is_open(rules, day) else str(number)
        if due[day.isoformat()]:
            text += f":{due[day.isoformat()]}"
        cells.append(f"{text:>7}")
    for start in range(0, len(cells), 7):
        print("".join(cells[start : start + 7]).rstrip())
