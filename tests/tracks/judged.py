"""Records of stages, judged as `judging` judges them: outcomes, metrics, `resolved`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_benchmac.judging.verdict import compute_metrics, judge_stage
from pytest_benchmac.model.base import MetricValue
from pytest_benchmac.model.evaluation import Integrity, Outcome, StageResult, Verdict
from pytest_benchmac.tracks.registry import get_stage, get_track


def judge(
    track: str, results: Iterable[StageResult], criteria: Mapping[str, Any]
) -> list[StageResult]:
    """The results, each but those not reached with the outcome and reason that follow from it."""
    done: list[StageResult] = []
    for result in results:
        reached = result.outcome is not Outcome.NOT_REACHED
        stage = get_stage(track, result.name)
        done.append(judge_stage(stage, result, done, criteria) if reached else result)
    return done


def metrics_of(
    track: str,
    results: Iterable[StageResult],
    criteria: Mapping[str, Any],
    verdict: Verdict = Verdict.CLEAN,
) -> dict[str, MetricValue]:
    """The metrics of a case with these results."""
    done = judge(track, results, criteria)
    return compute_metrics(get_track(track), done, criteria, Integrity(verdict=verdict), None)


def resolved_of(
    track: str,
    results: Iterable[StageResult],
    criteria: Mapping[str, Any],
    verdict: Verdict = Verdict.CLEAN,
) -> bool:
    """Is a case with these results resolved?"""
    done = judge(track, results, criteria)
    metrics = metrics_of(track, done, criteria, verdict)
    return get_track(track).resolved(metrics, Integrity(verdict=verdict), done)
