"""A4 AddDateutil: values are worked out by relative dates, Easter and time zones of dateutil."""

from __future__ import annotations

from typing import ClassVar

from pytest_benchmac.evolve.operators.detours import Kind
from pytest_benchmac.evolve.operators.library import Draft, Idiom, LibraryOperator

#: Years by the month of their Easter.
_MARCH = (1997, 2002, 2005, 2008, 2013, 2016, 2024, 2027)
_APRIL = (1996, 2001, 2003, 2009, 2012, 2017, 2020, 2023)
_MOST_YEARS = 10_000


def _easter(draft: Draft) -> str:
    easter = draft.use("dateutil.easter", "easter")
    march, april = draft.random.choice(_MARCH), draft.random.choice(_APRIL)
    return f"{easter}({march} if {draft.inner} else {april}).month == 3"


def _carried(draft: Draft) -> str:
    delta = draft.use("dateutil.relativedelta", "relativedelta")
    years, months = draft.random.randint(1, 3), draft.random.randint(1, 11)
    whole = 12 * years + months
    other = whole - draft.random.choice([1, 10, 12])
    return (
        f"{delta}(months={whole} if {draft.inner} else {other})\n"
        f"== {delta}(years={years}, months={months})"
    )


def _years(draft: Draft) -> str:
    draft.need(0 <= draft.number <= _MOST_YEARS)
    delta = draft.use("dateutil.relativedelta", "relativedelta")
    months = draft.random.randint(1, 11)
    if draft.number < 2:
        return f"{delta}(months={12 * draft.number + months}).years"
    first = draft.random.randint(1, draft.number - 1)
    rest = 12 * (draft.number - first) + months
    return f"({delta}(years={first})\n+ {delta}(months={rest})).years"


def _days(draft: Draft) -> str:
    delta = draft.use("dateutil.relativedelta", "relativedelta")
    # Days are carried nowhere: months differ.
    return f"{delta}(\ndays={draft.inner}, months={draft.random.randint(1, 24)}\n).days"


def _zone(draft: Draft) -> str:
    zone = draft.use("dateutil.tz", "tzoffset")
    offset = draft.random.choice([0, 3600, 7200, -18000])
    return f"{zone}({draft.inner}, {offset}).tzname(None)"


class AddDateutil(LibraryOperator):
    """Conditions choose months, numbers are years they make, texts are names of time zones."""

    code: ClassVar[str] = "A4"
    name: ClassVar[str] = "AddDateutil"
    idioms = (
        Idiom(Kind.CONDITION, _easter, loops=1),
        Idiom(Kind.CONDITION, _carried, loops=1),
        Idiom(Kind.NUMBER, _years, loops=0),
        Idiom(Kind.INTEGER, _days, loops=1),
        Idiom(Kind.TEXT, _zone, loops=1),
    )
