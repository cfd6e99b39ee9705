"""What happened in the search for one program; no times, so that a seed gives the same bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from pytest_benchmac.evolve.search.individual import Individual
from pytest_benchmac.model.base import Model


class Gate(StrEnum):
    """Why an offspring was dropped."""

    DOES_NOT_APPLY = "does not apply"
    NO_PYTHON = "is no Python"
    KNOWN = "known program"
    READABILITY = "a readability became 0"
    PYLINT = "PyLint below the original's"
    TESTS = "tests fail"
    DIFFERENCE = "behaves differently"


class Dropped(Model):
    """An offspring that behaved otherwise, and how it showed: a defect of an operator."""

    gate: Gate
    #: The operators that made it, the last one last.
    operators: tuple[str, ...]
    why: str


class OperatorLog(Model):
    """What one operator did for a program."""

    #: Times that it was tried.
    tried: int
    #: Offspring that entered the population.
    entered: int
    #: Offspring that were dropped, by gate; those that never became parents were not all checked.
    dropped: dict[Gate, int]
    #: Applications in the programs of the final front, and in the result.
    in_front: int
    in_result: int
    #: What its applications added to RC on the way to the result.
    contribution: float


class GenerationLog(Model):
    """One round of breeding."""

    #: RC of those that bred.
    parents: tuple[float, ...]
    #: How many the round made, how many of them entered, and how many are in the first front now.
    offspring: int
    entered: int
    front: int
    #: Of the most complex one of the front.
    rc: float
    rr: float


class SearchLog(Model):
    """`log.json`."""

    #: Why the search ended.
    stopped: str
    generations: tuple[GenerationLog, ...]
    #: By code.
    operators: dict[str, OperatorLog]
    #: Over all operators, by gate.
    dropped: dict[Gate, int]
    #: Points of the front that there was no time left to check; they are not in the results.
    unchecked: int
    #: Offspring that tests or the differential check found out.
    found_out: tuple[Dropped, ...]


@dataclass
class Tally:
    """Counts while the search goes on."""

    tried: Counter[str] = field(default_factory=Counter)
    entered: Counter[str] = field(default_factory=Counter)
    dropped: dict[str, Counter[Gate]] = field(default_factory=dict)
    generations: list[GenerationLog] = field(default_factory=list)
    found_out: list[Dropped] = field(default_factory=list)

    def drop(self, operator: str, gate: Gate) -> None:
        """Count an offspring that a gate dropped."""
        self.dropped.setdefault(operator, Counter())[gate] += 1

    def log(
        self, front: Iterable[Individual], result: Individual, *, stopped: str, unchecked: int
    ) -> SearchLog:
        """What is written in the end."""
        in_front = Counter(step.operator for each in front for step in each.steps)
        in_result = Counter(step.operator for step in result.steps)
        every = Counter[Gate]()
        for counts in self.dropped.values():
            every.update(counts)
        return SearchLog(
            stopped=stopped,
            generations=tuple(self.generations),
            operators={
                code: OperatorLog(
                    tried=self.tried[code],
                    entered=self.entered[code],
                    dropped=_sorted(self.dropped.get(code, Counter())),
                    in_front=in_front[code],
                    in_result=in_result[code],
                    contribution=sum(
                        (step.gain for step in result.steps if step.operator == code), start=0.0
                    ),
                )
                for code in sorted(self.tried)
            },
            dropped=_sorted(every),
            unchecked=unchecked,
            found_out=tuple(self.found_out),
        )


def _sorted(counts: Counter[Gate]) -> dict[Gate, int]:
    return dict(sorted(counts.items()))
