"""What operators can still make of one individual."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.search.individual import Individual
from pytest_benchmac.evolve.search.log import Gate


class Parent:
    """An individual that breeds: it knows the places where each operator was not tried yet.

    Places where an operator was applied on the way to the individual are none.
    """

    def __init__(self, individual: Individual, operators: Sequence[Operator]) -> None:
        self.individual = individual
        self._operators = operators
        self._view = View(individual.program)
        self._open: dict[str, list[cst.CSTNode]] = {}

    @property
    def can_breed(self) -> bool:
        """Some operator has a place left."""
        return any(self._places(operator) for operator in self._operators)

    def operators(self) -> list[Operator]:
        """Those that have a place left."""
        return [operator for operator in self._operators if self._places(operator)]

    def apply(self, operator: Operator, random: Random) -> tuple[str, Program | Gate]:
        """Apply an operator with a place left at a random one; the place is tried, then.

        Returns:
            The place, and the program that came of it, or why none did.
        """
        places = self._places(operator)
        site = places.pop(random.randrange(len(places)))
        location = self._view.location(site)
        try:
            return location, operator.apply(self._view, site, random)
        except DoesNotApplyError:
            return location, Gate.DOES_NOT_APPLY
        except cst.ParserSyntaxError:
            # An operator's defect costs its offspring, and not the run.
            return location, Gate.NO_PYTHON

    def _places(self, operator: Operator) -> list[cst.CSTNode]:
        if operator.code not in self._open:
            places = list(operator.sites(self._view))
            used = {
                step.location for step in self.individual.steps if step.operator == operator.code
            }
            # Where none was used, nobody needs to know what places are called.
            if used:
                places = [each for each in places if self._view.location(each) not in used]
            self._open[operator.code] = places
        return self._open[operator.code]
