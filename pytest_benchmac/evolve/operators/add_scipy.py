"""A6 AddScipy: values are counted by combinations."""

from __future__ import annotations

from math import comb
from typing import ClassVar

from pytest_benchmac.evolve.operators.detours import Kind
from pytest_benchmac.evolve.operators.library import Draft, Idiom, LibraryOperator

_SPECIAL = "scipy.special"


def _more(draft: Draft) -> str:
    choose = draft.use(_SPECIAL, "comb")
    things = draft.random.randint(5, 9)
    # From five on, n - 1 things have as many pairs as n things are, or more; n have still more.
    return (
        f"{choose}({things}, 2 if {draft.inner} else 1, exact=True)\n"
        f"> {choose}({things - 1}, 2, exact=True)"
    )


def _symmetric(draft: Draft) -> str:
    choose = draft.use(_SPECIAL, "comb")
    things = draft.random.randint(6, 12)
    few = draft.random.randint(1, things // 2 - 1)
    return (
        f"{choose}({things}, {few}, exact=True)\n"
        f"== {choose}({things}, {things - few} if {draft.inner} else 0, exact=True)"
    )


def _counted(draft: Draft) -> str:
    choose = draft.use(_SPECIAL, "comb")
    things, few = draft.random.randint(4, 8), draft.random.choice([2, 3])
    base = draft.random.randint(3, 7)
    rest = draft.number - (comb(things, few) - comb(base, 2))
    draft.need(abs(rest) < 100)
    tail = f" {'+' if rest > 0 else '-'} {abs(rest)}" if rest else ""
    return f"{choose}({things}, {few}, exact=True)\n- {choose}({base}, 2, exact=True){tail}"


def _counter(draft: Draft) -> str:
    choose = draft.use(_SPECIAL, "comb")
    return f"{choose}({draft.inner} + 1, 2, exact=True)\n- {choose}({draft.inner}, 2, exact=True)"


class AddScipy(LibraryOperator):
    """Conditions choose how many are chosen, numbers and counters are differences of counts."""

    code: ClassVar[str] = "A6"
    name: ClassVar[str] = "AddScipy"
    idioms = (
        Idiom(Kind.CONDITION, _more),
        Idiom(Kind.CONDITION, _symmetric),
        Idiom(Kind.NUMBER, _counted),
        Idiom(Kind.COUNTER, _counter),
    )
