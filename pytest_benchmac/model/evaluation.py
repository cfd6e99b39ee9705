"""The record of one case: what its stages, integrity checks and sandbox left to be judged."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from pytest_benchmac.model.base import (
    AttemptNumber,
    ForeignText,
    InstanceId,
    MetricValue,
    Model,
    Sha256,
    SutName,
    well_formed,
)
from pytest_benchmac.model.submission import Case, Metadata, SubmissionKind


class Limit(StrEnum):
    """A bound of the sandbox that a command ran into."""

    TIME = "time"
    MEMORY = "memory"
    PIDS = "pids"
    DISK = "disk"
    OUTPUT = "output"


class Attempt(Model):
    """One run of one command in the sandbox."""

    command: ForeignText
    #: None when the command was killed by the harness or never started.
    exit_code: int | None
    timed_out: bool = False
    #: Every bound the command ran into, in the order they were seen.
    limits_hit: tuple[Limit, ...] = ()
    duration_s: float
    #: Path below the report folder; standard output and error as they came.
    log: str | None = None
    #: The last lines of standard error, decoded with replacement.
    stderr_tail: ForeignText = ""


class Outcome(StrEnum):
    """What became of a stage."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_REACHED = "not_reached"


class StageResult(Model):
    """One stage of one case. `command`, `exit_code` and `log` are those of the last attempt."""

    name: str
    #: The stages that must have passed for this one to run.
    needs: tuple[str, ...] = ()
    outcome: Outcome
    command: ForeignText | None = None
    attempts: tuple[Attempt, ...] = ()
    exit_code: int | None = None
    timed_out: bool = False
    #: Seconds from its beginning to its end, the harness's own work among them.
    duration_s: float = 0.0
    log: str | None = None
    #: Why the stage did not pass, for people; empty when it passed.
    reason: ForeignText = ""
    #: What the stage left to be judged, as data: metrics are computed from this alone.
    observations: Annotated[dict[str, Any], AfterValidator(well_formed)] = {}


class Severity(StrEnum):
    """How much a finding weighs: one `fatal` rejects the case, a `warning` is shown."""

    FATAL = "fatal"
    WARNING = "warning"


class Finding(Model):
    """One thing that integrity checks saw."""

    #: Names the rule, and is stable; the track's docs list them.
    code: str
    severity: Severity
    message: ForeignText
    #: Path in the project.
    file: ForeignText | None = None
    #: Counted from 1.
    line: int | None = None
    expected: ForeignText | None = None
    seen: ForeignText | None = None


class Verdict(StrEnum):
    """May the metrics be believed? `unchecked` is never shown as clean."""

    CLEAN = "clean"
    REJECTED = "rejected"
    UNCHECKED = "unchecked"


class IntegrityLeg(Model):
    """One integrity check of a case, as it ran; its findings are the case's."""

    name: str
    #: `failed` with something fatal, or where it could not be finished; `reason` says which.
    outcome: Outcome
    duration_s: float
    reason: ForeignText = ""


class Integrity(Model):
    """The verdict with what led to it. `tracks.findings.judged` computes the verdict."""

    verdict: Verdict = Verdict.UNCHECKED
    findings: tuple[Finding, ...] = ()
    #: The checks that the case got to, in the order they ran.
    legs: tuple[IntegrityLeg, ...] = ()
    #: Why integrity was not looked at; empty where it was.
    unchecked: ForeignText = ""
    #: What the checks saw beside findings, for people; the track's own words.
    facts: Annotated[dict[str, Any], AfterValidator(well_formed)] = {}


class EvaluationEnvironment(Model):
    """What the case ran on. Tracks add the versions of their tools, as seen in the sandbox."""

    model_config = ConfigDict(frozen=True, extra="allow")

    sandbox: str
    network: str
    harness_version: str
    protocol_version: int
    image: str | None = None
    image_digest: str | None = None
    #: How the base image came here: `pulled`, `bootstrapped`, or `none` for the local sandbox.
    base_provenance: str | None = None
    #: Was everything done the long way, as `--plain` asks?
    plain: bool = False
    #: Bounds asked for, with their units in the names.
    limits: dict[str, float | int | None] = {}
    #: Bounds that this sandbox could not enforce on this machine.
    unenforced: tuple[str, ...] = ()


