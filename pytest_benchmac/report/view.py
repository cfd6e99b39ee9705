"""The part of an evaluation record that reports read.

A report over 50,000 records has no time to validate each of them whole: what it does not use is
not looked at. `Evaluation` is the whole.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pytest_benchmac.model.base import AttemptNumber, InstanceId, MetricValue, SutName
from pytest_benchmac.model.evaluation import Evaluation, Limit, Outcome, Refusal, Severity, Verdict
from pytest_benchmac.model.submission import Case, Spent, StepCount, SubmissionKind


class _View(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", from_attributes=True)


class AttemptView(_View):
    """See `Attempt`."""

    limits_hit: tuple[Limit, ...] = ()
    stderr_tail: str = ""


class StageView(_View):
    """See `StageResult`."""

    name: str
    outcome: Outcome
    attempts: tuple[AttemptView, ...] = ()
    timed_out: bool = False
    log: str | None = None
    reason: str = ""
    observations: dict[str, Any] | None = None


class FindingView(_View):
    """See `Finding`."""

    code: str
    severity: Severity
    message: str


class IntegrityView(_View):
    """See `Integrity`."""

    verdict: Verdict = Verdict.UNCHECKED
    findings: tuple[FindingView, ...] = ()


class MetadataView(_View):
    """See `Metadata`."""

    cost_usd: Spent | None = None
    steps: StepCount | None = None
    duration_s: Spent | None = None
    exit_reason: str | None = None
    trajectory: str | None = None


class EnvironmentView(_View):
    """See `EvaluationEnvironment`."""

    harness_version: str


class RecordView(_View):
    """See `Evaluation`."""

    schema_version: Literal[1] = 1
    instance_id: InstanceId
    sut: SutName
    attempt: AttemptNumber = 1
    kind: SubmissionKind = SubmissionKind.PATCH
    track: str
    status: Literal["completed", "error"]
    refused: Refusal | None = None
    metrics: dict[str, MetricValue]
    integrity: IntegrityView | None = None
    resolved: bool
    stages: tuple[StageView, ...]
    metadata: MetadataView | None = None
    environment: EnvironmentView
    started_at: str
    duration_s: float

    @property
    def case(self) -> Case:
        """The key of the record."""
        return Case(instance_id=self.instance_id, sut=self.sut, attempt=self.attempt)

    @classmethod
    def of(cls, evaluation: Evaluation) -> RecordView:
        """What reports read of an evaluation that is at hand."""
        return cls.model_validate(evaluation)
