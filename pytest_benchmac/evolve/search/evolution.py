"""The search for one program: algorithms 1 and 2, sections 3.2 and 3.3 of the paper.

An offspring is checked in full only once it can matter: before it breeds, and before it is part of
the result. What fails leaves the population, and the front is computed anew; so nothing is bred
from, or written, that did not pass every gate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from pytest_benchmac.evolve.metrics.score import Score, score
from pytest_benchmac.evolve.operators.base import Operator
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import Subject
from pytest_benchmac.evolve.search.breeding import Parent
from pytest_benchmac.evolve.search.coverage import Coverage
from pytest_benchmac.evolve.search.gates import Gates, Runs
from pytest_benchmac.evolve.search.individual import Individual, roulette
from pytest_benchmac.evolve.search.limits import Limits
from pytest_benchmac.evolve.search.log import Dropped, Gate, GenerationLog, SearchLog, Tally
from pytest_benchmac.evolve.search.naming import rename
from pytest_benchmac.evolve.search.population import Population, sort_fronts

#: k: the share of the first front that may breed, by RC.
_BREEDING_SHARE = 0.2
#: How many of them breed in one generation.
_PARENTS = 2
#: Names are given last; their codes begin with this.
_NAMES = "N"


class UnfitError(ValueError):
    """A program that cannot be evolved, with the reason."""


@dataclass(frozen=True)
class Evolved:
    """What a search found."""

    original: Individual
    #: The most complex of the front of whose lines the tests run enough.
    result: Individual
    #: Every program that no other beats in RC and RR, the most complex first.
    front: tuple[Individual, ...]
    log: SearchLog
    #: Shares of the lines that the tests run, in [0, 1]; None where nothing was searched.
    original_coverage: float | None = None
    result_coverage: float | None = None


def evolve(
    subject: Subject,
    operators: Sequence[Operator],
    runs: Runs,
    *,
    seed: int,
    limits: Limits,
    say: Callable[[str], None],
) -> Evolved:
    """Search for a harder program that does the same.

    Args:
        subject: the program, with its tests.
        operators: those to use.
        runs: runs programs.
        seed: the same one gives the same result, where no time limit cuts in.
        limits: when to end.
        say: is told how it goes, often.

    Raises:
        UnfitError: its own tests fail.
        NondeterministicError: it does one thing now and another then.
        SandboxError: the sandbox failed.
    """
    return _Search(subject, operators, runs, seed, limits, say).run()


class _Search:
    def __init__(
        self,
        subject: Subject,
        operators: Sequence[Operator],
        runs: Runs,
        seed: int,
        limits: Limits,
        say: Callable[[str], None],
    ) -> None:
        self._operators = [each for each in operators if not each.code.startswith(_NAMES)]
        self._names = [each for each in operators if each.code.startswith(_NAMES)]
        self._limits = limits
        self._say = say
        # A program's luck does not depend on which others there are. Nothing is secret here.
        self._random = Random(f"{seed} {subject.id}")  # noqa: S311
        self._coverage = Coverage(subject, runs)
        self._gates = Gates(subject, runs, seed=self._random.getrandbits(32))
        self._tally = Tally()
        self._original = Individual(subject.program, score(subject.program))
        self._population = Population(self._original)
        self._known = {subject.program.key}
        self._passed: set[str] = set()
        self._parents: dict[str, Parent] = {}

    def run(self) -> Evolved:
        found = self._gates.check(self._original.program)
        if found is not None:
            gate, why = found
            raise UnfitError(f"{gate}, of the original itself: {why}")
        self._passed.add(self._original.program.key)
        self._limits.begin()
        stopped = self._breed()
        front, unchecked = self._checked_front()
        chosen = self._coverage.first_covered(front)
        named = [self._named(each, always=each is chosen) for each in front]
        front = sort_fronts(named)[0]
        # Names are part of the scores: the front, and who is chosen, may be others now.
        result = self._coverage.first_covered(front)
        log = self._tally.log(front, result, stopped=stopped, unchecked=unchecked)
        return Evolved(
            self._original,
            result,
            tuple(front),
            log,
            original_coverage=self._coverage.of(self._original.program),
            result_coverage=self._coverage.of(result.program),
        )

    def _breed(self) -> str:
        """Breed until there is a reason to stop, which is returned."""
        while self._limits.generations_left(len(self._tally.generations)):
            parents = self._choose()
            if not parents:
                return "no operator has a place left"
            made = [offspring for parent in parents for offspring in self._offspring(parent)]
            entering = [each for each in made if each is not None]
            self._population.add(entering)
            front = self._population.front()
            self._record(parents, len(made), len(entering), front)
            if front[0].score.rc >= 1 and self._passes(front[0]):
                return "RC is 1"
        return "budget" if self._limits.breeding_over() else "iterations"

    def _choose(self) -> list[Individual]:
        """Parents of the next generation, each of which passed every gate; none are left if none.

        The first `_BREEDING_SHARE` of the front qualify; where these are more than breed, chance
        decides, in proportion to RC.
        """
        while True:
            front = self._population.front()
            able = (each for each in front if self._parent(each).can_breed)
            # To look for places costs more than all else: only as many are asked as qualify.
            qualified = list(islice(able, max(1, math.ceil(len(front) * _BREEDING_SHARE))))
            drawn = roulette(qualified, _PARENTS, self._random)
            failed = [each for each in drawn if not self._passes(each)]
            if not failed:
                return drawn

    def _offspring(self, individual: Individual) -> Iterator[Individual | None]:
        """What every operator that applies makes of a parent; None for what is dropped at once."""
        parent = self._parent(individual)
        applicable = parent.operators()
        for operator in self._random.sample(applicable, len(applicable)):
            if self._limits.breeding_over():
                return
            self._tally.tried[operator.code] += 1
            location, program = parent.apply(operator, self._random)
            found = program if isinstance(program, Gate) else self._scored(program)
            if isinstance(found, Gate):
                self._tally.drop(operator.code, found)
                yield None
            else:
                self._tally.entered[operator.code] += 1
                yield individual.child(*found, operator.code, location)

    def _scored(self, program: Program) -> tuple[Program, Score] | Gate:
        """The gates that cost next to nothing."""
        try:
            key = program.key
        except SyntaxError:
            return Gate.NO_PYTHON
        if key in self._known:
            return Gate.KNOWN
        self._known.add(key)
        scored = score(program)
        if not self._gates.readable(scored, self._original.score):
            return Gate.READABILITY
        return program, scored

    def _passes(self, individual: Individual) -> bool:
        """It passes every gate; otherwise it leaves the population."""
        key = individual.program.key
        if key in self._passed:
            return True
        found = self._gates.check(individual.program)
        if found is None:
            self._passed.add(key)
            return True
        gate, why = found
        self._tally.drop(individual.steps[-1].operator, gate)
        if gate is not Gate.PYLINT:
            operators = tuple(step.operator for step in individual.steps)
            self._tally.found_out.append(Dropped(gate=gate, operators=operators, why=why))
        self._population.remove(individual)
        return False

    def _checked_front(self) -> tuple[list[Individual], int]:
        """The front, each of which passed every gate, and how many there was no time to check.

        The result is checked, whatever the time.
        """
        unchecked = 0
        while True:
            front = self._population.front()
            passed = 0
            for each in front:
                if passed and self._limits.over() and each.program.key not in self._passed:
                    self._population.remove(each)
                    unchecked += 1
                else:
                    passed += self._passes(each)
            if passed == len(front):
                return front, unchecked

    def _named(self, individual: Individual, *, always: bool) -> Individual:
        """The same with other names, as far as these pass every gate and there is time.

        Args:
            individual: a point of the front.
            always: whatever the time.
        """
        for operator in self._names:
            if self._limits.over() and not always:
                break
            program, applied = rename(individual.program, operator, self._random)
            self._tally.tried[operator.code] += applied
            if not applied:
                continue
            found = self._scored(program)
            if isinstance(found, Gate):
                self._tally.drop(operator.code, found)
                continue
            renamed = individual.child(*found, operator.code, "")
            if self._passes(renamed):
                self._tally.entered[operator.code] += applied
                individual = renamed
        return individual

    def _parent(self, individual: Individual) -> Parent:
        key = individual.program.key
        if key not in self._parents:
            self._parents[key] = Parent(individual, self._operators)
        return self._parents[key]

    def _record(
        self,
        parents: Sequence[Individual],
        offspring: int,
        entered: int,
        front: Sequence[Individual],
    ) -> None:
        top = front[0].score
        self._tally.generations.append(
            GenerationLog(
                parents=tuple(each.score.rc for each in parents),
                offspring=offspring,
                entered=entered,
                front=len(front),
                rc=top.rc,
                rr=top.rr,
            )
        )
        self._say(
            f"generation {len(self._tally.generations)}: RC {top.rc:.3f}, RR {top.rr:.3f}, "
            f"{len(self._known)} programs"
        )
