"""Outcomes, metrics and `resolved` from what stages recorded. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_benchmac.model.base import MetricValue
from pytest_benchmac.model.evaluation import Evaluation, Integrity, Outcome, Refusal, StageResult
from pytest_benchmac.tracks.findings import judged
from pytest_benchmac.tracks.protocol import Stage, Track
from pytest_benchmac.tracks.registry import get_stage, get_track


def rejudge(evaluation: Evaluation) -> Evaluation:
    """The same record with what follows from what was seen computed again.

    That is outcomes, metrics, the verdict on integrity, and `resolved`.

    Raises:
        TrackError: the record's track is not installed, or has no such stage.
    """
    if evaluation.status != "completed":
        return evaluation
    track = get_track(evaluation.track)
    stages: list[StageResult] = []
    for result in evaluation.stages:
        if not evaluation.refused and result.outcome is not Outcome.NOT_REACHED:
            stage = get_stage(evaluation.track, result.name)
            result = judge_stage(stage, result, stages, evaluation.criteria)
        stages.append(result)
    integrity = judged(evaluation.integrity)
    metrics = compute_metrics(track, stages, evaluation.criteria, integrity, evaluation.refused)
    return evaluation.model_copy(
        update={
            "stages": tuple(stages),
            "metrics": metrics,
            "integrity": integrity,
            "resolved": track.resolved(metrics, integrity, stages),
        }
    )


def judge_stage(
    stage: Stage[Any, Any],
    result: StageResult,
    before: Sequence[StageResult],
    criteria: Mapping[str, Any],
) -> StageResult:
    """The result with its outcome: not reached where a need did not pass, whatever it recorded."""
    passed = {earlier.name for earlier in before if earlier.outcome is Outcome.PASSED}
    if not passed.issuperset(result.needs):
        return StageResult(name=result.name, needs=result.needs, outcome=Outcome.NOT_REACHED)
    if too_large := result.observations.get("copy_limit"):
        reason = f"what the stage left is too large to be read: {too_large}"
    elif provoked := result.observations.get("provoked_error"):
        reason = f"the patch makes the harness fail: {provoked}"
    else:
        reason = stage.reason(result, criteria)
    outcome = Outcome.FAILED if reason else Outcome.PASSED
    return result.model_copy(update={"outcome": outcome, "reason": reason})


def compute_metrics(
    track: Track[Any],
    stages: Sequence[StageResult],
    criteria: Mapping[str, Any],
    integrity: Integrity,
    refused: Refusal | None,
) -> dict[str, MetricValue]:
    """The metrics of a record. An empty patch fails them all: its SUT delivered nothing."""
    if refused is Refusal.EMPTY:
        declared = {stage.name for stage in stages}
        return {
            name: False if metric.stage in declared else None
            for name, metric in track.metrics.items()
        }
    return track.compute_metrics(stages, criteria, integrity)
