"""How an evaluation becomes the outcomes of a case's items, and what a failing item shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_benchmac.foreign.text import printable
from pytest_benchmac.model.evaluation import (
    Evaluation,
    Outcome,
    Severity,
    StageResult,
    Verdict,
)
from pytest_benchmac.report.cases import stage_output
from pytest_benchmac.report.causes import diagnose
from pytest_benchmac.report.formats.columns import finding_line
from pytest_benchmac.report.view import RecordView

#: The last item of every case: not a stage, but the track's own predicate over all of them.
RESOLVED = "resolved"

_STDERR_LINES = 20


def failed_stages(evaluation: Evaluation, stage: str) -> tuple[str, ...]:
    """The stages that kept `stage` from running: those it needs, near or far, that failed."""
    stages = {result.name: result for result in evaluation.stages}
    needed: set[str] = set()
    waiting = [stage]
    while waiting:
        result = stages.get(waiting.pop())
        for need in result.needs if result is not None else ():
            if need not in needed:
                needed.add(need)
                waiting.append(need)
    return tuple(
        name
        for name, result in stages.items()
        if name in needed and result.outcome is Outcome.FAILED
    )


def why_not_reached(evaluation: Evaluation, blockers: Sequence[str]) -> str:
    """Reason of a skip, or of the failure that takes its place."""
    told = [f"{name} failed ({_first_line(evaluation.stage(name).reason)})" for name in blockers]
    return f"not reached: {', '.join(told)}"


def stage_failure(evaluation: Evaluation, stage: StageResult, reports: Path) -> str:
    """What a failing item of a stage shows: command, exit code, standard error's end, log."""
    if stage.outcome is Outcome.NOT_REACHED:
        return why_not_reached(evaluation, failed_stages(evaluation, stage.name))
    lines = [
        f"{stage.name} failed: {_first_line(stage.reason)}",
        f"  case:    {evaluation.case.id}",
        *_error_line(evaluation, stage, reports),
    ]
    if stage.attempts:
        attempt = stage.attempts[-1]
        ended = "timed out" if attempt.timed_out else f"exit code {attempt.exit_code}"
        if attempt.limits_hit:
            ended += f" (bound hit: {', '.join(attempt.limits_hit)})"
        if len(stage.attempts) > 1:
            ended += f", attempt {len(stage.attempts)} of {len(stage.attempts)}"
        lines += [
            f"  command: {_one_line(attempt.command)}",
            f"  ended:   {ended}, after {attempt.duration_s:.1f} s",
            f"  log:     {reports / attempt.log if attempt.log else 'none'}",
        ]
        if tail := attempt.stderr_tail.splitlines()[-_STDERR_LINES:]:
            lines += [f"  last {len(tail)} lines of standard error:", *(f"    {x}" for x in tail)]
    if "\n" in stage.reason:
        lines += ["  reason:", *(f"    {line}" for line in stage.reason.splitlines())]
    return printable("\n".join(lines))


def _error_line(evaluation: Evaluation, stage: StageResult, reports: Path) -> list[str]:
    """The output's line that tells why: with a compiler, file, line and code of its first error."""
    first = next((s.name for s in evaluation.stages if s.outcome is Outcome.FAILED), None)
    if stage.name != first:
        return []
    found = diagnose(RecordView.of(evaluation), lambda view: stage_output(view, reports))
    return (
        [f"  error:   {printable(found.first_error)}"]
        if found is not None and found.evidence
        else []
    )


def resolved_failure(evaluation: Evaluation, reports: Path) -> str:
    """What a failing `resolved` item shows: the findings, or the metrics that are not reached."""
    metrics = ", ".join(f"{name}={_shown(value)}" for name, value in evaluation.metrics.items())
    lines = [
        f"not resolved: {failure_headline(evaluation)}",
        f"  case:    {evaluation.case.id}",
        f"  metrics: {metrics}",
        f"  logs:    {reports / 'logs' / evaluation.case.stem}",
    ]
    for finding in evaluation.integrity.findings:
        lines.append(f"  {finding_line(finding)}")
        lines += [
            f"    {name}: {_one_line(value)}"
            for name, value in (("expected", finding.expected), ("seen", finding.seen))
            if value is not None
        ]
    return printable("\n".join(lines))


def failure_headline(evaluation: Evaluation) -> str:
    """Why a case is not resolved, in one line."""
    integrity = evaluation.integrity
    if integrity.verdict is Verdict.REJECTED:
        fatal = [f.code for f in integrity.findings if f.severity is Severity.FATAL]
        return f"integrity rejected: {', '.join(dict.fromkeys(fatal))}"
    failed = [s for s in evaluation.stages if s.outcome is Outcome.FAILED]
    if failed:
        return ", ".join(f"{s.name} failed ({_first_line(s.reason)})" for s in failed)
    lacking = [name for name, value in evaluation.metrics.items() if value is not True]
    return f"not achieved: {', '.join(lacking)}"


def error_text(evaluation: Evaluation) -> str:
    """What the error of a case shows that could not be judged."""
    error = evaluation.error
    if error is None:
        raise ValueError(f"{evaluation.case.id} was judged")
    stage = f" in stage {error.stage}" if error.stage else ""
    return printable(
        f"infrastructure error{stage}, no failure of the SUT: {error.kind}: {error.message}"
    )


def metadata(evaluation: Evaluation, stage: str | None) -> dict[str, Any]:
    """What pytest-json-report keeps of an item: its stage, or the case's verdict.

    It keeps that of all items in memory until the session ends, so what a stage observed, which is
    most of a record, is left to the record.
    """
    known: dict[str, Any] = {
        "instance_id": evaluation.instance_id,
        "sut": evaluation.sut,
        "attempt": evaluation.attempt,
        "track": evaluation.track,
        "status": evaluation.status,
    }
    if evaluation.error is not None:
        known["error"] = evaluation.error.model_dump(mode="json")
    if stage == RESOLVED:
        known |= {
            "resolved": evaluation.resolved,
            "metrics": evaluation.metrics,
            "integrity": evaluation.integrity.model_dump(mode="json"),
            "duration_s": evaluation.duration_s,
        }
    elif result := next((s for s in evaluation.stages if s.name == stage), None):
        known["stage"] = result.model_dump(mode="json", exclude={"observations"})
    return known


def _one_line(text: str) -> str:
    """What a patch can choose must not look like a line of ours."""
    return printable(" ".join(text.splitlines()))


def _first_line(text: str) -> str:
    return printable(text.splitlines()[0]) if text else "no reason given"


def _shown(value: bool | float | None) -> str:
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "null"}[value]
    return f"{value:.3f}"
