"""What happened becomes an Evaluation."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pytest_benchmac import PROTOCOL_VERSION, __version__
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.reuse import reuse_key
from pytest_benchmac.judging.verdict import compute_metrics
from pytest_benchmac.model.base import MetricValue
from pytest_benchmac.model.evaluation import (
    Evaluation,
    EvaluationEnvironment,
    Outcome,
    StageResult,
)
from pytest_benchmac.network.access import merge_hosts
from pytest_benchmac.tracks.protocol import Observations, Stage


def not_reached(state: CaseState, stage: Stage[Any, Any]) -> StageResult:
    """The result of a stage that did not run."""
    return StageResult(name=stage.name, needs=state.needs_of(stage), outcome=Outcome.NOT_REACHED)


def stage_result(
    state: CaseState, stage: Stage[Any, Any], seen: Observations | None
) -> StageResult:
    """The result of the stage that runs, with what it saw until now; its outcome is not judged."""
    last = state.attempts[-1] if state.attempts else None
    return StageResult(
        name=stage.name,
        needs=state.needs_of(stage),
        outcome=Outcome.NOT_REACHED,
        command=last.command if last else None,
        attempts=tuple(state.attempts),
        exit_code=last.exit_code if last else None,
        timed_out=bool(last and last.timed_out),
        duration_s=round(state.stage_s, 3),
        log=last.log if last else None,
        observations={} if seen is None else seen.recorded(),
    )


def make_record(state: CaseState) -> Evaluation:
    """The record of a case that is over."""
    track, case = state.track, state.submission.case
    if state.error is not None:
        state.integrity.unchecked = "the harness failed before it could tell"
    integrity = state.integrity.result()
    criteria = track.criteria(state.instance)
    metrics: dict[str, MetricValue] = dict.fromkeys(track.metrics)
    resolved = False
    results = list(state.results)
    if state.error is None:
        metrics = compute_metrics(track, results, criteria, integrity, state.refused)
        resolved = track.resolved(metrics, integrity, results)
    done = {result.name for result in results}
    for stage in state.stages:
        if stage.name == state.running:
            results.append(stage_result(state, stage, None))
        elif stage.name not in done:
            results.append(not_reached(state, stage))
    artifacts = state.artifacts
    place = state.store.artifacts(case).relative_to(state.settings.reports)
    return Evaluation(
        instance_id=state.instance.id,
        sut=case.sut,
        attempt=case.attempt,
        kind=state.submission.kind,
        track=track.name,
        criteria=criteria,
        status="error" if state.error else "completed",
        error=state.error,
        failed_runs=tuple(state.failed_runs),
        refused=state.refused,
        metrics=metrics,
        integrity=integrity,
        resolved=resolved,
        stages=tuple(results),
        environment=_environment(state),
        patch_sha256=state.submission.patch_sha256,
        patch_bytes=state.submission.patch_bytes,
        metadata=state.submission.metadata,
        hosts=merge_hosts(
            attachment.report() for attachment in (*state.past_attachments, *state.attachments)
        ),
        artifacts=tuple(artifacts.files),
        artifacts_dir=place.as_posix() if artifacts.files else None,
        artifacts_omitted=tuple(artifacts.omitted),
        reuse_key=reuse_key(state),
        started_at=state.started_at.isoformat(timespec="milliseconds"),
        duration_s=round(state.elapsed_s, 3),
    )


def _environment(state: CaseState) -> EvaluationEnvironment:
    image = state.image
    return EvaluationEnvironment.model_validate(
        {
            **(image.tools if image else {}),
            "sandbox": state.engine.name if state.engine else state.settings.sandbox,
            "network": state.settings.network,
            "harness_version": __version__,
            "protocol_version": PROTOCOL_VERSION,
            "image": image.tag if image else None,
            "image_digest": image.digest if image else None,
            "base_provenance": image.provenance if image else None,
            "plain": state.settings.plain,
            "limits": asdict(state.settings.limits),
            "unenforced": state.unenforced,
        }
    )
