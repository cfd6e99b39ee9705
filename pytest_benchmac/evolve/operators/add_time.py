"""A8 AddTime: values are fields of fixed times; the clock is not looked at, nobody waits."""

from __future__ import annotations

import time
from typing import ClassVar

from pytest_benchmac.evolve.operators.detours import Kind
from pytest_benchmac.evolve.operators.library import Draft, Idiom, LibraryOperator

_DAY = 86_400
_FIELDS = ("tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday")
#: Fields of a time in UTC that any whole number of seconds sets, with their seconds.
_UNITS = (("tm_sec", 1, 60), ("tm_min", 60, 60), ("tm_hour", 3600, 24))


def _moment(draft: Draft) -> str:
    utc = draft.use("time", "gmtime")
    day = draft.random.randint(2, 300)
    expected = time.gmtime(day * _DAY).tm_yday
    return f"{utc}({day * _DAY} if {draft.inner} else {(day - 1) * _DAY}).tm_yday\n== {expected}"


def _later(draft: Draft) -> str:
    utc = draft.use("time", "gmtime")
    start = draft.random.randint(1, 40) * _DAY
    return (
        f"{utc}({start}) < {utc}({start + 3600} if {draft.inner} else {start - 3600})\n"
        f"< {utc}({start + 7200})"
    )


def _shown(draft: Draft) -> str:
    utc, shown = draft.use("time", "gmtime"), draft.use("time", "strftime")
    hour = draft.random.randint(1, 22)
    one, two = hour * 3600, (hour + 1) * 3600
    return f'{shown}(\n"%H", {utc}({one} if {draft.inner} else {two})\n) == "{hour:02}"'


def _field(draft: Draft) -> str:
    utc = draft.use("time", "gmtime")
    fitting = [unit for unit in _UNITS if 0 <= draft.number < unit[2]]
    if 0 < draft.number < 366:
        fitting.append(("tm_yday", _DAY, 366))
    draft.need(bool(fitting))
    name, seconds, _ = draft.random.choice(fitting)
    days = draft.number - 1 if name == "tm_yday" else draft.number
    larger = 0 if name == "tm_yday" else _DAY * draft.random.randint(1, 9)
    smaller = draft.random.randrange(seconds)
    return f"{utc}({larger + days * seconds + smaller}).{name}"


def _held(draft: Draft) -> str:
    fields = draft.use("time", "struct_time")
    name = draft.random.choice(_FIELDS)
    return f"{fields}([{draft.inner}] * 9).{name}"


class AddTime(LibraryOperator):
    """Conditions choose moments, numbers are their fields, values are kept in one."""

    code: ClassVar[str] = "A8"
    name: ClassVar[str] = "AddTime"
    idioms = (
        Idiom(Kind.CONDITION, _moment),
        Idiom(Kind.CONDITION, _later),
        Idiom(Kind.CONDITION, _shown),
        Idiom(Kind.NUMBER, _field),
        Idiom(Kind.VALUE, _held),
    )
