"""How much less is solved once programs are harder: table 5 of GeneBench (2025).

Pure functions over shares. Needs the extra `report` (scipy).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from scipy.special import stdtr

from pytest_benchmac.model.base import Model
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.submission import SubmissionKind

#: The track whose records are looked at.
TRACK = "program"


class Row(Model):
    """What one SUT solves of one task."""

    sut: str
    task: str
    #: Shares in [0, 1], over the same programs.
    before: float
    after: float
    #: How many programs that are.
    programs: int

    @property
    def change(self) -> float | None:
        """`(after - before) / before`; None where nothing was solved before."""
        return (self.after - self.before) / self.before if self.before else None


class Change(Model):
    """The same over SUTs, of one task or of all."""

    task: str
    #: Mean of the rows' changes, of those that have one.
    mean: float | None
    #: Rows in it.
    rows: int
    #: Two-sided p-value of the paired t-test of before and after; None where there is none.
    p_value: float | None


class EvolveReport(Model):
    """The whole table."""

    rows: tuple[Row, ...]
    #: By task, in the order of the rows.
    tasks: tuple[Change, ...]
    #: Over all rows of all tasks.
    all: Change


@dataclass(frozen=True)
class Judged:
    """One case of the track, as far as it counts here."""

    sut: str
    task: str
    program: str
    version: str
    solved: bool


def judged_cases(evaluations: Iterable[Evaluation]) -> list[Judged]:
    """The cases of systems under test; errors of infrastructure say nothing, and are left out."""
    return [
        Judged(
            each.sut,
            str(each.criteria.get("task")),
            str(each.criteria.get("program")),
            str(each.criteria.get("version")),
            each.resolved,
        )
        for each in evaluations
        if each.track == TRACK and each.kind is SubmissionKind.PATCH and each.status == "completed"
    ]


def rows_of(cases: Iterable[Judged]) -> list[Row]:
    """What each SUT solves before and after, of programs that were judged in both versions.

    Of several attempts at a program, their mean counts.
    """
    attempts: dict[tuple[str, str], dict[str, dict[str, list[bool]]]] = {}
    for case in cases:
        programs = attempts.setdefault((case.task, case.sut), {})
        programs.setdefault(case.program, {}).setdefault(case.version, []).append(case.solved)
    found = []
    for (task, sut), programs in sorted(attempts.items()):
        pairs = [
            (fmean(tries["before"]), fmean(tries["after"]))
            for tries in programs.values()
            if tries.keys() >= {"before", "after"}
        ]
        if pairs:
            before, after = (fmean(side) for side in zip(*pairs, strict=True))
            found.append(Row(sut=sut, task=task, before=before, after=after, programs=len(pairs)))
    return found


def report_of(rows: Sequence[Row]) -> EvolveReport:
    """Changes per task and over all, from what each SUT solves."""
    tasks = dict.fromkeys(row.task for row in rows)
    return EvolveReport(
        rows=tuple(rows),
        tasks=tuple(_change(task, [row for row in rows if row.task == task]) for task in tasks),
        all=_change("all", rows),
    )


def paired_t_test(before: Sequence[float], after: Sequence[float]) -> float | None:
    """Two-sided p-value that the mean difference of pairs is 0.

    Student, "The probable error of a mean", Biometrika 6 (1908): `t = mean(d) / (s / sqrt(n))` with
    n - 1 degrees of freedom. None for fewer than two pairs, and where all differences are equal.
    """
    differences = [two - one for one, two in zip(before, after, strict=True)]
    n = len(differences)
    if n < 2 or max(differences) == min(differences):
        return None
    t = fmean(differences) / (stdev(differences) / sqrt(n))
    return 2 * float(stdtr(n - 1, -abs(t)))


def _change(task: str, rows: Sequence[Row]) -> Change:
    changes = [row.change for row in rows if row.change is not None]
    return Change(
        task=task,
        mean=fmean(changes) if changes else None,
        rows=len(rows),
        p_value=paired_t_test([row.before for row in rows], [row.after for row in rows]),
    )
