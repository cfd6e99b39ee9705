"""The columns that all formats share."""

from __future__ import annotations

from pytest_benchmac.model.evaluation import Finding, Verdict
from pytest_benchmac.report.leaderboard import (
    LeaderboardRow,
    PercentInterval,
    SutStatistics,
    TrackLeaderboard,
)


def statistics_of(track: TrackLeaderboard, sut: str) -> SutStatistics | None:
    """What statistics say about one SUT; None when none were made."""
    found = track.statistics.suts if track.statistics is not None else ()
    return next((statistics for statistics in found if statistics.sut == sut), None)


def percentage_of(track: TrackLeaderboard, row: LeaderboardRow) -> float | None:
    """What the row is ranked by, in percent; None when nothing was judged."""
    return row.headline_percentage if track.headline else row.resolved_percentage


#: Heading of the share of all records.
SUBMITTED = "of submitted %"
#: Stands with a share of submitted cases that is another than that of judged cases.
DIFFERS = "*"


def submitted_of(track: TrackLeaderboard, row: LeaderboardRow) -> str:
    """The share of submitted cases in percent, marked where it is not that of judged cases."""
    return _percent(row.submitted_percentage) + mark_of(track, row)


def mark_of(track: TrackLeaderboard, row: LeaderboardRow) -> str:
    """The mark of a row whose share of submitted cases is not that of judged cases."""
    return DIFFERS if row.submitted_percentage != percentage_of(track, row) else ""


def errors_differ(track: TrackLeaderboard) -> bool:
    """Is any row's share of submitted cases another than that of judged cases?"""
    return any(mark_of(track, row) for row in track.rows)


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
        SUBMITTED,
        *(["95% interval"] if track.statistics is not None else []),
        "errors",
        "mean cost ($)",
    ]


def cells_of(track: TrackLeaderboard, row: LeaderboardRow) -> list[str]:
    """A row of the formats for documents, below `headings_of`."""
    return [
        rank_of(row),
        one_line(row.sut),
        *(f"{row.metrics[n].achieved}/{row.metrics[n].judged}" for n in metric_columns(track)),
        f"{row.resolved}/{row.judged}",
        _percent(percentage_of(track, row)),
        submitted_of(track, row),
        *([_interval(interval_of(track, row))] if track.statistics is not None else []),
        str(row.errors),
        _dollars(row.mean_cost_usd),
    ]


def notes(track: TrackLeaderboard) -> list[str]:
    """What a reader has to know beside the rows."""
    rows = track.rows
    judged = sum(row.judged for row in rows)
    found = []
    if errors := sum(row.errors for row in rows):
        found.append(f"{errors} infrastructure error(s): only the share of submitted counts them.")
    if errors_differ(track):
        found.append(f"{DIFFERS} The share of submitted cases is not that of judged cases.")
    for verdict in (Verdict.UNCHECKED, Verdict.REJECTED):
        if count := sum(row.integrity[verdict] for row in rows):
            found.append(f"Integrity {verdict} for {count} of {judged} judged case(s).")
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
