"""The submissions of the harness's two self-tests: silver patches and untouched bases."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_benchmac.input.staging import with_patch
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.submission import Case, Submission, SubmissionKind


def silver_submissions(instances: Mapping[str, Instance]) -> tuple[Submission, ...]:
    """The silver patch of every instance that has one; `patch` is None where it is two commits.

    Raises:
        SubmissionError: a patch file cannot be read.
    """
    submissions = []
    for instance in instances.values():
        if instance.silver is None:
            continue
        case = Case(instance_id=instance.id, sut=SubmissionKind.SILVER.value)
        submission = Submission(case=case, kind=SubmissionKind.SILVER)
        if instance.silver.patch is not None:
            submission = with_patch(submission, instance.directory / instance.silver.patch)
        submissions.append(submission)
    return tuple(submissions)


def baseline_submissions(instances: Mapping[str, Instance]) -> tuple[Submission, ...]:
    """One submission without a patch per instance: its untouched base is judged."""
    return tuple(
        Submission(
            case=Case(instance_id=name, sut=SubmissionKind.BASELINE.value),
            kind=SubmissionKind.BASELINE,
        )
        for name in instances
    )
