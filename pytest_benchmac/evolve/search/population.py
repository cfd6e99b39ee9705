"""The programs that a search has found so far, as far as they may still matter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from pytest_benchmac.evolve.search.individual import Individual

#: How many are kept.
_SIZE = 100


class Population:
    """Individuals in the order of their fronts; there is always one.

    Args:
        original: what is left where everything else was removed.
    """

    def __init__(self, original: Individual) -> None:
        self._original = original
        self._fronts = [[original]]

    def front(self) -> list[Individual]:
        """Those that no other beats in RC and RR, the most complex first."""
        return list(self._fronts[0])

    def add(self, individuals: Iterable[Individual]) -> None:
        """Take some in, and keep the best: whole fronts, then the most complex of the next one.

        Of equals in RC and RR the earlier one stays.
        """
        fronts = sort_fronts([*self._members(), *individuals])
        kept: list[list[Individual]] = []
        room = _SIZE
        while fronts and room > 0:
            kept.append(fronts.pop(0)[:room])
            room -= len(kept[-1])
        self._fronts = kept

    def remove(self, individual: Individual) -> None:
        """Take one out; others may be in the first front, then."""
        left = [each for each in self._members() if each is not individual]
        self._fronts = sort_fronts(left or [self._original])

    def _members(self) -> list[Individual]:
        return [each for front in self._fronts for each in front]


def sort_fronts(individuals: Sequence[Individual]) -> list[list[Individual]]:
    """Non-dominated sorting by RC and RR, both the higher the better; at least one individual.

    Each front has the most complex first. Of equals only the first one is in any.
    """
    first = {(each.score.rc, each.score.rr): each for each in reversed(individuals)}
    different = list(reversed(first.values()))
    objectives = np.array([[-each.score.rc, -each.score.rr] for each in different])
    fronts = NonDominatedSorting().do(objectives)
    return [
        sorted((different[index] for index in front), key=lambda each: -each.score.rc)
        for front in fronts
    ]
