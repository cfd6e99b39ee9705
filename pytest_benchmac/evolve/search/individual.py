"""One program of a population: how it scores, and what made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from pytest_benchmac.evolve.metrics.score import Score
from pytest_benchmac.evolve.program import Program


@dataclass(frozen=True)
class Step:
    """One application of an operator."""

    #: The operator's code.
    operator: str
    #: Where, as `View.location` names places.
    location: str
    #: What it added to RC.
    gain: float


@dataclass(frozen=True)
class Individual:
    """A program with its scores, and the steps that lead to it from the original."""

    program: Program
    score: Score
    steps: tuple[Step, ...] = ()

    def child(self, program: Program, score: Score, operator: str, location: str) -> Individual:
        """What an operator makes of it at a place."""
        step = Step(operator, location, score.rc - self.score.rc)
        return replace(self, program=program, score=score, steps=(*self.steps, step))


def roulette(candidates: Sequence[Individual], count: int, random: Random) -> list[Individual]:
    """`count` different ones, each with a chance in proportion to its RC."""
    left = list(candidates)
    drawn: list[Individual] = []
    while left and len(drawn) < count:
        index = random.choices(range(len(left)), [each.score.rc for each in left])[0]
        drawn.append(left.pop(index))
    return drawn