class Origin(StrEnum):
    """Where an answer came from."""

    #: The instance's recorded fixture.
    FIXTURE = "fixture"
    #: The cache on disk, known to be current or immutable.
    CACHE = "cache"
    #: The registry, asked now.
    UPSTREAM = "upstream"
    #: The cache on disk, because the registry failed.
    STALE = "stale"
    #: `offline` only: nothing stored.
    MISS = "miss"
    #: The registry failed and nothing was stored.
    FAILED = "failed"
    #: The policy forbids it.
    REFUSED = "refused"


class HostAccess(Model):
    """The requests of one case to one host and port."""

    host: str
    port: Annotated[int, Field(ge=0, le=65_535)]
    #: May the case reach this host at all? Single requests to it can be refused all the same.
    allowed: bool
    requests: int
    #: Requests by where their answer came from; they add up to `requests`.
    origins: dict[Origin, int]


class Artifact(Model):
    """A file that the case left behind, below the evaluation's `artifacts_dir`."""

    path: ForeignText
    bytes: int
    sha256: Sha256
    #: Made by the harness as it looked, such as a screenshot: no product of the case, and not the
    #: same in two runs.
    observed: bool = False


class EvaluationError(Model):
    """Why a case could not be judged: an infrastructure error, by class name and message."""

    kind: str
    message: ForeignText
    stage: str | None = None


class FailedRun(Model):
    """A run of a case that ended in an error, and was followed by another."""

    error: EvaluationError
    #: Did registries answer the harness right afterwards? None where the patch had no part in it.
    registries_answered: bool | None
    #: Seconds until the next run.
    waited_s: float


class Refusal(StrEnum):
    """Why a patch never reached a sandbox."""

    EMPTY = "empty"
    OVERSIZED = "oversized"


class Evaluation(Model):
    """The record of one case, written to `evaluations/<sut>/<instance_id>.json`.

    `status` is `error` when the harness failed; then every metric is None, and the stages are
    those that were done, and the one that was under way with the attempts it had.
    """

    schema_version: Literal[1] = 1
    instance_id: InstanceId
    sut: SutName
    attempt: AttemptNumber = 1
    kind: SubmissionKind = SubmissionKind.PATCH
    track: str
    #: What the track judged by, such as the version to reach.
    criteria: dict[str, Any] = {}
    status: Literal["completed", "error"]
    error: EvaluationError | None = None
    #: What came before, in order; all else in the record is of the last run.
    failed_runs: tuple[FailedRun, ...] = ()
    #: Set when the patch was not even applied: then the first stage failed, and no other ran.
    refused: Refusal | None = None
    metrics: dict[str, MetricValue]
    integrity: Integrity = Integrity()
    resolved: bool
    stages: tuple[StageResult, ...]
    environment: EvaluationEnvironment
    patch_sha256: Sha256 | None
    patch_bytes: int = 0
    metadata: Metadata = Metadata()
    #: Every host that the case asked for; empty under `open`, which is not watched.
    hosts: tuple[HostAccess, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    #: Folder of the artifacts, below the report folder; None when nothing was collected.
    artifacts_dir: str | None = None
    #: Folders that were too large to be collected; no bound on sizes can be checked on them.
    artifacts_omitted: tuple[ForeignText, ...] = ()
    #: Digest over all that decides the outcome; the same key means the record can be reused.
    reuse_key: Sha256
    started_at: str
    duration_s: float

    @property
    def case(self) -> Case:
        """The key of this record."""
        return Case(instance_id=self.instance_id, sut=self.sut, attempt=self.attempt)

    @property
    def run_mark(self) -> str:
        """Tells this run of the case from others: what decided it, and when it began."""
        return f"{self.reuse_key} {self.started_at}"

    def stage(self, name: str) -> StageResult:
        """The stage of that name; KeyError names those there are."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(f"no stage {name!r}; this case has {[s.name for s in self.stages]}")
