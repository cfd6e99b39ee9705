"""A leaderboard as a terminal table, CSV, Markdown, LaTeX and HTML.

SUT names are anybody's text: each format escapes them in its own way.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from pytest_benchmac.model import Verdict
from pytest_benchmac.report.leaderboard import (
    Leaderboard,
    LeaderboardRow,
    PercentInterval,
    SutStatistics,
    TrackLeaderboard,
)

# --- what every format shows -------------------------------------------------------------------


def statistics_of(track: TrackLeaderboard, sut: str) -> SutStatistics | None:
    """What statistics say about one SUT; None when none were made."""
    found = track.statistics.suts if track.statistics is not None else ()
    return next((statistics for statistics in found if statistics.sut == sut), None)


def metric_columns(track: TrackLeaderboard) -> dict[str, str]:
    """Metric -> heading, for the metrics that apply to any case here.

    The stage's name, which is short; the metric's own where a stage decides several.
    """
    shown = [name for name in track.metrics if any(row.metrics[name].judged for row in track.rows)]
    stages = [track.metrics[name] for name in shown]
    return {
        name: (stage if stages.count(stage) == 1 else name).replace("_", " ")
        for name, stage in zip(shown, stages, strict=True)
    }


def one_line(text: str) -> str:
    """Without control characters, line breaks and bidirectional overrides."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _rank(row: LeaderboardRow) -> str:
    return "" if row.rank is None else str(row.rank)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _interval(interval: PercentInterval | None) -> str:
    return "-" if interval is None else f"{interval[0]:.1f} to {interval[1]:.1f}"


