"""Gives an evolved program the names that operators for names find for it."""

from __future__ import annotations

from random import Random

from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.program import Program


def rename(program: Program, operator: Operator, random: Random) -> tuple[Program, int]:
    """Apply an operator for names wherever it applies.

    Returns:
        The program, and how many times it was applied.
    """
    applied = index = 0
    view = View(program)
    sites = operator.sites(view)
    while index < len(sites):
        try:
            program = operator.apply(view, sites[index], random)
        except DoesNotApplyError:
            index += 1
            continue
        applied += 1
        before = len(sites)
        view = View(program)
        sites = operator.sites(view)
        # What has its new name may be a place still, or not.
        index += len(sites) >= before
    return program, applied
