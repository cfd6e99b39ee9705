"""How much of a program its tests run: what nobody runs is complexity that nobody vouches for."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import Subject
from pytest_benchmac.evolve.search.gates import Runs
from pytest_benchmac.evolve.search.individual import Individual

#: The share of lines that is enough, where the tests run as much of the original.
_ENOUGH = 0.93


class Coverage:
    """The coverage of programs evolved from one subject, each measured once.

    Args:
        subject: the original, with its tests.
        runs: runs programs.
    """

    def __init__(self, subject: Subject, runs: Runs) -> None:
        self._subject = subject
        self._runs = runs
        self._measured: dict[str, float] = {}

    def of(self, program: Program) -> float:
        """The share of its lines that the tests run, in [0, 1].

        Raises:
            SandboxError: the sandbox failed.
        """
        if program.key not in self._measured:
            self._measured[program.key] = self._runs.coverage(self._subject, program)
        return self._measured[program.key]

    def first_covered(self, front: Sequence[Individual]) -> Individual:
        """The first of which the tests run enough: 93 %, or as much as they do of the original.

        Where there is none, the first of those of which they run most.

        Raises:
            SandboxError: the sandbox failed.
        """
        enough = min(_ENOUGH, self.of(self._subject.program))
        for each in front:
            if self.of(each.program) >= enough:
                return each
        return max(front, key=lambda each: self.of(each.program))
