"""The tables of a paper: plain rows of text and numbers, whatever format they are written in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_benchmac.model.evaluation import Outcome
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.cases import CaseResult, by_track
from pytest_benchmac.report.leaderboard import Leaderboard, TrackLeaderboard

Cell = str | int | float | bool | None


@dataclass(frozen=True)
class Sheet:
    """One table of one track."""

    #: One of `SHEETS`.
    name: str
    track: str
    #: What the rows are, in one sentence.
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def sheets_of(
    leaderboard: Leaderboard, results: Sequence[CaseResult], names: Sequence[str]
) -> Iterator[Sheet]:
    """The named tables of each track, without those that have no row.

    Args:
        leaderboard: with statistics, where `pass-at-k`, `pairs` or `difficulty` is named.
        results: its cases.
        names: keys of `SHEETS`.
    """
    cases = by_track(results)
    for track in leaderboard.tracks:
        for name in names:
            sheet = SHEETS[name](track, cases.get(track.track, []))
            if sheet.rows:
                yield sheet


def _stages(track: TrackLeaderboard, _: Sequence[CaseResult]) -> Sheet:
    rows: list[tuple[Cell, ...]] = []
    for row in track.rows:
        for name, metric in row.metrics.items():
            if metric.judged:
                counts = metric.achieved, metric.failed, metric.not_reached, metric.judged
                rows.append((row.sut, track.metrics[name], name, *counts, metric.percentage))
    return Sheet(
        "stages",
        track.track,
        "What the judged cases of each system reached, stage by stage.",
        ("sut", "stage", "metric", "achieved", "failed", "not_reached", "judged", "percentage"),
        tuple(rows),
    )


def word_of(case: CaseResult) -> str:
    """What became of a case, in one word of the tables."""
    if not case.judged:
        return "error"
    if case.unchecked:
        return "unchecked"
    if case.resolved:
        return "resolved"
    failed = [name for name, outcome in case.stages.items() if outcome is Outcome.FAILED]
    return failed[0] if failed else "rejected" if case.verdict == "rejected" else "failed"


def _matrix(track: TrackLeaderboard, cases: Sequence[CaseResult]) -> Sheet:
    suts = [row.sut for row in track.rows]
    cells: dict[str, dict[str, list[str]]] = {}
    for case in cases:
        own = cells.setdefault(case.case.instance_id, {})
        own.setdefault(case.case.sut, []).append(word_of(case))
    for row in track.rows:
        for instance in row.missing_instances:
            cells.setdefault(instance, {}).setdefault(row.sut, ["missing"])
    return Sheet(
        "matrix",
        track.track,
        "Each instance and system: resolved, or the stage that failed first.",
        ("instance", *suts),
        tuple(
            (instance, *(", ".join(own[sut]) if sut in own else None for sut in suts))
            for instance, own in sorted(cells.items())
        ),
    )


def _pass_at_k(track: TrackLeaderboard, _: Sequence[CaseResult]) -> Sheet:
    told = track.statistics.suts if track.statistics is not None else ()
    most = max((k for sut in told for k in sut.pass_at_k), default=0)
    return Sheet(
        "pass-at-k",
        track.track,
        "pass@k in percent (unbiased, Chen et al. 2021), and what most attempts resolved.",
        ("sut", "attempts", *(f"pass@{k}" for k in range(1, most + 1)), "majority_percentage"),
        tuple(
            (
                sut.sut,
                sut.attempts,
                *(sut.pass_at_k.get(k) for k in range(1, most + 1)),
                sut.majority_percentage,
            )
            for sut in told
            if sut.pass_at_k
        ),
    )


def _pairs(track: TrackLeaderboard, _: Sequence[CaseResult]) -> Sheet:
    return Sheet(
        "pairs",
        track.track,
        "Systems in pairs, on the instances that both were judged on: exact McNemar, two-sided, "
        "and Holm's adjustment for all pairs.",
        ("first", "second", "common", "both", "only_first", "only_second", "p", "p_holm"),
        tuple(
            (
                *(pair.first, pair.second, pair.common, pair.both),
                *(pair.only_first, pair.only_second, pair.p_value, pair.p_holm),
            )
            for pair in (track.statistics.pairs if track.statistics is not None else ())
        ),
    )


def _difficulty(track: TrackLeaderboard, _: Sequence[CaseResult]) -> Sheet:
    return Sheet(
        "difficulty",
        track.track,
        "How many systems failed at each instance, with Wilson's 95% interval.",
        ("instance", "systems", "failures", "percentage", "low", "high"),
        tuple(
            (each.instance_id, each.suts, each.failures, each.percentage, *each.interval)
            for each in (track.statistics.instances if track.statistics is not None else ())
        ),
    )


def _failures(track: TrackLeaderboard, _: Sequence[CaseResult]) -> Sheet:
    causes = sorted({cause for row in track.rows for cause in row.causes})
    return Sheet(
        "failures",
        track.track,
        "Why judged cases are not resolved.",
        ("sut", *causes, "all"),
        tuple(
            (row.sut, *(row.causes.get(cause, 0) for cause in causes), sum(row.causes.values()))
            for row in track.rows
            if row.causes
        ),
    )


#: Columns of `cases` that every track has, before its stages and metrics.
CASE_COLUMNS = (
    *("track", "sut", "instance", "attempt", "kind", "outcome", "resolved", "integrity"),
    *("cause", "first_error", "partial_credit", "cost_usd", "steps", "duration_s"),
    *("evaluation_s", "started_at", "harness_version"),
)


def case_row(case: CaseResult) -> dict[str, Cell]:
    """One case as a flat row: `CASE_COLUMNS`, `stage_NAME` and `metric_NAME`.

    `outcome` is `resolved`, `unchecked`, `error` or the stage that failed first; `resolved` and
    `integrity` are None where nothing was judged.
    """
    row: dict[str, Cell] = {
        "track": case.track,
        "sut": case.case.sut,
        "instance": case.case.instance_id,
        "attempt": case.case.attempt,
        "kind": case.kind.value,
        "outcome": word_of(case),
        "resolved": case.resolved if case.judged else None,
        "integrity": case.verdict.value if case.judged else None,
        "cause": case.diagnosis.cause if case.diagnosis is not None else None,
        "first_error": case.diagnosis.first_error if case.diagnosis is not None else None,
        "partial_credit": case.partial_credit,
        "cost_usd": case.cost_usd,
        "steps": case.steps,
        "duration_s": case.duration_s,
        "evaluation_s": case.evaluation_s,
        "started_at": case.started_at,
        "harness_version": case.harness_version,
    }
    row |= {f"stage_{name}": outcome.value for name, outcome in case.stages.items()}
    return row | {f"metric_{name}": value for name, value in case.metrics.items()}


def missing_rows(track: TrackLeaderboard) -> Iterator[dict[str, Cell]]:
    """A row for each case that was asked for and has no record: `outcome` is `missing`."""
    for row in track.rows:
        each = row.missing // len(row.missing_instances) if row.missing_instances else 0
        for instance in row.missing_instances:
            for attempt in range(1, each + 1):
                yield {
                    "track": track.track,
                    "sut": row.sut,
                    "instance": instance,
                    "attempt": attempt,
                    "kind": SubmissionKind.PATCH.value,
                    "outcome": "missing",
                }


def _cases(track: TrackLeaderboard, cases: Sequence[CaseResult]) -> Sheet:
    rows = [*map(case_row, cases), *missing_rows(track)]
    columns = list(dict.fromkeys((*CASE_COLUMNS, *(name for row in rows for name in row))))
    return Sheet(
        "cases",
        track.track,
        "Every case that was asked for.",
        tuple(columns),
        tuple(tuple(row.get(name) for name in columns) for row in rows),
    )


#: Table -> how it is made, in a paper's order.
SHEETS: Mapping[str, Callable[[TrackLeaderboard, Sequence[CaseResult]], Sheet]] = {
    "stages": _stages,
    "matrix": _matrix,
    "pass-at-k": _pass_at_k,
    "pairs": _pairs,
    "difficulty": _difficulty,
    "failures": _failures,
    "cases": _cases,
}
