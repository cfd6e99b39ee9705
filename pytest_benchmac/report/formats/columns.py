"""The columns that all formats share."""

from __future__ import annotations

from pytest_benchmac.model.evaluation import Finding, Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.leaderboard import (
    LeaderboardRow,
    MetricSummary,
    PercentInterval,
    SutStatistics,
    TrackLeaderboard,
)


def statistics_of(track: TrackLeaderboard, sut: str) -> SutStatistics | None:
    """What statistics say about one SUT; None when none were made."""
    found = track.statistics.suts if track.statistics is not None else ()
    return next((statistics for statistics in found if statistics.sut == sut), None)


#: The columns that are shown where any row has one, beside those that always are.
_COUNTS = ("submitted", "empty", "errors", "unchecked", "missing")


def counts_of(row: LeaderboardRow) -> dict[str, int]:
    """What became of the cases that were asked for, beside resolved and failed ones."""
    return {
        "submitted": row.cases,
        "empty": row.empty,
        "errors": row.errors,
        "unchecked": row.unchecked,
        "missing": row.missing,
    }


def count_columns(track: TrackLeaderboard) -> tuple[str, ...]:
    """Which of them there are in any row; `submitted` says something where cases are missing."""
    found = {name for row in track.rows for name, count in counts_of(row).items() if count}
    return tuple(
        name for name in _COUNTS if name in found and (name != "submitted" or "missing" in found)
    )


def resolved_share(row: LeaderboardRow) -> float | None:
    """Resolved of all asked for in percent; None when nothing was asked for."""
    return 100 * row.resolved / row.asked if row.asked else None


def reached(metric: MetricSummary) -> str:
    """How many cases achieved a metric, of those judged; `-` where none reached its stage."""
    if metric.not_reached == metric.judged:
        return "-"
    return f"{metric.achieved}/{metric.judged}"


def interval_of(track: TrackLeaderboard, row: LeaderboardRow) -> PercentInterval | None:
    """The 95% interval of what the row is ranked by; None when there is none."""
    statistics = statistics_of(track, row.sut)
    if statistics is None:
        return None
    return statistics.headline_interval if track.headline else statistics.resolved_interval


def headline_heading(track: TrackLeaderboard) -> str:
    """What the rows are ranked by, where it is a share; empty where it is resolved cases."""
    name = track.headline or ""
    return (track.titles or {}).get(name, name).replace("_", " ")


def metric_columns(track: TrackLeaderboard) -> dict[str, str]:
    """Metric -> heading, for the metrics that apply to any case here.

    The title that the track gives, else the stage's name, which is short; the metric's own where
    a stage decides several. A headline has a column of its own.
    """
    shown = [
        name
        for name in track.metrics
        if name != track.headline and any(row.metrics[name].judged for row in track.rows)
    ]
    stages = [track.metrics[name] for name in shown]
    return {
        name: (track.titles or {}).get(
            name, (stage if stages.count(stage) == 1 else name).replace("_", " ")
        )
        for name, stage in zip(shown, stages, strict=True)
    }


def one_line(text: str) -> str:
    """Without control characters, line breaks and bidirectional overrides."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def rank_of(row: LeaderboardRow) -> str:
    """The rank as text; empty for the self-tests."""
    return "" if row.rank is None else str(row.rank)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _interval(interval: PercentInterval | None) -> str:
    return "-" if interval is None else f"{interval[0]:.1f} to {interval[1]:.1f}"


def _dollars(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def headings_of(track: TrackLeaderboard) -> list[str]:
    """Columns of the formats for documents."""
    return [
        "#",
        "SUT",
        *metric_columns(track).values(),
        "resolved",
        f"{headline_heading(track)} %".lstrip(),
        *(["95% interval"] if track.statistics is not None else []),
        *count_columns(track),
        "mean cost ($)",
    ]


def cells_of(track: TrackLeaderboard, row: LeaderboardRow) -> list[str]:
    """A row of the formats for documents, below `headings_of`."""
    return [
        rank_of(row),
        one_line(row.sut),
        *(reached(row.metrics[name]) for name in metric_columns(track)),
        f"{row.resolved}/{row.asked}",
        _percent(row.asked_percentage),
        *([_interval(interval_of(track, row))] if track.statistics is not None else []),
        *(str(counts_of(row)[name]) for name in count_columns(track)),
        _dollars(row.mean_cost_usd),
    ]


def notes(track: TrackLeaderboard) -> list[str]:
    """What a reader has to know beside the rows."""
    patches = [row for row in track.rows if row.kind is SubmissionKind.PATCH]
    found = []
    if missing := sum(row.missing for row in patches):
        asked = sum(row.asked for row in patches)
        found.append(f"{missing} of {asked} case(s) asked for are missing: they have no record.")
    if errors := sum(row.errors for row in track.rows):
        found.append(f"{errors} infrastructure error(s): not judged, so not counted as resolved.")
    if unchecked := sum(row.unchecked for row in track.rows):
        found.append(
            f"{unchecked} case(s) pass unchecked: nothing is known of their integrity, so they are "
            "not counted as resolved."
        )
    if rejected := sum(row.integrity[Verdict.REJECTED] for row in track.rows):
        judged = sum(row.judged for row in track.rows)
        found.append(f"Integrity rejected for {rejected} of {judged} judged case(s).")
    return found


def failure_rows(track: TrackLeaderboard) -> tuple[list[str], list[list[str]]]:
    """Cause by SUT: headings, and a row per SUT that failed anywhere, with its total."""
    causes = sorted({cause for row in track.rows for cause in row.causes})
    rows = [
        [one_line(row.sut), *(str(row.causes.get(cause, 0)) for cause in causes), str(row.failed)]
        for row in track.rows
        if row.failed
    ]
    return ["SUT", *(cause.replace("_", " ") for cause in causes), "all"], rows


def finding_line(finding: Finding) -> str:
    """A finding in one line: how grave, which, what and where."""
    place = f" ({finding.file}{f':{finding.line}' if finding.line else ''})"
    told = f"{finding.message}{place if finding.file else ''}"
    return f"{finding.severity} {finding.code}: {one_line(' '.join(told.splitlines()))}"
