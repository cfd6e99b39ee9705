"""The operators that there are, in the order of the paper's tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_benchmac.evolve.operators.base import Operator
from pytest_benchmac.model.errors import InputError

OPERATORS: tuple[Operator, ...] = ()


def operators(names: Iterable[str]) -> Sequence[Operator]:
    """Those of these codes or names, such as `S1` or `AddNestedFor`, in the registry's order.

    Raises:
        InputError: there is none of a name.
    """
    asked = set(names)
    unknown = asked - {each.code for each in OPERATORS} - {each.name for each in OPERATORS}
    if unknown:
        raise InputError(
            f"there is no operator {', '.join(sorted(unknown))}",
            where="operators",
            remedy="There are: "
            + ", ".join(f"{each.code} {each.name}" for each in OPERATORS)
            + ".",
        )
    return [each for each in OPERATORS if asked & {each.code, each.name}]
