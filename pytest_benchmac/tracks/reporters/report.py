"""What a reporter wrote in the sandbox, by way of `report.cjs`; taken as hostile."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import Field, StringConstraints, ValidationError

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.model.base import Model
from pytest_benchmac.tracks.runs import MAX_CASES, MAX_NAME, CaseOutcome, Run, run_of

#: Errors outside of the cases, and characters of one; the same on both sides.
MAX_ERRORS, MAX_MESSAGE = 10, 2_000


class BrokenRunError(Exception):
    """The tests broke off, or left something that is no result: the submission's own doing."""


class Reported(Model):
    """What every reporter of the harness writes."""

    cases: Annotated[
        tuple[
            tuple[Annotated[str, StringConstraints(max_length=MAX_NAME)], CaseOutcome],
            ...,
        ],
        Field(max_length=MAX_CASES),
    ]
    #: Cases beyond the bound.
    unkept: Annotated[int, Field(ge=0)]
    #: Did the run come to its end, without an error outside of the cases?
    ended: bool
    errors: Annotated[
        tuple[Annotated[str, StringConstraints(max_length=MAX_MESSAGE)], ...],
        Field(max_length=MAX_ERRORS),
    ]


ReportedT = TypeVar("ReportedT", bound=Reported)


def parse_report(content: bytes, form: type[ReportedT]) -> ReportedT:
    """The report, which may say more than the others do; BrokenRunError where it is none."""
    try:
        return form.model_validate_json(content)
    except ValidationError as error:
        raise BrokenRunError(f"the tests' result is none: {error.errors()[0]['msg']}") from error


def reported_run(reported: Reported) -> Run:
    """The run that a report tells of; BrokenRunError where it did not come to its end."""
    if not reported.ended:
        why = f": {shown(reported.errors[0])}" if reported.errors else ""
        raise BrokenRunError(f"the tests broke off{why}")
    if reported.unkept:
        raise BrokenRunError(f"there are more than {MAX_CASES} tests")
    return run_of(reported.cases)


def read_report(content: bytes) -> Run:
    """The run that a report tells of.

    Raises:
        BrokenRunError: it is none, or of a run that did not come to its end.
    """
    return reported_run(parse_report(content, Reported))
