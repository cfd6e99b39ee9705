"""What an offspring has to pass: cheap checks at once, costly ones before it can matter."""

from __future__ import annotations

from typing import Protocol

from pytest_benchmac.evolve import lint
from pytest_benchmac.evolve.metrics.score import Score, readability_shares
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import Subject
from pytest_benchmac.evolve.running.answers import Difference, Verdict
from pytest_benchmac.evolve.search.log import Gate


class Runs(Protocol):
    """What the search asks of `running.laboratory.Laboratory`."""

    def tests_pass(self, subject: Subject, program: Program) -> Verdict:
        """See `Laboratory`."""
        ...

    def differences(
        self, subject: Subject, program: Program, *, seed: int, inputs: int = 200
    ) -> Difference | None:
        """See `Laboratory`."""
        ...

    def coverage(self, subject: Subject, program: Program) -> float:
        """See `Laboratory`."""
        ...


class Gates:
    """The checks of one subject.

    Args:
        subject: the original, with its tests.
        runs: runs programs.
        seed: of the inputs that original and offspring are compared on.
    """

    def __init__(self, subject: Subject, runs: Runs, *, seed: int) -> None:
        self._subject = subject
        self._runs = runs
        self._seed = seed
        self._pylint = pylint_score(subject.program)

    def readable(self, score: Score, original: Score) -> bool:
        """No readability became 0 that was not."""
        shares, were = readability_shares(score.metrics), readability_shares(original.metrics)
        return all(shares[code] > 0 or were[code] == 0 for code in shares)

    def check(self, program: Program) -> tuple[Gate, str] | None:
        """The gate that drops a program, with what it found; None for one that passes.

        Raises:
            NondeterministicError: the original does one thing now and another then.
            SandboxError: the sandbox failed.
        """
        pylint = pylint_score(program)
        if pylint < self._pylint:
            return Gate.PYLINT, f"{pylint:.2f} < {self._pylint:.2f}"
        verdict = self._runs.tests_pass(self._subject, program)
        if not verdict.passed:
            return Gate.TESTS, f"{verdict.outcome}: {verdict.reason}"
        difference = self._runs.differences(self._subject, program, seed=self._seed)
        if difference is not None:
            return Gate.DIFFERENCE, (
                f"{difference.what} for {difference.input}: {difference.original} became "
                f"{difference.offspring}"
            )
        return None


def pylint_score(program: Program) -> float:
    """PyLint's score of the worst of a program's files."""
    return min(lint.score(text) for text in (program.main, *program.modules.values()))