def _dollars(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _headings(track: TrackLeaderboard) -> list[str]:
    """Columns of the formats for documents."""
    return [
        "#",
        "SUT",
        *metric_columns(track).values(),
        "resolved",
        "%",
        *(["95% interval"] if track.statistics is not None else []),
        "errors",
        "mean cost ($)",
    ]


def _cells(track: TrackLeaderboard, row: LeaderboardRow) -> list[str]:
    statistics = statistics_of(track, row.sut)
    return [
        _rank(row),
        one_line(row.sut),
        *(f"{row.metrics[n].achieved}/{row.metrics[n].judged}" for n in metric_columns(track)),
        f"{row.resolved}/{row.judged}",
        _percent(row.resolved_percentage),
        *([_interval(statistics.resolved_interval)] if statistics is not None else []),
        str(row.errors),
        _dollars(row.mean_cost_usd),
    ]


def notes(track: TrackLeaderboard) -> list[str]:
    """What a reader has to know beside the rows."""
    rows = track.rows
    judged = sum(row.judged for row in rows)
    found = []
    if errors := sum(row.errors for row in rows):
        found.append(f"{errors} infrastructure error(s): in no denominator.")
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


# --- CSV ---------------------------------------------------------------------------------------


def to_csv(leaderboard: Leaderboard) -> str:
    """One line per track and SUT, for spreadsheets; numbers as in the JSON.

    A name that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    metrics = list(dict.fromkeys(name for track in leaderboard.tracks for name in track.metrics))
    writer.writerow(
        [
            *("track", "rank", "sut", "kind", "cases", "judged", "resolved", "failed", "errors"),
            *("resolved_percentage", "resolved_low", "resolved_high"),
            *(f"{name}_{what}" for name in metrics for what in ("achieved", "judged")),
            *("mean_cost_usd", "mean_steps"),
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
                    *(track.track, row.rank, _csv_text(row.sut), row.kind.value, row.cases),
                    *(row.judged, row.resolved, row.failed, row.errors, row.resolved_percentage),
                    *(interval or (None, None)),
                    *counts,
                    *(row.mean_cost_usd, row.mean_steps),
                ]
            )
    return text.getvalue()


def _csv_text(text: str) -> str:
    flat = one_line(text)
    return f"'{flat}" if flat.startswith(("=", "+", "-", "@")) else flat


# --- Markdown ----------------------------------------------------------------------------------

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&@:-])")


def to_markdown(leaderboard: Leaderboard) -> str:
    """For a comment on a pull request or the summary of a CI job (GitHub, GitLab)."""
    parts = []
    for track in leaderboard.tracks:
        parts.append(f"### {_markdown_text(track.track)}")
        parts.append(_markdown_table(_headings(track), [_cells(track, r) for r in track.rows]))
        parts += [f"{note}  " for note in notes(track)]
        headings, rows = failure_rows(track)
        if rows:
            parts.append("<details><summary>Why cases failed</summary>")
            parts.append(_markdown_table(headings, rows))
            parts.append("</details>")
    return "\n\n".join(parts) + "\n"


def _markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    left = {"SUT"}
    lines = [
        "| " + " | ".join(headings) + " |",
        "| " + " | ".join("---" if heading in left else "---:" for heading in headings) + " |",
    ]
    lines += [
        "| "
        + " | ".join(
            _markdown_text(cell) if heading in left else cell
            for heading, cell in zip(headings, row, strict=True)
        )
        + " |"
        for row in rows
    ]
    return "\n".join(lines)


def _markdown_text(text: str) -> str:
    # Character references are inert in every dialect, also inside tables: no mention, no link.
    return _MARKDOWN.sub(lambda match: f"&#{ord(match[1])};", one_line(text))


# --- LaTeX -------------------------------------------------------------------------------------

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def to_latex(leaderboard: Leaderboard) -> str:
    """A `tabular` per track, with the columns of the BenchMAC thesis's table 5.1 (booktabs)."""
    parts = []
    for track in leaderboard.tracks:
        lines = [
            f"% {_latex_text(track.track)}; needs \\usepackage{{booktabs}}",
            r"\begin{tabular}{rlrrrr}",
            r"\toprule",
            r"Rank & System & Resolved & \% & 95\% interval & Mean cost (\$) \\",
            r"\midrule",
        ]
        for row in track.rows:
            statistics = statistics_of(track, row.sut)
            interval = statistics.resolved_interval if statistics is not None else None
            ends = f"[{interval[0]:.1f}, {interval[1]:.1f}]" if interval is not None else "--"
            share = row.resolved_percentage
            cells = [
                _rank(row),
                _latex_text(row.sut),
                f"{row.resolved}/{row.judged}",
                "--" if share is None else f"{share:.1f}",
                ends,
                "--" if row.mean_cost_usd is None else f"{row.mean_cost_usd:.3f}",
            ]
            lines.append(" & ".join(cells) + r" \\")
        parts.append("\n".join([*lines, r"\bottomrule", r"\end{tabular}"]))
    return "\n\n".join(parts) + "\n"


def _latex_text(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in one_line(text))


# --- HTML --------------------------------------------------------------------------------------


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
    yield f"<thead>{line(_headings(track), 'th')}</thead>"
    yield "<tbody>"
    for row in track.rows:
        yield line(_cells(track, row), "td")
    yield "</tbody>"
    yield "</table>"
    for note in notes(track):
        yield f"<p>{html.escape(note)}</p>"


# --- terminal ----------------------------------------------------------------------------------

#: Characters that a SUT's name keeps in a table that is too wide for the terminal.
_MIN_SUT_WIDTH = 10


def leaderboard_table(leaderboard: Leaderboard) -> Group:
    """One table per track, for `rich.console.Console.print`.

    A metric's column carries the name of its stage: the metrics' own names do not fit a terminal.
    """
    return Group(*(_TrackTable(track) for track in leaderboard.tracks))


@dataclass(frozen=True)
class _TrackTable:
    """A table that gives up its width step by step.

    Percentages and words of headings go on lines of their own; where that is not enough, one
    metric per stage is shown, then without what other columns and the notes tell, and in the end
    none.
    """

    track: TrackLeaderboard

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        metrics = metric_columns(self.track)

        def width(table: Table) -> int:
            return Measurement.get(console, options.update(width=1000), table).maximum

        wide = _table(self.track, metrics, separator=" ")
        if width(wide) <= options.max_width:
            yield wide
            return
        names = max((len(row.sut) for row in self.track.rows), default=0)
        # Of several metrics of a stage, the first.
        brief: dict[str, str] = {}
        for name in metrics:
            brief.setdefault(self.track.metrics[name].replace("_", " "), name)
        one_each = {name: stage for stage, name in brief.items()}
        for shown, counts in ((metrics, True), (one_each, True), (one_each, False)):
            broken = {name: heading.replace(" ", "\n") for name, heading in shown.items()}
            narrow = _table(self.track, broken, separator="\n", counts=counts)
            # Names fold, down to this much; everything else is lost when it is cut.
            if width(narrow) - max(0, names - _MIN_SUT_WIDTH) <= options.max_width:
                yield narrow
                return
        yield _table(self.track, {}, separator=" ")
        yield Text(f"{len(metrics)} metrics do not fit here: widen the terminal, or see the page.")


def _table(
    track: TrackLeaderboard, metrics: Mapping[str, str], separator: str, *, counts: bool = True
) -> Table:
    table = Table(
        title=f"Leaderboard: {track.track}",
        title_justify="left",
        caption="\n".join(notes(track)),
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("#", justify="right")
    table.add_column("SUT", overflow="fold")
    interval = ["95% interval"] if track.statistics is not None else []
    counted = ["failed", "errors"] if counts else []
    for heading in (*metrics.values(), "resolved", *interval, *counted):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in track.rows:
        statistics = statistics_of(track, row.sut)
        table.add_row(
            _rank(row),
            # Never read as markup.
            Text(one_line(row.sut)),
            *(
                _cell(m.achieved, m.judged, m.percentage, separator)
                for m in (row.metrics[name] for name in metrics)
            ),
            _cell(row.resolved, row.judged, row.resolved_percentage, separator),
            *([_terminal_interval(statistics.resolved_interval)] if statistics else []),
            *([str(row.failed), str(row.errors)] if counts else []),
        )
    return table


def _cell(count: int, of: int, percentage: float | None, separator: str) -> str:
    return "-" if percentage is None else f"{count}/{of}{separator}{percentage:3.0f}%"


def _terminal_interval(interval: PercentInterval | None) -> str:
    return "-" if interval is None else f"{interval[0]:.0f}-{interval[1]:.0f}%"
