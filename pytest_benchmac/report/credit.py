"""Partial credit: how much of the work a case did whose build still fails.

The measure is errors left. An instance's *reference* is the case of a submission that only puts
the target versions in place and leaves the code untouched: what it leaves broken is the work. See
docs/failures.md. Credit is shown beside pass and fail, and nothing is ranked by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.evaluation import Outcome, Verdict
from pytest_benchmac.report.cases import CaseResult


def partial_credit(case: CaseResult, reference: CaseResult) -> float | None:
    """Share of the reference's errors that the case does not have, in [0, 1].

    1 when the stage at which the reference fails passed; 0 when the case did not get there, was
    rejected, or has more errors than the reference; else `1 - errors / reference errors`. None
    when the reference fails nowhere (there was no work to see), when one of both is not judged, or
    when the tool did not count errors.
    """
    stage = _failed_stage(reference)
    wanted = reference.diagnosis.errors if reference.diagnosis is not None else None
    if not case.judged or not reference.judged or stage is None or not wanted:
        return None
    if case.verdict is Verdict.REJECTED:
        return 0.0
    outcome = case.stages.get(stage)
    if outcome is Outcome.PASSED:
        return 1.0
    if outcome is not Outcome.FAILED:
        return 0.0
    left = case.diagnosis.errors if case.diagnosis is not None else None
    return None if left is None else max(0.0, 1 - left / wanted)


def _failed_stage(case: CaseResult) -> str | None:
    return next((s for s, outcome in case.stages.items() if outcome is Outcome.FAILED), None)


def with_partial_credit(
    results: Iterable[CaseResult], reference_sut: str
) -> tuple[CaseResult, ...]:
    """The cases with their credit, measured against the cases of `reference_sut`.

    Raises:
        InputError: that SUT has no case here.
    """
    cases: Sequence[CaseResult] = tuple(results)
    references = {c.case.instance_id: c for c in cases if c.case.sut == reference_sut}
    if not references:
        raise InputError(
            f"no case of the SUT {reference_sut!r}",
            where="--reference",
            remedy="Name the SUT whose patches only put the target versions in place.",
        )
    return tuple(
        replace(case, partial_credit=partial_credit(case, reference))
        if (reference := references.get(case.case.instance_id)) is not None
        else case
        for case in cases
    )
