"""A3 AddDatetime: values are worked out by the calendar."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import ClassVar

from pytest_benchmac.evolve.operators.detours import Kind
from pytest_benchmac.evolve.operators.library import Draft, Idiom, LibraryOperator

#: Numbers above are no days between dates that a reader has in mind.
_MOST_DAYS = 4000


def _written(draft: Draft, day: date) -> str:
    return f"{draft.use('datetime', 'date')}({day.year}, {day.month}, {day.day})"


def _next_month(draft: Draft) -> str:
    year, month = draft.random.randint(1992, 2031), draft.random.choice([2, 2, 4, 6, 9, 11])
    last = calendar.monthrange(year, month)[1]
    start = _written(draft, date(year, month, last - 1))
    delta = draft.use("datetime", "timedelta")
    return f"({start} + {delta}(2 if {draft.inner} else 1)).month\n== {month + 1}"


def _between(draft: Draft) -> str:
    year = draft.random.randint(1992, 2031)
    name = draft.use("datetime", "date")
    first, last = date(year, 2, 27), date(year, 3, draft.random.randint(2, 9))
    if draft.random.random() < 0.5:
        middle = f"{name}({year}, 2, 28 if {draft.inner} else 26)"
    else:
        middle = f"{name}({year}, 3, 1 if {draft.inner} else {last.day})"
    return f"{_written(draft, first)}\n< {middle}\n< {_written(draft, last)}"


def _weekday(draft: Draft) -> str:
    day = date(draft.random.randint(1992, 2031), draft.random.randint(1, 12), 14)
    name = draft.use("datetime", "date")
    return (
        f"{name}({day.year}, {day.month}, 14 if {draft.inner} else 12).isoweekday()\n"
        f"== {day.isoweekday()}"
    )


def _days(draft: Draft) -> str:
    draft.need(0 <= draft.number <= _MOST_DAYS)
    year = draft.random.randint(1992, 2031)
    start = date(year, 2, draft.random.randint(20, 28)) - timedelta(draft.number // 2)
    end = start + timedelta(draft.number)
    return f"({_written(draft, end)}\n- {_written(draft, start)}).days"


def _minutes(draft: Draft) -> str:
    delta = draft.use("datetime", "timedelta")
    unit = draft.random.choice(["minutes", "hours", "seconds"])
    return f"{delta}({unit}={draft.inner}) // {delta}({unit}=1)"


def _zone(draft: Draft) -> str:
    zone, delta = draft.use("datetime", "timezone"), draft.use("datetime", "timedelta")
    hours = draft.random.choice([0, 1, 2, -3, -5, 8])
    return f"{zone}(\n{delta}(hours={hours}), {draft.inner}\n).tzname(None)"


class AddDatetime(LibraryOperator):
    """Conditions choose dates, numbers are days between them, texts are names of time zones."""

    code: ClassVar[str] = "A3"
    name: ClassVar[str] = "AddDatetime"
    idioms = (
        Idiom(Kind.CONDITION, _next_month),
        Idiom(Kind.CONDITION, _between),
        Idiom(Kind.CONDITION, _weekday),
        Idiom(Kind.NUMBER, _days),
        Idiom(Kind.COUNTER, _minutes),
        Idiom(Kind.TEXT, _zone),
        Idiom(Kind.STRING, _zone),
    )
