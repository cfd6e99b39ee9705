"""Outcomes, metrics and `resolved` from what stages recorded. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_benchmac.model.base import MetricValue
from pytest_benchmac.model.evaluation import Evaluation, Outcome, Refusal, StageResult
from pytest_benchmac.tracks.findings import judged
from pytest_benchmac.tracks.protocol import Track
from pytest_benchmac.tracks.registry import get_track


def rejudge(evaluation: Evaluation) -> Evaluation:
    """The same record with what follows from what was seen computed again.

    That is outcomes, metrics, the verdict on integrity, and `resolved`.
    """
    if evaluation.status != "completed":
        return evaluation
    track = get_track(evaluation.track)
    stages: list[StageResult] = []
    for stage in evaluation.stages:
        stages.append(
            stage
            if evaluation.refused or stage.outcome is Outcome.NOT_REACHED
            else judge_stage(track, stage, stages, evaluation.criteria)
        )
    metrics = metrics_of(track, stages, evaluation.criteria, evaluation.refused)
    integrity = judged(evaluation.integrity)
    return evaluation.model_copy(
        update={
            "stages": tuple(stages),
            "metrics": metrics,
            "integrity": integrity,
            "resolved": track.resolved(metrics, integrity, stages),
        }
    )


def judge_stage(
    track: Track,
    stage: StageResult,
    before: Sequence[StageResult],
    criteria: Mapping[str, Any],
) -> StageResult:
    """The stage with its outcome: not reached where a need did not pass, whatever it recorded."""
    passed = {earlier.name for earlier in before if earlier.outcome is Outcome.PASSED}
    if not passed.issuperset(stage.needs):
        return StageResult(name=stage.name, needs=stage.needs, outcome=Outcome.NOT_REACHED)
    reason = track.reason(stage, criteria)
    outcome = Outcome.FAILED if reason else Outcome.PASSED
    return stage.model_copy(update={"outcome": outcome, "reason": reason})


def metrics_of(
    track: Track,
    stages: Sequence[StageResult],
    criteria: Mapping[str, Any],
    refused: Refusal | None,
) -> dict[str, MetricValue]:
    """The metrics of a record. An empty patch fails them all: its SUT delivered nothing."""
    if refused is Refusal.EMPTY:
        declared = {stage.name for stage in stages}
        return {
            name: False if metric.stage in declared else None
            for name, metric in track.metrics.items()
        }
    return track.compute_metrics(stages, criteria)
