"""Runs of an instance's own tests, and what a patched application's run has to reach. Pure.

p is the lowest number of cases that passed in any of the recorded runs on base and silver patch,
f the highest number that failed: p_R and f_R of CodeTaste, which takes five runs of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.model.base import ForeignText, Model, Sha256
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.tracks.observations import Observations

#: Runs on the base, and as many on the silver patch.
K = 5
#: Cases of one run, and characters of a case's name; the same on both sides.
MAX_CASES, MAX_NAME = 5_000, 500
#: Failing cases that an observation names, and cases that a reason names.
_MAX_NAMED, _MAX_TOLD = 100, 5
_ABSENT = "-"


class CaseOutcome(StrEnum):
    """What became of one test case; `empty` passed without a single expectation."""

    PASSED = "passed"
    EMPTY = "empty"
    FAILED = "failed"
    SKIPPED = "skipped"

    @property
    def letter(self) -> str:
        """Its letter in the recorded runs."""
        return self.value[0]

    @property
    def passes(self) -> bool:
        """Does it count as passed?"""
        return self in (CaseOutcome.PASSED, CaseOutcome.EMPTY)


_BY_LETTER = {outcome.letter: outcome for outcome in CaseOutcome}

#: Outcome of every case by its full name.
Run = Mapping[str, CaseOutcome]


def run_of(cases: Iterable[tuple[str, CaseOutcome]]) -> dict[str, CaseOutcome]:
    """A run of its cases in order: from the second of a name on, the name has a number."""
    times: Counter[str] = Counter()
    run: dict[str, CaseOutcome] = {}
    for name, outcome in cases:
        plain = shown(name, MAX_NAME)
        times[plain] += 1
        run[plain if times[plain] == 1 else f"{plain} [{times[plain]}]"] = outcome
    return run


class Counts(Model):
    """Cases by outcome. `passed` has the empty ones too."""

    passed: Annotated[int, Field(ge=0)]
    failed: Annotated[int, Field(ge=0)]
    skipped: Annotated[int, Field(ge=0)]

    @classmethod
    def of(cls, run: Run) -> Counts:
        """Those of one run."""
        counted = Counter(run.values())
        return cls(
            passed=sum(number for outcome, number in counted.items() if outcome.passes),
            failed=counted[CaseOutcome.FAILED],
            skipped=counted[CaseOutcome.SKIPPED],
        )


Letters = Annotated[
    str,
    StringConstraints(pattern=rf"^[{''.join(_BY_LETTER)}{_ABSENT}]{{1,100}}$"),
    Field(description="a letter per run: passed, empty, failed, skipped, `-` for absent"),
]


class RecordedCase(Model):
    """One case in all recorded runs, a letter per run."""

    base: Letters
    silver: Letters


class RecordedRuns(Model):
    """Runs on the base and on the silver patch, in a file beside instance.toml."""

    format: Literal[1] = 1
    #: What told the outcomes.
    reporter: str
    #: The silver patch that was run; None where it lies in a commit of the source repository.
    silver_sha256: Sha256 | None
    cases: dict[str, RecordedCase]

    @model_validator(mode="after")
    def _as_many_of_each(self) -> Self:
        lengths = {len(letters) for c in self.cases.values() for letters in (c.base, c.silver)}
        if len(lengths) != 1:
            raise ValueError("every case has to have as many runs on the base as on silver")
        return self

    @classmethod
    def of(
        cls,
        base: Sequence[Run],
        silver: Sequence[Run],
        *,
        reporter: str,
        silver_sha256: str | None,
    ) -> RecordedRuns:
        """Record runs."""
        names = dict.fromkeys(name for run in (*base, *silver) for name in run)
        return cls(
            reporter=reporter,
            silver_sha256=silver_sha256,
            cases={
                name: RecordedCase(base=_letters(name, base), silver=_letters(name, silver))
                for name in sorted(names)
            },
        )

    @classmethod
    def read(cls, file: Path, *, remedy: str) -> RecordedRuns:
        """Read a file of recorded runs.

        Args:
            file: may not be there.
            remedy: of the error: what writes it.

        Raises:
            BaselineError: it is not there, or holds no such record.
        """
        try:
            return cls.model_validate_json(file.read_bytes())
        except OSError as error:
            raise BaselineError(
                f"the recorded test runs {file} cannot be read: {error.strerror}", remedy=remedy
            ) from error
        except ValidationError as error:
            raise BaselineError(
                f"{file} holds no recorded test runs: {error.errors()[0]['msg']}", remedy=remedy
            ) from error

    @cached_property
    def base(self) -> list[Run]:
        """The runs on the untouched base."""
        return _runs({name: case.base for name, case in self.cases.items()})

    @cached_property
    def silver(self) -> list[Run]:
        """The runs on the base with the silver patch."""
        return _runs({name: case.silver for name, case in self.cases.items()})

    @property
    def p(self) -> int:
        """As many cases have to pass: the lowest number of any run."""
        return min(Counts.of(run).passed for run in (*self.base, *self.silver))

    @property
    def f(self) -> int:
        """As many may fail at most: the highest number of any run."""
        return max(Counts.of(run).failed for run in (*self.base, *self.silver))

    @property
    def required(self) -> list[str]:
        """Cases that ran every time: what silver too removed or skipped, any patch may."""
        idle = {_ABSENT, CaseOutcome.SKIPPED.letter}
        return [n for n, case in self.cases.items() if idle.isdisjoint(case.base + case.silver)]

    @property
    def flaky(self) -> list[str]:
        """Cases with more than one outcome on one and the same tree."""
        return [
            name
            for name, case in self.cases.items()
            if len(set(case.base)) > 1 or len(set(case.silver)) > 1
        ]


def _letters(name: str, runs: Sequence[Run]) -> str:
    return "".join(run[name].letter if name in run else _ABSENT for run in runs)


def _runs(cases: Mapping[str, str]) -> list[Run]:
    number = len(next(iter(cases.values())))
    return [
        {name: _BY_LETTER[letters[at]] for name, letters in cases.items() if letters[at] != _ABSENT}
        for at in range(number)
    ]


class RunResult(Observations):
    """One run held against the recorded ones: all that metric and reason follow from."""

    #: As many have to pass: p.
    least_passed: int
    #: As many may fail, counting those that were deleted or disabled: f.
    most_failed: int
    #: The worst of the base's runs: fewest passed, most failed, most skipped.
    before: Counts
    #: None where the run was broken off.
    after: Counts | None = None
    #: Of those that failed, the ones that passed every time before.
    newly_failing: tuple[ForeignText, ...] = ()
    #: The others that failed, at most 100 of them by name.
    other_failing: tuple[ForeignText, ...] = ()
    #: Required cases that are no longer there.
    deleted: tuple[ForeignText, ...] = ()
    #: Required cases that are skipped, or expect nothing any more.
    disabled: tuple[ForeignText, ...] = ()
    #: Cases whose recorded runs differ on one and the same tree.
    flaky: tuple[ForeignText, ...] = ()
    #: Why there is no whole run; else empty.
    problem: ForeignText = ""

    @property
    def failed(self) -> int:
        """Cases that count as failed."""
        ran = self.after.failed if self.after is not None else 0
        return ran + len(self.deleted) + len(self.disabled)


def unrun(recorded: RecordedRuns, problem: str) -> RunResult:
    """The result where there is no whole run."""
    base = [Counts.of(run) for run in recorded.base]
    return RunResult(
        least_passed=recorded.p,
        most_failed=recorded.f,
        before=Counts(
            passed=min(counts.passed for counts in base),
            failed=max(counts.failed for counts in base),
            skipped=max(counts.skipped for counts in base),
        ),
        flaky=tuple(recorded.flaky),
        problem=problem,
    )


def held(recorded: RecordedRuns, run: Run) -> RunResult:
    """Hold a run against the recorded ones."""
    known = recorded.cases
    required = recorded.required
    deleted = [name for name in required if name not in run]
    disabled = {
        name: None
        for name in required
        if (outcome := run.get(name)) is CaseOutcome.SKIPPED
        or (outcome is CaseOutcome.EMPTY and not _was_empty(known[name]))
    }
    failing = [name for name, outcome in run.items() if outcome is CaseOutcome.FAILED]
    newly = {name: None for name in failing if name in known and _always_passed(known[name])}
    others = [name for name in failing if name not in newly]
    counts = Counts.of({name: each for name, each in run.items() if name not in disabled})
    return unrun(recorded, "").model_copy(
        update={
            "after": counts.model_copy(update={"skipped": Counts.of(run).skipped}),
            "newly_failing": tuple(newly),
            "other_failing": tuple(others[:_MAX_NAMED]),
            "deleted": tuple(deleted),
            "disabled": tuple(disabled),
        }
    )


def _was_empty(case: RecordedCase) -> bool:
    return CaseOutcome.EMPTY.letter in case.base + case.silver


def _always_passed(case: RecordedCase) -> bool:
    passing = {outcome.letter for outcome in CaseOutcome if outcome.passes}
    return passing.issuperset(case.base)


def tests_success(result: RunResult) -> bool:
    """Do no fewer pass than p, and fail no more than f?"""
    if result.problem or result.after is None:
        return False
    return result.after.passed >= result.least_passed and result.failed <= result.most_failed


def faults(result: RunResult) -> list[str]:
    """What keeps the tests from being a success, one sentence each; empty for one."""
    if tests_success(result):
        return []
    if result.problem or result.after is None:
        return [result.problem or "the tests were not run"]
    found: list[str] = []
    if new := result.newly_failing:
        found.append(f"{_tests(new, 'fails', 'fail')} that passed before: {_named(new)}")
    if others := result.after.failed - len(new):
        named = f": {_named(result.other_failing)}" if result.other_failing else ""
        found.append(f"{others} {'more ' if new else ''}failed{named}")
    if gone := result.deleted:
        found.append(f"{_tests(gone, 'of the base is', 'of the base are')} gone: {_named(gone)}")
    if off := result.disabled:
        what = _tests(off, "is skipped or expects", "are skipped or expect")
        found.append(f"{what} nothing any more: {_named(off)}")
    if result.failed <= result.most_failed:
        found.append(f"{result.after.passed} passed; {result.least_passed} have to")
    elif result.most_failed:
        found.append(f"at most {result.most_failed} may fail")
    return found


def _tests(names: Sequence[str], one: str, many: str) -> str:
    return f"1 test {one}" if len(names) == 1 else f"{len(names)} tests {many}"


def _named(names: Sequence[str]) -> str:
    more = f" (and {len(names) - _MAX_TOLD} more)" if len(names) > _MAX_TOLD else ""
    return "; ".join(names[:_MAX_TOLD]) + more
