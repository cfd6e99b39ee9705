"""One program from its search to its folder of results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.evolve.errors import NondeterministicError, ProgramError
from pytest_benchmac.evolve.metrics.score import score
from pytest_benchmac.evolve.operators.base import Operator
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import Subject
from pytest_benchmac.evolve.search.evolution import Evolved, UnfitError, evolve
from pytest_benchmac.evolve.search.gates import Runs, pylint_score
from pytest_benchmac.evolve.search.individual import Individual
from pytest_benchmac.evolve.search.limits import Limits
from pytest_benchmac.evolve.search.log import Tally
from pytest_benchmac.evolve.search.results import (
    AFTER,
    BEFORE,
    FRONT,
    Scores,
    StoredProgram,
    StoredVersion,
    stored_version,
    write_program,
)


@dataclass(frozen=True)
class Order:
    """How programs are to be evolved."""

    #: The folder of the run.
    results: Path
    seed: int
    #: For each program; one of the two is None, see `Limits`.
    budget_s: float | None
    iterations: int | None


def evolve_and_store(
    subject: Subject,
    operators: Sequence[Operator],
    runs: Runs,
    order: Order,
    *,
    interrupted: Callable[[], bool],
    say: Callable[[str], None],
) -> StoredProgram:
    """Evolve one program, and write its folder when it is done.

    A program that cannot be evolved is written, too, with the reason.

    Raises:
        KeyboardInterrupt: somebody interrupted it; nothing is written.
        SandboxError: the sandbox failed.
        StoreError: the folder cannot be written.
    """
    limits = Limits(order.budget_s, order.iterations, interrupted)
    try:
        evolved = evolve(subject, operators, runs, seed=order.seed, limits=limits, say=say)
        dropped = ""
    except (UnfitError, NondeterministicError, ProgramError) as error:
        original = Individual(subject.program, score(subject.program))
        log = Tally().log((), original, stopped="dropped", unchecked=0)
        evolved, dropped = Evolved(original, original, (), log), str(error)

    def stored(folder: str, individual: Individual, coverage: float | None = None) -> StoredVersion:
        program = individual.program
        scores = Scores(
            **individual.score.model_dump(), pylint=pylint_score(program), coverage=coverage
        )
        versions[folder] = program
        return stored_version(folder, program, scores, [each.operator for each in individual.steps])

    versions: dict[str, Program] = {}
    record = StoredProgram(
        id=subject.id,
        kept=tuple(sorted(subject.program.kept)),
        entry=subject.program.entry,
        tests=subject.tests,
        examples=subject.examples,
        before=stored(BEFORE, evolved.original, evolved.original_coverage),
        after=stored(AFTER, evolved.result, evolved.result_coverage),
        front=tuple(
            stored(f"{FRONT}/{number:03}", each)
            for number, each in enumerate(evolved.front, start=1)
        ),
        dropped=dropped,
    )
    write_program(order.results, record, versions, evolved.log.model_dump_json(indent=2) + "\n")
    return record
