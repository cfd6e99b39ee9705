"""A leaderboard as CSV, Markdown and HTML.

SUT names are anybody's text: each format escapes them in its own way.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator, Sequence

from pytest_benchmac.report.cases import CaseResult, by_track
from pytest_benchmac.report.formats.columns import (
    cells_of,
    failure_rows,
    headings_of,
    interval_of,
    notes,
    one_line,
    statistics_of,
)
from pytest_benchmac.report.leaderboard import (
    Leaderboard,
    LeaderboardRow,
    TrackLeaderboard,
)
from pytest_benchmac.report.sheets import word_of
from pytest_benchmac.tracks.metrics import RESOLVED

#: Columns of a CSV in which a track ranks by a share.
_CSV_HEADLINE = ("headline", "headline_percentage", "headline_low", "headline_high")
#: Failed cases that Markdown names; the page has all.
_NAMED = 50
#: Characters with a meaning in any dialect.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&@:-])")


def to_csv(leaderboard: Leaderboard) -> str:
    """One line per track and SUT, for spreadsheets; numbers as in the JSON.

    A name that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    metrics = list(dict.fromkeys(name for track in leaderboard.tracks for name in track.metrics))
    shares = any(track.headline for track in leaderboard.tracks)
    writer.writerow(
        [
            *("track", "rank", "sut", "kind", "asked", "cases", "judged", "resolved", "unchecked"),
            *("failed", "empty", "errors", "missing"),
            *("resolved_percentage", "resolved_low", "resolved_high", "asked_percentage"),
            *(f"{name}_{what}" for name in metrics for what in ("achieved", "judged")),
            *("mean_cost_usd", "mean_steps"),
            *(_CSV_HEADLINE if shares else ()),
        ]
    )
    for track in leaderboard.tracks:
        for row in track.rows:
            statistics = statistics_of(track, row.sut)
            interval = statistics.resolved_interval if statistics is not None else None
            counts: list[int | None] = []
            for name in metrics:
                metric = row.metrics.get(name)
                counts += [metric.achieved, metric.judged] if metric is not None else [None, None]
            writer.writerow(
                [
                    *(track.track, row.rank, csv_text(row.sut), row.kind.value, row.asked),
                    *(row.cases, row.judged, row.resolved, row.unchecked, row.failed, row.empty),
                    *(row.errors, row.missing, row.resolved_percentage),
                    *(interval or (None, None)),
                    row.asked_percentage,
                    *counts,
                    *(row.mean_cost_usd, row.mean_steps),
                    *(_csv_headline(track, row) if shares else ()),
                ]
            )
    return text.getvalue()


def _csv_headline(track: TrackLeaderboard, row: LeaderboardRow) -> tuple[object, ...]:
    name = track.headline or RESOLVED
    return name, row.asked_percentage, *(interval_of(track, row) or (None, None))


def csv_text(text: str) -> str:
    """One line that no spreadsheet runs as a formula."""
    flat = one_line(text)
    return f"'{flat}" if flat.startswith(("=", "+", "-", "@")) else flat


def to_markdown(leaderboard: Leaderboard, results: Sequence[CaseResult] = ()) -> str:
    """For a comment on a pull request or the summary of a CI job (GitHub, GitLab).

    Args:
        leaderboard: the counts.
        results: its cases, of which those that failed are named with their first error.
    """
    parts = []
    cases = by_track(results)
    for track in leaderboard.tracks:
        parts.append(f"### {_markdown_text(track.track)}")
        parts.append(_markdown_table(headings_of(track), [cells_of(track, r) for r in track.rows]))
        parts += [f"{note}  " for note in notes(track)]
        headings, rows = failure_rows(track)
        if rows:
            parts.append("<details><summary>Why cases failed</summary>")
            parts.append(_markdown_table(headings, rows))
            parts.append("</details>")
        parts += _first_errors(cases.get(track.track, []))
    return "\n\n".join(parts) + "\n"


def _first_errors(cases: Sequence[CaseResult]) -> Iterator[str]:
    failed = [case for case in cases if case.diagnosis is not None]
    if not failed:
        return
    rows = [
        [
            _markdown_text(case.case.id.strip("{}")),
            word_of(case).replace("_", " "),
            case.diagnosis.cause.replace("_", " "),
            _markdown_text(case.diagnosis.first_error),
        ]
        for case in failed[:_NAMED]
        if case.diagnosis is not None
    ]
    yield "<details><summary>The first error of each failed case</summary>"
    yield _markdown_table(["case", "failed at", "cause", "first error"], rows, right=False)
    if len(failed) > _NAMED:
        yield f"and {len(failed) - _NAMED} more  "
    yield "</details>"


def _markdown_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: bool = True
) -> str:
    left = {"SUT"} if right else set(headings)
    lines = [
        "| " + " | ".join(headings) + " |",
        "| " + " | ".join("---" if heading in left else "---:" for heading in headings) + " |",
    ]
    lines += [
        "| "
        + " | ".join(
            _markdown_text(cell) if heading == "SUT" else cell
            for heading, cell in zip(headings, row, strict=True)
        )
        + " |"
        for row in rows
    ]
    return "\n".join(lines)


def _markdown_text(text: str) -> str:
    # Character references are inert in every dialect, also inside tables: no mention, no link.
    return _MARKDOWN.sub(lambda match: f"&#{ord(match[1])};", one_line(text))


def to_html(leaderboard: Leaderboard) -> str:
    """One document with a table per track and nothing else; `benchmac report` makes the page."""
    body = "\n".join(line for track in leaderboard.tracks for line in _html_track(track))
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        "<title>Leaderboard</title>\n"
        "<style>body{font-family:sans-serif}td,th{padding:.2em .6em;text-align:right}"
        "td:nth-child(2),th:nth-child(2){text-align:left}</style>\n"
        f"{body}\n</html>\n"
    )


def _html_track(track: TrackLeaderboard) -> Iterator[str]:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

    yield f"<h2>{html.escape(track.track)}</h2>"
    yield "<table>"
    yield f"<thead>{line(headings_of(track), 'th')}</thead>"
    yield "<tbody>"
    for row in track.rows:
        yield line(cells_of(track, row), "td")
    yield "</tbody>"
    yield "</table>"
    for note in notes(track):
        yield f"<p>{html.escape(note)}</p>"
