"""Rules of a shed, read from its shed.ini."""

import configparser
from pathlib import Path

from toolshed import dates, money
from toolshed.errors import InputError, StoreError

FILE = "shed.ini"

TEMPLATE = """\
[shed]
name = {name}
currency = EUR

[loans]
days = 7
limit = 3
extensions = 1
hold_days = 5

[fees]
late_per_day = 0.50
late_cap = 10.00
block_at = 15.00
standard = 20.00
supporter = 40.00
volunteer = 0.00

[opening]
days = tue, thu, sat
closed =
"""


def read(root):
    """The settings as one flat dict: amounts in cents, days as sets."""
    path = Path(root) / FILE
    if not path.exists():
        raise StoreError(f"{FILE} is missing from {root}; run `toolshed init` first")
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except configparser.Error as problem:
        raise StoreError(f"{FILE} cannot be read: {problem.message.splitlines()[0]}") from problem
    try:
        return {
            "name": parser["shed"]["name"],
            "currency": parser["shed"]["currency"],
            "days": parser.getint("loans", "days"),
            "limit": parser.getint("loans", "limit"),
            "extensions": parser.getint("loans", "extensions"),
            "hold_days": parser.getint("loans", "hold_days"),
            "late_per_day": money.parse(parser["fees"]["late_per_day"]),
            "late_cap": money.parse(parser["fees"]["late_cap"]),
            "block_at": money.parse(parser["fees"]["block_at"]),
            "membership": {
                kind: money.parse(parser["fees"][kind])
                for kind in ("standard", "supporter", "volunteer")
            },
            "open_days": _weekdays(parser["opening"]["days"]),
            "closed_on": {dates.parse(word) for word in _words(parser["opening"]["closed"])},
        }
    except KeyError as problem:
        raise StoreError(f"{FILE} lacks {problem.args[0]!r}") from problem
    except configparser.NoOptionError as problem:
        raise StoreError(f"{FILE} lacks {problem.option!r}") from problem
    except configparser.NoSectionError as problem:
        raise StoreError(f"{FILE} lacks {problem.section!r}") from problem
    except InputError as problem:
        raise StoreError(f"{FILE}: {problem}") from problem
    except ValueError as problem:
        raise StoreError(f"{FILE}: not a whole number in [loans]") from problem


def _words(text):
    return [word.strip() for word in text.split(",") if word.strip()]


def _weekdays(text):
    words = _words(text.lower())
    for word in words:
        if word not in dates.WEEKDAYS:
            raise InputError(f"not a weekday: {word!r}")
    if not words:
        raise InputError("no opening day")
    return {dates.WEEKDAYS.index(word) for word in words}
