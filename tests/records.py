"""Evaluations as a track would have recorded them: the toy track, unless another is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
from pytest_benchmac.tracks.registry import get_track


@dataclass(frozen=True)
class Records:
    """What the records of a track say."""

    track: str
    #: Each needs the one before.
    stages: tuple[str, ...]
    baseline_stages: tuple[str, ...]
    #: What the stage of that name saw, which is good, or not.
    observations: Callable[[str, bool], dict[str, object]]


def observations(name: str, good: bool) -> dict[str, object]:
    """What a stage of the toy track saw."""
    if name == "patch":
        return {"applied": good, "message": "" if good else "patch does not apply"}
    if name == "check":
        return {"version": "2" if good else "1", "base_words": 12, "kept_words": 12}
    return {}


TOY = Records("toy", ("patch", "build", "check"), ("build",), observations)


def stage(name: str, needs: tuple[str, ...] = (), *, good: bool, of: Records = TOY) -> StageResult:
    """A stage that ran; what it saw is good, or not."""
    return StageResult(
        name=name,
        needs=needs,
        outcome=Outcome.PASSED,
        exit_code=0 if good else 1,
        observations=of.observations(name, good),
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
    reached: int | None = None,
    error: bool = False,
    verdict: Verdict = Verdict.CLEAN,
    kind: SubmissionKind = SubmissionKind.PATCH,
    of: Records = TOY,
    **metadata: float,
) -> Evaluation:
    """A record whose first `reached` stages passed, by default all.

    The next one failed and the others were not reached; with `error` the record ends there.
    """
    names = of.stages if kind is not SubmissionKind.BASELINE else of.baseline_stages
    reached = len(names) if reached is None else reached
    stages = [
        stage(name, names[max(0, place - 1) : place], good=place < reached, of=of)
        if place <= reached
        else StageResult(name=name, needs=names[place - 1 : place], outcome=Outcome.NOT_REACHED)
        for place, name in enumerate(names[:reached] if error else names)
    ]
    return rejudge(
        Evaluation(
            instance_id=instance,
            sut=sut,
            kind=kind,
            track=of.track,
            criteria={"source_version": "1.0.0", "target_version": "2"},
            status="error" if error else "completed",
            error=EvaluationError(kind="SandboxError", message="engine is gone") if error else None,
            metrics=dict.fromkeys(get_track(of.track).metrics),
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
