"""Evaluations as a track would have recorded them; which one, only the constants below say."""

from __future__ import annotations

from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import (
    Evaluation,
    EvaluationEnvironment,
    EvaluationError,
    Finding,
    Integrity,
    IntegrityLeg,
    Outcome,
    Severity,
    StageResult,
    Verdict,
)
from pytest_benchmac.model.submission import Metadata, SubmissionKind

TRACK = "angular"
#: The metrics of the records, each with its stage; a stage needs the one before.
METRICS = {
    "patch_application_success": "patch",
    "install_success": "install",
    "target_version_achieved": "version",
    "build_success": "build",
}
BASELINE_STAGES = ("install", "build")
STAGES = tuple(METRICS.values())


def observations(name: str, *, good: bool) -> dict[str, object]:
    """What the stage of that name saw."""
    if name == "patch":
        return {"applied": good, "message": "" if good else "patch does not apply"}
    if name == "version":
        version = "2.1.0" if good else "1.0.0"
        installed = {"@angular/cli": version, "@angular/core": version}
        return {"parsed": True, "installed": installed}
    return {}


def stage(name: str, needs: tuple[str, ...], *, good: bool) -> StageResult:
    """A stage that ran; what it saw is good, or not."""
    return StageResult(
        name=name,
        needs=needs,
        outcome=Outcome.PASSED,
        exit_code=0 if good else 1,
        observations=observations(name, good=good),
    )


def integrity(verdict: Verdict) -> Integrity:
    """What leads to that verdict."""
    if verdict is Verdict.UNCHECKED:
        return Integrity()
    outcome = Outcome.PASSED if verdict is Verdict.CLEAN else Outcome.FAILED
    forged = Finding(code="forged", severity=Severity.FATAL, message="It is forged.")
    return Integrity(
        findings=(forged,) if verdict is Verdict.REJECTED else (),
        legs=(IntegrityLeg(name="sources", outcome=outcome, duration_s=1.0),),
    )


def evaluation(
    sut: str = "some-sut",
    instance: str = "app_v1_to_v2",
    *,
    reached: int = 4,
    error: bool = False,
    verdict: Verdict = Verdict.UNCHECKED,
    kind: SubmissionKind = SubmissionKind.PATCH,
    **metadata: float,
) -> Evaluation:
    """A record whose first `reached` stages passed.

    The next one failed and the others were not reached; with `error` the record ends there.
    """
    names = STAGES if kind is not SubmissionKind.BASELINE else BASELINE_STAGES
    stages = [
        stage(name, names[max(0, place - 1) : place], good=place < reached)
        if place <= reached
        else StageResult(name=name, needs=names[place - 1 : place], outcome=Outcome.NOT_REACHED)
        for place, name in enumerate(names[:reached] if error else names)
    ]
    return rejudge(
        Evaluation(
            instance_id=instance,
            sut=sut,
            kind=kind,
            track=TRACK,
            criteria={"source_version": "1.0.0", "target_version": "2"},
            status="error" if error else "completed",
            error=EvaluationError(kind="SandboxError", message="engine is gone") if error else None,
            metrics=dict.fromkeys(METRICS),
            integrity=integrity(verdict),
            resolved=False,
            stages=tuple(stages),
            environment=EvaluationEnvironment(
                sandbox="docker", network="open", harness_version="0", protocol_version=1
            ),
            patch_sha256="0" * 64,
            metadata=Metadata.model_validate(metadata),
            reuse_key="1" * 64,
            started_at="2026-01-01T00:00:00+00:00",
            duration_s=1.0,
        )
    )
